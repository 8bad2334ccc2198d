"""The privacy loss of two laws that are given by their densities."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from privcheck.arrays import Array
from privcheck.auditing.exact.given_density import SAFETY, Density, Law, common_cuts, integrals, with_cut
from privcheck.declared import OrNone, check
from privcheck.errors import PrivcheckError, words
from privcheck.inference.counts import DELTA, EPSILON
from privcheck.results.law_bound import LawBound

GRID = (33, 17, 9)
"""Epsilons at which the hockey stick is computed in one quadrature, for 1, 2 and 3 dimensions."""

PASSES = 4
"""How often the interval between two of them is looked at anew."""

LARGEST = 700.0
"""Epsilons above this, and log-densities below minus this, are beyond floating point."""

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
        estimates of its errors are multiplied by 10 and taken off, but an estimate is no proof, and narrow peaks far
        from the mode may be missed.

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
    sticks = _Sticks(one, two)
    lower, upper = sticks.epsilons(delta)
    least = most = verdict = None
    if epsilon is not None:
        (low,), (high,) = sticks.deltas(np.array([epsilon]))
        least, most = max(0.0, float(low)), min(1.0, float(high))
        verdict = "violation" if least > delta else "not refuted"
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

    def __init__(self, one: Density, two: Density) -> None:
        self.one, self.two, self.cuts = one, two, common_cuts(one, two)
        self.slack = one.relative_error + two.relative_error + ROUNDING
        self.largest: tuple[float, tuple[float, ...]] = (0.0, ())

    def deltas(self, epsilons: Array) -> tuple[Array, Array]:
        """Return limits for the larger of the two divergences at each epsilon, shape (m,)."""
        thresholds = np.exp(np.minimum(epsilons, LARGEST))

        def positive_parts(points: Array) -> Array:
            logs = self.one.normalised(points), self.two.normalised(points)
            self._note(points, *logs)
            p, q = (np.exp(np.minimum(log, LARGEST))[:, None] for log in logs)
            return np.concatenate([np.maximum(p - thresholds * q, 0.0), np.maximum(q - thresholds * p, 0.0)], axis=1)

        found, errors = integrals(positive_parts, self.cuts)
        off = SAFETY * errors + self.slack
        low, high = ((found + sign * off).reshape(2, -1).max(axis=0) for sign in (-1.0, 1.0))
        return low, high

    def epsilons(self, delta: float) -> tuple[float, float | None]:
        """Return limits for epsilon at delta; there is no upper one at delta = 0, or where the error exceeds delta."""
        if self.deltas(np.array([LARGEST]))[0][0] > delta:  # an event that the other law excludes
            return math.inf, None
        if self.largest[1]:  # the events that tell most lie around this point
            self.cuts = [with_cut(axis, at) for axis, at in zip(self.cuts, self.largest[1], strict=True)]
        top = min(LARGEST, max(1.0, 1.01 * self.largest[0] + 0.1))
        ends = {"lower": (0.0, top), "upper": (0.0, top)}
        known = False
        for number in range(PASSES):
            grids = {name: np.linspace(*interval, GRID[self.one.dimensions - 1]) for name, interval in ends.items()}
            together = np.unique(np.concatenate(list(grids.values()))) if number else grids["lower"]
            low, high = self.deltas(together)
            above = np.flatnonzero(low > delta)
            last = int(above[-1]) if above.size else -1
            below = np.flatnonzero(high <= delta)
            known = bool(below.size) and delta > 0.0
            reach = int(below[0]) if below.size else len(together) - 1
            if last >= 0:
                ends["lower"] = float(together[last]), float(together[min(last + 1, len(together) - 1)])
            elif not number:
                ends["lower"] = 0.0, float(together[1])
            ends["upper"] = float(together[max(0, reach - 1)]), float(together[reach])
        return ends["lower"][0], ends["upper"][1] if known else None

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
