"""The distribution of the total privacy loss of a plan on a grid, by the fast Fourier transform, with both ends."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from privcheck.accounting._dominating_pairs import DominatingPair, GaussianPair
from privcheck.arrays import Array, Integers

BINS = ((64, 2**15), (4096, 2**16), (10**5, 2**18), (math.inf, 2**19))
"""Cells of the grid that holds the total loss, for numbers of releases up to the one before it."""

TAIL = 1e-18
"""Probability that the total loss is outside of the grid, about; the exact bound is computed and charged."""

QUADRATURE = 1e-11
"""Relative surplus of the upper end, and deficit of the lower one, for the quadrature of one density.

Over a cell of h standard deviations, x of them from the mean, the rule with 4 nodes has a relative error of about
(h x)^8 / 2e9, and the one with 2 nodes (h x)^4 / 4e3.
"""

SUMS = 1e-10
"""Relative surplus of the upper end, and deficit of the lower one, for sums of many floats."""

PIECES = 256
"""Least number of pieces into which a density is cut, however coarse the grid; 4 nodes are enough then."""

FINE = 64
"""Cells of the grid in such a piece from which on 2 nodes are enough."""

ON_GRID = 4.0 * sys.float_info.epsilon
"""Losses that are as close to a loss of the grid as this, relative to its number, are taken for it."""

MARGIN = 1.0 / 32.0
"""Part of the grid on either side that is kept free for losses that were moved to the grid."""

FFT_ERROR = 8.0 * sys.float_info.epsilon
"""Rounding of one output of a transform of length 2^n, of numbers that sum to one, is below n times this.

