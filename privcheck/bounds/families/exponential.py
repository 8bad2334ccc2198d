"""Exponential laws."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from privcheck.arrays import Array
from privcheck.bounds._clipping import clipped_divergence
from privcheck.bounds._divergences import linear_minus_log, log_of_ratio
from privcheck.bounds._quadrature import panels
from privcheck.bounds.families.base import MeanFamily
from privcheck.declared import POSITIVE, Real
from privcheck.enclosure import Enclosure
from privcheck.errors import PrivcheckError, words

_REACH = 700.0
"""Means beyond which the density is below 1e-304."""
_FARTHEST = 1e300
"""Largest ratio of two means for `d_epsilon`: the densities are floats."""


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
        with np.errstate(over="ignore", invalid="ignore"):
            x = (p - q) / q
            return np.asarray(np.where(np.abs(x) <= 0.3, linear_minus_log(x), x - log_of_ratio(p, q)))

    def _hellinger(self, p: Array, q: Array) -> Array:
        larger, smaller = np.maximum(p, q), np.minimum(p, q)
        ratio = smaller / larger
        return np.asarray((larger - smaller) / larger / ((1 + np.sqrt(ratio)) * np.sqrt(1 + ratio)))

    def _hockey_stick(self, p: Array, q: Array, epsilon: Array) -> Array:
        """With c the point where the densities have ratio e^epsilon: the mass of p - e^epsilon q on one side of it."""
        swapped = (epsilon == 0) & (p < q)  # the total variation is symmetric
        p, q = np.where(swapped, q, p), np.where(swapped, p, q)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
            log = np.where(np.abs(q - p) < q / 2, -np.log1p((p - q) / q), log_of_ratio(q, p))  # ln(q/p)
            cut = np.maximum((log - epsilon) / ((q - p) / q), 0.0)
            found = np.array(np.where(p == q, 0.0, np.exp(-cut) * ((p - q) / p)))
            falling = np.asarray(p < q)
            if falling.any():
                some = (np.asarray(x)[falling] for x in (cut, log - epsilon, epsilon, p, q))
                found[falling] = _mass_below(*some)
        return found

    def _d_epsilon(self, p: float, q: float, epsilon: float) -> Enclosure:
        ratio = q / p
        if not 1 / _FARTHEST < ratio < _FARTHEST:
            raise PrivcheckError("q", q, words(f"a mean within a factor of {_FARTHEST:g} of {p:g}"))
        drift = (q - p) / q
        constant = math.log1p((q - p) / p) if abs(q - p) < p else math.log(q) - math.log(p)

        def cells(level: float) -> tuple[Array, Array, Array]:
            """Rewards in units of the mean of p; the log-ratio is `constant - drift x`."""
            cuts = (constant - level) / drift, (constant - level - epsilon) / drift
            nodes, weights = panels(_breakpoints(ratio, cuts))
            with np.errstate(under="ignore"):
                laws = weights * np.exp(-nodes), weights * np.exp(-nodes / ratio) / ratio
            return *laws, constant - drift * nodes

        return clipped_divergence(cells, epsilon)


def _mass_below(cut: Array, y: Array, epsilon: Array, p: Array, q: Array) -> Array:
    """Integrate `e^-x - e^(epsilon - x p/q) p/q`, x in units of p, up to where it is 0, for p < q: `y = cut (q - p)/q`.

    Three forms, because each has terms that cancel where another has none.
    """
    inner = cut * (p / q)
    mean = np.where(inner > 0, -np.expm1(-inner) / inner, 1.0)
    wide = -np.expm1(-cut) - np.exp(-y) * cut * mean
    long = (q - p) / p * np.expm1(-cut) + np.exp(epsilon) * np.expm1(y)
    found = np.where(y <= 0, 0.0, np.where(y >= 0.5, wide, long))
    short = (y > 0) & (y < 0.5) & (cut < 1)
    if short.any():
        x, weights = panels(np.array([0.0, 1.0]))
        terms = np.exp(-cut[short][:, None] * x) * -np.expm1(-y[short][:, None] * (1 - x))
        found[short] = cut[short] * (terms * weights).sum(axis=-1)
    return found


def _breakpoints(ratio: float, cuts: tuple[float, float]) -> Array:
    """Return panels that resolve both scales, cut where the clipping begins."""
    steps = np.concatenate((np.arange(0.0, 40.0, 1.0), np.arange(40.0, _REACH, 20.0)))
    ends = np.concatenate((steps, steps * ratio, cuts))
    return np.unique(np.clip(ends, 0.0, _REACH * max(1.0, ratio)))
