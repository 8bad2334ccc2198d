"""Global generators that a guarded policy draws from: the guard knows no law of their noise, so it counts none."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np


class GlobalDraws:
    """The global generators that were drawn from, by the name of the set of primitives that records their noise.

    Examples
    --------
    >>> draws = GlobalDraws()
    >>> with draws.noticed():
    ...     _ = random.random()
    >>> draws.names
    ['random']
    """

    def __init__(self) -> None:
        self._found: dict[str, None] = {}

    @property
    def names(self) -> list[str]:
        """The names in alphabetical order."""
        return sorted(self._found)

    @contextmanager
    def noticed(self) -> Iterator[None]:
        """Take note of what is drawn from inside the block."""
        before = generator_states()
        try:
            yield
        finally:
            self._found |= {name: None for name, state in generator_states().items() if state != before[name]}


def generator_states() -> dict[str, Any]:
    """Return the states of the global generators, by the same names."""
    state: Any = np.random.get_state(legacy=False)  # noqa: NPY002
    of_numpy = state["state"]["key"].tobytes(), state["state"]["pos"], state["gauss"]
    return {"numpy": of_numpy, "random": random.getstate()}
