"""The coins of the canaries of one run: a test of what is said of them, and a limit of how far they are from fair."""

from __future__ import annotations

import math

import numpy as np

from privcheck.arrays import Bools
from privcheck.declared import Real, check
from privcheck.inference._counts import LEVEL, check_count
from privcheck.inference._limits import clopper_pearson

INCLUSION = Real(0.0, 1.0, low_open=True, high_open=True)
"""Probabilities of a coin."""

LEAST_RUNS = 20
"""Lists with fewer runs of equal coins may have been sorted by them, which changes no bound."""


def coin_p_value(included: int, canaries: int, inclusion: float = 0.5) -> float:
    """Return the two-sided p-value of so many included canaries, exact for independent coins of this probability.

    >>> coin_p_value(50, 100), coin_p_value(0, 21) == 2 * 0.5**21
    (1.0, True)
    """
    from scipy.stats import binomtest

    included = check_count("included", included, canaries)
    return float(binomtest(included, canaries, check("inclusion", inclusion, INCLUSION)).pvalue)


def largest_bias(included: int, canaries: int, level: float) -> float:
    """Return an upper limit of abs(ln(q / (1 - q))), the log-odds of a coin that included so many canaries.

    It is that of the end of the Clopper-Pearson interval for q that is further from one half, and infinite if q may be
    0 or 1.

    >>> round(largest_bias(500, 1000, 0.05), 2), largest_bias(0, 20, 0.05)
    (0.13, inf)
    """
    low, high = clopper_pearson(included, canaries, 0.5 * check("level", level, LEVEL))
    return max((abs(math.log(q / (1.0 - q))) if 0.0 < q < 1.0 else math.inf) for q in (low, high))


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
            return times, min(1.0, 2.0 * orders / math.comb(canaries, included))
    return 1, 1.0
