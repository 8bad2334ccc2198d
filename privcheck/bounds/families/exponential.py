"""Exponential laws."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from privcheck.arrays import Array
from privcheck.bounds._clipping import clipped_divergence
from privcheck.bounds._divergences import excess
from privcheck.bounds._quadrature import panels
from privcheck.bounds.families.base import MeanFamily
from privcheck.declared import POSITIVE, Real
from privcheck.enclosure import Enclosure

_REACH = 700.0
"""Means beyond which the density is below 1e-304."""


@dataclass(frozen=True)
class Exponential(MeanFamily):
    """Exponential laws, parametrised by their means above 0: density `e^(-x/m)/m` on x > 0.

    Source
    ------
    Garivier & Cappe 2011, Section 4 (KL divergence); `d_epsilon` by clipping, docs/evidence/derivations.md.

    Examples
    --------
    >>> round(Exponential().kl(1.0, 2.0), 6)
    0.193147
    """

    id: ClassVar[str] = "exponential"
    domain: ClassVar[Real] = POSITIVE
    highest_mean: ClassVar[float] = math.inf
    reward_range: ClassVar[tuple[float, float]] = (0.0, math.inf)

    def _kl(self, p: Array, q: Array) -> Array:
        return excess(np.ones_like(p), p / q, (p - q) / q)

    def _hellinger_squared(self, p: Array, q: Array) -> Array:
        return (p - q) ** 2 / ((np.sqrt(p) + np.sqrt(q)) ** 2 * (p + q))

    def _hockey_stick(self, p: Array, q: Array, epsilon: Array) -> Array:
        """With c the point where the densities have ratio e^epsilon: the mass of p - e^epsilon q on one side of it."""
        with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
            log = np.where(np.abs(q - p) < q / 2, -np.log1p((p - q) / q), np.log(q) - np.log(p))  # ln(q/p)
            cut = (log - epsilon) / ((q - p) / q)
            beyond = np.exp(-np.maximum(cut, 0.0))
            falling = np.where(log > epsilon, beyond * (q - p) / p - np.expm1(epsilon), 0.0)
            rising = beyond * ((p - q) / p)
        return np.where(p == q, 0.0, np.where(p < q, falling, rising))

    def _d_epsilon(self, p: float, q: float, epsilon: float) -> Enclosure:
        ratio, drift = q / p, (q - p) / q
        constant = math.log1p((q - p) / p) if abs(q - p) < p else math.log(q) - math.log(p)

        def cells(level: float) -> tuple[Array, Array, Array]:
            """Rewards in units of the mean of p; the log-ratio is `constant - drift x`."""
            cuts = (constant - level) / drift, (constant - level - epsilon) / drift
            nodes, weights = panels(_breakpoints(ratio, cuts))
            with np.errstate(under="ignore"):
                laws = weights * np.exp(-nodes), weights * np.exp(-nodes / ratio) / ratio
            return *laws, constant - drift * nodes

        return clipped_divergence(cells, epsilon)


def _breakpoints(ratio: float, cuts: tuple[float, float]) -> Array:
    """Return panels that resolve both scales, cut where the clipping begins."""
    steps = np.concatenate((np.arange(0.0, 40.0, 1.0), np.arange(40.0, _REACH, 20.0)))
    ends = np.concatenate((steps, steps * ratio, cuts))
    return np.unique(np.clip(ends, 0.0, _REACH * max(1.0, ratio)))
