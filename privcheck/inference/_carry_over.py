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

WINDOW = 150
"""Later outputs on the same input among which an output is ranked: a drift over longer times does not move ranks."""

LEAST = 100
"""Fewer runs show nothing."""

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
    if len(second) < LEAST or not columns.shape[1]:
        return 0.0
    coins = np.where(second, 1.0, -1.0)[:, None]
    ranks = np.stack([_ranks(column, second) for column in columns.T], axis=1)
    logs = []
    for rate, lag in [*((rate, 1) for rate in RATES), (1.0, 2)]:
        spread = math.sqrt(rate / (2.0 - rate) / 12.0)
        signals = np.clip(_later_mean(ranks, rate, lag) / (SCALE * spread), -1.0, 1.0) * coins
        logs += [np.log1p(stake * signals).sum(axis=0) for share in STAKES for stake in (share, -share)]
    every = np.concatenate(logs)
    return float(np.logaddexp.reduce(every) - math.log(len(every)))


def _ranks(column: Array, second: Bools) -> Array:
    """Return the rank of each output among the next ones on the same input, from -1/2 to 1/2."""
    found = np.zeros(len(column))
    for side in (False, True):
        own = column[second == side]
        if not len(own):
            continue
        after = np.lib.stride_tricks.sliding_window_view(np.append(own, np.full(WINDOW, np.nan)), WINDOW)[1:]
        number = np.minimum(WINDOW, len(own) - 1 - np.arange(len(own)))
        lower, same = (after < own[:, None]).sum(axis=1), (after == own[:, None]).sum(axis=1)
        found[second == side] = np.where(number > 0, (lower + 0.5 * same) / np.maximum(number, 1) - 0.5, 0.0)
    return found


def _later_mean(ranks: Array, rate: float, lag: int) -> Array:
    """Return for each run the moving mean of the ranks of later ones, from `lag` runs later on."""
    from scipy.signal import lfilter

    found = np.zeros_like(ranks)
    found[:-lag] = lfilter([rate], [1.0, rate - 1.0], ranks[::-1], axis=0)[::-1][lag:]
    return found
