"""Mechanisms that add independent noise of one scale to a number or to every entry of an array."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from privcheck.arrays import Array, Integers
from privcheck.declared import Integer, check
from privcheck.errors import PrivcheckError, words
from privcheck.mechanisms.base import finite_array, generator, holds_integers
from privcheck.mechanisms.scaled import ScaledMechanism

LARGEST = 2**51
"""Largest magnitude of values: 2^51 leaves room for noise and distances below 2^53, where floats are exact integers."""


class AddedNoise(ScaledMechanism):
    """Base of the mechanisms that add noise to real numbers."""

    @overload
    def release(self, value: float, rng: np.random.Generator | None, *, secure: bool = False) -> float: ...
    @overload
    def release(self, value: npt.ArrayLike, rng: np.random.Generator | None, *, secure: bool = False) -> Any: ...
    def release(self, value: Any, rng: np.random.Generator | None, *, secure: bool = False) -> Any:
        """Return `value` plus noise: a float for a number, an array of the same shape for an array.

        With `secure=True` the noise comes from OpenDP and the operating system's randomness; `rng` is then unused and
        may be None.
        """
        return super().release(value, rng, secure=secure)

    def draw(self, value: Any, rng: np.random.Generator | None, *, secure: bool = False) -> Any:
        """Return what `release` returns when no recorder is active."""
        exact = finite_array("value", value)
        noisy = self._draw_exactly(exact) if secure else exact + self.noise(exact.shape, generator(rng))
        return float(noisy) if exact.ndim == 0 else noisy

    @abstractmethod
    def noise(self, shape: int | tuple[int, ...], rng: np.random.Generator) -> Array:
        """Return independent noise of this shape, as `release` adds it."""

    def release_batch(self, value: npt.ArrayLike, rng: np.random.Generator, runs: int) -> Array:
        """Return `runs` independent releases of `value`, shape (runs, *shape of value)."""
        exact = finite_array("value", value)
        draws = self.noise((check("runs", runs, Integer(1)), *exact.shape), rng)
        draws += exact
        return draws

    @abstractmethod
    def _draw_exactly(self, exact: Array) -> Array:
        """Return what OpenDP releases of these numbers."""


class AddedIntegers(ScaledMechanism):
    """Base of the mechanisms that add integer noise to integers."""

    @property
    def integers(self) -> tuple[int, int]:
        """The integers that a value may hold."""
        return -LARGEST, LARGEST

    def draw(self, value: Any, rng: np.random.Generator | None, *, secure: bool = False) -> Any:
        """Return `value` plus noise: an int for an integer, an int64 array of the same shape for an array."""
        exact = integer_array("value", value)
        noisy = self._draw_exactly(exact) if secure else exact + self.noise(exact.shape, generator(rng))
        return int(noisy) if exact.ndim == 0 else noisy

    @abstractmethod
    def noise(self, shape: int | tuple[int, ...], rng: np.random.Generator) -> Integers:
        """Return independent noise of this shape, as `release` adds it."""

    def release_batch(self, value: npt.ArrayLike, rng: np.random.Generator, runs: int) -> Integers:
        """Return `runs` independent releases of `value`, shape (runs, *shape of value)."""
        exact = integer_array("value", value)
        return self.noise((check("runs", runs, Integer(1)), *exact.shape), rng) + exact

    @abstractmethod
    def _draw_exactly(self, exact: Integers) -> Integers:
        """Return what OpenDP releases of these integers."""


def integer_array(name: str, value: npt.ArrayLike) -> Integers:
    """Return `value` as an int64 array, or refuse it unless it holds integers of moderate size.

    >>> integer_array("value", [1.0, 2.0]).tolist()
    [1, 2]
    """
    expected = "an integer of magnitude at most 2^51, or a non-empty array of them"
    largest = 2 * LARGEST if name == "output" else LARGEST
    try:
        array = np.asarray(value)
    except ValueError:
        raise PrivcheckError(name, words("a ragged sequence"), expected, "give rows of equal length") from None
    if not holds_integers(array) or array.min() < -largest or array.max() > largest:
        raise PrivcheckError(name, value, expected, "round or count first, or use Laplace for real numbers")
    return array.astype(np.int64)
