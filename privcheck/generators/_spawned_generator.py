"""Generators that are spawned from a guarded one: numpy's, whose draws are public numbers."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from privcheck.generators._handled_generator import bits_of
from privcheck.generators._methods import NOISE
from privcheck.private_values import own_place


class SpawnedGenerator(np.random.Generator):
    """Numpy's Generator, which notes the lines that draw from laws of noise: the guard does not count these draws.

    They are noted in `noise` of its bit generator, if that has it, as children of the bits have.
    """


def _noting(draw: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(draw)
    def method(self: SpawnedGenerator, *given: Any, **options: Any) -> Any:
        noted = getattr(bits_of(self), "noise", None)
        if noted is not None:
            noted[own_place()] = None
        return draw(self, *given, **options)

    return method


for _name in NOISE:
    setattr(SpawnedGenerator, _name, _noting(getattr(np.random.Generator, _name)))

SpawnedGenerator.__module__, SpawnedGenerator.__name__ = np.random.Generator.__module__, np.random.Generator.__name__
