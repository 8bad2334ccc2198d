"""Errors that come from outside of what was called: they say nothing of it, and do not come again when it is."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from functools import partial
from types import CodeType
from typing import Any


def is_interrupt(error: BaseException) -> bool:
    """Return whether an error came from outside of what was called, or took the place of one that did.

    These are Ctrl-C and the end of the process, a lack of memory, and whatever the handler of a signal raises, such as
    the time limit of a service, by a class of its own.

    >>> is_interrupt(KeyboardInterrupt()), is_interrupt(ValueError())
    (True, False)
    """
    if isinstance(error, MemoryError) or not isinstance(error, Exception):
        return True
    handlers = {code for number in signal.valid_signals() for code in _codes(signal.getsignal(number))}
    return any(code in handlers for code in _raised_in(error)) if handlers else False


def _codes(handler: Any) -> Iterator[CodeType]:
    while isinstance(handler, partial):
        handler = handler.func
    for function in (handler, type(handler).__call__):
        code = getattr(getattr(function, "__func__", function), "__code__", None)
        if isinstance(code, CodeType):
            yield code


def _raised_in(error: BaseException) -> Iterator[CodeType]:
    """Yield the code of each frame that an error has left, and those that led to it."""
    seen, todo = set[int](), [error]
    while todo:
        if id(one := todo.pop()) in seen:
            continue
        seen.add(id(one))
        todo += [before for before in (one.__cause__, one.__context__) if before is not None]
        place = one.__traceback__
        while place is not None:
            yield place.tb_frame.f_code
            place = place.tb_next
