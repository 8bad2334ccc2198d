"""Draws of noise that are recorded while a run is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from privcheck.generators._handled_generator import Call, Draw, HandledGenerator, Handler
from privcheck.generators._methods import Noise

Record = Callable[[Noise, Any, Any, Any], Any]
"""Given a method, and loc, scale and size, returns recorded noise; None while no run is recorded."""


class RecordedDraws(Handler):
    """Laplace and normal noise is what `record` returns; other draws are coins.

    Parameters
    ----------
    bits : the bit generator.
    record : returns recorded noise.
    noticed : receives the name of each method whose draws are coins; None for nobody.

    Examples
    --------
    >>> rng = HandledGenerator(RecordedDraws(np.random.PCG64(1), lambda method, loc, scale, size: None))
    >>> rng.normal() == np.random.default_rng(1).normal()
    True
    """

    laws = frozenset({"laplace", "normal"})

    def __init__(self, bits: Any, record: Record, noticed: Callable[[str], None] | None = None) -> None:
        super().__init__(bits)
        self._record, self._noticed = record, noticed

    def exposed(self) -> None:
        """Do nothing: draws by the state are coins, which both runs start alike."""

    def child(self, bits: Any) -> np.random.Generator:
        """Return a Generator whose noise is recorded too."""
        return HandledGenerator(RecordedDraws(bits, self._record, self._noticed))

    def copied(self, bits: Any) -> np.random.Generator:
        """Return a Generator all of whose draws are coins: what it draws may be the noise of the original again."""
        return _copied(bits, self._noticed)

    def pickled(self, bits: Any) -> Any:
        """Return what makes such a copy."""
        return _copied, (bits, self._noticed)

    def noise(self, method: Noise, draw: Draw, loc: Any, scale: Any, size: Any) -> Any:
        """Return recorded noise, if a run is recorded."""
        found = self._record(method, loc, scale, size)
        if found is not None:
            return found
        self._notice(method.name)
        return draw(self.ordinary, loc, scale, size)

    def coin(self, call: Call) -> Any:
        """Return what numpy draws."""
        self._notice(call.method.name)
        if call.method.name == "shuffle" and call.given and hasattr(type(call.given[0]), "shuffle_by"):
            held, *axis = call.given
            return held.shuffle_by(lambda order: call.draw(call.rng, order), *axis, **call.options)
        return super().coin(call)

    def _notice(self, name: str) -> None:
        if self._noticed is not None:
            self._noticed(name)


def _copied(bits: Any, noticed: Callable[[str], None] | None) -> HandledGenerator:
    return HandledGenerator(RecordedDraws(bits, lambda *_: None, noticed))
