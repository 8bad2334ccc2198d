"""Linear algebra with one thread, whatever the number of processors."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController

_lock = threading.Lock()
_inside = 0
_limit: Any = None


@contextmanager
def one_thread() -> Iterator[None]:
    """Let the libraries that are loaded by now compute with one thread while any thread is within such a block.

    Of few columns several threads make no faster fit, but busy processors, and their number may decide how sums round.
    The limit is that of the process: the first block sets it, and the last one to end takes it back.

    Examples
    --------
    >>> import numpy as np
    >>> with one_thread():
    ...     float(np.ones(3) @ np.ones(3))
    3.0
    """
    global _inside, _limit
    with _lock:
        if not _inside:
            _limit = _libraries().limit(limits=1)
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if not _inside:
                _limit.restore_original_limits()


@cache
def _libraries() -> ThreadpoolController:
    return ThreadpoolController()
