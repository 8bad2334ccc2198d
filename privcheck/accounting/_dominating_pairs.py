"""Dominating pairs: two distributions that are at least as easy to tell apart as any two outputs of a release.

Each is given by the law of its privacy loss ln(P / Q) under P. All of them are symmetric: exchanging P and Q gives the
same law, so one law covers both directions of a pair of neighbours.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from privcheck.accounting._charge import Charge
from privcheck.accounting._gaussian_profile import ROUNDING
from privcheck.accounting._implied import mu_of_pure
from privcheck.arrays import Array

WIDTH = 9.5
"""Standard deviations of the Gaussian loss that are kept on either side; the rest has probability under 3e-21."""

BEYOND = 3e-21


class DominatingPair:
    """Base of the pairs: the law of the loss is a set of atoms, and perhaps a density between two ends.

    Source: Zhu, Dong and Wang 2022, Definition 7: composing dominating pairs dominates the adaptive composition.
    """

    @cached_property
    def atoms(self) -> tuple[Array, Array]:
        """The losses that have a probability of their own, and these probabilities under P."""
        return np.empty(0), np.empty(0)

    @property
    def spacing(self) -> float:
        """A number of which all atoms are multiples; 0 if there are none."""
        return 0.0

    @property
    def span(self) -> tuple[float, float]:
        """The ends of the part with a density; equal if there is none."""
        return 0.0, 0.0

    def density(self, loss: Array) -> Array:
        """Return the density of the loss under P."""
        return np.zeros_like(loss)

    @property
    def beyond(self) -> float:
        """An upper bound on the probability of losses outside of atoms and span."""
        return 0.0

    def renyi(self, gap: Array) -> Array:
        """Return the Renyi divergence of P from Q at the orders 1 + gap, rounded up; every gap is > 0."""
        raise NotImplementedError


@dataclass(frozen=True)
class GaussianPair(DominatingPair):
    """N(mu, 1) and N(0, 1): dominates every mu-GDP release; the loss is normal with mean mu^2 / 2, variance mu^2.

    >>> GaussianPair(2.0).renyi(np.array([1.0])).round(6).tolist()
    [4.0]
    """

    mu: float

    @property
    def span(self) -> tuple[float, float]:
        return self.mu * (self.mu / 2.0 - WIDTH), self.mu * (self.mu / 2.0 + WIDTH)

    @property
    def beyond(self) -> float:
        return BEYOND

    def density(self, loss: Array) -> Array:
        deviation = loss / self.mu - self.mu / 2.0
        density: Array = np.exp(-deviation * deviation / 2.0) / (self.mu * math.sqrt(2.0 * math.pi))
        return density

    def renyi(self, gap: Array) -> Array:
        return self.mu * self.mu / 2.0 * (1.0 + gap) * (1.0 + ROUNDING)


@dataclass(frozen=True)
class ResponsePair(DominatingPair):
    """Randomised response over K categories, truths 0 and 1; with K = 2 it dominates every epsilon-DP release.

    Source: Kairouz, Oh and Viswanath 2015: every epsilon-DP release is a post-processing of the response with K = 2.

    >>> losses, probabilities = ResponsePair(1.0, 3).atoms
    >>> losses.tolist(), probabilities.round(4).tolist()
    ([-1.0, 0.0, 1.0], [0.2119, 0.2119, 0.5761])
    """

    epsilon: float
    categories: int = 2

    @cached_property
    def atoms(self) -> tuple[Array, Array]:
        odds = math.exp(-self.epsilon)
        weights = np.array([odds, (self.categories - 2) * odds, 1.0])
        losses = np.array([-self.epsilon, 0.0, self.epsilon])
        some = weights > 0.0
        return losses[some], weights[some] / (1.0 + (self.categories - 1) * odds)

    @property
    def spacing(self) -> float:
        return self.epsilon

    def renyi(self, gap: Array) -> Array:
        losses, probabilities = self.atoms
        return _log_mean_exp(probabilities[:, None], losses[:, None] * gap) / gap


@dataclass(frozen=True)
class LaplacePair(DominatingPair):
    """Laplace noise of scale 1 around 0 and around epsilon: dominates Laplace noise on values at L1 distance epsilon.

    The atoms are epsilon, with probability 1 / 2, and -epsilon, with probability exp(-epsilon) / 2; between them the
    loss has the density exp((loss - epsilon) / 2) / 4.

    Guarantee
    ---------
    A vector costs no more than one number at the same L1 distance. Let D_s(x) be the smallest delta at epsilon x for a
    distance s: 1 - D_s(x) = min(1, exp((x - s) / 2), exp(x)). For distances s >= t in two entries, the loss M of the
    second entry being drawn under P, the claim is that the mean of 1 - D_s(x - M) is at least exp((x - s - t) / 2) for
    every |x| <= s + t; by symmetry x >= 0 suffices, and then x - M >= -s. If x <= s - t, the mean is that of
    exp((x - M - s) / 2), which is exp((x - s - t) / 2) (1 + t / 2). Otherwise the atom M = t gives 1 / 2, the losses
    between x - s and t give (s + t - x) / 4, and those below give 1 / 2, times the same exponential. More entries
    follow one by one, because composition with a third release keeps the order of domination.

    >>> pair = LaplacePair(0.5)
    >>> losses, probabilities = pair.atoms
    >>> losses.tolist(), probabilities.round(4).tolist()
    ([-0.5, 0.5], [0.3033, 0.5])
    """

    epsilon: float

    @cached_property
    def atoms(self) -> tuple[Array, Array]:
        return np.array([-self.epsilon, self.epsilon]), np.array([math.exp(-self.epsilon) / 2.0, 0.5])

    @property
    def spacing(self) -> float:
        return self.epsilon

    @property
    def span(self) -> tuple[float, float]:
        return -self.epsilon, self.epsilon

    def density(self, loss: Array) -> Array:
        density: Array = np.exp((loss - self.epsilon) / 2.0) / 4.0
        return density

    def renyi(self, gap: Array) -> Array:
        """Return the closed form of Mironov 2017, Proposition 6."""
        weights = np.stack([1.0 + gap, gap]) / (1.0 + 2.0 * gap)
        return _log_mean_exp(weights, np.stack([gap, -1.0 - gap]) * self.epsilon) / gap


@dataclass(frozen=True)
class DiscreteLaplacePair(DominatingPair):
    """Discrete Laplace noise around 0 and around an integer distance: dominates it on integers at that L1 distance.

    Parameters
    ----------
    epsilon : distance / scale.
    distance : the L1 distance, an integer of at least 1.

    Guarantee
    ---------
    As for `LaplacePair`, with q = exp(-1 / scale): at the possible losses x of one entry, 1 - D_s(x) is the same
    function, and D_s is linear in exp(x) between them. The losses of two entries lie on the lattice of the losses of
    one entry at the joint distance, so it suffices to compare there: the two atoms give 1 / (1 + q) each and every loss
    between them (1 - q) / (1 + q), times exp((x - s - t) / 2), and 2 / (1 + q) >= 1.

    >>> losses, probabilities = DiscreteLaplacePair(1.0, 2).atoms
    >>> losses.tolist(), round(float(probabilities.sum()), 12)
    ([-1.0, 0.0, 1.0], 1.0)
    """

    epsilon: float
    distance: int

    @cached_property
    def atoms(self) -> tuple[Array, Array]:
        places = np.arange(self.distance, -1, -1, dtype=np.float64)
        step = self.epsilon / self.distance
        masses: Array = np.exp(-step * places) / (1.0 + math.exp(-step))
        masses[1:-1] *= -math.expm1(-step)
        losses: Array = self.epsilon - 2.0 * step * places
        return losses, masses

    @property
    def spacing(self) -> float:
        return self.epsilon / self.distance

    def renyi(self, gap: Array) -> Array:
        step = self.epsilon / self.distance
        fall = step * (1.0 + 2.0 * gap)
        kept = 1.0 + math.exp(-step)
        inner = -math.expm1(-step) * np.exp(-fall) * np.expm1(-(self.distance - 1) * fall) / np.expm1(-fall)
        upper = gap * self.epsilon + np.log((1.0 + inner) / kept)
        lower = -(1.0 + gap) * self.epsilon - math.log(kept)
        total = np.logaddexp(upper, lower)
        return (np.maximum(total, 0.0) + _error(1.0 + gap * self.epsilon)) / gap


def pair_of_charge(charge: Charge) -> DominatingPair | None:
    """Return a pair that dominates every release with this charge; None if it bounds neither epsilon nor mu.

    >>> pair_of_charge(Charge(0.5)), pair_of_charge(Charge(mu=0.25, rho=0.03125)), pair_of_charge(Charge(rho=0.5))
    (ResponsePair(epsilon=0.5, categories=2), GaussianPair(mu=0.25), None)
    """
    if charge.mu < mu_of_pure(charge.epsilon) * (1.0 - 1e-9):
        return GaussianPair(charge.mu)
    return None if math.isinf(charge.epsilon) else ResponsePair(charge.epsilon)


def _log_mean_exp(weights: Array, exponents: Array) -> Array:
    """Return ln(sum of weights exp(exponents)) along the first axis, rounded up; the weights sum to one."""
    size = np.sum(weights * np.abs(exponents), axis=0)
    with np.errstate(over="ignore", invalid="ignore"):
        near = np.log1p(np.sum(weights * np.expm1(exponents), axis=0))
    highest = np.max(exponents, axis=0)
    far = highest + np.log(np.sum(weights * np.exp(exponents - highest), axis=0))
    total: Array = np.maximum(np.where(np.max(np.abs(exponents), axis=0) < 1.0, near, far), 0.0)
    return total + _error(size)


def _error(size: Array) -> Array:
    """Return a bound on the rounding of a few operations on numbers of this size."""
    return 16.0 * sys.float_info.epsilon * size
