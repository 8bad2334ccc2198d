"""Fisher's linear discriminant: the linear function of the parts of an output that separates two streams best."""

from __future__ import annotations

import numpy as np

from privcheck.arrays import Array

MOST_TRAINING_RUNS = 20_000
"""Training runs per stream that the covariance is estimated from, to bound the time."""

FAR = 12.0
"""Interquartile ranges from the median beyond which a run is left out of the covariance, which few wild numbers would
decide otherwise.
"""

LEAST_SPREAD = 1e-9
"""Standard deviation, relative to that of the parts, below which a direction counts as free of noise: far above the
rounding of floats, so that a direction in which nothing happens gets no weight.
"""
DROWNED = 1e-6
"""Variance, relative to the largest, below which the rounding of a covariance may matter."""


def steps(parts: Array) -> Array:
    """Return the first part and the steps from each part to the next, shape (n, E).

    >>> steps(np.array([[7.0, 8.0, 8.0]])).tolist()
    [[7.0, 1.0, 0.0]]
    """
    with np.errstate(invalid="ignore"):
        return np.diff(parts, axis=1, prepend=0.0)


def principal(centred: Array) -> tuple[Array, Array]:
    """Return the variances along the principal axes of centred rows, shape (E,), and the axes as columns.

    Variances far below the largest drown in the rounding of a covariance; they are computed again from the rows along
    their axes, which takes a tenth of the time of a singular value decomposition and is as precise.

    >>> pad = np.arange(-1e6, 1e6, 777.7)
    >>> variance, axes = principal(np.stack([pad + 0.01 * (-1.0) ** np.arange(len(pad)), pad], axis=1))
    >>> float(variance.min().round(6)), np.abs(axes[:, 0]).round(3).tolist()
    (5e-05, [0.707, 0.707])
    """
    runs = max(1, len(centred) - 2)
    variance, axes = np.linalg.eigh(centred.T @ centred / runs)
    small = variance <= DROWNED * variance.max(initial=0.0)
    if small.any():
        along = centred @ axes[:, small]
        variance[small], turned = np.linalg.eigh(along.T @ along / runs)
        axes[:, small] = axes[:, small] @ turned
    return variance, axes


class Discriminant:
    """A weighted sum of the parts of an output, with the weights S^-1 (m1 - m2).

    S is the covariance within the streams, m1 and m2 are the means on them. S is estimated from the first part and the
    steps from each part to the next: parts may have far more noise in common than of their own. A part that is missing
    counts as its median.

    Parameters
    ----------
    first, second : parts of the training runs on each stream, shape (n, E).

    Examples
    --------
    >>> pads = np.random.default_rng(0).integers(10**6, size=(2, 200))
    >>> score = Discriminant(*(np.stack([x + pad, pad], axis=1) for x, pad in zip((1, 0), pads)))
    >>> one, two = score(np.array([[778, 777], [12345, 12345]]))
    >>> bool(one - two > 0.1)
    True
    """

    def __init__(self, first: Array, second: Array) -> None:
        sides = [steps(np.asarray(side[:MOST_TRAINING_RUNS], np.float64)) for side in (first, second)]
        both = np.concatenate(sides)
        finite = np.where(np.isfinite(both), both, np.nan)
        self.centre, spread = np.zeros(both.shape[1]), np.ones(both.shape[1])
        seen = ~np.isnan(finite).all(axis=0)
        if seen.any():
            low, self.centre[seen], high = np.nanquantile(finite[:, seen], (0.25, 0.5, 0.75), axis=0)
            spread[seen] = high - low
        moved = np.nan_to_num(np.abs(finite - self.centre)).max(axis=0, initial=0.0)
        self.spread = np.where(spread > 0.0, spread, np.where(moved > 0.0, moved, 1.0))
        one, two = (self._scaled(side) for side in sides)
        kept = [side[(np.abs(side) <= FAR).all(axis=1)] for side in (one, two)]
        if min(len(kept[0]), len(kept[1])) * 2 < min(len(one), len(two)):
            kept = [one, two]
        gap = kept[0].mean(axis=0) - kept[1].mean(axis=0)
        within = np.concatenate([side - side.mean(axis=0) for side in kept])
        variance, axes = principal(within)
        variance = np.maximum(variance, LEAST_SPREAD**2 * variance.max(initial=0.0))
        weights = axes @ ((gap @ axes) / np.where(variance > 0.0, variance, 1.0))
        scale = float(np.abs(weights * gap).sum())
        self.weights = weights / scale if scale > 0.0 else weights

    def _scaled(self, values: Array) -> Array:
        finite = np.where(np.isfinite(values), values, self.centre)
        return np.asarray((finite - self.centre) / self.spread)

    def __call__(self, values: Array) -> Array:
        """Return the scores, shape (n,), added up column by column so that equal outputs have equal scores."""
        scaled = self._scaled(steps(np.asarray(values, np.float64)))
        total = np.zeros(len(scaled))
        for column, weight in enumerate(self.weights):
            total += weight * scaled[:, column]
        return total
