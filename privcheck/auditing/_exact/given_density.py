"""A law that is given by its density: where its mass is, and integrals over it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from privcheck.arrays import Array, Bools
from privcheck.auditing._exact.box_integrals import integrals_by_box
from privcheck.auditing._exact.jumps import jumps
from privcheck.auditing._exact.scan import SCAN, looked_at, narrow_peaks
from privcheck.errors import PrivcheckError, words

MOST_DIMENSIONS = 3
"""Quadrature in more dimensions would not tell its error."""

SAFETY = 10.0
"""The quadrature's own estimates of its errors are multiplied by this."""

STARTS = (2049, 65, 17)
"""Points along each axis at which peaks are looked for, for 1, 2 and 3 dimensions."""

PEAKS = (12, 4, 1)
"""Most peaks around which regions of quadrature are laid."""

STEPS = ((1.0, 3.0, 10.0, 30.0), (2.0, 8.0), (2.0, 8.0))
"""Distances from a peak, in the unit in which the log-density falls by 2, at which regions of quadrature end."""

PARTS = 16
"""Equal parts into which a finite support on the line is divided as well."""

UNIT_ERROR = 1e-3
"""How far the mass of a density may be from 1, beyond the error of quadrature, if it is not said to be unnormalised.
What it is off counts as an error of the density.
"""

NO_UNIT_MASS = (
    "say `normalised = False` on the law if its density is known up to a factor; if its mass is 1, the quadrature "
    "misses some of it: give the support in which it is"
)

LARGEST = 700.0
"""Logarithms above this are beyond floating point."""


class Law(Protocol):
    """A law of real outputs, such as a frozen distribution of `scipy.stats`.

    An attribute `normalised = False` says that the density is known up to a factor only.
    """

    def logpdf(self, x: Any) -> Any:
        """Return the log-density at n points: x has shape (n,), or (n, d) for d > 1 real numbers; the result (n,)."""

    def support(self) -> Any:
        """Return (low, high), or d such pairs; ends may be infinite."""


