"""The global generators of numpy and of Python, seeded for targets that draw from them, and put back afterwards."""

from __future__ import annotations

import hashlib
import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from privcheck.errors import PolicyError, words


@contextmanager
def global_generators_seeded(seed: np.random.SeedSequence) -> Iterator[None]:
    """Seed both for the block, in a way that depends on `seed` only; the block leaves them where its draws end.

    Threads share them, so a block in another thread than the main one may not draw from them.

    Raises
    ------
    PolicyError : draws from them in another thread.

    Examples
    --------
    >>> drawn = []
    >>> with global_generators_kept():
    ...     for _ in range(2):
    ...         with global_generators_seeded(np.random.SeedSequence(1)):
    ...             drawn.append((random.random(), np.random.random()))
    >>> drawn[0] == drawn[1]
    True
    """
    if threading.current_thread() is threading.main_thread():
        key = repr((seed.entropy, seed.spawn_key)).encode()
        number = int.from_bytes(hashlib.blake2b(key, digest_size=8).digest(), "big")
        random.seed(number)
        np.random.seed(number % 2**32)  # noqa: NPY002
        yield
        return
    before = _states()
    yield
    if before != _states():
        got = words("a target that draws from a global generator, with several workers")
        raise PolicyError("jobs", got, "jobs=1", "or draw from the Generator that it is given")


@contextmanager
def global_generators_kept() -> Iterator[None]:
    """Put both back into the state that they have now."""
    states = random.getstate(), np.random.get_state()  # noqa: NPY002
    try:
        yield
    finally:
        random.setstate(states[0])
        np.random.set_state(states[1])  # noqa: NPY002


def _states() -> Any:
    return random.getstate(), repr(np.random.get_state(legacy=False))  # noqa: NPY002
