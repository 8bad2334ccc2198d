"""Draws that somebody notes, and that are otherwise numpy's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from privcheck.generators._handled_generator import Call, Draw, HandledGenerator, Handler
from privcheck.generators._methods import Noise


class NoticedDraws(Handler):
    """All draws are numpy's own, and each is announced beforehand.

    Parameters
    ----------
    bits : the bit generator.
    noticed : called with the name of the method that draws.
    made : called with each Generator that is made with this handler, this one and those that are spawned.

    Examples
    --------
    >>> names = []
    >>> rng = noticed_generator(np.random.PCG64(1), names.append)
    >>> rng.laplace() == np.random.default_rng(1).laplace(), names
    (True, ['laplace'])
    """

    laws = frozenset[str]()

    def __init__(
        self, bits: Any, noticed: Callable[[str], None], made: Callable[[np.random.Generator], None] | None = None
    ) -> None:
        super().__init__(bits)
        self._noticed, self._made = noticed, made

    def exposed(self) -> None:
        """Do nothing: draws by the state are not noticed."""

    def child(self, bits: Any) -> np.random.Generator:
        """Return a Generator whose draws are noticed too."""
        return noticed_generator(bits, self._noticed, self._made)

    def coin(self, call: Call) -> Any:
        """Return what numpy draws."""
        self._noticed(call.method.name)
        return call.by(self.ordinary)

    def noise(self, method: Noise, draw: Draw, loc: Any, scale: Any, size: Any) -> Any:
        """Return what numpy draws; no law is in `laws`, so that nothing comes here."""
        self._noticed(method.name)
        return draw(self.ordinary, loc, scale, size)


def noticed_generator(
    bits: Any, noticed: Callable[[str], None], made: Callable[[np.random.Generator], None] | None = None
) -> HandledGenerator:
    """Return a Generator with these bits whose draws are noticed."""
    rng = HandledGenerator(NoticedDraws(bits, noticed, made))
    if made is not None:
        made(rng)
    return rng
