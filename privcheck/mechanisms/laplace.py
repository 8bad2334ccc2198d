"""The Laplace mechanism, for one number or an array."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from privcheck.accounting import Charge, LaplacePair, LaplaceShifts
from privcheck.arrays import Array
from privcheck.declared import POSITIVE, parameter
from privcheck.mechanisms.added_noise import AddedNoise
from privcheck.mechanisms.base import Pairs, distances, finite_array, generator, inner_sum, same_shape
from privcheck.mechanisms.opendp_parts import opendp_parts


@dataclass(frozen=True)
class Laplace(AddedNoise):
    r"""Add independent Laplace noise to a number or to every entry of an array.

    M(f) = f + (Z_1, ..., Z_d), Z_i independent with density exp(-|z| / b) / (2 b), b = s (1 + 4e-9) / epsilon.

    Parameters
    ----------
    sensitivity : s > 0, in the unit of the value: largest L1 distance between the exact values of two neighbours.
    epsilon : > 0, the budget, charged exactly.
    given_scale : b > 0, the scale, instead of these two; `Laplace.with_scale(b)` sets it.

    Guarantee
    ---------
    Notion: pure differential privacy, epsilon (s / b if a scale was given).
    Neighbours: those for which s was computed; `privcheck.privacy` computes it for sums and means of
    rewards.
    Released: the noisy number or array, once; drawing again costs epsilon again.
    What one datum can change: the exact value, by at most s in L1. For values in a set, s is its diameter: an L1 ball
    of radius R has diameter 2 R.
    Noise: Laplace of scale b, fast floating-point draws; `secure=True` uses OpenDP's exact sampler.
    Ties: nothing is compared.
    Proof: |o - f'| - |o - f| <= |f - f'| entry by entry, so every log-ratio of densities is at most s / b.

    Raises
    ------
    PrivcheckError : a parameter outside its domain, a value that is not finite, an `rng` that is not a Generator.

    Source: Dwork, McSherry, Nissim and Smith (2006), Proposition 1.

    Examples
    --------
    >>> import numpy as np
    >>> mechanism = Laplace(sensitivity=1.0, epsilon=0.5)
    >>> round(mechanism.scale, 6), mechanism.loss(1.0), Laplace.with_scale(2.0).loss(3.0)
    (2.0, 0.5, 1.5)
    >>> round(mechanism.release(10.0, np.random.default_rng(0)), 3)
    10.64
    >>> round(mechanism.log_ratio(12.0, 11.0, 10.0), 6)
    0.5

    """

    id: ClassVar[str] = "laplace"
    samples_exactly: ClassVar[bool] = True
    notion: ClassVar[str] = "pure"
    sensitivity_norm: ClassVar[str] = "L1"
    source: ClassVar[str] = "Dwork, McSherry, Nissim and Smith (2006), Proposition 1"

    sensitivity: float | None = parameter(
        POSITIVE, default=None, typical=(0.001, 10.0), doc="s, unit of the value: L1 sensitivity",
        hint="give the L1 sensitivity with epsilon, or a scale with Laplace.with_scale",
    )  # fmt: skip
    epsilon: float | None = parameter(
        POSITIVE, default=None, typical=(0.1, 10.0), doc="epsilon: privacy budget of one release",
        hint="give epsilon with the sensitivity, or a scale with Laplace.with_scale",
    )  # fmt: skip
    given_scale: float | None = parameter(
        POSITIVE, default=None, typical=(0.1, 100.0), doc="b, unit of the value: noise scale, instead of the other two",
        hint="give either sensitivity and epsilon, or a scale",
    )  # fmt: skip

    def noise(self, shape: int | tuple[int, ...], rng: np.random.Generator) -> Array:
        """Return independent noise of this shape, as `release` adds it."""
        draws: Array = generator(rng).laplace(0.0, self.scale, shape)
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
        return inner_sum(-distances(output, exact) / self.scale - math.log(2.0 * self.scale), exact.ndim)

    def density(self, output: npt.ArrayLike, value: npt.ArrayLike) -> Any:
        """Return the density of outputs given the exact value, with the shapes of `log_density`."""
        density = np.exp(self.log_density(output, value))
        return float(density) if np.ndim(density) == 0 else density

    def log_ratio(self, output: npt.ArrayLike, value: npt.ArrayLike, other: npt.ArrayLike) -> Any:
        """Return ln(density given `value` / density given `other`), with the shapes of `log_density`."""
        first, second = finite_array("value", value), finite_array("other", other)
        same_shape(first, second)
        return inner_sum((distances(output, second) - distances(output, first)) / self.scale, first.ndim)

    def law_of_pair(self, value: npt.ArrayLike, other: npt.ArrayLike) -> LaplaceShifts:
        """Return the exact law of the loss: only the distances of the entries matter."""
        first, second = finite_array("value", value), finite_array("other", other)
        same_shape(first, second)
        return LaplaceShifts(np.abs(first - second).ravel() / self.scale)

    def dominating_pairs(self, charge: Charge, sensitivity: float) -> Pairs:  # noqa: ARG002
        """Return Laplace noise on two numbers at the charged distance, whatever the dimension of the value."""
        return ((LaplacePair(charge.epsilon), 1),)

    def _draw_exactly(self, exact: Array) -> Array:
        noisy = _measurement(self.scale)(exact.ravel().tolist())
        return np.array(noisy, dtype=np.float64).reshape(exact.shape)


@lru_cache(maxsize=128)
def _measurement(scale: float) -> Any:
    """Return OpenDP's measurement: making one takes longer than a release."""
    dp = opendp_parts()
    atoms = dp.atom_domain(T=float, nan=False)
    return dp.m.make_laplace(dp.vector_domain(atoms), dp.l1_distance(T=float), scale=scale)
