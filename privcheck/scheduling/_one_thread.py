"""Linear algebra with one thread, whatever the number of processors."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_lock = threading.Lock()
_inside = 0
_limits: list[Any] = []
_known: tuple[int, Any] = (0, None)
"""The number of modules when libraries were looked for, and what was found."""


@contextmanager
def one_thread() -> Iterator[None]:
    """Let the libraries that are loaded by now compute with one thread while any thread is within such a block.

    Of few columns several threads make no faster fit, but busy processors, and their number may decide how sums round.
    The limit is that of the process: the first block sets it, and the last one to end takes it back. A block inside of
    others looks for libraries again if modules have been imported since, as those that a target imports in a run.

    Examples
    --------
    >>> import numpy as np
    >>> with one_thread():
    ...     float(np.ones(3) @ np.ones(3))
    3.0
    """
    global _inside
    with _lock:
        if not _inside or len(sys.modules) != _known[0]:
            _limits.append(_limited())
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            while not _inside and _limits:
                _limits.pop().restore_original_limits()


def _limited() -> Any:
    """Limit the libraries that are loaded; they are looked for again only if modules have been imported since."""
    from threadpoolctl import ThreadpoolController  # here, since commands start without it

    global _known
    if _known[0] != len(sys.modules):
        _known = (len(sys.modules), ThreadpoolController())
    return _known[1].limit(limits=1)
