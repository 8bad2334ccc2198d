"""The base class of mechanisms that release which of several scores is the largest."""

from __future__ import annotations

import sys
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from privcheck.accounting import Charge, FiniteLaws, mu_of_bounded_range, rho_of_bounded_range
from privcheck.arrays import Array
from privcheck.declared import Integer, check
from privcheck.enclosure import ROUNDING
from privcheck.errors import PrivcheckError, words
from privcheck.mechanisms.base import finite_array, generator
from privcheck.mechanisms.opendp_parts import opendp_parts
from privcheck.mechanisms.scaled import ScaledMechanism

_LAW_ERROR = 2e-12
"""Relative error of the probabilities of a winner: twice the error that their quadrature states."""


class Selection(ScaledMechanism):
    """Base of the mechanisms that add independent noise to each of K scores and release the index of the largest.

    A class defines `log_probabilities`, and how noise and exact winners are drawn. What scores can move by is declared
    as `score_range`: the textbooks' sensitivity s of each score is a range of 2 s, or of s where all scores move in the
    same direction.
    """

    sensitivity_name: ClassVar[str] = "score_range"

    def log_probabilities(self, scores: npt.ArrayLike) -> Array:
        """Return the natural logarithms of `probabilities`, without underflow however far behind a score is."""
        raise NotImplementedError

    def _draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        """Return noise of this shape."""
        raise NotImplementedError

    def _draw_exactly(self, scores: Array) -> int:
        """Return the winner with exact noise."""
        raise NotImplementedError

    def release(self, value: npt.ArrayLike, rng: np.random.Generator | None, *, secure: bool = False) -> int:
        """Return the 0-based index of the largest noisy score; `value` holds the scores, shape (K,).

        With `secure=True` the index comes from OpenDP and the operating system's randomness; `rng` is then unused and
        may be None.
        """
        winner: int = super().release(value, rng, secure=secure)
        return winner

    def rounding(self, sizes: Array) -> float:
        """Return what rounding scores plus noise can add to the range: a unit for two scores on two neighbours."""
        return 2.0 * sys.float_info.epsilon * float(sizes.max())

    def draw(self, value: npt.ArrayLike, rng: np.random.Generator | None, *, secure: bool = False) -> int:
        """Return what `release` returns when no recorder is active."""
        scores = score_vector(value)
        if secure:
            return self._draw_exactly(scores)
        return int(np.argmax(scores + self._draw(generator(rng), (scores.size,))))

    def release_batch(self, value: npt.ArrayLike, rng: np.random.Generator, runs: int) -> npt.NDArray[np.int64]:
        """Return `runs` independent releases, shape (runs,), of the same scores, shape (K,)."""
        scores = score_vector(value)
        draws = self._draw(generator(rng), (check("runs", runs, Integer(1)), scores.size))
        draws += scores
        winners: npt.NDArray[np.int64] = np.argmax(draws, axis=1)
        return winners

    def probabilities(self, scores: npt.ArrayLike) -> Array:
        """Return the exact probability of each index, shape (K,), by quadrature or closed form, accurate to 1e-12."""
        return np.exp(self.log_probabilities(scores))

    def log_density(self, output: int, value: npt.ArrayLike) -> float:
        """Return ln P(output | scores `value`) for a 0-based index."""
        law = self.log_probabilities(value)
        return float(law[check("output", output, Integer(0, law.size - 1))])

    def log_ratio(self, output: int, value: npt.ArrayLike, other: npt.ArrayLike) -> float:
        """Return ln(P(output | scores `value`) / P(output | scores `other`)) for a 0-based index."""
        first, second = _as_many(value, other)
        return self.log_density(output, first) - self.log_density(output, second)

    def law_of_pair(self, value: npt.ArrayLike, other: npt.ArrayLike) -> FiniteLaws:
        """Return the exact laws of the winner.

        >>> from privcheck.mechanisms import NoisyMax
        >>> round(NoisyMax.with_scale(1.0).law_of_pair([1.0, 1.0], [0.0, 2.0]).loss().value, 7)
        1.3068528
        """
        first, second = _as_many(value, other)
        one, two = self.log_probabilities(first), self.log_probabilities(second)
        error = _LAW_ERROR + 8.0 * ROUNDING * np.maximum(np.abs(one), np.abs(two))
        return FiniteLaws(one, two, np.zeros_like(error) if (first == second).all() else error)


def charge_of_bounded_range(charge: Charge) -> Charge:
    """Return the charge of a mechanism with bounded range epsilon, for a charge of epsilon.

    >>> charge_of_bounded_range(Charge(1.0)).rho < 0.1251 < Charge(1.0).rho
    True
    """
    if charge.epsilon == 0.0:
        return charge
    eta = charge.epsilon
    return Charge(eta, rho=rho_of_bounded_range(eta), mu=mu_of_bounded_range(eta))


def exact_winner(scores: Array, scale: float, noise: str) -> int:
    """Return OpenDP's noisy maximum with "exponential" or "gumbel" noise."""
    return int(_measurement(scale, noise)(scores.tolist()))


@lru_cache(maxsize=128)
def _measurement(scale: float, noise: str) -> Any:
    """Return OpenDP's measurement: making one takes longer than a release."""
    dp = opendp_parts()
    domain = dp.vector_domain(dp.atom_domain(T=float, nan=False))
    measure = dp.max_divergence() if noise == "exponential" else dp.zero_concentrated_divergence()
    return dp.m.make_noisy_max(domain, dp.linf_distance(T=float), measure, scale=scale)


def _as_many(value: npt.ArrayLike, other: npt.ArrayLike) -> tuple[Array, Array]:
    first, second = score_vector(value), score_vector(other, "other")
    if first.size != second.size:
        raise PrivcheckError("other", words(f"{second.size} scores"), f"{first.size} scores, as many as value")
    return first, second


def score_vector(value: npt.ArrayLike, name: str = "scores") -> Array:
    """Return scores as a float array of shape (K,), or refuse them.

    >>> score_vector([1, 2]).tolist()
    [1.0, 2.0]
    """
    scores = finite_array(name, value)
    if scores.ndim != 1:
        raise PrivcheckError(name, words(f"shape {scores.shape}"), "a vector of shape (K,)", "give one score per index")
    return scores
