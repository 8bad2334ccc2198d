"""Poisson laws."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from privcheck.arrays import Array
from privcheck.bounds._clipping import clipped_divergence
from privcheck.bounds._divergences import excess, root_of_one_minus_exp
from privcheck.bounds.families.base import MeanFamily
from privcheck.declared import Real
from privcheck.enclosure import Enclosure

_LARGEST_MEAN = 1e8
"""Divergences sum over about 80 sqrt(mean) counts, 800,000 here, which takes about a second."""
_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188)
"""Coefficients of the Stirling series, `B_2k/(2k (2k - 1))`; used for n >= 40, where the next term is below 1e-20."""


@dataclass(frozen=True)
class Poisson(MeanFamily):
    """Poisson laws, parametrised by their means in [0, 1e8].

    Source
    ------
    Garivier & Cappe 2011, Section 4 (KL divergence); probabilities by Loader's saddle-point form.

    Examples
    --------
    >>> round(Poisson().kl(1.0, 2.0), 6)
    0.306853
    >>> round(Poisson().tv(0.0, 1.0), 6)
    0.632121
    """

    id: ClassVar[str] = "poisson"
    domain: ClassVar[Real] = Real(0.0, _LARGEST_MEAN)
    rounding: ClassVar[float] = 4e-13  # of probabilities far from the mean, against 60 digits
    highest_mean: ClassVar[float] = math.inf
    reward_range: ClassVar[tuple[float, float]] = (0.0, math.inf)

    def _kl(self, p: Array, q: Array) -> Array:
        return excess(p, q, q - p)

    def _hellinger(self, p: Array, q: Array) -> Array:
        return root_of_one_minus_exp((p - q) / np.maximum(np.sqrt(p) + np.sqrt(q), 1e-300) / math.sqrt(2))

    def _hockey_stick(self, p: Array, q: Array, epsilon: Array) -> Array:
        return np.array(_hockey_stick(p, q, epsilon), dtype=np.float64)

    def _d_epsilon(self, p: float, q: float, epsilon: float) -> Enclosure:
        cells = _cells(p, q)
        return clipped_divergence(lambda _: cells, epsilon)


def _one_hockey_stick(p: float, q: float, epsilon: float) -> float:
    if p == q:
        return 0.0
    first, _, ratio = _cells(p, q)
    above = ratio > epsilon
    return float(-(first[above] * np.expm1(epsilon - ratio[above])).sum())


_hockey_stick = np.vectorize(_one_hockey_stick, otypes=[np.float64])


def _cells(p: float, q: float) -> tuple[Array, Array, Array]:
    """Return both laws and their log-ratio on the counts that matter to either; the mass left out is below 1e-300."""
    counts = np.unique(np.concatenate([_window(mean) for mean in (p, q)]))
    growth = math.log1p((q - p) / p) if 0 < abs(q - p) < p / 2 else _log(q) - _log(p)
    with np.errstate(invalid="ignore"):
        ratio = np.where(counts == 0, q - p, (q - p) - counts * growth)
    return _probabilities(counts, p), _probabilities(counts, q), ratio


def _log(mean: float) -> float:
    return math.log(mean) if mean else -math.inf


def _window(mean: float) -> Array:
    reach = 40 * math.sqrt(mean)
    return np.arange(max(0.0, math.floor(mean - reach)), math.ceil(mean + reach) + 200.0)


def _probabilities(counts: Array, mean: float) -> Array:
    """Loader: `e^(-stirling(n) - (n ln(n/m) - n + m)) / sqrt(2 pi n)`, with no large terms that cancel."""
    if mean == 0:
        return np.where(counts == 0, 1.0, 0.0)
    positive = np.maximum(counts, 1.0)
    with np.errstate(under="ignore"):
        deviance = excess(positive, np.full_like(positive, mean), mean - positive)
        inner = np.exp(-_stirling_error(positive) - deviance) / np.sqrt(2 * math.pi * positive)
        return np.where(counts == 0, math.exp(-mean), inner)


def _stirling_error(counts: Array) -> Array:
    """`ln n! - ln(sqrt(2 pi n) (n/e)^n)`."""
    square = counts**-2.0
    series = np.zeros_like(counts)
    for coefficient in reversed(_STIRLING):
        series = series * square + coefficient
    small = counts < 40
    series = series / counts
    series[small] = _exact_stirling_errors()[counts[small].astype(int)]
    return series


@lru_cache(maxsize=1)
def _exact_stirling_errors() -> Array:
    from fractions import Fraction
    from math import factorial

    def error(n: int) -> float:
        scaled = Fraction(factorial(n), n**n)  # below 1; its logarithm is -n + ln sqrt(2 pi n) + error
        return math.log(scaled) + n - math.log(2 * math.pi * n) / 2

    return np.array([0.0, *(error(n) for n in range(1, 40))])
