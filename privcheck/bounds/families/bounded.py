"""Laws on [0, 1] with finitely many atoms, among laws on a finite support or among all laws on [0, 1]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from privcheck.bounds._better_laws import free_epsilon, nearest_better, total_variation_to_better
from privcheck.bounds._clipping import atoms, clipped_divergence
from privcheck.bounds._divergences import excess
from privcheck.bounds._finite_law import FiniteLaw, check_law, on_common_atoms
from privcheck.bounds.families.base import NON_NEGATIVE, Family
from privcheck.declared import POSITIVE, UNIT_INTERVAL, Real, check, parameter
from privcheck.enclosure import Enclosure
from privcheck.errors import PrivcheckError

_WEIGHT_ROUNDING = 2.0**-51
"""Relative error of a weight: it is rounded, divided by the sum of all, and added to the others of its atom."""


@dataclass(frozen=True)
class Support:
    """The domain of supports: at least two different points of [0, 1]."""

    @property
    def text(self) -> str:
        """What the domain contains, in words."""
        return "a list of at least two different numbers in [0, 1]"

    def normalise(self, value: Any) -> tuple[float, ...]:
        """Return the points in increasing order, or raise ValueError or TypeError."""
        if isinstance(value, str) or not isinstance(value, Sequence | np.ndarray):
            raise TypeError
        points = sorted(UNIT_INTERVAL.normalise(point) for point in value)
        if len(points) < 2 or len(set(points)) < len(points):
            raise ValueError
        return tuple(points)


@dataclass(frozen=True)
class Bounded(Family):
    """All laws on [0, 1]; a law is a `FiniteLaw`, such as the empirical law of observed rewards.

    Source
    ------
    Honda & Takemura 2010 (`d_inf` by its dual); `t_inf`, `d_epsilon` and its infimum in docs/evidence/derivations.md.

    Examples
    --------
    >>> law = FiniteLaw((0.0, 0.5, 1.0), (0.1, 0.7, 0.2))
    >>> round(Bounded().t_inf(law, 0.75).value, 9), round(Bounded().d_inf(law, 0.75).value, 6)
    (0.3, 0.249296)
    """

    id: ClassVar[str] = "bounded"
    highest_mean: ClassVar[float] = 1.0
    reward_range: ClassVar[tuple[float, float]] = (0.0, 1.0)

    @property
    def top(self) -> float:
        """Largest reward of any law of the family."""
        return 1.0

    def check(self, name: str, law: Any) -> FiniteLaw:
        """Return `law` if the family contains it; refuse anything else."""
        return check_law(name, law)

    def mean(self, law: Any) -> float:
        return self.check("law", law).mean

    def kl(self, p: Any, q: Any) -> float:
        first, second = self._weights(p, q)
        return float(excess(first, second, second - first).sum())

    def tv(self, p: Any, q: Any) -> float:
        first, second = self._weights(p, q)
        gap = first - second
        # the halves are equal in exact arithmetic; weights rounded to 2^-53 can lose a rare atom from one of them
        return float(max(gap[gap > 0].sum(), -gap[gap < 0].sum()))

    def hellinger(self, p: Any, q: Any) -> float:
        first, second = self._weights(p, q)
        return float(np.sqrt(((np.sqrt(first) - np.sqrt(second)) ** 2).sum() / 2))

    def hockey_stick(self, p: Any, q: Any, epsilon: Any) -> float:
        epsilon = check("epsilon", epsilon, NON_NEGATIVE)
        first, _, ratio = atoms(*self._weights(p, q))(0.0)
        above = ratio > epsilon
        return float(-(first[above] * np.expm1(epsilon - ratio[above])).sum())

    def d_epsilon(self, p: Any, q: Any, epsilon: float) -> Enclosure:
        first, second = self._weights(p, q)
        epsilon = check("epsilon", epsilon, POSITIVE)
        cells = atoms(first, second)
        ratio = cells(0.0)[2]
        if ratio.max() - ratio.min() <= epsilon:  # nothing is clipped
            kl = float(excess(first, second, second - first).sum())
            found = Enclosure.between(kl, kl, relative=1e-13)
        else:
            found = clipped_divergence(cells, epsilon)
        # the derivatives in the logarithms of the weights: at most p min(|ln p/q|, epsilon), and |p - q| together
        moved = cells(0.0)[0] * np.minimum(np.abs(ratio), epsilon)
        error = _WEIGHT_ROUNDING * float(moved.sum() + np.abs(first - second).sum())
        return Enclosure(max(0.0, found.lower - error), found.upper + error)

    def d_inf(self, law: Any, best: float) -> Enclosure:
        return nearest_better(self.check("law", law), check("best", best, Real()), self.top)

    def t_inf(self, law: Any, best: float) -> Enclosure:
        return total_variation_to_better(self.check("law", law), check("best", best, Real()), self.top)

    def d_epsilon_inf(self, law: Any, best: float, epsilon: float) -> Enclosure:
        law, best, epsilon = self.check("law", law), check("best", best, Real()), check("epsilon", epsilon, POSITIVE)
        if free_epsilon(law, best, self.top) <= epsilon:
            return nearest_better(law, best, self.top)
        return nearest_better(law, best, self.top, epsilon)

    def free_epsilon(self, law: Any, best: float) -> float:
        return free_epsilon(self.check("law", law), check("best", best, Real()), self.top)

    def _weights(self, p: Any, q: Any) -> tuple[Any, Any]:
        return on_common_atoms(self.check("p", p), self.check("q", q))


@dataclass(frozen=True)
class Finite(Bounded):
    """Laws on a finite support in [0, 1]. The nearest better law needs no points outside the support.

    Parameters
    ----------
    support : at least two different points of [0, 1].

    Examples
    --------
    >>> family = Finite((0.0, 0.5, 0.8))
    >>> round(family.d_inf(FiniteLaw((0.0, 0.5), (0.5, 0.5)), 0.6).value, 6)
    0.89588
    >>> family.d_inf(FiniteLaw((0.5,), (1.0,)), 0.8).value
    inf
    """

    support: tuple[float, ...] = parameter(Support(), typical=(0.0, 1.0), doc="the possible rewards", default=None)

    id: ClassVar[str] = "finite"

    @property
    def top(self) -> float:
        """Largest reward of any law of the family."""
        return self.support[-1]

    @property
    def highest_mean(self) -> float:  # type: ignore[override]
        """No law of the family has a larger mean."""
        return self.top

    def check(self, name: str, law: Any) -> FiniteLaw:
        """Return `law` if the family contains it; refuse anything else."""
        found = check_law(name, law)
        outside = set(found.atoms[found.weights > 0].tolist()) - set(self.support)
        if outside:
            raise PrivcheckError(name, min(outside), f"atoms in the support {self.support}")
        return found
