"""Lists of numbers with noise as arguments of numpy's functions, which would read every number to make an array."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

import numpy as np

from privcheck.certifying._primitives.unread_noise import UnreadNoise

FUNCTIONS = {function.__name__: function for function in (np.array, np.asarray, np.sum, np.mean, np.cumsum)}
"""The functions of numpy that leave noise unread in lists, too."""

FLOATS = (None, float, np.float64, "float", "float64")


@contextmanager
def unread_lists() -> Iterator[None]:
    """Let numpy's functions of that name take lists of noise as arrays of noise inside the block."""
    for name, function in FUNCTIONS.items():
        setattr(np, name, _of_lists(function))
    try:
        yield
    finally:
        for name, function in FUNCTIONS.items():
            setattr(np, name, function)


def _of_lists(function: Any) -> Callable[..., Any]:
    """Return a function that stacks lists of noise before they are given to another one."""

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if not (args and type(args[0]) in (list, tuple) and _holds_noise(args[0])):
            return function(*args, **kwargs)
        stacked = _stacked(args[0])
        if not isinstance(stacked, UnreadNoise):
            return function(*args, **kwargs)
        if function is not FUNCTIONS["array"] and function is not FUNCTIONS["asarray"]:
            return function(stacked, *args[1:], **kwargs)
        is_plain = len(args) == 1 and kwargs.keys() <= {"dtype"} and kwargs.get("dtype") in FLOATS
        return stacked if is_plain else function(*args, **kwargs)

    return call


def _holds_noise(given: Any) -> bool:
    if type(given) in (list, tuple):
        return any(_holds_noise(one) for one in given)
    return isinstance(given, UnreadNoise)


def _stacked(given: Any) -> Any:
    """Return a list of numbers, some of which have noise, as an array with noise; the list itself if it is uneven."""
    if type(given) not in (list, tuple):
        return given
    rows = [_stacked(one) for one in given]
    return np.stack(rows) if len({np.shape(row) for row in rows}) == 1 else given
