"""Whether the canaries of one run had a coin each, as far as the order of the coins shows it."""

from __future__ import annotations

import math

import numpy as np

from privcheck.arrays import Bools
from privcheck.errors import PrivcheckError, words

NO_COINS = 1e-6
"""Coins of this probability and less are refused: they are no accident."""

LEAST_RUNS = 20
"""Lists with fewer runs of equal coins may have been sorted by them, which changes no bound."""


def refuse_shared_coins(coins: Bools) -> None:
    """Refuse coins in an order that independent ones do not have: one of each pair, or each named several times."""
    times, p_value = repeated_coins(coins)
    got = None
    if p_value < NO_COINS:
        got = f"each coin {times} times"
    elif paired_p_value(coins) < NO_COINS:
        got = "neighbours of which one was included and the other was not"
    if got is not None:
        hint = "name each canary once; a coin that decides about two canaries tells about both"
        raise PrivcheckError("included", words(got), "each canary included by a coin of its own", hint)


def paired_p_value(coins: Bools) -> float:
    """Return the p-value of so many neighbours, the first two, the next two, ..., of which one alone was included.

    It holds for independent coins of every common probability: two of them differ with probability 1/2 at most.

    >>> paired_p_value(np.tile([True, False], 20)) == 0.5**20
    True
    """
    from scipy.stats import binom

    pairs = coins[: len(coins) // 2 * 2].reshape(-1, 2)
    return float(binom.sf((pairs[:, 0] != pairs[:, 1]).sum() - 1, len(pairs), 0.5))


def repeated_coins(coins: Bools) -> tuple[int, float]:
    """Return how often a list names each coin, and the p-value of that.

    A coin may be named several times in a row, or the whole list several times. Given how many canaries were included,
    independent coins of a common probability have every order equally often. (1, 1.0) if nothing is repeated, or for
    lists that may have been sorted.

    >>> repeated_coins(np.arange(40) % 3 == 0), repeated_coins(np.tile(np.arange(40) % 3 == 0, 2))[0]
    ((1, 1.0), 2)
    """
    canaries, included = len(coins), int(coins.sum())
    if np.count_nonzero(coins[1:] != coins[:-1]) < LEAST_RUNS:
        return 1, 1.0
    for times in range(canaries // 2, 1, -1):
        if canaries % times or included % times:
            continue
        in_a_row, in_turn = coins.reshape(-1, times), coins.reshape(times, -1)
        if (in_a_row == in_a_row[:, :1]).all() or (in_turn == in_turn[0]).all():
            orders = math.comb(canaries // times, included // times)
            return times, min(1.0, 2 * orders / math.comb(canaries, included))  # integers, too large for floats
    return 1, 1.0
