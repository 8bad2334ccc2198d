"""The privacy loss of two laws that are given by their densities."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from privcheck.arrays import Array
from privcheck.auditing._exact.box_integrals import integrals
from privcheck.auditing._exact.given_density import LARGEST, SAFETY, Density, Law, common_cuts, with_cuts
from privcheck.auditing._exact.scan import fine_points
from privcheck.declared import OrNone, check
from privcheck.errors import PrivcheckError, words
from privcheck.inference import DELTA, EPSILON
from privcheck.results import LawBound

GRID = (33, 17, 9)
"""Epsilons at which the hockey stick is computed in one quadrature, for 1, 2 and 3 dimensions."""

PASSES = 4
"""How often the interval between two of them is looked at anew."""

HALVINGS = 60
"""Enough to find one to rounding."""

ROUNDING = 1e-12
"""Probabilities below this may be rounding."""


def bound_from_laws(first: Law, second: Law, *, delta: float = 0.0, epsilon: float | None = None) -> LawBound:
    """Bound epsilon by the laws of an output on two neighbouring inputs, without any runs.

    Parameters
    ----------
    first, second : the laws, each with `logpdf(x)` and `support()` like a frozen distribution of `scipy.stats`. Outputs
        are one to three real numbers. A law whose density is known up to a factor has `normalised = False`.
    delta : delta of the bound and of the claim, in [0, 1).
    epsilon : the claim; by default there is none, and no verdict.

    Returns
    -------
    LawBound : bounds from the hockey-stick divergences of the two laws, by adaptive quadrature. They hold if the laws
        are those of the outputs, which `privcheck.testing.assert_law` tests by samples, and up to the quadrature: its
        estimates of its errors are multiplied by 10 and taken off, but an estimate is no proof. On the line it ends at
        jumps of the densities; cells narrower than a hundred-thousandth of what is looked at, and narrow peaks or gaps,
        may be missed. `epsilon_lower` is inf where one law has mass outside of the support of the other, and at
        most 700 otherwise: beyond that, densities leave floating point.

    Raises
    ------
    PrivcheckError : no such laws, laws of outputs of different length, a density whose mass is not 1 although it is not
        said to be unnormalised, or an option out of its range.

    Source
    ------
    Balle and Wang (2018): (epsilon, delta)-DP holds on the two inputs if and only if the hockey-stick divergence of
    order e^epsilon is at most delta in both directions.

    Examples
    --------
    >>> from scipy import stats
    >>> found = bound_from_laws(stats.laplace(0.0, 2.0), stats.laplace(1.0, 2.0), epsilon=0.4)
    >>> round(found.epsilon_lower, 3), found.verdict
    (0.5, 'violation')
    >>> bound_from_laws(stats.norm(0.0, 4.0), stats.norm(1.0, 4.0), delta=1e-5, epsilon=1.0).verdict
    'not refuted'
    """
    delta, epsilon = check("delta", delta, DELTA), check("epsilon", epsilon, OrNone(EPSILON))
    one, two = Density(first, "first"), Density(second, "second")
    if one.dimensions != two.dimensions:
        got = words(f"outputs of {two.dimensions} numbers")
        raise PrivcheckError("second", got, f"outputs of {one.dimensions}, as of the first law")
    cuts = common_cuts(one.with_jumps(), two.with_jumps())
    sticks = _Sticks(one.weighed(cuts), two.weighed(cuts), cuts)
    lower, upper = sticks.epsilons(delta)
    least = most = verdict = None
    if epsilon is not None:
        (low,), (high,) = sticks.deltas(np.array([epsilon]))
        least, most = max(0.0, float(low)), min(1.0, float(high))
        verdict = "violation" if least > delta and lower > epsilon else "not refuted"
    ratio, at = sticks.largest
    return LawBound(
        epsilon_lower=lower,
        epsilon_upper=upper,
        delta=delta,
        epsilon=epsilon,
        delta_lower=least,
        delta_upper=most,
        verdict=verdict,
        log_ratio=ratio,
        at=at,
    )


class _Sticks:
    """The hockey sticks of two densities, in both directions."""

    def __init__(self, one: Density, two: Density, cuts: list[Array]) -> None:
        self.one, self.two, self.cuts = one, two, cuts
        self.slack = one.relative_error + two.relative_error + ROUNDING
        self.largest: tuple[float, tuple[float, ...]] = (0.0, ())
        self.line = one.dimensions == 1
        if self.line:
            self.points = fine_points(cuts[0])
            for density in (one, two):  # where a density ends, or begins
                ends = changes(self.points, density.on_the_line, np.array([-math.inf]))
                self.cuts = [with_cuts(self.cuts[0], ends)]

    def deltas(self, epsilons: Array) -> tuple[Array, Array]:
        """Return limits for the larger of the two divergences at each epsilon, shape (m,)."""
        thresholds = np.exp(np.minimum(epsilons, LARGEST))

        def positive_parts(points: Array) -> Array:
            logs = self.one.normalised(points), self.two.normalised(points)
            self._note(points, *logs)
            p, q = (np.exp(np.minimum(log, LARGEST))[:, None] for log in logs)
            with np.errstate(over="ignore"):
                return np.concatenate(
                    [np.maximum(p - thresholds * q, 0.0), np.maximum(q - thresholds * p, 0.0)], axis=1
                )

        found, errors = integrals(positive_parts, self._cut_at(epsilons))
        off = SAFETY * errors + self.slack
        low, high = ((found + sign * off).reshape(2, -1).max(axis=0) for sign in (-1.0, 1.0))
        return low, high

    def _cut_at(self, epsilons: Array) -> list[Array]:
        """Return the cuts, on the line with the points at which the log-ratio passes one of the epsilons."""
        if not self.line:
            return self.cuts

        def ratio(points: Array) -> Array:
            logs = [law.on_the_line(points) - law.log_mass for law in (self.one, self.two)]
            with np.errstate(invalid="ignore"):
                return np.abs(np.nan_to_num(logs[0] - logs[1], nan=0.0, posinf=math.inf, neginf=-math.inf))

        return [with_cuts(self.cuts[0], changes(self.points, ratio, epsilons))]

    def unbounded(self, delta: float) -> bool:
        """Tell whether outputs outside of the support of the other law have a probability above delta."""

        def outside(points: Array) -> Array:
            p, q = (np.exp(np.minimum(law.normalised(points), LARGEST)) for law in (self.one, self.two))
            return np.stack(
                [np.where(self.two.covers(points), 0.0, p), np.where(self.one.covers(points), 0.0, q)], axis=1
            )

        found, errors = integrals(outside, self.cuts)
        return bool((found - SAFETY * errors - self.slack).max() > delta)

    def epsilons(self, delta: float) -> tuple[float, float | None]:
        """Return limits for epsilon at delta; there is no upper one at delta = 0, or where the error exceeds delta."""
        if self.unbounded(delta):
            return math.inf, None
        if self.deltas(np.array([LARGEST]))[0][0] > delta:
            return LARGEST, None
        if self.largest[1]:  # the events that tell most lie around this point
            self.cuts = [with_cuts(axis, np.array([at])) for axis, at in zip(self.cuts, self.largest[1], strict=True)]
        top = min(LARGEST, max(1.0, 1.01 * self.largest[0] + 0.1))
        lower, upper, known = (0.0, top), (0.0, top), False
        for number in range(PASSES):
            grids = [np.linspace(*interval, GRID[self.one.dimensions - 1]) for interval in (lower, upper)]
            together = np.unique(np.concatenate(grids))
            low, high = self.deltas(together)
            above, below = np.flatnonzero(low > delta), np.flatnonzero(high <= delta)
            if above.size:
                lower = float(together[above[-1]]), float(together[min(above[-1] + 1, len(together) - 1)])
            elif not number:
                lower = 0.0, float(together[1])
            known = bool(below.size) and delta > 0.0
            reach = int(below[0]) if below.size else len(together) - 1
            upper = float(together[max(0, reach - 1)]), float(together[reach])
        return lower[0], upper[1] if known else None

    def _note(self, points: Array, log_first: Array, log_second: Array) -> None:
        """Keep the largest log-ratio of the densities seen, where both are within floating point."""
        sound = np.minimum(log_first, log_second) > -LARGEST + 10.0
        if not sound.any():
            return
        ratios = np.where(sound, np.abs(np.where(sound, log_first, 0.0) - np.where(sound, log_second, 0.0)), -1.0)
        place = int(np.argmax(ratios))
        if ratios[place] > self.largest[0]:
            at: Any = points[place].tolist()
            self.largest = float(ratios[place]), tuple(at)


def changes(points: Array, function: Callable[[Array], Array], limits: Array) -> Array:
    """Return where a function begins or ceases to be above each of the limits, by bisection between the points."""
    above = function(points) > limits[:, None]
    which, places = np.nonzero(above[:, 1:] != above[:, :-1])
    low, high, at_low = points[places], points[places + 1], above[which, places]
    for _ in range(HALVINGS if len(places) else 0):
        middle = low + (high - low) / 2.0
        same = (function(middle) > limits[which]) == at_low
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    return np.concatenate([low, high])
