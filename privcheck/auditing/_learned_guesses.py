"""Guesses about canaries whose thresholds are learned on some of them, which do not count."""

from __future__ import annotations

import numpy as np
from scipy.special import betaincinv

from privcheck.arrays import Array, Bools, Integers

SHARE = 0.15
"""Share of the canaries on which thresholds are learned."""

LEAST_TO_LEARN = 100
"""With fewer canaries a share of them teaches nothing."""

SHRINKING = 0.6
"""The numbers of guesses among which learning chooses are powers of this, as shares of the canaries."""

ENOUGH = 50.0
"""Number of guesses that are judged by what learning has seen of them."""

CAUTION = 0.1
"""Factor of the level at which guesses are judged: the best of a hundred has been lucky."""


def learned_guesses(values: Array, coins: Bools, level: float, *, even: bool = False) -> tuple[int, int]:
    """Return how many guesses are correct, and how many there are.

    Canaries with scores of at least one threshold are guessed to be included, those with scores of at most another not
    to be: how many guesses there are depends on the scores. Equal scores are guessed about alike. Which canaries are
    learned from depends on the ranks of their scores alone. If `even`, as many are guessed to be included as not to be:
    a number is learned in place of thresholds, and equal scores are ordered at random.
    """
    rng = np.random.default_rng(0)
    ranked = np.lexsort((rng.permutation(len(values)), values))
    order = ranked[rng.permutation(len(values))]
    cut = int(SHARE * len(values))
    known, rest = order[:cut], order[cut:]
    if even:
        ranks = np.empty(len(values), np.int64)
        ranks[ranked] = np.arange(len(values))
        return _on_both_sides(ranks, coins, known, rest, level)
    high, low = _thresholds(values[known], coins[known], len(rest), level)
    included, left_out = values[rest] >= high, values[rest] <= low
    correct = int((coins[rest] & included).sum() + (~coins[rest] & left_out).sum())
    return correct, int(included.sum() + left_out.sum())


def _on_both_sides(ranks: Integers, coins: Bools, known: Integers, rest: Integers, level: float) -> tuple[int, int]:
    """Return the correct guesses, and all, if the highest of the rest are guessed to be included and as many of the
    lowest not to be; their share is the one of the known canaries that promises the largest bound.
    """
    seen = coins[known[np.argsort(ranks[known])]]
    half = len(seen) // 2
    most = int(np.log(half) / -np.log(SHRINKING))
    each = np.unique(np.rint(half * SHRINKING ** np.arange(0.0, most + 1.0)).astype(int))
    right = np.cumsum(seen[::-1])[each - 1] + np.cumsum(~seen)[each - 1]
    chance = _promised(right, 2.0 * each, len(rest) / len(known), level)
    number = round(float(each[int(np.argmax(chance))]) / len(seen) * len(rest))
    number = max(1, min(number, len(rest) // 2))
    kept = coins[rest[np.argsort(ranks[rest])]]
    return int(kept[-number:].sum() + (~kept[:number]).sum()), 2 * number


def _promised(right: Array | Integers, guesses: Array | Integers, ratio: float, level: float) -> Array:
    """Return the limit of the chance of a correct guess that so many of the known canaries promise for the others."""
    scale = np.clip(ENOUGH / np.maximum(guesses, 1.0), 1.0, ratio)
    promised = scale * guesses * (right + 0.5) / (guesses + 1.0)  # correct guesses, drawn towards one half
    left = scale * guesses - promised + 1.0
    return np.asarray(np.where(promised > 0.0, betaincinv(np.maximum(promised, 1e-9), left, CAUTION * level), 0.0))


def _thresholds(values: Array, coins: Bools, counted: int, level: float) -> tuple[float, float]:
    """Return the thresholds that promise the largest bound on `counted` other canaries; infinite ones guess nothing.

    A few guesses are judged as the more numerous ones on the others would be; many as if there were no others, since
    of many thresholds one looks too good by chance.
    """
    highs, high_right, high_wrong = _guessed(-values, coins)
    lows, low_right, low_wrong = _guessed(values, ~coins)
    right = high_right[:, None] + low_right
    guesses = right + high_wrong[:, None] + low_wrong
    chance = _promised(right, guesses, counted / len(values), level)
    chance[-highs[:, None] <= lows] = -np.inf
    first, second = np.unravel_index(np.argmax(chance), chance.shape)
    return float(-highs[first]), float(lows[second])


def _guessed(values: Array, coins: Bools) -> tuple[Array, Integers, Integers]:
    """Return thresholds below which the coins are guessed to be True, and the right and wrong guesses of each."""
    order = np.argsort(values, kind="stable")
    places = np.unique(np.rint(len(values) * SHRINKING ** np.arange(1.0, np.log(len(values)) / -np.log(SHRINKING))))
    thresholds = np.unique(values[order[places.astype(int) - 1]])
    counts = np.searchsorted(values[order], thresholds, side="right")
    right = np.cumsum(coins[order])[counts - 1]
    nothing = np.zeros(1, np.int64)
    return (
        np.concatenate(([-np.inf], thresholds)),
        np.concatenate((nothing, right)),
        np.concatenate((nothing, counts - right)),
    )
