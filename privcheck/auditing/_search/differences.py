"""How far apart the outputs of many pairs of streams are: a few cheap numbers for each pair, from a few runs on each.

All pairs are looked at together. What is the same for all of them, the covariance of the parts of an output within a
stream, is estimated from the runs on all, so that twenty runs of a pair are enough to weigh dozens of parts.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from privcheck.arrays import Array, Symbols
from privcheck.auditing._scoring.discriminant import steps
from privcheck.targets import CODED, Sides, alike

FEW_VALUES = 16
"""The most values of a discrete part of the output that are counted one by one; a part with more is a number."""

MOST_WEIGHED = 96
"""Columns that are weighed against each other: parts that are too many are added up over neighbouring parts."""

LEAST_VARIANCE = 1e-14
"""Variance, relative to the largest, that counts as none: a little more than the rounding of a covariance."""

PRIOR_RUNS = 4.0
"""Weight, in runs, of the common variance against a pair's own."""


def differences(looks: list[Sides], *, equal: bool) -> Array:
    """Return, for every pair, how far apart the laws of its outputs seem to be by several measures, shape (P, 3).

    The measures, each largest for the most promising pair, are

    - the distance of the means along Fisher's discriminant, learned on half of the runs and measured on the other, in
      standard deviations;
    - the largest difference of a single part, which has the unit of epsilon: for a discrete part the largest log-ratio
      of the counts of a value, each plus one; for a number the distance of the medians in mean absolute deviations,
      which for Laplace noise is epsilon;
    - under equal coins, the share of runs whose outputs differ.

    Parameters
    ----------
    looks : runs on the streams of every pair, equally many of each.
    equal : whether run i on the one stream had the same coins as run i on the other.

    Examples
    --------
    >>> from privcheck.targets._outputs import Outputs
    >>> still, moved = Outputs.of_symbols(np.zeros((20, 1), int)), Outputs.of_symbols(np.ones((20, 1), int))
    >>> differences([(still, still), (still, moved)], equal=True)[:, 1:].round(3).tolist()
    [[0.0, 0.0], [3.045, 1.0]]
    """
    sides = alike([side for both in looks for side in both])
    shape = (len(looks), 2, len(sides[0]))
    symbols = np.stack([side.symbols for side in sides]).reshape(*shape, sides[0].symbols.shape[1])
    numbers = np.stack([side.numbers for side in sides]).reshape(*shape, sides[0].numbers.shape[1])
    changed = _changed(symbols, numbers)
    counted, many = _divided(symbols)
    numbers = np.concatenate([numbers, np.where(many <= CODED, np.nan, many)], axis=3)
    single = np.maximum(_by_counts(counted), _by_medians(numbers))
    columns = np.concatenate([_numbers(numbers), _indicators(counted)], axis=3)
    often = changed.mean(axis=1) if equal else np.zeros(len(looks))
    single = np.where(changed.any(axis=1), single, 0.0)
    return np.stack([np.where(changed.any(axis=1), _discriminated(columns), 0.0), single, often], axis=1)


def _changed(symbols: Symbols, numbers: Array) -> npt.NDArray[np.bool_]:
    """Return for every pair and run whether the outputs on the two streams differ, shape (P, n)."""
    one, two = numbers[:, 0], numbers[:, 1]
    apart = (one != two) & ((one == one) | (two == two))
    return np.asarray(np.any(np.not_equal(symbols[:, 0], symbols[:, 1]), axis=2) | np.any(apart, axis=2))


def _divided(symbols: Symbols) -> tuple[Symbols, Symbols]:
    """Return the parts with few values, and those that are read as numbers."""
    parts = symbols.reshape(int(np.prod(symbols.shape[:3])), symbols.shape[3])
    few = [len(np.unique(parts[:, place])) <= FEW_VALUES for place in range(parts.shape[1])]
    return symbols[..., np.array(few, bool)], symbols[..., ~np.array(few, bool)]


def _by_counts(symbols: Symbols) -> Array:
    """Return the largest log-ratio of the counts of a value of a part, shape (P,)."""
    largest = np.zeros(len(symbols))
    for value in np.unique(symbols):
        counts = (symbols == value).sum(axis=2)
        ratio = np.abs(np.log((counts[:, 0] + 1.0) / (counts[:, 1] + 1.0)))
        largest = np.maximum(largest, ratio.max(axis=1, initial=0.0))
    return largest