class Density:
    """A law on a box, with the regions over which quadrature adds up.

    Parameters
    ----------
    law : the law.
    name : what error messages call it.

    Attributes
    ----------
    box : shape (d, 2), the support.
    peaks : shape (n, d), where the density has peaks, the highest first.
    cuts : for each axis, where regions end, from one end of the support to the other.
    log_mass : logarithm of the integral of the density as given; 0 if it is normalised.
    masses : those of the boxes between the cuts, by which it was `weighed`, as shares of the whole.
    relative_error : that of the mass; these are 0 or empty before the law is `weighed`.

    Raises
    ------
    PrivcheckError : no law, more than three dimensions, a log-density that is not an array of numbers, or is nan, or
        whose mass is not 1 although it is not said to be unnormalised.

    Examples
    --------
    >>> from scipy import stats
    >>> density = Density(stats.laplace(3.0, 2.0), "law")
    >>> density.peaks[0].round(6).tolist(), density.weighed(density.cuts).mass
    ([3.0], 1.0)
    """

    def __init__(self, law: Law, name: str) -> None:
        self.law, self.name = law, name
        self.box = _support(law, name)
        self.dimensions = len(self.box)
        self.peaks = self._peaks()
        self.cuts = [self._cuts(axis) for axis in range(self.dimensions)]
        self.log_mass = self.relative_error = 0.0
        self.masses = np.zeros(0)
        self._uncut = (-math.inf, 0.0)

    def with_jumps(self, also: Array | None = None, scan: int = SCAN) -> Density:
        """Return this law after its jumps, and peaks that are narrow, were added to the cuts, if it is one on the line.

        Parameters
        ----------
        also, scan : points that are looked at, and how many more at equal distances.
        """
        if self.dimensions == 1:
            seen = looked_at(self.on_the_line, self.cuts[0], also, scan)
            if len(narrow := narrow_peaks(seen, self.cuts[0])):
                self.peaks = np.append(self.peaks, self._climbed(narrow[:, None]), axis=0)
                self.cuts = [self._cuts(0)]
                seen = looked_at(self.on_the_line, self.cuts[0], also, scan)
            places, highest, error = jumps(self.on_the_line, self.cuts[0], seen)
            self.cuts = [with_cuts(self.cuts[0], places)]
            self._uncut = (highest, error)
        return self

    def weighed(self, cuts: Sequence[Array]) -> Density:
        """Return this law after its mass was added up over all boxes between these cuts.

        Raises
        ------
        PrivcheckError : a mass that is not 1 although the law is not said to be unnormalised.
        """
        height = max(float(self.log(self.peaks[:1])[0]), self._uncut[0])
        found, errors = integrals_by_box(lambda x: np.exp(np.minimum(self.log(x) - height, LARGEST))[:, None], cuts)
        scaled, error = float(found.sum()), float(errors.sum())
        where = " x ".join(f"[{low:g}, {high:g}]" for low, high in self.box)
        if not (scaled > 0.0 and math.isfinite(scaled)):
            got = words(f"a density of mass {scaled:g} in {where} by quadrature")
            raise PrivcheckError(self.name, got, "a density with a finite positive mass")
        self.log_mass = height + math.log(scaled)
        self.masses = found[:, 0] / scaled
        uncut = self._uncut[1] * math.exp(self._uncut[0] - height) / scaled
        self.relative_error = SAFETY * error / scaled + uncut + abs(height) * 2.0**-51
        if getattr(self.law, "normalised", True):
            off = abs(self.mass - 1.0)
            # The error is relative to the mass found: a mass function has next to no mass, and an error ten times that.
            if off > UNIT_ERROR + self.relative_error * self.mass:
                got = words(f"a density of mass {self.mass:.6g} in {where} by quadrature")
                raise PrivcheckError(self.name, got, "a density of mass 1", NO_UNIT_MASS)
            self.masses *= self.mass
            self.log_mass, self.relative_error = 0.0, off + uncut
        return self

    @property
    def mass(self) -> float:
        """The integral of the density as it is given."""
        return math.exp(self.log_mass) if self.log_mass < 700.0 else math.inf

    def covers(self, points: Array) -> Bools:
        """Return which points of shape (n, d) are in the support."""
        found: Bools = np.asarray(((points >= self.box[:, 0]) & (points <= self.box[:, 1])).all(axis=1))
        return found

    def log(self, points: Array) -> Array:
        """Return the log-density as given at points of shape (n, d), shape (n,); -inf outside of the support."""
        inside = self.covers(points)
        result = np.full(len(points), -math.inf)
        points = points[inside]
        if not len(points):
            return result
        shape = f"({len(points)},)" if self.dimensions == 1 else f"({len(points)}, {self.dimensions})"
        expected = f"shape ({len(points)},) for x of shape {shape}"
        try:
            with np.errstate(all="ignore"):
                found = np.asarray(self.law.logpdf(points[:, 0] if self.dimensions == 1 else points))
        except Exception as error:
            got = words(f"{type(error).__name__}: {error}".splitlines()[0])
            raise PrivcheckError(f"{self.name}.logpdf", got, expected, "it is called with arrays of points") from error
        if found.shape != (len(points),) or found.dtype.kind not in "fiu":
            got = words(f"an array of shape {found.shape}" if found.dtype.kind in "fiu" else type(found).__name__)
            raise PrivcheckError(f"{self.name}.logpdf", got, expected)
        found = found.astype(float)
        at_an_end = ((points == self.box[:, 0]) | (points == self.box[:, 1])).any(axis=1)
        found[at_an_end & (found == math.inf)] = -math.inf  # densities that grow without bound there are integrable
        if (wrong := np.isnan(found) | (found == math.inf)).any():
            at = points[np.flatnonzero(wrong)[0]].tolist()
            raise PrivcheckError(f"{self.name}.logpdf", words(f"nan or inf at {at}"), "finite numbers or -inf")
        result[inside] = found
        return result

    def on_the_line(self, points: Array) -> Array:
        """Return the log-density as given at real numbers, shape (n,)."""
        return self.log(points[:, None])

    def normalised(self, points: Array) -> Array:
        """Return the log-density, divided by its mass."""
        return self.log(points) - self.log_mass

    def _peaks(self) -> Array:
        """Return where the density has peaks, shape (n, d), the highest first."""
        from scipy import ndimage

        count, most = STARTS[self.dimensions - 1], PEAKS[self.dimensions - 1]
        axes = [_starts(low, high, count) for low, high in self.box]
        points = np.stack([axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")], axis=1)
        values = self.log(points)
        if not np.array_equal(values, self.log(points)):  # no quadrature would come to an end
            got = words("other numbers for the same points")
            raise PrivcheckError(f"{self.name}.logpdf", got, "a function of the points alone", "draw nothing in it")
        grid = values.reshape([len(axis) for axis in axes])
        peaked = np.flatnonzero(
            (grid == ndimage.maximum_filter(grid, size=3, mode="nearest")).ravel() & (values > -np.inf)
        )
        starts = points[peaked[np.argsort(-values[peaked], kind="stable")][:most]]
        if self.dimensions == 1:
            starts = np.append(starts, self._median(), axis=0)
        if not len(starts):
            got = words("a density that is 0 wherever it was looked at")
            raise PrivcheckError(self.name, got, "one with mass", "give the support in which its mass is")
        return self._climbed(starts)

    def _climbed(self, starts: Array) -> Array:
        """Return the peaks above some points, shape (n, d), the highest first."""
        from scipy import optimize

        low, high = self.box.T
        found = []
        for start in starts:
            result = optimize.minimize(
                lambda x: -max(float(self.log(np.clip(x, low, high)[None])[0]), -1e300),
                start,
                method="Nelder-Mead",
                options={"maxiter": 400, "xatol": 1e-10, "fatol": 1e-10},
            )
            climbed = np.clip(result.x, low, high)
            found.append(climbed if self.log(climbed[None])[0] > self.log(start[None])[0] else start)
        peaks: Array = np.array(found)[np.argsort(-self.log(np.array(found)), kind="stable")]
        return peaks

    def _median(self) -> Array:
        """Return the median of a distribution of scipy, shape (1, 1), or nothing."""
        try:
            middle = float(self.law.median())  # type: ignore[attr-defined]
        except Exception:  # whatever an object of the user's does: it is a starting point and no more
            return np.zeros((0, 1))
        found = np.array([[middle]])
        return found if self.log(found)[0] > -np.inf else np.zeros((0, 1))

    def _cuts(self, axis: int) -> Array:
        """Return where regions end along an axis: the ends of the support, peaks, and multiples of their widths."""
        low, high = self.box[axis]
        ends = [low, high]
        if self.dimensions == 1 and math.isfinite(high - low):
            ends += (low + (high - low) * np.arange(1, PARTS) / PARTS).tolist()
        for peak in self.peaks:
            steps = np.logspace(-9.0, 9.0, 181) * max(1e-9, abs(float(peak[axis])), 1.0 if peak[axis] else 0.0)
            ends.append(float(peak[axis]))
            height = self.log(peak[None])[0]
            for sign in (-1.0, 1.0):
                along = np.repeat(peak[None], len(steps), axis=0)
                along[:, axis] += sign * steps
                fallen = np.flatnonzero(self.log(along) < height - 2.0)
                unit = steps[fallen[0]] if fallen.size else steps[-1]
                ends += [float(peak[axis] + sign * unit * step) for step in STEPS[self.dimensions - 1]]
        return _distinct(ends, low, high)


def common_cuts(one: Density, two: Density) -> list[Array]:
    """Return the cuts of two densities together."""
    return [
        _distinct([*first, *second], min(first[0], second[0]), max(first[-1], second[-1]))
        for first, second in zip(one.cuts, two.cuts, strict=True)
    ]


def with_cuts(cuts: Array, more: Array) -> Array:
    """Return the cuts of an axis and more of them."""
    return _distinct([*cuts.tolist(), *more.tolist()], cuts[0], cuts[-1])


def _distinct(ends: Sequence[float], low: float, high: float) -> Array:
    """Return the ends within an interval in order, without those that are only a rounding error apart."""
    kept = [low]
    for end in sorted({float(end) for end in ends if low < end < high}):
        if not math.isfinite(kept[-1]) or end - kept[-1] > 4.0 * np.spacing(max(abs(end), abs(kept[-1]))):
            kept.append(end)
    return np.array([*kept, high])


def _starts(low: float, high: float, count: int) -> Array:
    """Return points of an interval: evenly spread over a finite one, over all orders of magnitude otherwise."""
    if math.isfinite(low) and math.isfinite(high):
        return low + (high - low) * (np.arange(count) + 0.5) / count
    sizes = np.logspace(-6.0, 8.0, count // 2)
    if math.isfinite(low):
        return low + sizes
    if math.isfinite(high):
        return high - sizes
    return np.concatenate([-sizes[::-1], [0.0], sizes])


def _support(law: Any, name: str) -> Array:
    expected = "a law with methods logpdf(x) and support(), such as scipy.stats.laplace(0.0, 2.0)"
    if not (callable(getattr(law, "logpdf", None)) and callable(getattr(law, "support", None))):
        raise PrivcheckError(name, words(f"an object of type {type(law).__name__}"), expected)
    place, pairs = f"{name}.support()", "(low, high), or a list of one such pair for each axis"
    hint = "two ends with a number for each axis are list(zip(low, high))"
    try:
        ends = law.support()
        if np.iscomplexobj(ends):
            raise TypeError("complex numbers")
        given = np.asarray(ends, float)
    except Exception as error:  # of the user's own code
        got = words(f"{type(error).__name__}: {error}".splitlines()[0])
        raise PrivcheckError(place, got, pairs) from error
    if given.shape == (2, 2) and isinstance(ends, tuple) and not any(isinstance(end, tuple) for end in ends):
        raise PrivcheckError(place, words(f"a tuple of two {type(ends[0]).__name__} objects"), pairs, hint)
    box = given[None] if given.shape == (2,) else given
    if box.ndim != 2 or box.shape[1] != 2 or not len(box):
        raise PrivcheckError(place, words(f"numbers of shape {given.shape}"), pairs, hint)
    rising = box[:, 0] < box[:, 1]
    if not rising.all():
        got = words(f"the pair {tuple(box[int(np.argmin(rising))].tolist())}")
        raise PrivcheckError(place, got, "pairs (low, high), low below high", hint)
    if len(box) > MOST_DIMENSIONS:
        hint = "give the law of a function of the output, such as its norm: post-processing only loses"
        raise PrivcheckError(name, words(f"{len(box)} dimensions"), f"at most {MOST_DIMENSIONS}", hint)
    return box
