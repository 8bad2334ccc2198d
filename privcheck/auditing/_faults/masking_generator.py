"""A Generator whose noise is so large that nothing to which it is added can be seen."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

FACTOR = 1e7
"""Rewards to which such noise is added change the order of two sums with a probability of this order, inverted."""

MOST_DRAWS = 20_000
"""Draws of noise in one run: code that draws until the noise is small would never end."""


class TooManyDrawsError(Exception):
    """A run draws noise again and again."""


class MaskingGenerator(np.random.Generator):
    """Numpy's Generator, with noise that is `FACTOR` times as large, from a stream of its own.

    Parameters
    ----------
    coins, noise : seeds of all other draws, and of noise.

    Examples
    --------
    >>> rng = MaskingGenerator(0, 1)
    >>> abs(rng.laplace(5.0, 1.0)) > 1e4, rng.coins, 0.0 <= rng.random() < 1.0, rng.coins
    (True, 0, True, 1)
    """

    def __init__(self, coins: int, noise: int) -> None:
        super().__init__(np.random.PCG64([coins, 0]))
        self._seed = noise
        self.coins, self.drawn = 0, 0

    @cached_property
    def _noise(self) -> np.random.Generator:
        return np.random.Generator(np.random.PCG64([self._seed, 1]))  # takes as long as a short run; many draw none

    def _masking(self, draw: Callable[..., Any], *arguments: Any) -> Any:
        self.drawn += 1
        if self.drawn > MOST_DRAWS:
            raise TooManyDrawsError
        return FACTOR * draw(*arguments)

    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """Return loc plus large noise."""
        return loc + self._masking(self._noise.laplace, np.zeros(np.shape(loc)), scale, size)

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """Return loc plus large noise."""
        return loc + self._masking(self._noise.normal, np.zeros(np.shape(loc)), scale, size)

    def gumbel(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """Return loc plus large noise."""
        return loc + self._masking(self._noise.gumbel, np.zeros(np.shape(loc)), scale, size)

    def logistic(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """Return loc plus large noise."""
        return loc + self._masking(self._noise.logistic, np.zeros(np.shape(loc)), scale, size)

    def standard_normal(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:  # noqa: ARG002
        """Return large noise."""
        return self._masking(self._noise.standard_normal, size)

    def exponential(self, scale: Any = 1.0, size: Any = None) -> Any:
        """Return large noise."""
        return self._masking(self._noise.exponential, scale, size)

    def standard_exponential(self, size: Any = None, *_: Any, **__: Any) -> Any:
        """Return large noise."""
        return self._masking(self._noise.standard_exponential, size)

    def geometric(self, p: Any, size: Any = None) -> Any:
        """Return large whole noise."""
        drawn = self._masking(self._noise.geometric, p, size)
        return np.rint(drawn).astype(np.int64) if np.ndim(drawn) else round(float(drawn))


def _counted(name: str) -> Callable[..., Any]:
    draw = getattr(np.random.Generator, name)

    def counted(self: MaskingGenerator, *arguments: Any, **options: Any) -> Any:
        self.coins += 1
        return draw(self, *arguments, **options)

    counted.__name__, counted.__doc__ = name, f"Return numpy's `{name}`, and count it as a coin."
    return counted


NOISE = frozenset(
    {"laplace", "normal", "gumbel", "logistic", "standard_normal", "exponential", "standard_exponential", "geometric"}
)
"""The laws that are taken for noise."""

for _name in dir(np.random.Generator):
    if not _name.startswith("_") and _name not in NOISE | {"bit_generator", "spawn"}:
        setattr(MaskingGenerator, _name, _counted(_name))
