"""What an own function names: globals of its module, and attributes of the modules that these are."""

from __future__ import annotations

import collections
import functools
import importlib
import os
import sys
import types
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, Protocol

import numpy as np

from privcheck.reached_state._code_names import code_names
from privcheck.reached_state._holders import put_dictionary, put_names
from privcheck.reached_state._own_modules import is_own_module

DISPATCHER: Any = type(np.mean)
"""The class of numpy's functions that are written in Python."""

CACHE: Any = functools._lru_cache_wrapper
_CODE = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, np.ufunc, CACHE)


CONTAINERS = (dict, list, set, collections.deque, bytearray, np.ndarray)
"""What is put back in modules of others, too, where own code names it."""


@lru_cache(maxsize=1024)
def imported(name: str) -> Any:
    """Return a module that own code imports when it runs; None if it cannot be imported."""
    try:
        return importlib.import_module(name)
    except Exception:
        return None


class Taking(Protocol):
    """The parts of a walk that are filled here: see `Walk`."""

    atoms: frozenset[type]
    puts: list[Any]
    caches: list[tuple[Callable[[Any], None], Any]]
    todo: list[Any]
    foreign: dict[str, None]
    names: dict[str, None]

    def look_up(self, space: dict[str, Any], name: str) -> Any:
        """Return what a name stands for, or `put_names`."""

    def keep_space(self, space: dict[str, Any]) -> None:
        """Keep all globals of a module."""

    def keep_names(self, space: dict[str, Any], names: Iterable[str]) -> None:
        """Keep some of them."""


def take_named(walk: Taking, code: Any, space: dict[str, Any]) -> None:
    """Take what an own function names."""
    names, set_globals, set_attributes, imports, sets_any = code_names(code)
    if sets_any:
        walk.keep_space(space)
    elif set_globals or set_attributes:  # of its own module, found in `sys.modules`
        walk.keep_names(space, set_globals | set_attributes)
    for module in filter(None, map(imported, imports)):
        _of_module(walk, module, names, set_attributes, sets_any)
    for name in names:
        value = walk.look_up(space, name)
        if value is put_names:
            continue
        kind = type(value)
        if kind is types.ModuleType:
            _of_module(walk, value, names, set_attributes, sets_any)
        elif kind is CACHE:
            walk.caches.append((functools.partial(space.__setitem__, name), value))
            walk.todo.append(value)
        elif kind not in walk.atoms:
            walk.todo.append(value)
        module = getattr(value, "__module__", None) if isinstance(value, _CODE) else None
        if isinstance(module, str) and not is_own_module(sys.modules.get(module)):
            walk.foreign[module] = None
        if not isinstance(value, _CODE):
            walk.names[f"{str(space.get('__name__', '?')).rpartition('.')[2]}.{name}"] = None


def _of_module(
    walk: Taking, module: Any, names: tuple[str, ...], set_attributes: frozenset[str], sets_any: bool, depth: int = 4
) -> None:
    """Take what an own function names of a module: of others, only what it may set."""
    space, own = vars(module), is_own_module(module)
    walk.look_up(space, "__file__")
    if own and sets_any:
        walk.keep_space(space)
    elif set_attributes:
        walk.keep_names(space, set_attributes)
    if not own:
        _of_others(walk, module, names, set_attributes, sets_any, depth)
        return
    for name in names:
        value = walk.look_up(space, name)
        if value is put_names:
            continue
        if isinstance(value, types.ModuleType):
            if depth:
                _of_module(walk, value, names, set_attributes, sets_any, depth - 1)
        elif type(value) is CACHE:
            walk.caches.append((functools.partial(space.__setitem__, name), value))
            walk.todo.append(value)
        elif type(value) not in walk.atoms:
            walk.todo.append(value)


def _of_others(
    walk: Taking, module: Any, names: tuple[str, ...], set_attributes: frozenset[str], sets_any: bool, depth: int
) -> None:
    """Take what an own function names of a module of others, if it may change it."""
    space = vars(module)
    walk.foreign[module.__name__] = None
    if module is os:
        walk.todo.append(walk.look_up(space, "environ"))
    found = [walk.look_up(space, name) for name in names]
    walk.todo += [value for value in found if type(value) in CONTAINERS]
    for value in found if set_attributes or sets_any else ():
        if isinstance(value, types.ModuleType) and depth:
            _of_module(walk, value, names, set_attributes, sets_any, depth - 1)
        elif isinstance(value, type):
            walk.todo.append(value)
        elif isinstance(value, types.FunctionType | DISPATCHER):
            walk.puts.append((put_dictionary, value.__dict__, dict(value.__dict__)))
