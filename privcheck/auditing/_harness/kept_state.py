"""What a target's code keeps from one run to the next: looked at before and after runs, to name the culprit."""

from __future__ import annotations

import functools
import inspect
import itertools
import random
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from types import CodeType, ModuleType
from typing import Any

import numpy as np

from privcheck.generators import PCG64, position

MOST_OBJECTS = 1000
"""Objects that are looked at, so that a target with large data costs little time."""

MOST_ENTRIES = 50
"""Entries of a container, and thousands of entries of an array, that are compared."""

_GLOBAL_OF_NUMPY = np.random.mtrand._rand
_GLOBAL_OF_PYTHON = random._inst

_FOREIGN = sys.stdlib_module_names | {"numpy", "scipy", "privcheck"}
"""Packages whose own variables are no state of a target: other threads change those of Python's library, say."""


class KeptState:
    """The state that the code of a target can reach without being handed it, as it is now.

    It consists of class attributes; default arguments; variables of enclosing functions and of modules that the code
    names; and caches of functools. Compared are values, and only the first of many. Libraries that the code uses are
    looked at, and not the libraries that these use: what changes there is of no run, such as a library that is loaded
    when it is first needed.

    Parameters
    ----------
    target : a factory of policies, or a mechanism.

    Examples
    --------
    >>> def noisy(data, rng, seen=[]):
    ...     seen.append(rng.laplace())
    ...     return data.sum() + seen[0]
    >>> before = KeptState(noisy)
    >>> _ = noisy(np.zeros(1), np.random.default_rng(0))
    >>> before.changed()
    ['the default argument seen of noisy']
    """

    def __init__(self, target: Any) -> None:
        self.target = target
        self.found = self._look()

    def changed(self) -> list[str]:
        """Return what has changed since, in words."""
        return [name for name, now in self._look().items() if self.found.get(name, now) != now]

    def caches(self) -> list[str]:
        """Return the caches that hold results, in words."""
        return [name for name, held in self._look().items() if name.startswith("the cache of") and held != "0"]

    def _look(self) -> dict[str, str]:
        walk = _Walk()
        with suppress(
            Exception
        ):  # whatever an object of the user's raises when it is looked at: this only names causes
            walk.visit(self.target, asked=True)
        return walk.found


