"""The discrete Gaussian law on the integers: its normaliser, its quantiles, and its bound in Gaussian DP."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from privcheck.arrays import Array, Integers
from privcheck.enclosure import ROUNDING, UNDERFLOW, Enclosure

REACH = 40.0
"""Standard deviations up to which quantiles are tabulated; normal draws in doubles do not go that far."""

LARGEST_TABLE = 1000.0
"""The largest sigma with a table. Above it, a normal draw of variance sigma^2 - 1/12 that is rounded to the nearest
integer has the same law up to a total variation of 1e-13.
"""


@lru_cache(maxsize=256)
def log_normaliser(sigma: float) -> float:
    """Return ln of the sum over the integers n of exp(-n^2 / (2 sigma^2)).

    For sigma >= 1 by Poisson summation, sigma sqrt(2 pi) (1 + 2 sum_j exp(-2 pi^2 sigma^2 j^2)); otherwise term by
    term. Either way ten terms leave out less than 1e-21 of the sum.

    >>> round(math.exp(log_normaliser(1.0)), 9), round(math.exp(log_normaliser(0.5)), 9)
    (2.506628288, 1.271341522)
    """
    squares = np.square(np.arange(1.0, 11.0))
    if sigma >= 1.0:
        terms = np.exp(-2.0 * math.pi**2 * sigma * sigma * squares)
        return math.log(sigma) + math.log(2.0 * math.pi) / 2.0 + math.log1p(2.0 * float(terms.sum()))
    with np.errstate(over="ignore"):
        return math.log1p(2.0 * float(np.exp(-squares / sigma / sigma / 2.0).sum()))


def of_normal(draws: Array, sigma: float) -> Integers:
    """Return the discrete Gaussian quantiles of the probabilities Phi(draws): standard normal draws give its law.

    >>> of_normal(np.array([-3.0, 0.0, 0.4, 3.0]), 1.0).tolist()
    [-3, 0, 0, 3]
    """
    if sigma > LARGEST_TABLE:
        return np.rint(draws * math.sqrt(sigma * sigma - 1.0 / 12.0)).astype(np.int64)
    thresholds = _thresholds(sigma)
    sizes: Integers = np.searchsorted(thresholds, np.abs(draws)).astype(np.int64)
    return np.where(draws < 0.0, -sizes, sizes)


@lru_cache(maxsize=64)
def _thresholds(sigma: float) -> Array:
    """Return z_1 <= z_2 <= ... with P(Z > z_k) = P(Y >= k) for a normal Z and a discrete Gaussian Y."""
    from scipy.special import ndtri_exp

    sizes = np.arange(1.0, math.ceil(REACH * sigma) + 12.0)
    with np.errstate(over="ignore"):
        exponents = -np.square(sizes / sigma) / 2.0
    rest = np.logaddexp.accumulate(exponents[::-1])[::-1] - log_normaliser(sigma)
    thresholds: Array = -ndtri_exp(rest)
    return thresholds


@lru_cache(maxsize=256)
def mu_of_one(sigma: float) -> float:
    r"""Return a mu such that discrete Gaussian noise on an integer that moves by one is mu-GDP; at least 1 / sigma.

    The noise is not (1 / sigma)-GDP: its total variation is 1 / Z > 2 Phi(1 / (2 sigma)) - 1, where Z is the
    normaliser. But for every tau < sigma it is nearly a function of normal noise of variance sigma^2 - tau^2: add that
    to the value f and move the sum x to an integer y with probability exp(-(y - x)^2 / (2 tau^2)) / Z(x). By Poisson
    summation Z(x) / (tau sqrt(2 pi)) lies between 1 - theta and 1 + theta, theta = 2 sum_j exp(-2 pi^2 tau^2 j^2).
    Were it constant, y would be discrete Gaussian round f; so its probabilities are those up to a factor of exp(eta),
    eta = ln((1 + theta) / (1 - theta)). Such a factor on the probabilities of an event and of its complement moves the
    event's normal quantile by at most 2 eta sqrt(pi / 2), because the derivative of the quantile in the logarithm of
    the smaller of the two is at most sqrt(pi / 2). A test has two errors, hence
    mu = 1 / sqrt(sigma^2 - tau^2) + 4 eta sqrt(pi / 2); the best tau of a grid is taken.

    Examples
    --------
    >>> round(mu_of_one(10.0) * 10.0, 4), round(mu_of_one(1.0), 3)
    (1.0037, 1.248)
    """
    tau = sigma * np.sqrt(np.concatenate((np.linspace(0.001, 0.999, 999), np.linspace(0.3, 2.5, 2201) ** 2 / sigma**2)))
    tau = tau[tau < sigma]
    exponent = 2.0 * math.pi**2 * tau * tau
    theta = 2.0 * np.exp(-exponent) / -np.expm1(-3.0 * exponent)
    tau, theta = tau[theta < 1.0], theta[theta < 1.0]
    if tau.size == 0:
        return math.inf
    eta = np.log1p(theta) - np.log1p(-theta)
    bounds = 1.0 / np.sqrt((sigma - tau) * (sigma + tau)) + 4.0 * math.sqrt(math.pi / 2.0) * eta
    return float(bounds.min()) * (1.0 + 1e-12)


@dataclass(frozen=True, eq=False)
class DiscreteGaussianShift:
    """Discrete Gaussian noise on one integer that moves.

    Parameters
    ----------
    sigma : > 0.
    size : how far the integer moves, >= 0.

    Examples
    --------
    >>> round(DiscreteGaussianShift(1.0, 1).delta(0.0).value, 7)
    0.3989423

    """

    sigma: float
    size: int

    def loss(self) -> Enclosure:
        """Return infinity, unless the integer does not move."""
        return Enclosure.exactly(math.inf if self.size else 0.0)

    def delta(self, epsilon: float) -> Enclosure:
        """Return the hockey stick by summation: an output y below the integer has the loss s (s + 2 y) / (2 sigma^2).

        The outputs that are left out have less than exp(-800) of the sum.
        """
        if self.size == 0:
            return Enclosure.exactly(0.0)
        variance = self.sigma * self.sigma
        first = math.floor(epsilon * variance / self.size - self.size / 2.0)
        below = np.arange(first, max(first, 0) + math.ceil(40.0 * self.sigma) + 2, dtype=np.float64)
        log_p = -np.square(below) / (2.0 * variance) - log_normaliser(self.sigma)
        excess = self.size * (self.size + 2.0 * below) / (2.0 * variance) - epsilon
        terms = np.exp(log_p) * -np.expm1(-np.maximum(excess, 0.0))
        rounding = np.exp(log_p) * ROUNDING * (16.0 + np.abs(log_p) + 4.0 * epsilon + np.abs(excess))
        found = Enclosure.around(float(terms.sum()), absolute=float(rounding.sum()) + UNDERFLOW)
        return Enclosure(found.lower, min(1.0, found.upper))
