"""Smoothed counts of tails: the best of many noisy tails is mostly luck, the best point of a smooth curve is not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc, expit, ndtri

from privcheck.arrays import Array

BINS = 128
"""Bins into which scores are grouped, finer at both ends."""

FEWEST = 16
"""Distinct scores below which counts are not smoothed."""

RIDGE = 1e-3
"""Penalty on the squared coefficients, far less than the weight of one run: it keeps Newton's equations solvable."""

FIT_LEVEL = 0.1
"""Level of the chi-square test that a fit has to pass to be used."""


@dataclass(frozen=True)
class Smooth:
    """Smoothed counts of the runs on each stream whose scores lie between each start and the next."""

    starts: Array
    ends: Array
    first: Array
    second: Array


def smoothed(values: Array, first: Array, second: Array, degree: int) -> Smooth | None:
    """Fit the log-odds of the first stream as a polynomial of the normal quantile of a score's rank.

    The fit only guides the choice of an event; no conclusion depends on it.

    Parameters
    ----------
    values : distinct scores in increasing order, shape (d,).
    first, second : runs on each stream with each score, shape (d,).
    degree : of the polynomial, fitted by logistic regression.

    Returns
    -------
    None for fewer than `FEWEST` distinct scores, or if the polynomial does not fit.

    Examples
    --------
    >>> smoothed(np.arange(3.0), np.ones(3), np.ones(3), 1) is None
    True
    """
    if len(values) < FEWEST:
        return None
    mass = np.cumsum(first + second)
    total = mass[-1]
    edge = np.log(total / 4.0)
    wanted = total / (1.0 + np.exp(-np.linspace(-edge, edge, BINS)))
    starts = np.unique(np.concatenate([[0], np.searchsorted(mass, wanted, side="right")]))
    starts = starts[starts < len(values)]
    k, l = np.add.reduceat(first, starts), np.add.reduceat(second, starts)
    rank = np.cumsum(k + l) - 0.5 * (k + l)
    features = np.polynomial.hermite_e.hermevander(ndtri(rank / total), degree)
    fitted = _logistic(features / np.abs(features).max(axis=0), k, k + l)
    misfit = ((k - (k + l) * fitted) ** 2 / np.maximum((k + l) * fitted * (1.0 - fitted), 1e-12)).sum()
    if chdtrc(max(1, len(k) - degree - 1), misfit) < FIT_LEVEL:
        return None
    ends = values[np.append(starts[1:], len(values)) - 1]
    return Smooth(values[starts], ends, (k + l) * fitted, (k + l) * (1.0 - fitted))


def _logistic(features: Array, successes: Array, trials: Array) -> Array:
    """Return the fitted probabilities of a logistic regression by Newton's method, with a small ridge penalty."""
    weights = np.zeros(features.shape[1])
    for _ in range(25):
        fitted = expit(features @ weights)
        slope = features.T @ (successes - trials * fitted) - RIDGE * weights
        bend = (features * (trials * fitted * (1.0 - fitted))[:, None]).T @ features + RIDGE * np.eye(len(weights))
        step = np.linalg.solve(bend, slope)
        weights += step
        if np.abs(step).max() < 1e-6:
            break
    return np.asarray(expit(features @ weights))
