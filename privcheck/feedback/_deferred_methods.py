"""Methods that only prepare their work when they are called: coroutines and generators, which nobody would run."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterable
from typing import Any

from privcheck.errors import PrivcheckError, words


def check_at_once(parameter: str, policy: Any, methods: Iterable[str]) -> None:
    """Refuse a policy with `async` methods, or methods that `yield`: a call of theirs does nothing until it is awaited.

    Raises
    ------
    PrivcheckError : about `parameter`, with the method's name.

    Examples
    --------
    >>> class Policy:
    ...     def select(self): return 0
    ...     async def update(self, action, reward): self.total += reward
    >>> check_at_once("policy", Policy(), ["select", "update"])
    Traceback (most recent call last):
    ...
    privcheck.errors.PrivcheckError: policy: got Policy, whose update() is a coroutine function, expected methods that \
do their work when they are called; write `def update`, and run what it awaits with asyncio.run

    """
    for name in methods:
        what = _deferred(getattr(policy, name))
        if what:
            got = words(f"{type(policy).__name__}, whose {name}() is {what}")
            hint = f"write `def {name}`, " + (
                "without yield" if what == "a generator function" else "and run what it awaits with asyncio.run"
            )
            raise PrivcheckError(parameter, got, "methods that do their work when they are called", hint)


def _deferred(method: Any) -> str:
    """Return what a method is, in words, if a call does not do its work."""
    while isinstance(method, functools.partial):
        method = method.func
    for found in (method, inspect.unwrap(method), type(method).__call__):
        if inspect.iscoroutinefunction(found):
            return "a coroutine function"
        if inspect.isgeneratorfunction(found) or inspect.isasyncgenfunction(found):
            return "a generator function"
    return ""
