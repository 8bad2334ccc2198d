"""The calls of a guarded policy: one at a time, in the process that made the guard, and none after a failure."""

from __future__ import annotations

import os
from textwrap import shorten
from threading import RLock, local
from traceback import format_exception_only
from types import TracebackType
from typing import Any

from privcheck.errors import GuardClosedError, PrivcheckError, class_name, words
from privcheck.reached_state import FORKS

_forks = 0


def _forked() -> None:
    global _forks
    _forks += 1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


class Process:
    """The process in which an object was made.

    A fork is noticed by the number of the process, or by Python itself where a number occurs twice, as it can in
    containers.

    >>> Process().check("update()")
    """

    def __init__(self) -> None:
        self._made_in = os.getpid(), _forks

    def check(self, call: str) -> None:
        """Raise `GuardClosedError` in a process that was forked later, or in the middle of a call of any guard."""
        if FORKS.half_way:
            got = words(f"{call} in a process that a thread has forked while another one was in a call of a guard")
            hint = "fork outside of the calls of guards, or begin a process of its own"
            raise GuardClosedError("guard", got, "a process in which no call was left unfinished", hint)
        if (os.getpid(), _forks) != self._made_in:
            got = words(f"{call} in a process that was forked after the guard was made")
            hint = "the child would draw the parent's noise and spend its budget again: guard a new policy in the child"
            raise GuardClosedError("guard", got, "calls in the process that made it", hint)


def in_words(error: BaseException) -> str:
    """Return an error in words; of one that holds private values, and cannot be written, its class."""
    try:
        return "".join(format_exception_only(error))
    except Exception:
        return class_name(type(error))


def without_frames(error: BaseException | None) -> None:
    """Take the frames from an error and from those that led to it."""
    while error is not None and error.__traceback__ is not None:
        error.__traceback__, error = None, error.__context__


class Calls:
    """Lets the calls of a guarded policy in one at a time; a second thread waits.

    >>> calls = Calls()
    >>> with calls.one("select()"):
    ...     calls.close(ValueError("no such arm"), "update()")
    >>> calls.closed
    True
    """

    def __init__(self) -> None:
        self.process = Process()
        self.lock = RLock()
        self._called = local()
        self._closed: dict[str, BaseException] = {}
        self._raised: dict[str, TracebackType | None] = {}

    def one(self, call: str) -> Any:
        """Return the lock that encloses a call; PrivcheckError if this thread is inside another one.

        The call may go on only if it is open: see `check_open`. It is Python's own lock, which the handler of a signal
        cannot leave held, wherever it raises.
        """
        self.process.check(call)  # first: in a forked process nobody may be left to release the lock
        lock: Any = self.lock
        if lock._is_owned():
            got = words(f"a call inside {self._called.name} of the same guard")
            raise PrivcheckError(call, got, "one call at a time", "call the guard from outside the policy")
        self._called.name = call
        return lock

    def close(self, cause: BaseException, *calls: str) -> None:
        """Let none of these calls in from now on; the first cause stays."""
        for call in calls:
            if call not in self._closed:
                self._closed[call], self._raised[call] = cause, cause.__traceback__

    def reopen(self) -> None:
        """Let all calls in again: what closed them is found again where it was recorded."""
        self._closed.clear()
        self._raised.clear()

    def drop_frames(self) -> None:
        """Keep nothing of where the causes were raised: frames hold what was private in them."""
        self._raised.clear()
        for cause in self._closed.values():
            without_frames(cause)

    @property
    def causes(self) -> dict[str, BaseException]:
        """What has closed each call that is not let in any more."""
        return self._closed

    @property
    def closed(self) -> bool:
        """Whether some call is no longer let in."""
        return bool(self._closed)

    def check_open(self, call: str) -> None:
        """Raise `GuardClosedError`, with the first cause, if this call is not let in any more.

        The cause has the frames of the policy, and not those of the caller that was told of it, which hold what another
        person gave.
        """
        if (cause := self._closed.get(call)) is None:
            return
        cause.__traceback__ = self._raised.get(call)
        reason = shorten(in_words(cause), 400)
        hint = "what was released and spent stays; guard a new policy for new data"
        raise GuardClosedError(call, words(f"a guard that was closed by {reason}"), "an open guard", hint) from cause
