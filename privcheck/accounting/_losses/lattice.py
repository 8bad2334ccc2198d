"""Privacy losses of independent entries that are multiples of one step, added up by convolution."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from privcheck.arrays import Array
from privcheck.enclosure import ROUNDING, Enclosure

_DIRECT = 2048
"""Convolutions up to this length are summed directly, which is more accurate as all terms are positive; longer ones use
fast transforms.
"""


@dataclass(frozen=True, eq=False)
class LatticeLoss:
    """The law of ln(p / q) of an output drawn from p, on the multiples j step with |j| <= J.

    The loss is assumed to have the same law in both directions, as it does if every entry is changed by a shift.

    Parameters
    ----------
    step : > 0.
    probabilities : those of j = -J, ..., J, shape (2 J + 1,).
    error : a bound on the sum of the absolute errors of the probabilities.

    """

    step: float
    probabilities: Array
    error: float = 0.0

    @property
    def losses(self) -> Array:
        """The values of the loss, shape (2 J + 1,)."""
        half = len(self.probabilities) // 2
        values: Array = self.step * np.arange(-half, half + 1, dtype=np.float64)
        return values

    def delta(self, epsilon: float) -> Enclosure:
        """Return the hockey stick: the expectation of the positive part of 1 - exp(epsilon - loss).

        >>> import numpy as np
        >>> LatticeLoss(1.0, np.array([0.25, 0.0, 0.75])).delta(1.0).upper
        0.0
        """
        gain = -np.expm1(np.minimum(epsilon - self.losses, 0.0))
        value = float(np.sum(self.probabilities * gain))
        rounding = ROUNDING * (len(gain) + 4.0)
        spread = 4.0 * ROUNDING * (abs(epsilon) + float(np.abs(self.losses[[0, -1]]).max()))
        if not gain.any():
            return Enclosure(0.0, 0.0)
        return Enclosure.around(value, absolute=self.error + spread, relative=rounding)


def convolved(step: float, entries: Sequence[Array]) -> LatticeLoss:
    """Return the law of the sum of independent losses, each given on its own symmetric lattice of this step.

    The absolute error of a fast transform of length N is at most about 10 log2(N) units of rounding in the Euclidean
    norm, and sqrt(N) times that when summed over the entries.
    """
    total = functools.reduce(_convolve, sorted(entries, key=len))
    error = 0.0
    if len(total) > _DIRECT:
        size = float(len(total))
        error = len(entries) * np.sqrt(size) * 10.0 * np.log2(size) * ROUNDING
    return LatticeLoss(step, total, error + len(entries) * 4.0 * ROUNDING)


def _convolve(one: Array, two: Array) -> Array:
    if len(one) + len(two) <= _DIRECT:
        return np.convolve(one, two).astype(np.float64, copy=False)
    from scipy.signal import fftconvolve

    fast: Array = np.maximum(fftconvolve(one, two), 0.0)
    return fast