def _by_medians(numbers: Array) -> Array:
    """Return the largest distance over the columns, shape (P,); a part that some runs lack is compared where it is."""
    if not numbers.shape[3]:
        return np.zeros(len(numbers))
    if np.isnan(numbers).any():
        missing = np.any(np.all(np.isnan(numbers), axis=2), axis=1)
        median, mean, known = np.nanmedian, np.nanmean, np.logical_not(missing)
    else:
        median, mean, known = np.median, np.mean, np.ones((len(numbers), numbers.shape[3]), bool)
    filled = np.where(np.isnan(numbers).all(axis=2, keepdims=True), 0.0, numbers)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # the largest floats are infinitely far apart
        centres = median(filled, axis=2)
        centres[np.isnan(centres)] = 0.0  # between the two infinite numbers
        same = filled == centres[:, :, None]  # infinite numbers are no distance from themselves
        spread = mean(np.where(same, 0.0, np.abs(filled - centres[:, :, None])), axis=2).mean(axis=1)
        gap = np.abs(centres[:, 0] - centres[:, 1])
        distance = np.where(known & (gap > 0.0), gap / spread, 0.0)
    return np.asarray(np.where(np.isnan(distance), 0.0, distance).max(axis=1, initial=0.0))


def _numbers(numbers: Array) -> Array:
    """Return the numbers and the steps between them, missing and infinite ones as 0, in columns of similar size."""
    if not numbers.shape[3]:
        return numbers
    parts = steps(numbers.reshape(int(np.prod(numbers.shape[:3])), numbers.shape[3]))[:, :MOST_WEIGHED]
    parts = np.where(np.isfinite(parts), parts, np.nan)
    with np.errstate(invalid="ignore", over="ignore"):
        centre = np.nan_to_num(np.nanmedian(np.nan_to_num(parts), axis=0))
        size = np.nanmean(np.abs(np.nan_to_num(parts) - centre), axis=0)
    usable = np.isfinite(size) & (size > 0.0)
    scaled = np.nan_to_num((parts[:, usable] - centre[usable]) / size[usable])
    return np.asarray(scaled.reshape(*numbers.shape[:3], scaled.shape[1]))


def _indicators(symbols: Symbols) -> Array:
    """Return how often each value occurs in each group of neighbouring parts; one of the values is left out."""
    values = np.unique(symbols)[1:]
    parts = symbols.shape[3]
    if not parts or not len(values) or len(values) > MOST_WEIGHED:
        return np.zeros((*symbols.shape[:3], 0))
    groups = min(parts, max(1, MOST_WEIGHED // len(values)))
    starts = np.arange(groups) * parts // groups
    return np.concatenate([np.add.reduceat(symbols == v, starts, axis=3, dtype=np.float64) for v in values], axis=3)


def _discriminated(columns: Array) -> Array:
    """Return the distance of the means along each pair's discriminant, in standard deviations, shape (P,)."""
    pairs, _, runs, width = columns.shape
    if not width or runs < 4:
        return np.zeros(pairs)
    within = (columns - columns.mean(axis=2, keepdims=True)).reshape(pairs * 2 * runs, width)
    size, axes = np.linalg.eigh(within.T @ within / max(1, pairs * 2 * (runs - 1)))
    if size[-1] <= 0.0:
        size[:] = 1.0
    white = columns @ (axes / np.sqrt(np.maximum(size, LEAST_VARIANCE * size[-1])))
    halves = [white[:, :, 0::2], white[:, :, 1::2]]
    found = np.zeros(pairs)
    for learning, judging in (halves, halves[::-1]):
        mean = learning.mean(axis=2)
        towards = mean[:, 0] - mean[:, 1]
        length = np.linalg.norm(towards, axis=1, keepdims=True)
        towards = np.divide(towards, length, out=np.zeros_like(towards), where=length > 0.0)
        scores = np.einsum("psnf,pf->psn", judging, towards)
        gap = scores[:, 0].mean(axis=1) - scores[:, 1].mean(axis=1)
        n = scores.shape[2]
        own = np.square(scores - scores.mean(axis=2, keepdims=True)).sum(axis=(1, 2)) + PRIOR_RUNS
        found += 0.5 * gap / np.sqrt(own / (2 * n - 2 + PRIOR_RUNS))
    return found


def ranked(measures: Array) -> list[int]:
    """Return the indices of the pairs in an order that takes the next best pair by each measure in turn.

    A pair whose measures are all 0 is left out; equal pairs are ordered by the other measures.

    >>> ranked(np.array([[3.0, 0.0], [2.0, 9.0], [1.0, 1.0], [0.0, 0.0]]))
    [0, 1, 2]
    """
    some = np.flatnonzero((measures > 0.0).any(axis=1))
    orders = []
    for column in range(measures.shape[1]):
        others = [measures[some, other] for other in range(measures.shape[1]) if other != column]
        orders.append(some[np.lexsort([-other for other in reversed(others)] + [-measures[some, column]])])
    return [int(place) for place in dict.fromkeys(np.stack(orders, axis=1).ravel().tolist())] if len(some) else []
