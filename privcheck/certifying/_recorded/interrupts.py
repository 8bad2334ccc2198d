"""Errors that come from outside of what was called: they say nothing of it, and do not come again when it is."""

from __future__ import annotations

import inspect
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
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
    return _is_of_handler(error)


def is_from_outside(error: BaseException) -> bool:
    """Return whether an error did not come from what was called, which may raise the classes of interrupts itself.

    A lack of memory or of stack can depend on what the call was told, and so can a `KeyboardInterrupt` that it raises,
    or has a function in C raise: that of Ctrl-C has met the handler of its signal. See `noticing_ctrl_c`.

    >>> is_from_outside(MemoryError()), is_from_outside(KeyboardInterrupt())
    (False, False)
    """
    return _is_of_handler(error)


def is_passing(error: BaseException) -> bool:
    """Return whether an error says nothing of what was looked at, which may be as it should: a lack of memory, too.

    >>> is_passing(MemoryError()), is_passing(RecursionError())
    (True, False)
    """
    return isinstance(error, MemoryError) or is_from_outside(error)


@contextmanager
def noticing_ctrl_c() -> Iterator[None]:
    """Let Ctrl-C, inside the block, leave a frame in the error that it raises: Python's own handler leaves none.

    A signal is handled in the main thread, and a program that handles it in another way has its own handler. One that
    is set inside the block, as the handler of another signal may do, stays.
    """
    own = threading.current_thread() is threading.main_thread()
    if not own or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    try:
        signal.signal(signal.SIGINT, _ctrl_c)
        yield
    finally:
        try:
            _put_back()
        finally:  # the handler of another signal may have raised there
            _put_back()


def _put_back() -> None:
    if signal.getsignal(signal.SIGINT) is _ctrl_c:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _ctrl_c(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
    """Raise the error of Ctrl-C; where it meets what sets or resets the handler, put Python's back first."""
    while frame is not None:
        if frame.f_code in _SETTING:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            break
        frame = frame.f_back
    raise KeyboardInterrupt


_SETTING = (inspect.unwrap(noticing_ctrl_c).__code__, _ctrl_c.__code__)
"""What is on the stack while the handler is set or reset: inside the block, the generator is not."""


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
    handlers = {_place(code) for number in signal.valid_signals() for code in _codes(signal.getsignal(number))}
    handlers.add(_place(_ctrl_c.__code__))
    return any(_place(code) in handlers for code in _raised_in(error))


def _place(code: CodeType) -> tuple[str, int, str]:
    """Return where code stands: a handler that is part of the policy runs as it is written, or as its translation."""
    return code.co_filename, code.co_firstlineno, code.co_qualname


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
