"""Methods whose work nobody would have done: coroutines, generators, and those in the place of an attribute."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterable
from typing import Any

from privcheck.errors import PrivcheckError, words


def check_at_once(parameter: str, policy: Any, methods: Iterable[str], attributes: Iterable[str] = ()) -> None:
    """Refuse a policy with `async` methods, or methods that `yield`: a call of theirs does nothing until it is awaited.

    Neither does a method that is read as an attribute: it is always true. Properties are not evaluated.

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
    for name in attributes:
        if callable(inspect.getattr_static(policy, name, None)):
            got = words(f"{type(policy).__name__}, whose {name} is a method")
            raise PrivcheckError(parameter, got, "an attribute or a property", f"write @property above `def {name}`")


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
