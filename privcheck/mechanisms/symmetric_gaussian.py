"""The Gaussian mechanism for a symmetric matrix."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from privcheck.accounting import Charge, GaussianPair, GaussianShifts
from privcheck.arrays import Array
from privcheck.declared import POSITIVE, Integer, check, parameter
from privcheck.errors import PrivcheckError, words
from privcheck.mechanisms.base import Pairs, finite_array, generator
from privcheck.mechanisms.currency import MU, Currency
from privcheck.mechanisms.gaussian import Gaussian
from privcheck.mechanisms.scaled import ScaledMechanism


@dataclass(frozen=True)
class SymmetricGaussian(ScaledMechanism):
    r"""Add symmetric normal noise to a symmetric matrix, half as much variance as independent noise off the diagonal.

    M(F) = F + (Z + Z^T) / 2, Z with independent normal entries of standard deviation sigma = s (1 + 4e-9) / mu: the
    variance is sigma^2 on the diagonal and sigma^2 / 2 off it. Of a matrix that is not symmetric, the symmetric part
    (F + F^T) / 2 takes the place of F.

    Parameters
    ----------
    sensitivity : s > 0, in the unit of the value: largest Frobenius distance between the values of two neighbours.
    mu : > 0, the budget in Gaussian differential privacy, charged exactly.
    given_scale : sigma > 0, instead of these two; `SymmetricGaussian.with_scale(sigma)` sets it.

    Guarantee
    ---------
    Notion: Gaussian differential privacy, mu (s / sigma if sigma was given); hence rho = mu^2 / 2.
    Neighbours: those for which s was computed.
    Released: the noisy symmetric matrix, once; drawing again costs mu again, and the squares of all mu add up.
    What one datum can change: the exact matrix, by at most s in the Frobenius norm, and its symmetric part by no more.
    For sums of outer products v v^T with |v| <= r, s is r^2 if a row is added or removed and sqrt(2) r^2 if it is
    replaced.
    Noise: normal, fast floating-point draws; `secure=True` uses OpenDP's exact sampler.
    Ties: nothing is compared.
    Proof: the diagonal and sqrt(2) times the entries above it are coordinates in which the Frobenius norm is the L2
    norm; in them the noise is independent with standard deviation sigma. Symmetrising is a projection. The rest is the
    Gaussian mechanism.

    Raises
    ------
    PrivcheckError : a parameter outside its domain, a value that is no finite square matrix, an `rng` that is not a
        Generator.

    Source: Dong, Roth and Su (2022), Theorem 1; Shariff and Sheffet (2018), Section 4.2, for the noise, with their
    sigma being this one over sqrt(2).

    Examples
    --------
    >>> import numpy as np
    >>> mechanism = SymmetricGaussian(sensitivity=1.0, mu=0.5)
    >>> round(mechanism.scale, 6), mechanism.charge(1.0).mu
    (2.0, 0.5)
    >>> mechanism.release([[1.0, 0.0], [0.0, 1.0]], np.random.default_rng(0)).round(2).tolist()
    [[1.25, -0.19], [-0.19, 2.28]]

    """

    id: ClassVar[str] = "symmetric-gaussian"
    samples_exactly: ClassVar[bool] = True
    notion: ClassVar[str] = "gaussian"
    currency: ClassVar[Currency] = MU
    sensitivity_norm: ClassVar[str] = "Frobenius"
    source: ClassVar[str] = "Dong, Roth and Su (2022), Theorem 1; Shariff and Sheffet (2018), Section 4.2"

    sensitivity: float | None = parameter(
        POSITIVE, default=None, typical=(0.001, 10.0), doc="s, unit of the value: Frobenius sensitivity",
        hint="give the Frobenius sensitivity with mu, or sigma with SymmetricGaussian.with_scale",
    )  # fmt: skip
    mu: float | None = parameter(
        POSITIVE, default=None, typical=(0.1, 10.0), doc="mu: Gaussian-DP budget of one release",
        hint="give mu with the sensitivity, or sigma with SymmetricGaussian.with_scale",
    )  # fmt: skip
    given_scale: float | None = parameter(
        POSITIVE, default=None, typical=(0.1, 100.0),
        doc="sigma, unit of the value: standard deviation on the diagonal, instead of the other two",
        hint="give either sensitivity and mu, or sigma",
    )  # fmt: skip

    def rounding(self, sizes: Array) -> float:
        """Return what rounding of the coordinates can add to the sensitivity: at most four units on both sides."""
        return packing_error(sizes)

    def draw(self, value: Any, rng: np.random.Generator | None, *, secure: bool = False) -> Array:
        """Return what `release` returns when no recorder is active."""
        noisy = self._in_coordinates.draw(packed("value", value), rng, secure=secure)
        return unpacked(noisy)

    def release_batch(self, value: npt.ArrayLike, rng: np.random.Generator, runs: int) -> Array:
        """Return `runs` independent releases of `value`, shape (runs, d, d)."""
        exact = packed("value", value)
        return unpacked(self._in_coordinates.release_batch(exact, generator(rng), check("runs", runs, Integer(1))))

    def log_density(self, output: npt.ArrayLike, value: npt.ArrayLike) -> Any:
        """Return the logarithm of the density in the coordinates above, of symmetric outputs of shape (..., d, d)."""
        exact = packed("value", value)
        return self._in_coordinates.log_density(packed("output", output, several=True), exact)

    def log_ratio(self, output: npt.ArrayLike, value: npt.ArrayLike, other: npt.ArrayLike) -> Any:
        """Return ln(density given `value` / density given `other`), with the shapes of `log_density`."""
        first, second = packed("value", value), packed("other", other)
        return self._in_coordinates.log_ratio(packed("output", output, several=True), first, second)

    def law_of_pair(self, value: npt.ArrayLike, other: npt.ArrayLike) -> GaussianShifts:
        """Return the exact law of the loss: that of the coordinates."""
        return self._in_coordinates.law_of_pair(packed("value", value), packed("other", other))

    def dominating_pairs(self, charge: Charge, sensitivity: float) -> Pairs:  # noqa: ARG002
        """Return normal noise on two numbers at the charged distance."""
        return ((GaussianPair(charge.mu), 1),)

    @property
    def _in_coordinates(self) -> Gaussian:
        return Gaussian.with_scale(self.scale)


def packed(name: str, value: npt.ArrayLike, *, several: bool = False) -> Array:
    """Return the diagonals and sqrt(2) times the upper triangles of symmetric parts, in the rows' order.

    Parameters
    ----------
    name : what is refused if `value` is no finite square matrix.
    value : shape (d, d), or (..., d, d) if `several`.

    Examples
    --------
    >>> packed("value", [[1.0, 2.0], [2.0, 5.0]]).round(3).tolist()
    [1.0, 2.828, 5.0]
    """
    matrices = finite_array(name, value)
    if matrices.ndim < 2 or matrices.shape[-1] != matrices.shape[-2] or (matrices.ndim > 2 and not several):
        raise PrivcheckError(name, words(f"shape {matrices.shape}"), "a square matrix, shape (d, d)")
    rows, columns, weights = _triangle(matrices.shape[-1])
    return np.asarray((matrices[..., rows, columns] / 2.0 + matrices[..., columns, rows] / 2.0) * weights)


def unpacked(coordinates: Array) -> Array:
    """Return the symmetric matrices with these coordinates, shape (..., d, d).

    >>> unpacked(np.array([1.0, np.sqrt(8.0), 5.0])).round(3).tolist()
    [[1.0, 2.0], [2.0, 5.0]]
    """
    size = (math.isqrt(8 * coordinates.shape[-1] + 1) - 1) // 2
    rows, columns, weights = _triangle(size)
    matrices = np.empty((*coordinates.shape[:-1], size, size))
    matrices[..., rows, columns] = matrices[..., columns, rows] = coordinates / weights
    return matrices


def packing_error(sizes: Array) -> float:
    """Return how far rounding in `packed` can move two neighbours apart, whose entries have at most these sizes."""
    return 8.0 * sys.float_info.epsilon * float(sizes.sum())


@lru_cache(maxsize=64)
def _triangle(size: int) -> tuple[Any, Any, Array]:
    rows, columns = np.triu_indices(size)
    return rows, columns, np.where(rows == columns, 1.0, math.sqrt(2.0))
