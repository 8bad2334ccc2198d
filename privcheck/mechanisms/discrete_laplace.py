"""The discrete Laplace (two-sided geometric) mechanism, for one integer or an array of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from privcheck.accounting import Charge, DiscreteLaplacePair, LatticeShifts
from privcheck.arrays import Integers
from privcheck.declared import POSITIVE, Integer, Real, check, parameter
from privcheck.errors import PrivcheckError
from privcheck.mechanisms.added_noise import AddedIntegers, integer_array
from privcheck.mechanisms.base import Pairs, distances, generator, inner_sum, same_shape
from privcheck.mechanisms.opendp_parts import opendp_parts

LARGEST_DISTANCE = 10_000
"""Above it a dominating pair has too many atoms, and what its epsilon implies is taken."""


@dataclass(frozen=True)
class DiscreteLaplace(AddedIntegers):
    r"""Add independent two-sided geometric noise to an integer or to every entry of an array of integers.

    M(f) = f + (Z_1, ..., Z_d), with Z_i independent, P(Z = z) = tanh(1 / (2 b)) exp(-|z| / b) on the integers,
    b = s (1 + 4e-9) / epsilon.

    Parameters
    ----------
    sensitivity : s >= 1, an integer: largest L1 distance between the exact values of two neighbours.
    epsilon : > 0, the budget, charged exactly.
    given_scale : b > 0, at most 1e12, the scale, instead of these two; `DiscreteLaplace.with_scale(b)` sets it.

    Guarantee
    ---------
    Notion: pure differential privacy, epsilon (s / b if a scale was given).
    Neighbours: those for which s was computed; a sum of rewards in {0, 1} changes by at most 1 when a row is replaced.
    Released: the noisy integers, once; drawing again costs epsilon again.
    What one datum can change: the exact integers, by at most s in L1.
    Noise: discrete Laplace of scale b: the difference of floor(b E_1) and floor(b E_2), which are geometric for
    independent standard exponential E_1 and E_2; fast draws. `secure=True` uses OpenDP's exact sampler.
    Ties: nothing is compared.
    Proof: |o - f'| - |o - f| <= |f - f'| entry by entry, so every log-ratio of probabilities is at most s / b.

    Raises
    ------
    PrivcheckError : a parameter outside its domain, a scale above 1e12, values that are not integers of magnitude at
        most 2^51, an `rng` that is not a Generator.

    Source: Ghosh, Roughgarden and Sundararajan (2012), the geometric mechanism.

    Examples
    --------
    >>> import numpy as np
    >>> mechanism = DiscreteLaplace(sensitivity=1, epsilon=0.5)
    >>> mechanism.release(10, np.random.default_rng(0)), mechanism.loss(1)
    (9, 0.5)
    >>> round(mechanism.probability(10, 10), 4), round(mechanism.log_ratio(12, 11, 10), 6)
    (0.2449, 0.5)

    """

    id: ClassVar[str] = "discrete-laplace"
    samples_exactly: ClassVar[bool] = True
    notion: ClassVar[str] = "pure"
    sensitivity_norm: ClassVar[str] = "L1"
    source: ClassVar[str] = "Ghosh, Roughgarden and Sundararajan (2012)"

    sensitivity: int | None = parameter(
        Integer(1), default=None, typical=(1, 10), doc="s, an integer: L1 sensitivity",
        hint="give the integer L1 sensitivity with epsilon, or a scale with DiscreteLaplace.with_scale",
    )  # fmt: skip
    epsilon: float | None = parameter(
        POSITIVE, default=None, typical=(0.1, 10.0), doc="epsilon: privacy budget of one release",
        hint="give epsilon with the sensitivity, or a scale with DiscreteLaplace.with_scale",
    )  # fmt: skip
    given_scale: float | None = parameter(
        Real(0.0, 1e12, low_open=True), default=None, typical=(0.1, 100.0),
        doc="b: noise scale, instead of the other two", hint="give either sensitivity and epsilon, or a scale",
    )  # fmt: skip

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.scale > 1e12:
            raise PrivcheckError("noise scale", self.scale, "at most 1e12", "raise epsilon, or use Laplace noise")

    def charge(self, sensitivity: float) -> Charge:
        """Return the charge of data with this computed sensitivity, which must be an integer."""
        return super().charge(check("sensitivity", sensitivity, Integer(0), "integers change by integers"))

    def noise(self, shape: int | tuple[int, ...], rng: np.random.Generator) -> Integers:
        """Return independent noise of this shape, as `release` adds it."""
        size = (shape,) if isinstance(shape, int) else shape
        geometric = np.floor(generator(rng).standard_exponential((*size, 2)) * self.scale).astype(np.int64)
        difference: Integers = geometric[..., 0] - geometric[..., 1]
        return difference

    def log_density(self, output: npt.ArrayLike, value: npt.ArrayLike) -> Any:
        """Return ln P(output | exact `value`), jointly over the entries of `value`.

        `output` has the shape (..., *shape of value), the result the shape (...); it is a float when that is empty.
        """
        exact, outputs = integer_array("value", value), integer_array("output", output)
        log_top = math.log(math.tanh(0.5 / self.scale))
        return inner_sum(log_top - distances(outputs, exact.astype(np.float64)) / self.scale, exact.ndim)

    def probability(self, output: npt.ArrayLike, value: npt.ArrayLike) -> Any:
        """Return P(output | exact `value`), with the shapes of `log_density`."""
        probability = np.exp(self.log_density(output, value))
        return float(probability) if np.ndim(probability) == 0 else probability

    def log_ratio(self, output: npt.ArrayLike, value: npt.ArrayLike, other: npt.ArrayLike) -> Any:
        """Return ln(P(output | `value`) / P(output | `other`)), with the shapes of `log_density`."""
        first, second, outputs = (
            integer_array("value", value),
            integer_array("other", other),
            integer_array("output", output),
        )
        same_shape(first, second)
        one, two = distances(outputs, first.astype(np.float64)), distances(outputs, second.astype(np.float64))
        return inner_sum((two - one) / self.scale, first.ndim)

    def law_of_pair(self, value: npt.ArrayLike, other: npt.ArrayLike) -> LatticeShifts:
        """Return the exact law of the loss: only the distances of the entries matter."""
        first, second = integer_array("value", value), integer_array("other", other)
        same_shape(first, second)
        sizes = np.abs(first - second).ravel()
        return LatticeShifts(self.scale, sizes[sizes > 0])

    def dominating_pairs(self, charge: Charge, sensitivity: float) -> Pairs:
        """Return discrete Laplace noise on two integers at this distance, unless it is no integer or above 10 000."""
        if not float(sensitivity).is_integer() or sensitivity > LARGEST_DISTANCE:
            return ()
        return ((DiscreteLaplacePair(charge.epsilon, int(sensitivity)), 1),)

    def _draw_exactly(self, exact: Integers) -> Integers:
        noisy = integer_laplace(self.scale)(exact.ravel().tolist())
        return np.array(noisy, dtype=np.int64).reshape(exact.shape)


@lru_cache(maxsize=128)
def integer_laplace(scale: float) -> Any:
    """Return OpenDP's measurement that adds discrete Laplace noise to a list of integers."""
    dp = opendp_parts()
    return dp.m.make_laplace(dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64"), scale=scale)
