"""Integrals over boxes between cuts, with estimates of their errors."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np

from privcheck.arrays import Array

PRECISION = ((1e-9, 1e-13, 400), (1e-6, 1e-9, 40), (1e-4, 1e-7, 10))
"""Relative and absolute tolerance in each region, and its most subdivisions, for 1, 2 and 3 dimensions."""

TOGETHER = 256
"""Regions of the line that are looked at together first: a density with many steps has hundreds, each of them easy."""

_FEW, _MANY = (np.polynomial.legendre.leggauss(count) for count in (10, 21))


def integrals(function: Callable[[Array], Array], cuts: Sequence[Array]) -> tuple[Array, Array]:
    """Return the integrals of a function with values of shape (n, m), and estimates of their errors, shape (m,).

    They are added up over all boxes between neighbouring cuts.

    Examples
    --------
    >>> found, errors = integrals(lambda x: np.exp(-np.abs(x)), [np.array([-np.inf, 0.0, np.inf])])
    >>> bool(abs(found[0] - 2.0) <= 10.0 * errors[0] + 1e-9)
    True
    """
    found, errors = integrals_by_box(function, cuts)
    return found.sum(axis=0), errors.sum(axis=0)


def integrals_by_box(function: Callable[[Array], Array], cuts: Sequence[Array]) -> tuple[Array, Array]:
    """Return the integrals over each of the boxes between neighbouring cuts, and their errors, shape (boxes, m).

    On the line, sums over 10 and over 21 points tell most integrals. `cubature` divides each other box until its error
    is small, or until it has been divided often enough; then the error says what is left. Infinite boxes are mapped to
    finite ones here: over (-inf, b) scipy 1.17 integrates the values at (-b, inf).
    """
    from scipy import integrate

    relative, absolute, most = PRECISION[len(cuts) - 1]
    boxes = list(itertools.product(*(itertools.pairwise(axis.tolist()) for axis in cuts)))
    known = _easy(function, cuts[0]) if len(cuts) == 1 else {}
    results = []
    for number, box in enumerate(boxes):
        if number in known:
            results.append(known[number])
            continue
        low, high = (np.array([ends[side] for ends in box]) for side in (0, 1))
        integrand = _Mapped(function, low, high)
        low, high = np.where(integrand.infinite, 0.0, low), np.where(integrand.infinite, 1.0, high)
        found = integrate.cubature(
            integrand if integrand.infinite.any() else function,
            low,
            high,
            rule="gk21" if len(cuts) == 1 else "genz-malik",
            rtol=relative,
            atol=absolute,
            max_subdivisions=most,
        )
        results.append((np.atleast_1d(found.estimate), np.atleast_1d(found.error)))
    estimates, errors = (np.array(each) for each in zip(*results, strict=True))
    return estimates, errors


def _easy(function: Callable[[Array], Array], cuts: Array) -> dict[int, tuple[Array, Array]]:
    """Return the integrals over the finite regions of the line on which two Gauss-Legendre rules agree, by number."""
    relative, absolute, _ = PRECISION[0]
    finite = np.flatnonzero(np.isfinite(cuts[:-1]) & np.isfinite(cuts[1:]))
    known = {}
    for start in range(0, len(finite), TOGETHER):
        regions = finite[start : start + TOGETHER]
        low, width = cuts[regions], np.diff(cuts)[regions]
        few, many = (_sums(function, low, width, *rule) for rule in (_FEW, _MANY))
        errors = np.abs(many - few)
        good = (errors <= absolute + relative * np.abs(many)).all(axis=1)
        known.update({int(regions[place]): (many[place], errors[place]) for place in np.flatnonzero(good)})
    return known


def _sums(function: Callable[[Array], Array], low: Array, width: Array, nodes: Array, weights: Array) -> Array:
    points = low[:, None] + width[:, None] * (nodes + 1.0) / 2.0
    values = function(points.reshape(-1, 1)).reshape(len(low), len(nodes), -1)
    found: Array = np.einsum("rnm,n->rm", values, weights) * width[:, None] / 2.0
    return found


class _Mapped:
    """A function on a box with infinite ends, as one of t in (0, 1] on these axes: x = end +- (1 - t) / t."""

    def __init__(self, function: Callable[[Array], Array], low: Array, high: Array) -> None:
        self.function, self.infinite = function, ~(np.isfinite(low) & np.isfinite(high))
        self.sign = np.where(np.isfinite(low), 1.0, -1.0)
        self.end = np.where(np.isfinite(low), low, high)

    def __call__(self, points: Array) -> Array:
        t = np.where(self.infinite, points, 1.0)
        with np.errstate(all="ignore"):
            mapped = np.where(self.infinite, self.end + self.sign * (1.0 - t) / t, points)
            values = self.function(mapped) * np.prod(1.0 / (t * t), axis=1)[:, None]
        return np.where(np.isfinite(values), values, 0.0)
