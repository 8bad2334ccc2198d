"""Tests of whether the runs that are made by one call are independent, from the outputs of many calls.

If all runs of all calls on an input are independent with one law, they are exchangeable: dividing them among the calls
in another way changes nothing. Each statistic here is large when a call's runs have something in common, balance each
other, depend on their place in the call, follow their neighbours, or repeat each other. Its p-value is that of a
permutation test, so it is exact whatever the law of the outputs; approximate standard scores only say where to look.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from privcheck.arrays import Array

PLACES = 8
"""Stretches of a call whose means are compared, at most: enough for any trend, few enough to be powerful."""

_MIX = np.uint64(0x9E3779B97F4A7C15)


class Departure(NamedTuple):
    """A statistic that is larger than independent runs would make it.

    Parameters
    ----------
    kind : "shared", "balanced", "place", "linked" or "repeated".
    column : the column of what was read, counted from 0; the same again plus the number of columns for its distance
        from the middle; -1 for whole rows.
    strength : standard score, approximate.
    """

    kind: str
    column: int
    strength: float


def departures(outputs: Array, least: float) -> list[Departure]:
    """Return the strongest departure of each kind whose standard score is at least `least`, the strongest first.

    Parameters
    ----------
    outputs : shape (inputs, calls, runs, columns), without NaN.
    least : standard score.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> independent = rng.normal(size=(1, 40, 6, 1))
    >>> departures(independent, 5.0)
    []
    >>> shared = independent + 3.0 * rng.normal(size=(1, 40, 1, 1))
    >>> sorted(found.kind for found in departures(shared, 5.0))
    ['linked', 'shared']
    """
    found = [Departure("repeated", -1, _repeated(_codes(outputs)))]
    columns = _columns(outputs)
    for kind, statistic in STATISTICS.items() if columns.size else ():
        scores = statistic(columns)
        best = int(np.argmax(scores))
        found.append(Departure(kind, best, float(scores[best])))
    return sorted((one for one in found if one.strength >= least), key=lambda one: -one.strength)


def exchangeability_p_value(outputs: Array, departure: Departure, rng: np.random.Generator, permutations: int) -> float:
    """Return the exact p-value of one statistic on other outputs of the same shape, at least 1 / (permutations + 1).

    >>> rng = np.random.default_rng(0)
    >>> shared = rng.normal(size=(1, 40, 6, 1)) + rng.normal(size=(1, 40, 1, 1))
    >>> exchangeability_p_value(shared, Departure("shared", 0, 9.0), rng, 199)
    0.005
    """
    inputs, calls, runs = outputs.shape[:3]
    whole = departure.column < 0
    values: npt.NDArray[Any] = _codes(outputs) if whole else _columns(outputs)[..., departure.column]

    def statistic(permuted: npt.NDArray[Any]) -> float:
        return _repeated(permuted) if whole else float(STATISTICS[departure.kind](permuted[..., None])[0])

    observed = statistic(values)
    rows = values.reshape(inputs, calls * runs)
    above = sum(
        statistic(rng.permuted(rows, axis=1).reshape(inputs, calls, runs)) >= observed for _ in range(permutations)
    )
    return float(1 + above) / (1 + permutations)


def _columns(outputs: Array) -> Array:
    """Return ranks and their distances from the middle, each with mean 0 and variance 1 on every input; or all 0."""
    from scipy.stats import rankdata

    inputs, calls, runs, columns = outputs.shape
    ranks = _standard(rankdata(outputs.reshape(inputs, calls * runs, columns), axis=1))
    both = np.concatenate([ranks, _standard(np.abs(ranks))], axis=2)
    return both.reshape(inputs, calls, runs, 2 * columns)


def _standard(values: Array) -> Array:
    centred = values - values.mean(axis=1, keepdims=True)
    spread = centred.std(axis=1, keepdims=True)
    return np.asarray(np.divide(centred, spread, out=np.zeros_like(centred), where=spread > 1e-9), np.float64)


def _evenness(values: Array) -> Array:
    """Return the standard score of the variance between calls, by the cube root of Wilson and Hilferty."""
    inputs, calls, runs = values.shape[:3]
    between = np.square(values.sum(axis=2)).sum(axis=(0, 1)) / runs
    return _cube_root(between, inputs * calls * (1.0 - (runs - 1.0) / (calls * runs - 1.0)), inputs * (calls - 1.0))


def _cube_root(total: Array, mean: float, degrees: float) -> Array:
    """Return a standard score of totals that are nearly `mean` times a chi square over its degrees of freedom.

    A column that is constant on all inputs has the total 0 by definition, and gets the score 0.
    """
    width = 2.0 / (9.0 * degrees)
    return np.asarray((np.cbrt(total / mean) - (1.0 - width)) / np.sqrt(width))


def _shared(values: Array) -> Array:
    return _evenness(values)


def _balanced(values: Array) -> Array:
    varies = np.abs(values).max(axis=(0, 1, 2)) > 0.0
    return np.where(varies, -_evenness(values), 0.0)


def _place(values: Array) -> Array:
    """Compare the means of the stretches of a call, over all calls."""
    inputs, calls, runs = values.shape[:3]
    places = min(PLACES, runs)
    size = runs // places
    sums = values[:, :, : places * size].sum(axis=(0, 1)).reshape(places, size, -1).sum(axis=1)
    members, all_runs = calls * size, calls * runs
    mean = places * (1.0 - (members - 1.0) / (all_runs - 1.0))
    degrees = max(1.0, places - 1.0)
    return _cube_root(np.square(sums).sum(axis=0) / (inputs * members), mean, degrees) if places > 1 else sums[0] * 0.0


def _linked(values: Array) -> Array:
    """Return the largest correlation, of either sign, between a run and the next, the mirrored or the halfway one."""
    runs = values.shape[2]
    half = runs // 2
    if half == 0:
        return np.zeros(values.shape[3])
    pairs = (
        (values[:, :, :-1], values[:, :, 1:]),
        (values[:, :, :half], values[:, :, ::-1][:, :, :half]),
        (values[:, :, :half], values[:, :, half : 2 * half]),
    )
    scores = [np.abs((one * two).sum(axis=(0, 1, 2))) / np.sqrt(one[..., 0].size) for one, two in pairs]
    return np.asarray(np.max(scores, axis=0))


STATISTICS: dict[str, Callable[[Array], Array]] = {
    "shared": _shared,
    "balanced": _balanced,
    "place": _place,
    "linked": _linked,
}
"""Standard scores of columns of shape (inputs, calls, runs, columns), by what makes them large."""


def _codes(outputs: Array) -> npt.NDArray[np.uint64]:
    """Return a number for every row, the same for equal rows of one input."""
    inputs, _, _, columns = outputs.shape
    bits = (outputs + 0.0).view(np.uint64)  # -0.0 and 0.0 are the same
    code = np.broadcast_to(np.arange(inputs, dtype=np.uint64)[:, None, None], outputs.shape[:3]).copy()
    for column in range(columns):
        code = (code ^ bits[..., column]) * _MIX
        code ^= code >> np.uint64(29)
    return code


def _repeated(codes: npt.NDArray[Any]) -> float:
    """Return the standard score of the number of pairs of equal rows within calls, given those on the same input."""
    inputs, calls, runs = codes.shape
    _, value = np.unique(codes, return_inverse=True)
    value = value.reshape(inputs * calls, runs)
    anywhere = _pairs(np.bincount(value.ravel()))
    together = _pairs(np.unique(value + (value.max() + 1) * np.arange(inputs * calls)[:, None], return_counts=True)[1])
    share = (runs - 1.0) / (calls * runs - 1.0)
    spread = np.sqrt(anywhere * share * (1.0 - share))
    return float((together - anywhere * share) / spread) if spread > 0.0 else 0.0


def _pairs(counts: npt.NDArray[np.intp]) -> float:
    return float((counts * (counts - 1.0)).sum() / 2.0)
