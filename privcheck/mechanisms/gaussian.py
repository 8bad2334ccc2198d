"""The Gaussian mechanism, for one number or an array."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from privcheck.accounting import Charge, GaussianPair, GaussianShifts
from privcheck.arrays import Array
from privcheck.declared import POSITIVE, parameter
from privcheck.mechanisms.added_noise import AddedNoise
from privcheck.mechanisms.base import Pairs, differences, finite_array, generator, inner_sum, same_shape
from privcheck.mechanisms.currency import MU, Currency
from privcheck.mechanisms.opendp_parts import opendp_parts


@dataclass(frozen=True)
class Gaussian(AddedNoise):
    r"""Add independent normal noise to a number or to every entry of an array.

    M(f) = f + (Z_1, ..., Z_d), Z_i independent and normal with mean 0 and standard deviation
    sigma = s (1 + 4e-9) / mu.

    Parameters
    ----------
    sensitivity : s > 0, in the unit of the value: largest L2 distance between the exact values of two neighbours.
    mu : > 0, the budget in Gaussian differential privacy, charged exactly.
    given_scale : sigma > 0, the standard deviation, instead of these two; `Gaussian.with_scale(sigma)` sets it.

    Guarantee
    ---------
    Notion: Gaussian differential privacy, mu (s / sigma if a standard deviation was given); hence zero-concentrated
    differential privacy with rho = mu^2 / 2. No finite epsilon holds without a delta.
    Neighbours: those for which s was computed.
    Released: the noisy number or array, once; drawing again costs mu again, and the squares of all mu add up.
    What one datum can change: the exact value, by at most s in L2. For values in a set, s is its diameter.
    Noise: normal, fast floating-point draws; `secure=True` uses OpenDP's exact sampler, a discrete Gaussian on a
    lattice far finer than doubles.
    Ties: nothing is compared.
    Proof: rotate so that the values differ in one coordinate only; the other coordinates have the same law. What is
    left is N(0, sigma^2) against N(d, sigma^2) with d <= s, which is the definition of (d / sigma)-GDP. The Renyi
    divergence of order alpha is alpha d^2 / (2 sigma^2).

    Raises
    ------
    PrivcheckError : a parameter outside its domain, a value that is not finite, an `rng` that is not a Generator.

    Source: Dong, Roth and Su (2022), Theorem 1; Bun and Steinke (2016), Proposition 1.6, for rho; Balle and Wang
    (2018), Theorem 8, for the delta of every epsilon.

    Examples
    --------
    >>> import numpy as np
    >>> mechanism = Gaussian(sensitivity=1.0, mu=0.5)
    >>> round(mechanism.scale, 6), mechanism.charge(1.0).mu, mechanism.charge(1.0).epsilon
    (2.0, 0.5, inf)
    >>> round(mechanism.release(10.0, np.random.default_rng(0)), 3)
    10.251
    >>> round(mechanism.log_ratio(12.0, 11.0, 10.0), 6), Gaussian.with_scale(2.0).charge(3.0).mu
    (0.375, 1.5)

    """

    id: ClassVar[str] = "gaussian"
    samples_exactly: ClassVar[bool] = True
    notion: ClassVar[str] = "gaussian"
    currency: ClassVar[Currency] = MU
    sensitivity_norm: ClassVar[str] = "L2"
    source: ClassVar[str] = "Dong, Roth and Su (2022), Theorem 1"

    sensitivity: float | None = parameter(
        POSITIVE, default=None, typical=(0.001, 10.0), doc="s, unit of the value: L2 sensitivity",
        hint="give the L2 sensitivity with mu, or a standard deviation with Gaussian.with_scale",
    )  # fmt: skip
    mu: float | None = parameter(
        POSITIVE, default=None, typical=(0.1, 10.0), doc="mu: Gaussian-DP budget of one release",
        hint="give mu with the sensitivity, or a standard deviation with Gaussian.with_scale",
    )  # fmt: skip
    given_scale: float | None = parameter(
        POSITIVE, default=None, typical=(0.1, 100.0),
        doc="sigma, unit of the value: standard deviation of the noise, instead of the other two",
        hint="give either sensitivity and mu, or a standard deviation",
    )  # fmt: skip

    def noise(self, shape: int | tuple[int, ...], rng: np.random.Generator) -> Array:
        """Return independent noise of this shape, as `release` adds it."""
        draws: Array = generator(rng).normal(0.0, self.scale, shape)
        return draws

    def log_density(self, output: npt.ArrayLike, value: npt.ArrayLike) -> Any:
        """Return the logarithm of the density of outputs given the exact value.

        Parameters
        ----------
        output : shape (..., *shape of value), in the unit of the value.
        value : the exact value, shape (d1, d2, ...) or a number.

        Returns
        -------
        The logarithm of the joint density over the entries of `value`, shape (...); a float if that shape is empty.

        """
        exact = finite_array("value", value)
        squares = np.square(differences(output, exact) / self.scale)
        return inner_sum(-squares / 2.0 - math.log(self.scale) - math.log(2.0 * math.pi) / 2.0, exact.ndim)

    def log_ratio(self, output: npt.ArrayLike, value: npt.ArrayLike, other: npt.ArrayLike) -> Any:
        """Return ln(density given `value` / density given `other`), with the shapes of `log_density`."""
        first, second = finite_array("value", value), finite_array("other", other)
        same_shape(first, second)
        middle = differences(output, first) + differences(output, second)
        return inner_sum((first - second) / self.scale * (middle / self.scale / 2.0), first.ndim)

    def law_of_pair(self, value: npt.ArrayLike, other: npt.ArrayLike) -> GaussianShifts:
        """Return the exact law of the loss: only the distance in standard deviations matters."""
        first, second = finite_array("value", value), finite_array("other", other)
        same_shape(first, second)
        return GaussianShifts(np.abs(first - second).ravel() / self.scale)

    def dominating_pairs(self, charge: Charge, sensitivity: float) -> Pairs:  # noqa: ARG002
        """Return normal noise on two numbers at the charged distance, whatever the dimension of the value."""
        return ((GaussianPair(charge.mu), 1),)

    def _draw_exactly(self, exact: Array) -> Array:
        noisy = _measurement(self.scale)(exact.ravel().tolist())
        return np.array(noisy, dtype=np.float64).reshape(exact.shape)


@lru_cache(maxsize=128)
def _measurement(scale: float) -> Any:
    """Return OpenDP's measurement: making one takes longer than a release."""
    dp = opendp_parts()
    atoms = dp.atom_domain(T=float, nan=False)
    return dp.m.make_gaussian(dp.vector_domain(atoms), dp.l2_distance(T=float), scale=scale)
