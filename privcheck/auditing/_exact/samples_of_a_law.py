"""Whether samples follow a law that is given by its density."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from privcheck.arrays import Array, refuse_masks
from privcheck.auditing._exact.given_density import Density, Law, integrals
from privcheck.errors import PrivcheckError, words
from privcheck.inference import LawFit, fit_in_boxes, fit_on_the_line

LEAST = (20, 64, 64)
"""Fewer samples would show nothing, in 1, 2 and 3 dimensions."""

POINTS = 4096
"""About how many intervals the line is divided into, over which the density is added up."""

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(5)


def fit_of_law(samples: Any, law: Law) -> LawFit:
    """Test samples against a law: on the line by Kolmogorov and Smirnov, in 2 or 3 dimensions by counts in boxes.

    Parameters
    ----------
    samples : independent outputs, shape (n,) or (n, d).
    law : as for `bound_from_laws`.

    Raises
    ------
    PrivcheckError : no such law, fewer than 20 samples (64 of several numbers), or samples of another shape, or nan.

    Examples
    --------
    >>> from scipy import stats
    >>> samples = np.random.default_rng(0).laplace(size=1000)
    >>> fit_of_law(samples, stats.laplace()).p_value > 0.01, fit_of_law(samples, stats.norm(0.5)).p_value < 1e-6
    (True, True)
    """
    density = Density(law, "law")
    density.weighed(density.cuts)
    points = _checked(samples, density.dimensions)
    outside = ~(density.covers(points) & np.isfinite(points).all(axis=1))
    if outside.any():
        at = points[int(np.flatnonzero(outside)[0])]
        where = tuple((float(number), float(number)) for number in at)
        return LawFit(0.0, where, float(outside.mean()), 0.0, "samples outside of the support")
    if density.dimensions == 1:
        ordered = np.sort(points[:, 0])
        return fit_on_the_line(ordered, _below(density, ordered))
    scale = math.exp(-density.log_mass)
    shuffled = np.random.default_rng(0).permutation(points)
    return fit_in_boxes(shuffled, density.box, lambda box: scale * _mass(density, box))


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


def _below(density: Density, ordered: Array) -> Array:
    """Return the probability of an output of at most each of the points, which are in increasing order."""
    cuts = density.cuts[0]
    inner = cuts[1:-1] if len(cuts) > 2 else cuts
    ends = np.unique(np.concatenate([ordered, inner[np.isfinite(inner)]]))
    pieces = max(1, POINTS // len(ends))
    steps = np.arange(pieces) / pieces
    grid = np.append((ends[:-1, None] + np.diff(ends)[:, None] * steps).ravel(), ends[-1])
    widths = np.diff(grid)
    nodes = grid[:-1, None] + widths[:, None] * (_NODES + 1.0) / 2.0
    values = np.exp(density.normalised(nodes.reshape(-1, 1))).reshape(nodes.shape)
    masses = (values * _WEIGHTS).sum(axis=1) * widths / 2.0
    first = math.exp(-density.log_mass) * _mass(density, np.array([[density.box[0, 0], ends[0]]]))
    sums = first + np.concatenate([[0.0], np.cumsum(masses)])
    found: Array = np.clip(sums[np.searchsorted(grid, ordered)], 0.0, 1.0)
    return found


def _mass(density: Density, box: Array) -> float:
    """Return the integral of the density over a box."""
    cuts = [
        np.unique([low, *axis[(axis > low) & (axis < high)], high])
        for axis, (low, high) in zip(density.cuts, box, strict=True)
    ]
    if any(len(axis) < 2 for axis in cuts):
        return 0.0
    (found,), _ = integrals(lambda x: np.exp(density.log(x))[:, None], cuts)
    return float(found)
