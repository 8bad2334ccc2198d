"""The law of a total privacy loss, tilted to where it is asked for, by the fast Fourier transform."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from privcheck.accounting._dominating_pairs import BEYOND, WIDTH, DominatingPair, GaussianPair
from privcheck.accounting._lattice_law import TAIL, TAUS, LatticeLaw, lattice_law, log_moments
from privcheck.arrays import Array

UNIT = sys.float_info.epsilon
"""Twice the largest relative rounding error of one operation."""

GRID = 2**16
"""Values of the common grid of compositions of several pairs; four times as many from `SEVERAL` pairs on."""

SEVERAL = 16

UNDERFLOW = 1e-290
"""More than the sum of all weights that are too small for floats."""

QUADRATURE = 1e-10
"""Relative error of the quadrature of a Gaussian density, which is made once, however many releases it stands for.

Over a cell of h standard deviations, x of them from the mean, the rule with 4 nodes has a relative error of about
(h x)^8 / 2e9, and the one with 2 nodes (h x)^4 / 4e3. The factors exp(-loss) and exp(tilt loss) of the split move x by
h (1 + tilt) mu at most.
"""

PIECES = 512
"""Least number of pieces into which a density is cut, however coarse the grid; 4 nodes are enough then."""

FINEST = 2.0**-40
"""Least distance of the losses of a grid, as a share of the largest: all others may be next to impossible."""

FINE = 64
"""Cells of the grid in such a piece from which on 2 nodes are enough."""

SUMS = 1e-9
"""Relative error of the sums of at most 2^20 non-negative floats, each of which enters by at most 4 operations."""

STAGE = 8.0 * UNIT
"""Error of one output of a transform, of numbers that sum to one, for each of its log2(length) stages.

