"""Errors that come from outside of what was called: they say nothing of it, and do not come again when it is."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from functools import partial
from types import CodeType, FrameType
from typing import Any


def is_interrupt(error: BaseException) -> bool:
    """Return whether an error came from outside of what was called, or took the place of one that did.

    These are Ctrl-C and the end of the process, a lack of memory, a stack that was deep where the caller called, and
    whatever the handler of a signal raises, such as the time limit of a service, by a class of its own.

    >>> is_interrupt(KeyboardInterrupt()), is_interrupt(ValueError())
    (True, False)
    """
    if isinstance(error, MemoryError | RecursionError) or not isinstance(error, Exception):
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
    """Yield the code of each frame that an error has left, and those that it met on its way.

    What the caller was handling when it called is another error, which no frame of this one has met.
    """
    seen, todo = set[int](), [error]
    while todo:
        one = todo.pop()
        seen.add(id(one))
        frames, place = list[FrameType](), one.__traceback__
        while place is not None:
            frames.append(place.tb_frame)
            place = place.tb_next
        yield from (frame.f_code for frame in frames)
        for met in (one.__cause__, one.__context__):
            if met is not None and id(met) not in seen and met.__traceback__ is not None:
                todo += [met] * (met.__traceback__.tb_frame in frames)
