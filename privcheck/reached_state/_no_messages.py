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


@contextmanager
def without_messages(function: Any = None) -> Iterator[None]:
    """Show no warnings in the block, and pass no error of a destructor to `sys.unraisablehook`.

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

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
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


def _spaces(function: types.FunctionType, depth: int) -> dict[int, dict[str, Any]]:
    """Return the globals of a function, and of the functions that it names."""
    space = function.__globals__
    found = {id(space): space}
    if depth:
        for name in function.__code__.co_names:
            if type(named := space.get(name)) is types.FunctionType and id(named.__globals__) not in found:
                found |= _spaces(named, depth - 1)
    return found
