"""A test of whether outputs follow earlier inputs, where a fresh fair coin decided about each input.

If no output depends on the inputs of other runs, a coin is fair given all later coins and outputs: bets on it by what
came later win nothing on average, however the law of the outputs drifts, and whatever noise later runs share. So the
coins are bet on from the last to the first, and the capital is an e-value; that it is C or more has probability 1 / C
at most. Had the bets been made in the order of time, an output would have been known that its own coin decides.
"""

from __future__ import annotations

import math

import numpy as np

from privcheck.arrays import Array, Bools

RATES = (1.0, 0.3, 0.1, 0.03, 0.01)
"""Rates of the moving means of inputs that outputs may follow; at rate 1 it is the last input."""

STAKES = (0.03, 0.1, 0.3, 0.9)
"""Shares of the capital that a bet stakes at most, on either side."""

REFERENCE = 0.15
"""Share of the runs, the last ones, by which outputs are ranked, and whose coins are not bet on."""

LEAST = 100
"""Fewer runs show nothing."""

DRIFT = 300
"""Later runs whose mean is taken off each moving mean, since a drift of the outputs is no trace of a coin."""

SCALE = 2.5
"""Standard deviations of a moving mean at which the stake is largest."""


def log_capital(second: Bools, columns: Array) -> float:
    """Return the logarithm of an e-value against "no output depends on the input of an earlier run".

    Parameters
    ----------
    second : shape (n,), for each run in order, whether a fair coin had it played on the second input.
    columns : shape (n, columns), what each run put out, without NaN.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> second = rng.random(3000) < 0.5
    >>> own = second + rng.laplace(size=3000)
    >>> log_capital(second, own[:, None]) < 5.0 < log_capital(second, (own + np.roll(second, 1))[:, None])
    True
    """
    n = len(second)
    reference = int(n * REFERENCE)
    if n < LEAST or not columns.shape[1]:
        return 0.0
    known, bet = slice(n - reference, n), n - reference
    coins = np.where(second, 1.0, -1.0)
    ranks = np.stack([_ranks(column, second, known) for column in columns.T], axis=1)
    logs = []
    for rate, lag in [*((rate, 1) for rate in RATES), (1.0, 2)]:
        later = _moving_mean(ranks, rate, lag)[:bet]
        spread = math.sqrt(rate / (2.0 - rate) / 12.0)
        signals = np.clip(later / (SCALE * spread), -1.0, 1.0) * coins[:bet, None]
        logs += [np.log1p(stake * signals).sum(axis=0) for share in STAKES for stake in (share, -share)]
    every = np.concatenate(logs)
    return float(np.logaddexp.reduce(every) - math.log(len(every)))


def _ranks(column: Array, second: Bools, known: slice) -> Array:
    """Return the ranks of outputs among the known ones on the same input, from -1/2 to 1/2, 0 where there are none."""
    found = np.zeros(len(column))
    for side in (False, True):
        like, own = np.sort(column[known][second[known] == side]), second == side
        if len(like):
            low, high = (np.searchsorted(like, column[own], edge) for edge in ("left", "right"))
            found[own] = (low + high) / (2.0 * len(like)) - 0.5
    return found


def _moving_mean(ranks: Array, rate: float, lag: int) -> Array:
    """Return for each run the moving mean of the ranks of later ones, from `lag` runs later on, without their drift."""
    from scipy.signal import lfilter

    reverse = ranks[::-1]
    fast = lfilter([rate], [1.0, rate - 1.0], reverse, axis=0)
    sums = np.cumsum(reverse, axis=0)
    number = np.minimum(np.arange(1, len(reverse) + 1), DRIFT / rate)[:, None].astype(int)
    before = np.arange(len(reverse)) - number[:, 0]
    slow = (sums - np.where(before[:, None] >= 0, sums[before], 0.0)) / number
    found = np.zeros_like(reverse)
    found[lag:] = (fast - slow)[:-lag]
    return np.asarray(found[::-1])
