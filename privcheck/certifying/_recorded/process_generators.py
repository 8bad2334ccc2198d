"""Generators of the whole process, whose states are everybody's and stand in no snapshot."""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from privcheck.scheduling import other_threads

GENERATORS: Mapping[str, Callable[[], Any]] = {"random": random.getstate, "numpy.random": np.random.get_state}
"""Generators of the process, each with what returns its state."""


@contextmanager
def moved_generators() -> Iterator[set[str]]:
    """Yield what takes the names of the generators of the process that the block has moved.

    Nothing is said if other threads run, which may have moved them.

    Examples
    --------
    >>> state = random.getstate()
    >>> with moved_generators() as moved:
    ...     random.seed(3)
    >>> random.setstate(state)
    >>> moved <= {"random"}
    True
    """
    alone, moved = not other_threads(), set[str]()
    before = {name: pickle.dumps(state()) for name, state in GENERATORS.items()} if alone else {}
    try:
        yield moved
    finally:
        moved |= {name for name, state in before.items() if state != pickle.dumps(GENERATORS[name]())}
