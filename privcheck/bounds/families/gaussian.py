"""Gaussian laws of a known variance."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from privcheck.arrays import Array
from privcheck.bounds._clipping import clipped_divergence
from privcheck.bounds._divergences import root_of_one_minus_exp
from privcheck.bounds._quadrature import panels
from privcheck.bounds.families.base import MeanFamily
from privcheck.declared import POSITIVE, Real, parameter
from privcheck.enclosure import Enclosure

_REACH = 38.0
"""Standard deviations beyond which the density is below 1e-313."""
_SHORT = 0.5
"""Distance of the means below which the terms of the hockey stick cancel, and it is integrated."""


@dataclass(frozen=True)
class Gaussian(MeanFamily):
    """Laws N(mean, variance), parametrised by their means.

    Parameters
    ----------
    variance : of every arm's rewards, known to the learner, above 0.

    Source
    ------
    Azize & Basu 2022, Section 3 (variance 1); `d_epsilon` by clipping, docs/evidence/derivations.md.

    Examples
    --------
    >>> Gaussian(variance=4.0).kl(0.0, 2.0)
    0.5
    >>> round(Gaussian().d_epsilon(0.0, 1.0, 0.5).value, 6)
    0.165868
    """

    variance: float = parameter(POSITIVE, typical=(0.1, 10.0), doc="variance of the rewards", default=1.0)

    id: ClassVar[str] = "gaussian"
    domain: ClassVar[Real] = Real()
    highest_mean: ClassVar[float] = math.inf
    reward_range: ClassVar[tuple[float, float]] = (-math.inf, math.inf)

    def _shift(self, p: Array, q: Array) -> Array:
        with np.errstate(over="ignore"):
            return np.abs(q - p) / math.sqrt(self.variance)

    def _kl(self, p: Array, q: Array) -> Array:
        with np.errstate(over="ignore"):
            return self._shift(p, q) ** 2 / 2

    def _hellinger(self, p: Array, q: Array) -> Array:
        return root_of_one_minus_exp(self._shift(p, q) / math.sqrt(8))

    def _hockey_stick(self, p: Array, q: Array, epsilon: Array) -> Array:
        from scipy.special import erf, erfc, erfcx

        shift = self._shift(p, q)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
            centre = epsilon / shift
            low, high = (centre - shift / 2) / math.sqrt(2), (centre + shift / 2) / math.sqrt(2)
            tail = np.where(low > 0, np.exp(-(low**2)) * erfcx(np.maximum(low, 0.0)), erfc(low)) / 2
            value = tail - np.exp(-(low**2)) * erfcx(high) / 2
        near = np.asarray((shift < _SHORT) & (shift > 0) & (epsilon > 0))
        if near.any():
            value = np.array(value)
            value[near] = _hockey_stick_of_near(np.asarray(low)[near] * math.sqrt(2), np.asarray(shift)[near])
        return np.where(shift == 0, 0.0, np.where(epsilon == 0, erf(shift / math.sqrt(8)), value))

    def _d_epsilon(self, p: float, q: float, epsilon: float) -> Enclosure:
        shift = float(self._shift(np.array(p), np.array(q)))
        if epsilon > shift * (2 * _REACH + shift):
            return self._closed_form(shift**2 / 2)
        if shift > 4 * (_REACH + math.sqrt(epsilon)):  # either law has less than e^(-2000 - epsilon) next to the other
            return self._closed_form(epsilon)

        def cells(level: float) -> tuple[Array, Array, Array]:
            """Laws N(0, 1) and N(shift, 1): their log-ratio falls from infinity to minus infinity."""
            upper = shift / 2 - level / shift
            lower = upper - epsilon / shift
            nodes, weights = panels(_breakpoints(shift, (lower, upper)))
            with np.errstate(under="ignore"):
                density = weights / math.sqrt(2 * math.pi)
                laws = density * np.exp(-(nodes**2) / 2), density * np.exp(-((nodes - shift) ** 2) / 2)
            return *laws, shift * (shift / 2 - nodes)

        return clipped_divergence(cells, epsilon)


def _hockey_stick_of_near(low: Array, shift: Array) -> Array:
    """Integrate `phi(low) (1 - x M(x))` from low to low + shift, M being Mills' ratio, whose values there cancel."""
    from scipy.special import erfcx

    nodes, weights = panels(np.array([0.0, 1.0]))
    x = np.minimum(low[..., None] + shift[..., None] * nodes, 1e8)
    falls = 1 - x * math.sqrt(math.pi / 2) * erfcx(x / math.sqrt(2))
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(np.exp(-(low**2) / 2) / math.sqrt(2 * math.pi) * shift * (falls * weights).sum(axis=-1))


def _breakpoints(shift: float, cuts: tuple[float, float]) -> Array:
    """Return panels of unit width around both means, cut where the clipping begins."""
    steps = np.arange(-_REACH, _REACH + 1)
    ends = np.concatenate((steps, steps + shift, cuts))
    return np.unique(np.clip(ends, -_REACH, shift + _REACH))
