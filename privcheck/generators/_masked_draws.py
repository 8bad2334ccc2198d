"""Noise so large that nothing to which it is added can be seen."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from privcheck.errors import PrivcheckError, words
from privcheck.generators._handled_generator import Call, Draw, Handler
from privcheck.generators._methods import Noise
from privcheck.generators._played_draws import as_drawn

FACTOR = 1e7
"""Rewards to which such noise is added change the order of two sums with a probability of this order, inverted."""

MOST_DRAWS = 20_000
"""Draws of noise in one run: code that draws until the noise is small would never end."""


class TooManyDrawsError(Exception):
    """A run draws noise again and again."""


class MaskedDraws(Handler):
    """Noise is `FACTOR` times as large as it should be, from a stream of its own.

    Parameters
    ----------
    coins, noise : seeds of all other draws, and of noise.

    Attributes
    ----------
    coins : how many times public numbers were drawn, or could have been.

    Examples
    --------
    >>> from privcheck.generators._handled_generator import HandledGenerator
    >>> draws = MaskedDraws(0, 1)
    >>> rng = HandledGenerator(draws)
    >>> abs(rng.laplace(5.0, 1.0)) > 1e4, draws.coins, 0.0 <= rng.random() < 1.0, draws.coins
    (True, 0, True, 1)
    """

    laws = frozenset({"laplace", "normal", "gumbel", "logistic", "exponential", "geometric"})

    def __init__(self, coins: int, noise: int) -> None:
        super().__init__(np.random.PCG64([coins, 0]))
        self._seed = noise
        self.coins, self._drawn = 0, 0

    @cached_property
    def _noise(self) -> np.random.Generator:
        return np.random.Generator(np.random.PCG64([self._seed, 1]))  # takes as long as a short run; many draw none

    def exposed(self) -> None:
        """Count a coin: what is drawn by the state is not masked."""
        self.coins += 1

    def child(self, bits: Any) -> np.random.Generator:  # noqa: ARG002
        """Refuse it: what it draws would not be masked."""
        raise PrivcheckError("rng", words("rng.spawn, whose draws are not masked"), "draws from one Generator")

    def coin(self, call: Call) -> Any:
        """Return what numpy does, and count it as a coin; noise in other precision or in a given array is masked."""
        if isinstance(call.method, Noise) and call.method.law in self.laws:
            self._count()
            drawn = call.by(self._noise)
            drawn *= FACTOR
            return drawn
        self.coins += 1
        return super().coin(call)

    def noise(self, method: Noise, draw: Draw, loc: Any, scale: Any, size: Any) -> Any:
        """Return loc plus large noise."""
        self._count()
        found = loc + FACTOR * draw(self._noise, np.zeros(np.shape(loc)), scale, size)
        return as_drawn(method.law, found) if method.law == "geometric" else found

    def _count(self) -> None:
        self._drawn += 1
        if self._drawn > MOST_DRAWS:
            raise TooManyDrawsError
