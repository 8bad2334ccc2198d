"""The discrete Gaussian mechanism, for one integer or an array of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from privcheck.accounting import NOTHING, Charge
from privcheck.arrays import Integers
from privcheck.declared import POSITIVE, Real, parameter
from privcheck.errors import PrivcheckError
from privcheck.mechanisms.added_noise import AddedIntegers, integer_array
from privcheck.mechanisms.base import differences, generator, inner_sum, same_shape
from privcheck.mechanisms.currency import RHO, Currency
from privcheck.mechanisms.discrete_gaussian_law import DiscreteGaussianShift, log_normaliser, mu_of_one, of_normal
from privcheck.mechanisms.opendp_parts import opendp_parts

MOST_SIGMA = 1e4
"""The largest sigma whose outputs are summed for the exact loss, to bound the memory."""


@dataclass(frozen=True)
class DiscreteGaussian(AddedIntegers):
    r"""Add independent discrete Gaussian noise to an integer or to every entry of an array of integers.

    M(f) = f + (Z_1, ..., Z_d), with Z_i independent, P(Z = z) proportional to exp(-z^2 / (2 sigma^2)) on the integers,
    sigma = s (1 + 4e-9) / sqrt(2 rho).

    Parameters
    ----------
    sensitivity : s >= 1: largest L2 distance between the exact values of two neighbours, such as the root of k where
        k counts change by one.
    rho : > 0, the budget in zero-concentrated differential privacy, charged exactly.
    given_scale : sigma > 0, at most 1e12, instead of these two; `DiscreteGaussian.with_scale(sigma)` sets it.

    Guarantee
    ---------
    Notion: zero-concentrated differential privacy, rho (s^2 / (2 sigma^2) if sigma was given), the same as for normal
    noise. Gaussian differential privacy holds too, with a mu above s / sigma: by 0.4 % for sigma = 10, 1.3 % for 5 and
    25 % for 1; for sigma up to 0.2 none is known. No finite epsilon holds without a delta.
    Neighbours: those for which s was computed; a sum of rewards in {0, 1} changes by at most 1 when a row is replaced.
    Released: the noisy integers, once; drawing again costs rho again.
    What one datum can change: the exact integers, by at most s in L2.
    Noise: discrete Gaussian: standard normal draws mapped to quantiles, fast floating-point draws; `secure=True` uses
    OpenDP's exact sampler. sigma^2 is a parameter; the variance is a little smaller for small sigma.
    Ties: nothing is compared.
    Proof: for entries that move by integers d_j the Renyi divergence of order alpha is at most
    alpha sum_j d_j^2 / (2 sigma^2), with equality for integers alpha; the entries are independent, so divergences add.
    The mu of an entry that moves by one is that of `privcheck.mechanisms.discrete_gaussian_law.mu_of_one`. An entry
    that moves by d does so in |d| steps (group privacy), and the squares of the entries add up.

    Raises
    ------
    PrivcheckError : a parameter outside its domain, sigma above 1e12, values that are not integers of magnitude at
        most 2^51, an `rng` that is not a Generator.

    Source: Canonne, Kamath and Steinke (2020), Theorems 4 and 14 and Proposition 5, for rho; Dong, Roth and Su (2022),
    Theorem 2.14 and Corollary 3.3, for groups and independent entries.

    Examples
    --------
    >>> import numpy as np
    >>> mechanism = DiscreteGaussian(sensitivity=1, rho=0.02)
    >>> mechanism.release(10, np.random.default_rng(0)), mechanism.charge(1).rho, round(mechanism.charge(1).mu, 4)
    (11, 0.02, 0.2026)
    >>> round(mechanism.probability(10, 10), 4), round(mechanism.log_ratio(12, 11, 10), 6)
    (0.0798, 0.06)

    """

    id: ClassVar[str] = "discrete-gaussian"
    samples_exactly: ClassVar[bool] = True
    notion: ClassVar[str] = "zcdp"
    currency: ClassVar[Currency] = RHO
    sensitivity_norm: ClassVar[str] = "L2"
    source: ClassVar[str] = "Canonne, Kamath and Steinke (2020), Theorems 4 and 14"

    sensitivity: float | None = parameter(
        Real(1.0), default=None, typical=(1.0, 10.0), doc="s: L2 sensitivity",
        hint="give the L2 sensitivity with rho, or a sigma with DiscreteGaussian.with_scale",
    )  # fmt: skip
    rho: float | None = parameter(
        POSITIVE, default=None, typical=(0.01, 2.0), doc="rho: zCDP budget of one release",
        hint="give rho with the sensitivity, or a sigma with DiscreteGaussian.with_scale",
    )  # fmt: skip
    given_scale: float | None = parameter(
        Real(0.0, 1e12, low_open=True), default=None, typical=(0.5, 100.0),
        doc="sigma: parameter of the noise, instead of the other two", hint="give either sensitivity and rho, or sigma",
    )  # fmt: skip

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.scale > 1e12:
            raise PrivcheckError("noise scale", self.scale, "at most 1e12", "raise rho, or use Gaussian noise")

    def charge(self, sensitivity: float) -> Charge:
        """Return the charge of data with this computed sensitivity, in rho and in mu."""
        charge = super().charge(sensitivity)
        unit = mu_of_one(self.scale)
        if charge == NOTHING or math.isinf(unit):
            return charge
        return Charge(rho=charge.rho, mu=math.sqrt(2.0 * charge.rho) * self.scale * unit)

    def noise(self, shape: int | tuple[int, ...], rng: np.random.Generator) -> Integers:
        """Return independent noise of this shape, as `release` adds it."""
        return of_normal(np.asarray(generator(rng).standard_normal(shape)), self.scale)

    def log_density(self, output: npt.ArrayLike, value: npt.ArrayLike) -> Any:
        """Return ln P(output | exact `value`), jointly over the entries of `value`.

        `output` has the shape (..., *shape of value), the result the shape (...); it is a float when that is empty.
        """
        exact, outputs = integer_array("value", value), integer_array("output", output)
        squares = np.square(differences(outputs, exact.astype(np.float64)) / self.scale)
        return inner_sum(-squares / 2.0 - log_normaliser(self.scale), exact.ndim)

    def probability(self, output: npt.ArrayLike, value: npt.ArrayLike) -> Any:
        """Return P(output | exact `value`), with the shapes of `log_density`."""
        probability = np.exp(self.log_density(output, value))
        return float(probability) if np.ndim(probability) == 0 else probability

    def log_ratio(self, output: npt.ArrayLike, value: npt.ArrayLike, other: npt.ArrayLike) -> Any:
        """Return ln(P(output | `value`) / P(output | `other`)), with the shapes of `log_density`."""
        first, second = integer_array("value", value), integer_array("other", other)
        same_shape(first, second)
        outputs = integer_array("output", output)
        sums = sum(differences(outputs, exact.astype(np.float64)) for exact in (first, second))
        return inner_sum((first - second) / self.scale * (sums / self.scale / 2.0), first.ndim)

    def law_of_pair(self, value: npt.ArrayLike, other: npt.ArrayLike) -> DiscreteGaussianShift | None:
        """Return the exact law of the loss if at most one entry changes, and sigma is at most `MOST_SIGMA`."""
        first, second = integer_array("value", value), integer_array("other", other)
        same_shape(first, second)
        sizes = np.abs(first - second).ravel()
        if np.count_nonzero(sizes) > 1 or self.scale > MOST_SIGMA:
            return None
        return DiscreteGaussianShift(self.scale, int(sizes.max()))

    def _draw_exactly(self, exact: Integers) -> Integers:
        noisy = _integer_gaussian(self.scale)(exact.ravel().tolist())
        return np.array(noisy, dtype=np.int64).reshape(exact.shape)


@lru_cache(maxsize=128)
def _integer_gaussian(scale: float) -> Any:
    """Return OpenDP's measurement that adds discrete Gaussian noise to a list of integers."""
    dp = opendp_parts()
    return dp.m.make_gaussian(dp.vector_domain(dp.atom_domain(T="i64")), dp.l2_distance(T=float), scale=scale)
