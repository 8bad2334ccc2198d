"""Draws that are played back: the coins are the Generator's own, and the noise is what a guarded run drew."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from privcheck.arrays import Array
from privcheck.generators._draws_on_private_values import LAWS
from privcheck.generators._handled_generator import Call, Draw, HandledGenerator, Handler, shape_of
from privcheck.generators._methods import Noise
from privcheck.mechanisms import DivergenceError

RELATIVE = 1e-6
"""By how much a scale may differ that is computed from released numbers: these are rounded in other ways."""


class Drawn(NamedTuple):
    """The noise of one call, flat and without its location, with its law and the scale of each number."""

    noise: Array
    law: str
    scales: Array


class PlayedDraws(Handler):
    """Noise is recorded, for the laws of `GuardedDraws`; a call of another law, or with another scale, diverges.

    Parameters
    ----------
    bits : the bit generator of all other draws.
    drawn : the noise of each call in order.

    Examples
    --------
    >>> one, two = (np.array([0.5]), "laplace", np.ones(1)), (np.array([1.0, 2.0]), "normal", np.ones(2))
    >>> rng = HandledGenerator(PlayedDraws(np.random.PCG64(0), [one, two]))
    >>> rng.laplace(10.0, 1.0)
    10.5
    >>> rng.normal(0.0, [1.0, 2.0])
    Traceback (most recent call last):
    privcheck.mechanisms.tape.DivergenceError: draw 2 of noise has another scale without the guard
    """

    laws = LAWS

    def __init__(self, bits: Any, drawn: Sequence[tuple[Array, str, Array]]) -> None:
        super().__init__(bits)
        self._drawn = [Drawn(*each) for each in drawn]
        self._position, self._paused, self._plain = 0, False, False

    @property
    def plain(self) -> bool:
        """Whether nothing is played."""
        return self._paused or self._plain

    def exposed(self) -> None:
        """Play nothing from here on."""
        self._plain = True

    def child(self, bits: Any) -> np.random.Generator:
        """Return an ordinary Generator."""
        return np.random.Generator(bits)

    def coin(self, call: Call) -> Any:
        """Return draws that are not recorded, also where numpy makes them of draws of noise."""
        return call.by(self.ordinary)

    def noise(self, method: Noise, draw: Draw, loc: Any, scale: Any, size: Any) -> Any:
        """Return the noise that was recorded next, shifted."""
        scales = np.asarray(scale, np.float64)
        if self.plain or not ((scales > 0.0) & (scales < np.inf)).all():
            return draw(self.ordinary, loc, scale, size)
        shape = np.broadcast_shapes(scales.shape, np.shape(loc)) if size is None else shape_of(size)
        count = int(np.prod(shape, dtype=np.int64))
        if count == 0:
            return np.zeros(shape)
        draws = f"draw {self._position + 1} of noise"
        if self._position >= len(self._drawn) or self._drawn[self._position].noise.size != count:
            raise DivergenceError(f"{draws} is made without the guard only")
        was = self._drawn[self._position]
        if was.law != method.law or not np.allclose(np.broadcast_to(scales, shape).ravel(), was.scales, RELATIVE, 0.0):
            other = "scale" if was.law == method.law else "law"
            raise DivergenceError(f"{draws} has another {other} without the guard")
        found = was.noise.reshape(shape) + loc
        self._position += 1
        return as_drawn(method.law, found)


def as_drawn(law: str, found: Any) -> Any:
    """Return numbers as numpy returns those of a law: geometric ones are whole, and one alone is no array.

    >>> as_drawn("geometric", np.array(2.0)), as_drawn("laplace", np.array(2.0)), as_drawn("geometric", np.ones(2))
    (2, 2.0, array([1, 1]))
    """
    if law == "geometric":
        return np.rint(found).astype(np.int64) if np.ndim(found) else round(float(found))
    return found if np.ndim(found) else float(found)


@contextmanager
def paused(generators: Iterable[np.random.Generator]) -> Iterator[None]:
    """Play nothing inside the block."""
    handlers = [rng._handler for rng in generators if isinstance(rng, HandledGenerator)]
    played = [handler for handler in handlers if isinstance(handler, PlayedDraws)]
    for handler in played:
        handler._paused = True
    try:
        yield
    finally:
        for handler in played:
            handler._paused = False
