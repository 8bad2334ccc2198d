"""Whether samples follow a law that is given by its density."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from privcheck.arrays import Array, refuse_masks
from privcheck.auditing._exact.box_integrals import integrals
from privcheck.auditing._exact.given_density import SAFETY, Density, Law
from privcheck.errors import PrivcheckError, words
from privcheck.inference import LawFit, fit_in_boxes, fit_on_the_line

LEAST = (20, 64, 64)
"""Fewer samples would show nothing, in 1, 2 and 3 dimensions."""

POINTS = 4096
"""About how many intervals the line is divided into, over which the density is added up."""

SCAN = 2**14
"""Points at equal distances at which jumps are looked for, besides the samples, which are where the mass is."""

PRECISE = 0.2
"""The error of quadrature may be this share of 1 / sqrt(n), the distance of distribution functions that n samples tell
at all; a test at 1e-6 takes 2.6 times that.
"""

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(5)


def fit_of_law(samples: Any, law: Law) -> LawFit:
    """Test samples against a law: on the line by Kolmogorov and Smirnov, in 2 or 3 dimensions by counts in boxes.

    Parameters
    ----------
    samples : independent outputs, shape (n,) or (n, d).
    law : as for `bound_from_laws`.

    Raises
    ------
    PrivcheckError : no such law, fewer than 20 samples (64 of several numbers), or samples of another shape, or nan; or
        so many of them that they tell more than the quadrature does.

    Examples
    --------
    >>> from scipy import stats
    >>> samples = np.random.default_rng(0).laplace(size=1000)
    >>> fit_of_law(samples, stats.laplace()).p_value > 0.01, fit_of_law(samples, stats.norm(0.5)).p_value < 1e-6
    (True, True)
    """
    density = Density(law, "law")
    points = _checked(samples, density.dimensions)
    outside = ~(density.covers(points) & np.isfinite(points).all(axis=1))
    if outside.any():
        where, share = _most_outside(points, density.box)
        return LawFit(0.0, where, share, 0.0, "samples outside of the support")
    if density.dimensions == 1:
        ordered = np.sort(points[:, 0])
        density.with_jumps(ordered, SCAN)
        density.weighed(density.cuts)
        below, off = _below(density, ordered)
        _refuse_imprecise(off, len(points))
        return fit_on_the_line(ordered, below, off)
    density.weighed(density.cuts)
    scale = math.exp(-density.log_mass)
    _refuse_imprecise(density.relative_error, len(points))
    shuffled = np.random.default_rng(0).permutation(points)

    def probability(box: Array) -> tuple[float, float]:
        mass, error = _mass(density, box)
        return scale * mass, SAFETY * scale * error + scale * mass * density.relative_error

    return fit_in_boxes(shuffled, density.box, probability)


def _most_outside(points: Array, box: Array) -> tuple[tuple[tuple[float, float], ...], float]:
    """Return a box outside of the support which holds all samples on one side of it, and their share: the most."""
    sides = [(axis, points[:, axis] < low) for axis, (low, _) in enumerate(box)]
    sides += [(axis, (points[:, axis] > high) | (points[:, axis] == np.inf)) for axis, (_, high) in enumerate(box)]
    sides += [(axis, points[:, axis] == -np.inf) for axis in range(len(box))]
    axis, found = max(sides, key=lambda side: int(side[1].sum()))
    where = [(-math.inf, math.inf)] * len(box)
    where[axis] = float(points[found, axis].min()), float(points[found, axis].max())
    return tuple(where), float(found.mean())


def _refuse_imprecise(off: float, count: int) -> None:
    if off > PRECISE / math.sqrt(count):
        got = words(f"a law whose probabilities are known up to {off:.2g} by quadrature")
        expected = f"one that can be integrated up to {PRECISE / math.sqrt(count):.2g} for {count:,} samples"
        raise PrivcheckError("law", got, expected, "test fewer samples, or give the support in which its mass is")


def _checked(samples: Any, dimensions: int) -> Array:
    shape = "(n,)" if dimensions == 1 else f"(n, {dimensions})"
    refuse_masks("samples", samples)
    try:
        if np.iscomplexobj(samples):
            raise TypeError
        given = np.asarray(samples, float)
    except (TypeError, ValueError):
        got = words(f"an object of type {type(samples).__name__}")
        raise PrivcheckError("samples", got, f"numbers of shape {shape}") from None
    points = given[:, None] if given.ndim == 1 and dimensions == 1 else given
    if points.ndim != 2 or points.shape[1] != dimensions:
        raise PrivcheckError("samples", words(f"shape {given.shape}"), f"shape {shape}, as the law has it")
    if len(points) < (least := LEAST[dimensions - 1]):
        raise PrivcheckError("samples", words(f"{len(points)} samples"), f"at least {least}")
    if np.isnan(points).any():
        raise PrivcheckError("samples", words("nan"), "numbers")
    return points


def _below(density: Density, ordered: Array) -> tuple[Array, float]:
    """Return the probability of an output of at most each of the ordered points, and how far it may be off.

    Sums over five points between neighbours are compared with the masses of the regions, which adaptive quadrature
    found: the differences are added up, whatever their signs.
    """
    cuts = density.cuts[0]
    inner = cuts[1:-1] if len(cuts) > 2 else cuts[np.isfinite(cuts)]
    ends = np.unique(np.concatenate([ordered, inner]))
    pieces = max(1, POINTS // len(ends))
    steps = np.arange(pieces) / pieces
    grid = np.append((ends[:-1, None] + np.diff(ends)[:, None] * steps).ravel(), ends[-1])
    widths = np.diff(grid)
    nodes = grid[:-1, None] + widths[:, None] * (_NODES + 1.0) / 2.0
    values = np.exp(density.normalised(nodes.reshape(-1, 1))).reshape(nodes.shape)
    masses = (values * _WEIGHTS).sum(axis=1) * widths / 2.0
    scale = math.exp(-density.log_mass)
    first, last = (scale * _mass(density, np.array([each]))[0] for each in ((cuts[0], ends[0]), (ends[-1], cuts[-1])))
    sums = first + np.concatenate([[0.0], np.cumsum(masses)])
    places = np.searchsorted(grid, inner)
    regions = density.masses[1:-1] if len(cuts) > 2 else density.masses
    by_region = np.abs(np.diff(sums[places]) - regions).sum() if len(inner) > 1 else 0.0
    off = density.relative_error + float(by_region) + abs(1.0 - sums[-1] - last)
    found: Array = np.clip(sums[np.searchsorted(grid, ordered)], 0.0, 1.0)
    return found, off


def _mass(density: Density, box: Array) -> tuple[float, float]:
    """Return the integral of the density over a box, and an estimate of its error."""
    cuts = [
        np.unique([low, *axis[(axis > low) & (axis < high)], high])
        for axis, (low, high) in zip(density.cuts, box, strict=True)
    ]
    if any(len(axis) < 2 for axis in cuts):
        return 0.0, 0.0
    (found,), (error,) = integrals(lambda x: np.exp(density.log(x))[:, None], cuts)
    return float(found), float(error)