Each of the n stages adds a few units of rounding to sums that are at most one (Higham 2002, chapter 24).
"""


Composition = Sequence[tuple[DominatingPair, int]]


@dataclass(frozen=True)
class LossDistribution:
    """The law of a total privacy loss on a grid: delta is computed from it at any epsilon, and the other way round.

    Parameters
    ----------
    step : distance of the losses of the grid.
    first : number of the first loss: it is first * step.
    masses : probability of each loss.
    outside : probability that is not on the grid, as if the loss were infinite; negative for a lower end.
    """

    step: float
    first: int
    masses: Array
    outside: float

    def delta(self, epsilon: float) -> float:
        """Return the smallest delta >= 0 for which the release is (epsilon, delta)-DP under this law."""
        losses = (self.first + np.arange(len(self.masses))) * self.step
        above = losses > epsilon
        total = float(np.sum(self.masses[above] * -np.expm1(epsilon - losses[above]))) + self.outside
        return min(1.0, max(0.0, total))

    def epsilon(self, delta: float) -> float:
        """Return the smallest epsilon >= 0 at which `delta(epsilon) <= delta`; infinity if there is none.

        Between two losses of the grid, delta(epsilon) is a - b exp(epsilon).
        """
        from scipy.signal import lfilter

        if self.outside > delta:
            return math.inf
        if self.delta(0.0) <= delta:
            return 0.0
        start = max(0, -self.first)  # the first loss of at least 0
        downwards = self.masses[start:][::-1]
        # b exp(loss), summed from the top without overflow, and delta at each loss
        weighted = lfilter([1.0], [1.0, -math.exp(-self.step)], downwards)
        deltas = self.outside - math.expm1(-self.step) * np.concatenate([[0.0], np.cumsum(weighted)[:-1]])
        place = int(np.searchsorted(deltas, delta, side="right")) - 1  # the lowest loss at which delta suffices
        upper = (self.first + len(self.masses) - 1 - place) * self.step
        share = (delta - float(deltas[place])) / max(float(weighted[place]), sys.float_info.min)
        below = math.log1p(-share) if share < -math.expm1(-self.step) else -self.step
        return max(0.0, upper + below)


def composed(releases: Composition) -> tuple[LossDistribution, LossDistribution]:
    """Return an upper and a lower end of the law of the total loss of pairs, each composed as often as given.

    Guarantee
    ---------
    The upper end is at least as easy to tell apart as the composition: each loss between two losses of the grid is
    split between them so that the mass under P and the mass under Q are kept (a mean-preserving spread of Q / P), and
    what is outside of the grid, errors of quadrature, and the rounding of the transform are added to delta. The
    lower end rounds each loss down and subtracts the same errors from delta. Both ends are numbers about a fixed
    sequence of releases: they say nothing when a parameter of a release depends on earlier ones.

    Source: Koskela, Jalko and Honkela 2020, for the transform; Doroshenko, Ghazi, Kamath, Kumar and Manurangsi 2022,
    "Connect the dots", for the split; Zhu, Dong and Wang 2022, Theorem 10, for the composition.

    Examples
    --------
    >>> from privcheck.accounting._dominating_pairs import GaussianPair
    >>> upper, lower = composed([(GaussianPair(0.25), 20)])
    >>> lower.epsilon(1e-6) < 5.550859868 < upper.epsilon(1e-6) < 5.5509
    True
    """
    merged = _merged(releases)
    count = sum(count for _, count in merged)
    grid = _grid(merged, next(bins for limit, bins in BINS if count <= limit))
    parts = [_Part(*grid.nodes(pair), pair.beyond, count) for pair, count in merged]
    return grid.law(parts, spread=True), grid.law(parts, spread=False)


def _merged(releases: Composition) -> Composition:
    """Return the composition with equal pairs together; Gaussian pairs compose to one Gaussian pair."""
    counts: dict[DominatingPair, int] = {}
    mu = 0.0
    for pair, count in releases:
        if isinstance(pair, GaussianPair):
            mu = math.hypot(mu, pair.mu * math.sqrt(count))
        else:
            counts[pair] = counts.get(pair, 0) + count
    return ([(GaussianPair(mu), 1)] if mu else []) + list(counts.items())


def _grid(releases: Composition, bins: int) -> _Grid:
    """Return a grid that the total loss is outside of with a probability of about `TAIL` on either side.

    Its ends are the bounds of Chernoff at the best t: ln E exp(t L) = t D(1 + t) under P for the Renyi divergence
    D(order), and by symmetry ln E exp(-(1 + t) L) = t D(1 + t) too.
    """
    gaps = np.geomspace(1e-3, 1e5, 200)
    total = sum(count * gaps * pair.renyi(gaps) for pair, count in releases) - math.log(TAIL)
    best, lowest = int(np.argmin(total / gaps)), int(np.argmin(total / (1.0 + gaps)))
    most = sum(count * max(pair.span[1], *pair.atoms[0].tolist(), -math.inf) for pair, count in releases)
    high = min(float((total / gaps)[best]), most)
    low = max(-float((total / (1.0 + gaps))[lowest]), -most)
    margin = MARGIN * (high - low)
    step = (high - low + 2.0 * margin) / (bins - 2)
    spacing = max(releases, key=lambda release: release[1] * (release[0].spacing > 0.0))[0].spacing
    if spacing > step:
        step = spacing / math.floor(spacing / step)  # the most frequent atoms are on the grid then
    return _Grid(step, math.floor((low - margin) / step), bins, (float(1.0 + gaps[lowest]), float(gaps[best])))


@dataclass(frozen=True)
class _Part:
    """The losses of one release, their probabilities, the probability of all others, and the number of releases."""

    losses: Array
    masses: Array
    beyond: float
    count: int


@dataclass(frozen=True)
class _Grid:
    """The losses first * step, (first + 1) * step, ...: as many as `bins`, a power of two.

    `exponents` are the t of the bounds of Chernoff on the probabilities below and above the grid.
    """

    step: float
    first: int
    bins: int
    exponents: tuple[float, float]

    def nodes(self, pair: DominatingPair) -> tuple[Array, Array]:
        """Return the atoms of a law, and the nodes and weights of a quadrature of its density in cells of the grid."""
        losses, masses = pair.atoms
        low, high = pair.span
        if low == high:
            return losses, masses
        edges = np.arange(math.ceil(low / self.step), math.floor(high / self.step) + 1) * self.step
        fine = len(edges) > FINE * PIECES
        pieces = [low, high] if fine else np.linspace(low, high, PIECES + 1)
        edges = np.clip(np.union1d(edges, pieces), low, high)
        abscissae, weights = np.polynomial.legendre.leggauss(2 if fine else 4)
        half = (edges[1:] - edges[:-1]) / 2.0
        inner = (edges[:-1] + half)[:, None] + half[:, None] * abscissae
        heights = pair.density(inner) * half[:, None] * weights
        return np.concatenate([losses, inner.ravel()]), np.concatenate([masses, heights.ravel()])

    def law(self, parts: Sequence[_Part], *, spread: bool) -> LossDistribution:
        """Return the law of the total loss; losses are spread over the grid, or rounded down to it."""
        moved = [(*self._moved(part, spread), part.count) for part in parts]
        masses, rounding = self._convolved(moved)
        if spread:
            outside = rounding + sum(part.beyond * part.count for part in parts) + self._tail(moved, 1)
            return LossDistribution(self.step, self.first, masses * (1.0 + SUMS), outside * (1.0 + SUMS))
        outside = -rounding - self._tail(moved, -1)
        return LossDistribution(self.step, self.first, masses * (1.0 - SUMS), outside * (1.0 + SUMS))

    def _convolved(self, moved: Sequence[tuple[int, Array, int]]) -> tuple[Array, float]:
        """Return the masses of the sum, with those off the grid wrapped round, and a bound on the sum of their errors.

        In the 2-norm a transform and its inverse keep errors as they are, up to the root of the length; and the sum of
        the errors of all masses is at most that root times their 2-norm.
        """
        offset = sum(start * count for start, _, count in moved) - self.first
        laws = [
            (np.bincount(np.arange(len(masses)) % self.bins, masses, self.bins), count) for _, masses, count in moved
        ]
        if len(laws) == 1 and laws[0][1] == 1:
            return np.roll(laws[0][0], offset % self.bins), 0.0
        accuracy = 2.0 * FFT_ERROR * math.log2(self.bins)
        transform = np.ones(self.bins // 2 + 1, complex)
        exact, inexact = np.zeros(len(transform)), np.zeros(len(transform))
        for law, count in laws:
            one = np.fft.rfft(law)
            transform *= one**count
            size = np.abs(one)
            inexact += count * np.log(size + accuracy)
            exact += count * np.log(np.maximum(size, sys.float_info.min))
        errors = np.exp(inexact) * (accuracy - np.expm1(exact - inexact))
        masses = np.maximum(np.fft.irfft(transform, self.bins), 0.0)
        return np.roll(masses, offset % self.bins), math.sqrt(2.0 * float(np.sum(errors**2)))

    def _moved(self, part: _Part, spread: bool) -> tuple[int, Array]:
        """Return the number of the first loss on the grid, and the masses on the grid from there on."""
        numbers = part.losses / self.step
        rounding = ON_GRID * (1.0 + np.abs(numbers))
        places = np.floor(numbers + rounding).astype(np.int64)
        start, length = int(places.min()), int(np.ptp(places)) + 2
        if not spread:
            return start, _binned(places - start, part.masses * (1.0 - QUADRATURE), length)
        upper = np.expm1(places * self.step - part.losses) / math.expm1(-self.step) + rounding
        masses = part.masses * (1.0 + QUADRATURE)
        risen = masses * np.clip(upper, 0.0, 1.0)
        places -= start
        return start, _binned(places, masses - risen, length) + _binned(places + 1, risen, length)

    def _tail(self, moved: Sequence[tuple[int, Array, int]], sign: int) -> float:
        """Return a bound on the probability that the total is above the grid (sign 1), or below it (sign -1).

        It is the bound of Chernoff for the masses on the grid; 0 if no loss can get there.
        """
        bound = self.first + self.bins if sign > 0 else self.first - 1
        ends = (start + (len(masses) - 1 if sign > 0 else 0) for start, masses, _ in moved)
        if sign * sum(end * count for end, (_, _, count) in zip(ends, moved, strict=True)) < sign * bound:
            return 0.0
        t = sign * self.step * self.exponents[sign > 0]
        total = -t * bound
        for start, masses, count in moved:
            some = np.flatnonzero(masses)
            exponents = t * (start + some)
            highest = float(exponents.max())
            total += count * (highest + math.log(float(np.sum(masses[some] * np.exp(exponents - highest)))))
        return math.exp(min(0.0, total))


def _binned(places: Integers, masses: Array, length: int) -> Array:
    """Return the sum of the masses at each place."""
    return np.bincount(places, masses, length).astype(np.float64)
