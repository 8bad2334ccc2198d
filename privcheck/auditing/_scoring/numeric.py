"""Scores of one real number: its value, its distance from the middle, and a histogram's log-likelihood ratio."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from privcheck.arrays import Array

BINS = 64
"""The most bins of a histogram score, each with the same number of training runs of both streams together."""

RUNS_PER_BIN = 1000
"""Training runs per bin: if bins are many and small, the one with the most extreme log-odds is mostly luck."""

MOST_COLUMNS = 64
"""Real parts whose histograms are summed, to bound the time."""

MOST_TRAINING_RUNS = 50_000
"""Training runs per stream that a histogram or a median uses, to bound the time of sorting them."""

PRIOR_RUNS = 8.0
"""Weight, in runs, with which the share of a bin is shrunk towards that of the bin and its neighbours together."""


class Value:
    """The number itself, with the sign that makes high scores evidence for the first stream; a missing number scores
    minus infinity.
    """

    def __init__(self, first: Array, second: Array) -> None:
        self.sign = 1.0
        self.sign = _sign(self(first), self(second))

    def __call__(self, values: Array) -> Array:
        """Return the numbers, shape (n,)."""
        return self.sign * np.where(np.isnan(values), -np.inf, values)


class MostTelling:
    """The part with the largest distance of its means on the two streams, in standard deviations, as `Value`.

    Parameters
    ----------
    first, second : parts of the training runs on each stream, shape (n, E).

    """

    def __init__(self, first: Array, second: Array) -> None:
        one, two = (np.where(np.isfinite(side), side, 0.0) for side in (first, second))
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            gap = np.abs(one.mean(axis=0) - two.mean(axis=0))
            size = np.sqrt(one.var(axis=0) + two.var(axis=0))
            self.part = int(np.argmax(np.where(gap > 0.0, gap / size, 0.0)))
        self.value = Value(first[:, self.part], second[:, self.part])

    def __call__(self, values: Array) -> Array:
        """Return the part of each run, shape (n,)."""
        return self.value(values[:, self.part])


class Distance:
    """The distance from the median of the training runs, with the sign that makes high scores evidence for the first
    stream.
    """

    def __init__(self, first: Array, second: Array) -> None:
        both = np.concatenate([first[:MOST_TRAINING_RUNS], second[:MOST_TRAINING_RUNS]])
        finite = both[np.isfinite(both)]
        self.middle = float(np.median(finite)) if finite.size else 0.0
        self.sign = 1.0
        self.sign = _sign(self(first), self(second))

    def __call__(self, values: Array) -> Array:
        """Return |values - median|, shape (n,)."""
        with np.errstate(invalid="ignore"):
            distance = np.abs(values - self.middle)
        return self.sign * np.where(np.isnan(distance), -np.inf, distance)


def _sign(first: Array, second: Array) -> float:
    """Return 1 if runs on the first stream tend to score higher than runs on the second, else -1."""
    one, two = np.sort(first[:MOST_TRAINING_RUNS]), np.sort(second[:MOST_TRAINING_RUNS])
    below = np.searchsorted(two, one, side="left").sum() + np.searchsorted(two, one, side="right").sum()
    return 1.0 if below >= len(one) * len(two) else -1.0


class Histogram:
    """The log-odds of the first stream in the bin of a number; as far as ties allow, bins have equally many training
    runs.

    A bin with k training runs of the first stream and l of the second has the share (k + c s) / (k + l + c), where s is
    the share of the bin and its two neighbours together and c = PRIOR_RUNS.
    """

    def __init__(self, first: Array, second: Array) -> None:
        few = (values[:MOST_TRAINING_RUNS] for values in (first, second))
        one, two = (np.where(np.isnan(values), -np.inf, values) for values in few)
        bins = max(4, min(BINS, (len(one) + len(two)) // RUNS_PER_BIN))
        self.edges = np.unique(np.quantile(np.concatenate([one, two]), np.arange(1, bins) / bins, method="lower"))
        k, l = (np.bincount(self._bin(values), minlength=len(self.edges) + 1).astype(float) for values in (one, two))
        near = [np.convolve(counts, np.ones(3))[1:-1] for counts in (k, l)]
        share = (near[0] + 0.5) / (near[0] + near[1] + 1.0)
        posterior = (k + PRIOR_RUNS * share) / (k + l + PRIOR_RUNS)
        self.log_odds = np.log(posterior) - np.log1p(-posterior)

    def _bin(self, values: Array) -> npt.NDArray[np.intp]:
        return np.searchsorted(self.edges, values, side="left")

    def __call__(self, values: Array) -> Array:
        """Return the log-odds of the bin of each number, shape (n,)."""
        return np.asarray(self.log_odds[self._bin(np.where(np.isnan(values), -np.inf, values))])


class SumOfHistograms:
    """The sum of the histogram log-odds of all real parts, as if these were independent given the stream.

    Parameters
    ----------
    first, second : real parts of the training runs on each stream, shape (n, E); the first `MOST_COLUMNS` are read.

    """

    def __init__(self, first: Array, second: Array) -> None:
        columns = range(min(first.shape[1], MOST_COLUMNS))
        self.histograms = [Histogram(first[:, column], second[:, column]) for column in columns]

    def __call__(self, values: Array) -> Array:
        """Return the summed log-odds of the first stream, shape (n,)."""
        total = np.zeros(len(values))
        for column, histogram in enumerate(self.histograms):
            total += histogram(values[:, column])
        return total