A stage adds two numbers, one of them times a root of unity: less than 5 UNIT / 2 of the sum of what enters them.
"""

ON_GRID = 4.0 * UNIT
"""Losses that are as close to a loss of the grid as this, relative to its number, are taken for it."""


@dataclass(frozen=True)
class Part:
    """A pair and the number of its releases; at most one of the parts is Gaussian, with the number 1."""

    pair: DominatingPair
    count: int


@dataclass(frozen=True, eq=False)
class TiltedSum:
    r"""An end of the law of a total loss S: P(S = s) = weight(s) exp(-tilt s + log_moment), up to known errors.

    The smallest delta at epsilon is the sum over s > epsilon of P(S = s) (1 - exp(epsilon - s)), which is
    exp(log_moment - tilt epsilon) times the sum of weight(s) f(s - epsilon) with f(x) = exp(-tilt x) (1 - exp(-x)). As
    f is at most its maximum, an error of the weights that sums to e changes the second sum by at most that maximum
    times e. The weights are largest where epsilon is, if the tilt was chosen so, hence the error is a relative one.

    Parameters
    ----------
    upper : which end.
    tilt : > 0.
    first, step : the smallest loss, and the distance to the next.
    weights : tilted probabilities of the losses.
    log_moment : ln E exp(tilt S).
    error : a bound on the sum of the absolute errors of the weights, and of what is missing from them.
    relative : a bound on the relative error of each true probability that rounding of the laws has caused.
    shift : a bound on the error of each loss.
    """

    upper: bool
    tilt: float
    first: float
    step: float
    weights: Array
    log_moment: float
    error: float
    relative: float
    shift: float

    @property
    def last(self) -> float:
        """The largest loss."""
        return self.first + self.step * (len(self.weights) - 1)

    @cached_property
    def _sums(self) -> tuple[Array, Array]:
        """Sums over the losses s from each loss x on: of weight exp(tilt (x - s)), and of that times 1 - exp(x - s)."""
        from scipy.signal import lfilter

        one, two = (math.exp(-rate * self.step) for rate in (self.tilt, self.tilt + 1.0))
        plain = lfilter([1.0], [1.0, -one], self.weights[::-1])
        gained = -one * math.expm1(-self.step) * np.concatenate([[0.0], plain[:-1]])
        return plain[::-1], lfilter([1.0], [1.0, -two], gained)[::-1]

    def log_delta(self, epsilon: float) -> float:
        """Return ln of an end of the smallest delta at epsilon >= 0; minus infinity for a lower end of 0."""
        sign = 1.0 if self.upper else -1.0
        epsilon -= sign * self.shift
        place = max(0, math.floor((epsilon - self.first) / self.step) + 1)
        value = 0.0
        if place < len(self.weights):
            ahead = max(0.0, self.first + place * self.step - epsilon)
            plain, gained = (float(sums[place]) for sums in self._sums)
            value = math.exp(-self.tilt * ahead) * (plain * -math.expm1(-ahead) + math.exp(-ahead) * gained)
        value = value * (1.0 + sign * SUMS) + sign * math.exp(log_highest(self.tilt)) * (self.error + UNDERFLOW)
        if value <= 0.0:
            return -math.inf
        return self.log_moment - self.tilt * epsilon + math.log(value) + sign * self.relative


def log_highest(tilt: float) -> float:
    """Return ln of the largest exp(-tilt x) (1 - exp(-x)) over x > 0.

    >>> round(math.exp(log_highest(1.0)), 12)
    0.25
    """
    return -tilt * math.log1p(1.0 / tilt) - math.log1p(tilt)


def tilted_sum(parts: Sequence[Part], tilt: float, *, upper: bool) -> TiltedSum | None:
    """Return an end of the law of the total loss of pairs; None if there are too many releases of one of them.

    Each pair is composed with itself on a lattice of its own. If there are several pairs, these totals are then moved
    to a common grid, once for each pair: the upper end splits each loss between two losses of the grid so that the
    masses under P and under Q are kept, which spreads Q / P with its mean kept; the lower end rounds losses down.
    """
    gaussian = next((part.pair.mu for part in parts if isinstance(part.pair, GaussianPair)), 0.0)
    composed: list[tuple[_Composed, LatticeLaw, int]] = []
    for part in parts:
        if not isinstance(part.pair, GaussianPair):
            law = lattice_law(part.pair, part.count, tilt, upper=upper)
            if law is None:
                return None
            composed.append((_self_composed(law, part.count, tilt), law, part.count))
    relative = sum(count * UNIT * (32.0 + 8.0 * law.reach * (1.0 + tilt)) for _, law, count in composed)
    reach = sum(count * law.reach for _, law, count in composed)
    log_moment = sum(count * law.log_moment(tilt) for _, law, count in composed)
    if gaussian == 0.0 and len(composed) == 1:
        one = composed[0][0]
        return TiltedSum(
            upper, tilt, one.first, one.step, one.weights, log_moment, one.error, relative, 8.0 * UNIT * reach
        )
    if gaussian:
        reach += gaussian * (gaussian * (0.5 + tilt) + WIDTH)
        log_moment += tilt * (tilt + 1.0) * gaussian * gaussian / 2.0
        relative += QUADRATURE + 8.0 * UNIT * abs(log_moment)
    grid = _grid(composed, gaussian, tilt)
    moved = [(one.error, grid.moved(one.losses, one.weights, upper)) for one, _, _ in composed]
    if gaussian:
        moved.append((BEYOND, grid.moved(*grid.nodes(gaussian), upper)))
    weights, error = grid.convolved(moved)
    return TiltedSum(
        upper, tilt, grid.first * grid.step, grid.step, weights, log_moment, error, relative, 16.0 * UNIT * reach
    )


@dataclass(frozen=True, eq=False)
class _Composed:
    """The tilted law of the total of one pair, with a bound on the sum of its errors."""

    first: float
    step: float
    weights: Array
    error: float

    @property
    def losses(self) -> Array:
        losses: Array = self.first + self.step * np.arange(len(self.weights), dtype=np.float64)
        return losses


def _self_composed(law: LatticeLaw, count: int, tilt: float) -> _Composed:
    """Return the tilted total of equal laws.

    A transform of length n has errors of at most `STAGE` log2(n) in each output (twice that is charged, which covers
    the logarithm, the exponential and their product with the count), so that a power of it is off by at most
    (|z| + that)^count - |z|^count. In the 2-norm the inverse transform keeps errors as they are, up to the root of n
    and its own rounding; and the sum of the errors of all weights is at most that root times their 2-norm.
    """
    tilted = law.tilted(tilt)
    low, high = law.window(count, tilt)
    if count == 1:
        return _Composed(law.base, law.step, tilted, 0.0)
    length = 1 << max(1, (high - low).bit_length())
    whole = low == 0 and high == count * (len(tilted) - 1)
    folded = np.bincount(np.arange(len(tilted)) % length, tilted, length)
    transform = np.fft.rfft(folded)
    accuracy = 2.0 * STAGE * math.log2(length)
    size = np.maximum(np.abs(transform), sys.float_info.min)
    powers = np.exp(count * np.log(size)) * np.exp(1j * (count * np.angle(transform)))
    errors = np.exp(count * np.log(size + accuracy)) - np.abs(powers) * (1.0 - accuracy)
    weights = np.maximum(np.fft.irfft(powers, length), 0.0)
    weights = np.roll(weights, -low)[: high - low + 1]
    error = math.sqrt(2.0 * float(np.sum(errors**2))) + (0.0 if whole else 4.0 * TAIL)
    return _Composed(count * law.base + low * law.step, law.step, weights, error)


def _grid(composed: Sequence[tuple[_Composed, LatticeLaw, int]], gaussian: float, tilt: float) -> _Grid:
    """Return a grid outside of which the tilted total has probability `TAIL` at most on either side.

    Its ends are the bounds of Chernoff at the best of several exponents, or those of the possible losses.
    """
    laws = [(law.losses, law.tilted(tilt), count) for _, law, count in composed]
    means = [float(np.sum(losses * weights)) for losses, weights, _ in laws]
    spread = sum(
        count * float(np.sum((losses - mean) ** 2 * weights))
        for (losses, weights, count), mean in zip(laws, means, strict=True)
    )
    taus = TAUS / max(math.sqrt(spread + gaussian * gaussian), 1e-300)
    mean = sum(count * one for (_, _, count), one in zip(laws, means, strict=True))
    middle = mean + gaussian * gaussian * (tilt + 0.5)
    reach = gaussian * WIDTH
    ends = []
    for sign in (-1.0, 1.0):
        growth = (taus * gaussian) ** 2 / 2.0  # 0 without a Gaussian part, however large the exponents
        for (losses, weights, count), one in zip(laws, means, strict=True):
            growth = growth + count * log_moments(weights, losses - one, sign * taus)
        furthest = float(np.min((growth - math.log(TAIL)) / taus))
        losses_of = [count * sign * (float(losses[-1 if sign > 0 else 0]) - one)
                     for (losses, _, count), one in zip(laws, means, strict=True)]  # fmt: skip
        ends.append(middle + sign * min(furthest, sum(losses_of) + reach))
    bins = GRID * (4 if len(composed) >= SEVERAL else 1)
    spare = len(composed) + 3
    finest = max(FINEST * max(map(abs, ends)), sys.float_info.min)
    step = max((ends[1] - ends[0]) / (bins - 2 * spare), finest)
    return _Grid(step, math.floor(ends[0] / step) - spare, bins, tilt, len(composed) + 1)


@dataclass(frozen=True)
class _Grid:
    """The losses first * step, (first + 1) * step, ...: as many as `bins`, a power of two; for so many parts."""

    step: float
    first: int
    bins: int
    tilt: float
    parts: int

    def nodes(self, mu: float) -> tuple[Array, Array]:
        """Return the nodes and weights of a quadrature of a tilted Gaussian loss, in cells of the grid."""
        middle = mu * mu * (self.tilt + 0.5)
        low, high = middle - WIDTH * mu, middle + WIDTH * mu
        edges = np.arange(math.ceil(low / self.step), math.floor(high / self.step) + 1) * self.step
        fine = len(edges) > FINE * PIECES
        pieces = [low, high] if fine else np.linspace(low, high, PIECES + 1)
        edges = np.clip(np.union1d(edges, pieces), low, high)
        abscissae, weights = np.polynomial.legendre.leggauss(2 if fine else 4)
        half = (edges[1:] - edges[:-1]) / 2.0
        inner = (edges[:-1] + half)[:, None] + half[:, None] * abscissae
        heights = np.exp(-(((inner - middle) / mu) ** 2) / 2.0) * half[:, None] * weights
        return inner.ravel(), heights.ravel() / (mu * math.sqrt(2.0 * math.pi))

    def moved(self, losses: Array, weights: Array, upper: bool) -> tuple[int, Array]:
        """Return the number of the first loss on the grid, and the tilted weights on the grid from there on.

        The grid is a circle, as for the transform: losses outside of it have next to no weight, and may be far away.
        """
        numbers = losses / self.step
        rounding = ON_GRID * (1.0 + np.abs(numbers))
        places = np.floor(numbers + rounding)
        start = int(places.min())
        back = places * self.step - losses
        length = min(int(places.max()) - start + 2, self.bins)
        into = ((places - start) % self.bins).astype(np.int64)
        if not upper:
            return start, np.bincount(into, weights * np.exp(self.tilt * back), length).astype(np.float64)
        risen = np.clip(np.expm1(back) / math.expm1(-self.step) + rounding, 0.0, 1.0)
        stay = weights * (1.0 - risen) * np.exp(self.tilt * back)
        rise = weights * risen * np.exp(self.tilt * (back + self.step))
        both = np.bincount(into, stay, length) + np.bincount((into + 1) % self.bins, rise, length)
        return start, both.astype(np.float64)

    def convolved(self, laws: Sequence[tuple[float, tuple[int, Array]]]) -> tuple[Array, float]:
        """Return the weights of the sum of independent losses, and a bound on the sum of their errors.

        Moving a loss multiplies its tilted weight by exp(tilt step) at most.
        """
        accuracy = 2.0 * STAGE * math.log2(self.bins)
        grown = math.exp(self.tilt * self.step)
        transform = np.ones(self.bins // 2 + 1, complex)
        exact, inexact = np.ones(len(transform)), np.ones(len(transform))
        total, with_errors = 1.0, 1.0
        for error, (start, weights) in laws:
            size = float(np.sum(weights))
            places = (start % self.bins + np.arange(len(weights))) % self.bins
            one = np.fft.rfft(np.bincount(places, weights, self.bins))
            transform *= one
            exact *= np.abs(one)
            inexact *= np.abs(one) + accuracy * size
            total, with_errors = total * size, with_errors * (size + grown * error)
        errors = inexact - exact * (1.0 - accuracy)
        weights = np.roll(np.maximum(np.fft.irfft(transform, self.bins), 0.0), -(self.first % self.bins))
        outside = 4.0 * TAIL * grown**self.parts
        return weights, math.sqrt(2.0 * float(np.sum(errors**2))) + (with_errors - total) + outside
