"""The functions of a target's own files that a policy, or what builds it, can reach by names."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import FunctionType, MethodType, ModuleType
from typing import Any

from privcheck.certifying._own_files import file_of, is_own, packages_of

_PRIVCHECK = Path(__file__).resolve().parents[2]
_MANY = 1_000
"""Entries up to which containers are looked into."""

_CACHE = type(functools.lru_cache(len))


def own_functions(target: Any) -> list[FunctionType]:
    """Return the functions of a target's own files that a policy, or what builds it, can reach by names.

    None are returned if one of them is compiled, as by numba: compiled code takes ordinary arrays alone.
    """
    builder = getattr(target.func if isinstance(target, functools.partial) else target, "__self__", None)
    parts = list(getattr(builder, "__dict__", {}).values())
    waiting = [target, type(target), *parts, *map(type, parts)]
    packages = frozenset(packages_of({cls: _file(cls) for each in waiting for cls in getattr(each, "__mro__", ())}))
    found, seen = dict[int, FunctionType](), dict[int, Any]()
    while waiting:
        value = waiting.pop()
        if id(value) in seen:
            continue
        seen[id(value)] = value
        if type(value).__module__.startswith("numba."):
            if _is_target(getattr(getattr(value, "py_func", None), "__code__", _NOWHERE).co_filename, packages):
                return []
        elif isinstance(value, FunctionType):
            if _is_target(value.__code__.co_filename, packages):
                found[id(value)] = value
                waiting += value.__globals__.values()
            waiting += _held(value)
        else:
            waiting += _parts(value, packages)
    return list(found.values())


_NOWHERE = (lambda: None).__code__


def _parts(value: Any, packages: frozenset[str]) -> Iterable[Any]:
    """Return what functions are looked for in."""
    if type(value) is ModuleType:
        is_target = _is_target(getattr(value, "__file__", None) or "", packages)
        return vars(value).values() if is_target else ()
    if isinstance(value, type):
        return [*vars(value).values(), *value.__bases__] if _is_target(_file(value), packages) else ()
    if type(value) in (dict, list, tuple) and len(value) <= _MANY:
        return value.values() if type(value) is dict else value
    return _wrapped(value)


def _wrapped(value: Any) -> Iterable[Any]:
    """Return what methods, partial calls, properties, caches and fields of dataclasses call."""
    kind: Any = type(value)
    if kind in (MethodType, staticmethod, classmethod):
        return (value.__func__,)
    if kind is functools.partial:
        return (value.func, *value.args, *value.keywords.values())
    if kind is property:
        return (value.fget, value.fset)
    if kind is _CACHE:
        return (value.__wrapped__,)
    if kind is functools.cached_property:
        return (value.func,)
    return (value.default_factory,) if kind is dataclasses.Field else ()


def _held(function: FunctionType) -> Iterator[Any]:
    """Yield what a function closes over, its defaults, and what it wraps."""
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:
            continue
    yield from function.__defaults__ or ()
    yield from (function.__kwdefaults__ or {}).values()
    yield function.__dict__.get("__wrapped__")


def _file(cls: type) -> str:
    return file_of(cls, [function.__code__ for function in vars(cls).values() if isinstance(function, FunctionType)])


@functools.cache
def _is_of_privcheck(file: str) -> bool:
    return Path(file).resolve().is_relative_to(_PRIVCHECK)


def _is_target(file: str, packages: frozenset[str]) -> bool:
    return is_own(file, packages) and not _is_of_privcheck(file)
