"""Blocks whose warnings and uncatchable errors reach nobody: whether there is one depends on private numbers."""

from __future__ import annotations

import sys
import threading
import types
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

REGISTRY = "__warningregistry__"
"""The name under which Python notes, in the globals of a module, which warnings were shown."""


_IGNORE_ALL = ("ignore", None, Warning, None, 0)


@contextmanager
def without_messages(function: Any = None, *, plain: bool = False) -> Iterator[None]:
    """Show no warnings in the block, and pass no error of a destructor to `sys.unraisablehook`.

    `plain` says that the block calls nothing but `function`, and that this is a plain function (see `is_plain`), which
    cannot change the filters of warnings. They are then exchanged for the time of the block without notice: Python
    would otherwise forget, at each call, which warnings of the whole program were shown, and look through its filters
    again at each that follows. A block that might change them always gives notice, whether or not it does.

    What Python notes of warnings in the globals of a plain function, and of those that it calls, is as it was
    afterwards; the globals of other functions are put back with all else that these reach.

    Examples
    --------
    >>> with warnings.catch_warnings(record=True) as shown, without_messages():
    ...     warnings.warn("large")
    >>> shown
    []
    """
    own, hook = threading.get_ident(), sys.unraisablehook
    spaces = _spaces(function, 3) if type(function) is types.FunctionType else {}
    notes = [(space, space.get(REGISTRY), dict(space.get(REGISTRY) or {})) for space in spaces.values()]

    def of_others(error: Any) -> None:
        if threading.get_ident() != own:
            hook(error)

    with _exchanged_filters() if plain and not _BY_CONTEXT else warnings.catch_warnings(action="ignore"):
        sys.unraisablehook = of_others
        try:
            yield
        finally:
            sys.unraisablehook = hook
            for space, registry, noted in notes:
                if registry is None:
                    space.pop(REGISTRY, None)
                else:
                    space[REGISTRY] = registry
                    registry.clear()
                    registry.update(noted)


_BY_CONTEXT = bool(getattr(sys.flags, "context_aware_warnings", 0))
"""Whether filters of a context come before those that are exchanged, as they can from Python 3.14 on."""


class _exchanged_filters:  # noqa: N801 - a block; a generator would take as long as the rest
    """Let Python ignore all warnings, without telling it that its filters have changed."""

    __slots__ = ("_filters",)

    def __enter__(self) -> None:
        self._filters = warnings.filters
        warnings.filters = [_IGNORE_ALL]

    def __exit__(self, *_: object) -> None:
        warnings.filters = self._filters


def _spaces(function: types.FunctionType, depth: int) -> dict[int, dict[str, Any]]:
    """Return the globals of a function, and of the functions that it names."""
    space = function.__globals__
    found = {id(space): space}
    if depth:
        for name in function.__code__.co_names:
            if type(named := space.get(name)) is types.FunctionType and id(named.__globals__) not in found:
                found |= _spaces(named, depth - 1)
    return found
