"""Bernoulli laws, and their counterparts on {-1, 1}."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from privcheck.arrays import Array
from privcheck.bounds._divergences import kl_from_complements, log_odds_ratio
from privcheck.bounds._private_divergence import d_epsilon_from_complements
from privcheck.bounds.families.base import MeanFamily
from privcheck.declared import UNIT_INTERVAL, Real, check
from privcheck.enclosure import Enclosure


@dataclass(frozen=True)
class Bernoulli(MeanFamily):
    """Bernoulli laws on {0, 1}, parametrised by their means in [0, 1].

    Source
    ------
    Azize & Basu 2022, Section 3; closed form of `d_epsilon` in docs/evidence/derivations.md.

    Examples
    --------
    >>> family = Bernoulli()
    >>> round(family.d_inf(0.5, 0.75).value, 6), family.t_inf(0.5, 0.75).value
    (0.143841, 0.25)
    >>> round(family.free_epsilon(0.1, 0.8), 4)
    3.5835
    """

    id: ClassVar[str] = "bernoulli"
    domain: ClassVar[Real] = UNIT_INTERVAL
    highest_mean: ClassVar[float] = 1.0
    reward_range: ClassVar[tuple[float, float]] = (0.0, 1.0)

    def shares(self, mean: Array) -> tuple[Array, Array]:
        """Return the probabilities of the larger and of the smaller reward, each with full relative precision."""
        return mean, 1 - mean

    def share_gap(self, p: Array, q: Array) -> Array:
        """Return the difference between the probabilities of the larger reward."""
        return q - p

    def _kl(self, p: Array, q: Array) -> Array:
        return kl_from_complements(*self.shares(p), *self.shares(q), self.share_gap(p, q))

    def _hellinger(self, p: Array, q: Array) -> Array:
        shares = zip(self.shares(p), self.shares(q), strict=True)
        gap = self.share_gap(p, q)
        terms = [np.where(gap == 0, 0.0, gap / np.maximum(np.sqrt(a) + np.sqrt(b), 1e-300)) for a, b in shares]
        return np.hypot(*terms) / math.sqrt(2)  # not the root of squares, which underflow next to equality

    def _hockey_stick(self, p: Array, q: Array, epsilon: Array) -> Array:
        gap, growth = self.share_gap(p, q), np.expm1(np.minimum(epsilon, 700.0))
        q_high, q_low = self.shares(q)
        return np.maximum(-gap - q_high * growth, 0.0) + np.maximum(gap - q_low * growth, 0.0)

    def _d_epsilon(self, p: float, q: float, epsilon: float) -> Enclosure:
        first, second = np.array(p), np.array(q)
        shares = *self.shares(first), *self.shares(second)
        value = float(d_epsilon_from_complements(*shares, self.share_gap(first, second), np.array(epsilon)))
        return self._closed_form(value)

    def _closed_form_of_tv(self, value: float) -> Enclosure:
        return Enclosure.exactly(value)  # a difference, rounded once

    def free_epsilon(self, law: Any, best: float) -> float:
        law, best = check("law", law, self.domain), check("best", best, self.domain)
        if law >= best:
            return 0.0
        low, high = np.array(law), np.array(best)
        return float(log_odds_ratio(self.shares(low)[0], self.shares(high)[1], self.share_gap(low, high)))


@dataclass(frozen=True)
class TwoPoint(Bernoulli):
    """Laws on {-1, 1}, parametrised by their means in [-1, 1]: rescaled Bernoulli laws, so TV is half the gap.

    Source
    ------
    Shariff & Sheffet 2018, Section 5 (the rewards of its lower bound).

    Examples
    --------
    >>> TwoPoint().tv(0.0, 0.5), round(TwoPoint().kl(0.0, 0.5), 6)
    (0.25, 0.143841)
    """

    id: ClassVar[str] = "two-point"
    domain: ClassVar[Real] = Real(-1.0, 1.0)
    reward_range: ClassVar[tuple[float, float]] = (-1.0, 1.0)

    def shares(self, mean: Array) -> tuple[Array, Array]:
        return (1 + mean) / 2, (1 - mean) / 2

    def share_gap(self, p: Array, q: Array) -> Array:
        return (q - p) / 2
