"""A Generator that plays recorded noise: the coins are its own, and the noise is what a guarded run drew."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from privcheck.arrays import Array
from privcheck.certifying._guarded_generator import MOST_COINS, between, bits_of, deep_copied, shape_of
from privcheck.mechanisms import DivergenceError


class PlaybackGenerator(np.random.Generator):
    """Numpy's Generator, whose noise is recorded: the laws of `GuardedGenerator`.

    Parameters
    ----------
    bits : the bit generator of all other draws.
    noise : the noise of each call in order, flat, without its location.

    Examples
    --------
    >>> rng = PlaybackGenerator(np.random.PCG64(0), [np.array([0.5]), np.array([1.0, 2.0])])
    >>> rng.laplace(10.0, 1.0), rng.normal(0.0, [1.0, 2.0]).tolist()
    (10.5, [1.0, 2.0])
    """

    def __init__(self, bits: Any, noise: list[Array]) -> None:
        super().__init__(bits)
        self._noise, self._position, self.paused, self._plain = noise, 0, False, False

    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """Return recorded noise, shifted."""
        return self._next(super().laplace, loc, scale, size)

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """Return recorded noise, shifted."""
        return self._next(super().normal, loc, scale, size)

    def gumbel(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """Return recorded noise, shifted."""
        return self._next(super().gumbel, loc, scale, size)

    def standard_normal(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """Return recorded noise."""
        if out is not None or np.dtype(dtype) != np.float64:
            return super().standard_normal(size, dtype, out)
        return self.normal(0.0, 1.0, size)

    def exponential(self, scale: Any = 1.0, size: Any = None) -> Any:
        """Return recorded noise."""
        draw = super().exponential
        return self._next(lambda _, scale, size: draw(scale, size), 0.0, scale, size)

    def standard_exponential(
        self, size: Any = None, dtype: Any = np.float64, method: Any = "zig", out: Any = None
    ) -> Any:
        """Return recorded noise."""
        if out is not None or np.dtype(dtype) != np.float64 or method != "zig":
            return super().standard_exponential(size, dtype, method, out)
        return self.exponential(1.0, size)

    def geometric(self, p: Any, size: Any = None) -> Any:
        """Return recorded noise."""
        draw, chance = super().geometric, np.asarray(p, np.float64)
        if not ((chance > 0.0) & (chance < 1.0)).all():
            return draw(chance, size)
        drawn = self._next(lambda _, chance, size: draw(chance, size), 0.0, chance, size)
        return np.rint(drawn).astype(np.int64) if np.ndim(drawn) else round(float(drawn))

    def random(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """Return recorded draws."""
        draw = super().random
        if out is not None or np.dtype(dtype) != np.float64 or math.prod(shape_of(size)) > MOST_COINS:
            return draw(size, dtype, out)
        return self._next(lambda _, __, size: draw(size), 0.0, 1.0, size)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        """Return recorded draws from [low, high)."""
        return between(self.random, super().uniform, low, high, size, plain=self.paused or self._plain)

    def choice(self, *arguments: Any, **options: Any) -> Any:
        """Return choices that are not recorded."""
        return np.random.Generator(bits_of(self)).choice(*arguments, **options)

    def multivariate_normal(self, *arguments: Any, **options: Any) -> Any:
        """Return draws that are not recorded."""
        return np.random.Generator(bits_of(self)).multivariate_normal(*arguments, **options)

    def spawn(self, n_children: int) -> Any:
        """Return ordinary Generators."""
        return [np.random.Generator(bits) for bits in bits_of(self).spawn(n_children)]

    @property
    def bit_generator(self) -> Any:
        """The bit generator; from then on nothing is played."""
        self._plain = True
        return bits_of(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> np.random.Generator:
        copied, self._plain = deep_copied(self, memo, self._plain)
        return copied

    def _next(self, draw: Callable[[Any, Any, Any], Any], loc: Any, scale: Any, size: Any) -> Any:
        scales = np.asarray(scale, np.float64)
        if self.paused or self._plain or not ((scales > 0.0) & (scales < np.inf)).all():
            return draw(loc, scale, size)
        shape = np.broadcast_shapes(scales.shape, np.shape(loc))
        if size is not None:
            shape = shape_of(size)
        count = int(np.prod(shape, dtype=np.int64))
        if count == 0:
            return np.zeros(shape)
        if self._position >= len(self._noise) or self._noise[self._position].size != count:
            raise DivergenceError(f"draw {self._position + 1} of noise is made without the guard only")
        found = self._noise[self._position].reshape(shape) + loc
        self._position += 1
        return found if found.ndim else float(found)
