"""Scores of numbers that many runs have in common, and of the grid that numbers are on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from privcheck.arrays import Array
from privcheck.auditing._scoring.numeric import MOST_TRAINING_RUNS, PRIOR_RUNS, Histogram

LEAST_REPEATED = 20
"""Training runs that have a number in common from which it has a score of its own."""

LEAST_OF_ATOM = 4
"""Training runs that have a number in common, among others that none have, from which it has a score of its own."""

FEWEST_IN_BINS = 200
"""Training runs on each stream, without those of repeated numbers, from which these have a histogram."""

MOST_ON_GRID = 4000
"""Training runs per stream that show a grid."""

LEAST_STEP = 1e-6
"""Step of a grid, relative to the range of the numbers, below which rounding may look like one."""

OFF_GRID = 1e-3
"""Distance from a grid, in its steps, up to which a number is on it."""


class RepeatedValues:
    """The log-odds of the first stream for each number that many training runs have, and by a histogram for all others.

    Numbers are compared to seven digits, so that the last bits of a quotient do not matter.

    Parameters
    ----------
    first, second : the training runs on each stream, shape (n,).
    least : how many of them have a number in common that has a score of its own.

    Examples
    --------
    >>> score = RepeatedValues(np.ones(30), np.arange(30.0))
    >>> score(np.array([1.0, 2.0])).round(2).tolist()
    [1.92, 0.0]
    """

    def __init__(self, first: Array, second: Array, least: int = LEAST_REPEATED) -> None:
        one, two = (_seven_digits(side[:MOST_TRAINING_RUNS]) for side in (first, second))
        values, place = np.unique(np.concatenate([one, two]), return_inverse=True)
        k = np.bincount(place[: len(one)], minlength=len(values))
        l = np.bincount(place[len(one) :], minlength=len(values))
        often = k + l >= least
        self.values, k, l = values[often], k[often], l[often]
        self.log_odds = np.log(k + 0.5 * PRIOR_RUNS) - np.log(l + 0.5 * PRIOR_RUNS)
        others = [side[~self._known(side)[1]].astype(np.float64) for side in (one, two)]
        self.others = Histogram(*others) if min(map(len, others)) >= FEWEST_IN_BINS else None

    def _known(self, values: npt.NDArray[np.float32]) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.bool_]]:
        if not len(self.values):
            return np.zeros(len(values), np.intp), np.zeros(len(values), bool)
        place = np.minimum(np.searchsorted(self.values, values), len(self.values) - 1)
        return place, self.values[place] == values

    def __call__(self, values: Array) -> Array:
        """Return the log-odds of each number, shape (n,)."""
        short = _seven_digits(values)
        place, known = self._known(short)
        rest = np.zeros(len(short)) if self.others is None else self.others(short.astype(np.float64))
        return np.where(known, self.log_odds[place], rest) if len(self.values) else rest


def has_atoms(values: Array) -> bool:
    """Return whether several runs have a number in common, and many others none.

    >>> has_atoms(np.append(np.zeros(20), np.arange(300.0))), has_atoms(np.arange(300.0)), has_atoms(np.zeros(300))
    (True, False, False)
    """
    counts = np.unique(_seven_digits(values[:MOST_TRAINING_RUNS]), return_counts=True)[1]
    alone = int(np.count_nonzero(counts == 1))
    return int(counts.max(initial=0)) >= LEAST_OF_ATOM and alone >= FEWEST_IN_BINS


def _seven_digits(values: Array) -> npt.NDArray[np.float32]:
    with np.errstate(over="ignore"):
        return np.where(np.isnan(values), -np.inf, values).astype(np.float32)


def grid_step(values: Array) -> float | None:
    """Return the step of the grid that all numbers are on; None if they are on none, or are fewer than three.

    >>> grid_step(np.array([0.5, 2.5, 8.5, 2.5])), grid_step(np.array([0.1, 0.2, 0.35, 0.4142]))
    (2.0, None)
    """
    found = np.unique(values[np.isfinite(values)][:MOST_ON_GRID])
    if len(found) < 3:
        return None
    gaps = np.diff(found)
    step = float(gaps.min())
    if step <= LEAST_STEP * float(found[-1] - found[0]):
        return None
    return step if bool((np.abs(gaps / step - np.rint(gaps / step)) <= OFF_GRID).all()) else None


class Remainder:
    """The remainder of a part after division by the step of a grid that it is on, or by twice that step.

    Noise on a grid leaves it as it is: of whole noise that is added to 2.4 all numbers end in .4, and noise of even
    numbers shows whether what it was added to is even. Of the parts, and of the steps on either stream, the one with
    the largest total variation between the two is taken.

    Parameters
    ----------
    first, second : parts of the training runs on each stream, shape (n, E).
    names : those of the parts.

    Examples
    --------
    >>> even, odd = 2.0 * np.arange(40.0)[:, None], 2.0 * np.arange(40.0)[:, None] + 1.0
    >>> score = Remainder(even, odd, ["output"])
    >>> score.described
    'the remainder of output modulo 2'
    >>> (score(np.array([[100.0], [101.0]])) > 0.0).tolist()
    [True, False]
    """

    def __init__(self, first: Array, second: Array, names: Sequence[str]) -> None:
        self.part, self.step, best = 0, 0.0, 0.0
        for part in range(first.shape[1]):
            found = {grid_step(side[:, part]) or 0.0 for side in (first, second)} - {0.0}
            for step in sorted(found | {2.0 * step for step in found}):
                apart = _variation(*(remainders(side[:MOST_ON_GRID, part], step) for side in (first, second)))
                if apart > best:
                    self.part, self.step, best = part, step, apart
        self.described = f"the remainder of {names[self.part]} modulo {self.step:.6g}"
        self.values = RepeatedValues(self._read(first), self._read(second))

    def _read(self, values: Array) -> Array:
        return remainders(values[:, self.part], self.step) if self.step else np.zeros(len(values))

    def __call__(self, values: Array) -> Array:
        """Return the log-odds of the remainder of each run, shape (n,)."""
        return self.values(self._read(values))


def remainders(values: Array, step: float) -> Array:
    """Return values modulo a step, in thousandths of the step; NaN where a value is none or infinite."""
    with np.errstate(invalid="ignore"):
        rest = np.mod(values, step) / step
    return np.asarray(np.rint(1000.0 * rest) % 1000.0)


def _variation(first: Array, second: Array) -> float:
    values, place = np.unique(np.concatenate([first, second]), return_inverse=True)
    one = np.bincount(place[: len(first)], minlength=len(values)) / len(first)
    two = np.bincount(place[len(first) :], minlength=len(values)) / len(second)
    return 0.5 * float(np.abs(one - two).sum())