class _Walk:
    """Collects the values that code can reach, by name."""

    def __init__(self) -> None:
        self.found: dict[str, str] = {}
        self._seen: set[int] = set()
        self._packages: tuple[str, ...] = ()  # of the code that is looked at, from the target on: two at most

    def visit(self, code: Any, *, asked: bool = False) -> None:
        """Look at what a function, a class or a callable object keeps; libraries only if they are asked for."""
        if id(code) in self._seen or len(self._seen) > MOST_OBJECTS or (_is_foreign(code) and not asked):
            return
        packages = self._packages_with(_package(code))
        if len(packages) > 2:
            return
        self._seen.add(id(code))
        outer, self._packages = self._packages, packages
        try:
            self._visit(code)
        finally:
            self._packages = outer

    def _packages_with(self, package: str) -> tuple[str, ...]:
        known = package in _FOREIGN or package in self._packages
        return self._packages if known else (*self._packages, package)

    def _visit(self, code: Any) -> None:
        if isinstance(code, functools.partial):
            self.visit(code.func)
        elif isinstance(code, type):
            self._class(code)
        elif isinstance(code, staticmethod | classmethod):
            self.visit(code.__func__)
        elif isinstance(code, property | functools.cached_property):
            self.visit(getattr(code, "fget", None) or getattr(code, "func", None))
        elif hasattr(code, "cache_info") and hasattr(code, "__wrapped__"):
            self.found[f"the cache of {_name(code)}"] = repr(code.cache_info().currsize)
            self.visit(code.__wrapped__)
        elif inspect.ismethod(code):
            self.visit(code.__func__)
            self._object(code.__self__)
        elif inspect.isfunction(code):
            self._function(code)
        elif callable(code):
            self._object(code)

    def _object(self, thing: Any) -> None:
        self.visit(type(thing))
        for name, value in getattr(thing, "__dict__", {}).items():
            self._value(f"the attribute {name} of the {type(thing).__name__} object", value)

    def _class(self, code: type) -> None:
        for base in code.__mro__:
            if _is_foreign(base):
                continue
            for name, value in vars(base).items():
                if not (name.startswith("__") and name.endswith("__") and not inspect.isfunction(value)):
                    self._value(f"the class attribute {base.__name__}.{name}", value)

    def _function(self, code: Any) -> None:
        name = _name(code)
        named = list(inspect.signature(code, follow_wrapped=False).parameters.values())
        for parameter in named:
            if parameter.default is not parameter.empty:
                self._value(f"the default argument {parameter.name} of {name}", parameter.default)
        for variable, cell in zip(code.__code__.co_freevars, code.__closure__ or (), strict=False):
            try:
                self._value(f"the variable {variable} of {name}", cell.cell_contents)
            except ValueError:  # not assigned yet
                continue
        for attribute, value in vars(code).items():
            self._value(f"the attribute {attribute} of {name}", value)
        names = set(_names(code.__code__))
        for variable in sorted(names & set(code.__globals__)):
            value = code.__globals__[variable]
            if isinstance(value, ModuleType):
                self._module(value, names)
            else:
                self._value(f"the module's variable {variable}", value)

    def _module(self, module: ModuleType, names: set[str]) -> None:
        package = module.__name__.partition(".")[0]
        if package in _FOREIGN or len(self._packages_with(package)) > 2:
            return
        for variable in sorted(names & set(vars(module))):
            value = vars(module)[variable]
            if not isinstance(value, ModuleType):
                self._value(f"the variable {variable} of the module {module.__name__}", value)

    def _value(self, name: str, value: Any) -> None:
        if callable(value) or isinstance(value, staticmethod | classmethod | property):
            self.visit(value)
            if inspect.isroutine(value) or isinstance(value, type):
                return
        self.found[name] = _digest(value)


def _is_foreign(code: Any) -> bool:
    return _package(code) in _FOREIGN and not isinstance(
        code, functools.partial | staticmethod | classmethod | property
    )


def _package(code: Any) -> str:
    return str(getattr(code, "__module__", None) or "builtins").partition(".")[0]


def _name(code: Any) -> str:
    return str(getattr(code, "__qualname__", type(code).__name__)).rpartition("<locals>.")[2]


def _names(code: CodeType) -> Iterator[str]:
    """Yield the names that code and the functions inside it use."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _digest(value: Any, depth: int = 3) -> str:
    """Return a text that differs where two states of a value do, as far as they are compared.

    The global generators, which scipy's distributions refer to, are no state of a target: they are seeded for each run.
    """
    if value is _GLOBAL_OF_NUMPY or value is _GLOBAL_OF_PYTHON:
        return ""
    if isinstance(value, np.random.Generator):
        return _digest(value.bit_generator)
    if isinstance(value, PCG64):
        return repr(position(np.random.Generator(value)))
    if isinstance(value, np.random.BitGenerator):
        return repr(value.state)
    if isinstance(value, np.random.RandomState):
        return repr(value.get_state())
    if isinstance(value, random.Random):
        return repr(hash(value.getstate()))
    if isinstance(value, np.ndarray):
        part = value.ravel()[: 1000 * MOST_ENTRIES]
        return f"{value.shape} {hash(part.tobytes()) if part.dtype != object else len(part)}"
    if isinstance(value, dict):
        return f"{len(value)} {_digest(list(itertools.islice(value.items(), MOST_ENTRIES)), depth)}"
    if isinstance(value, list | tuple | set | frozenset | deque):
        shown = list(itertools.islice(value, MOST_ENTRIES))
        return f"{len(value)} {[_digest(entry, depth - 1) for entry in shown] if depth else ''}"
    own = getattr(value, "__dict__", None)
    if own and depth:
        return _digest(dict(own), depth - 1)
    text = repr(value)
    return text[:1000]
