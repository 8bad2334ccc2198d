"""Errors that come from outside of what was called: they say nothing of it, and do not come again when it is."""

from __future__ import annotations

import dis
import inspect
import signal
from collections.abc import Iterator
from functools import partial
from types import CodeType, FrameType
from typing import Any

GENERATORS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


def is_interrupt(error: BaseException) -> bool:
    """Return whether an error came from outside of what was called, or took the place of one that did.

    These are Ctrl-C and the end of the process, a lack of memory, a stack that was deep where the caller called, and
    whatever the handler of a signal raises, such as the time limit of a service, by a class of its own.

    >>> is_interrupt(KeyboardInterrupt()), is_interrupt(ValueError())
    (True, False)
    """
    if isinstance(error, MemoryError | RecursionError) or not isinstance(error, Exception):
        return True
    return _is_of_handler(error)


def is_from_outside(error: BaseException) -> bool:
    """Return whether an error did not come from what was called, which may raise the classes of interrupts itself.

    A lack of memory or of stack can depend on what the call was told, and so can a `KeyboardInterrupt` that it raises.
    That of Ctrl-C is met where nothing is raised.

    >>> is_from_outside(MemoryError()), is_from_outside(ValueError())
    (False, False)
    """
    return _is_of_handler(error) or (isinstance(error, KeyboardInterrupt) and not _is_raised_by_code(error))


def mark_own(error: BaseException) -> BaseException:
    """Mark an error, made here, as one that the policy raised itself, and return it.

    >>> is_own(mark_own(MemoryError())), is_own(MemoryError())
    (True, False)
    """
    error.__dict__["raised by the policy"] = True
    return error


def is_own(error: BaseException) -> bool:
    """Return whether the policy raised this error itself."""
    return "raised by the policy" in error.__dict__


def _is_of_handler(error: BaseException) -> bool:
    handlers = {code for number in signal.valid_signals() for code in _codes(signal.getsignal(number))}
    return any(code in handlers for code in _raised_in(error)) if handlers else False


def _is_raised_by_code(error: BaseException) -> bool:
    """Return whether a statement has raised an error, or it was thrown into a generator, as far as can be told."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    if place is None:
        return False
    code = place.tb_frame.f_code
    return bool(code.co_flags & GENERATORS) or code.co_code[place.tb_lasti] == dis.opmap["RAISE_VARARGS"]


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
