"""Which names and attributes hold private values while a target's own code runs, seen from within."""

from __future__ import annotations

import dis
import functools
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from types import (
    BuiltinMethodType,
    CodeType,
    FrameType,
    FunctionType,
    GeneratorType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any

import numpy as np

from privcheck.mechanisms import Mechanism
from privcheck.private_values import Private

_SHARED_PLACES: bool = sys.version_info >= (3, 13)

OTHERS = (
    bool, int, float, complex, str, bytes, type(None), type, ModuleType, np.generic, np.random.Generator,
    np.random.BitGenerator, np.random.SeedSequence, CodeType, Mechanism, range,
)  # fmt: skip
"""What holds nothing private, and is not looked into."""

COLLECTIONS = (list, tuple, set, frozenset, deque)

DEPTH = 5
"""How deep objects are searched."""

WITHIN_OTHERS = 2
"""How deep objects of other people's classes are searched."""

ENTRIES = 100
"""How many entries are looked at, of either end, in a collection at one moment."""

ALL = 10**6
"""How many at the end of a run."""

Found = tuple[bool, bool]


@functools.lru_cache(maxsize=4096)
def read_nowhere(code: CodeType) -> frozenset[str]:
    """Return the names of a function that cannot be read from outside of it, so that they may hold anything.

    A variable of a comprehension in the function, of which a function within that comprehension makes a cell, shares a
    place with variables of other comprehensions that are no cells. To read it there ends Python 3.13.0.
    """
    if not _SHARED_PLACES or not code.co_cellvars:
        return frozenset()
    steps = [*dis.get_instructions(code)]
    begin = next((place for place, step in enumerate(steps) if step.opname == "RESUME"), 0)
    return frozenset(step.argval for step in steps[begin:] if step.opname == "MAKE_CELL")


class ObservedValues:
    """Names and attributes in which private values were seen, whatever they came through.

    They are looked at before each line of a function of the target, and when it ends, as long as parts of it have not
    run: what a condition has not let run can read what the names and attributes around it hold. Attributes are known by
    their name, whatever the object.

    Parameters
    ----------
    is_own : tells whether a class is of the target's own code, whose attributes are looked at one by one. Another
        object is private as a whole as soon as anything in it is.

    Attributes
    ----------
    attributes : names of attributes that held something private, and of globals.
    names : by code object, the names that held something private, of all functions within it.
    holders : likewise, the names of own objects of which an attribute did.
    holding : likewise, the names of attributes.
    generators, generator_attributes : names by code object, and attributes, that held a numpy Generator.
    ran : code objects of which something ran.
    returning : code objects that returned something private.

    Examples
    --------
    >>> from privcheck.private_values import PrivateSource
    >>> reward = PrivateSource().scalar(0.5, 0.0, 1.0, datum=1)
    >>> seen = ObservedValues(lambda cls: False)
    >>> seen.look([0, (reward,)]), seen.look([0, 0.5]), seen.look(iter([0.5]))
    ((True, False), (False, False), (True, False))
    """

    def __init__(self, is_own: Callable[[type], bool]) -> None:
        self._is_own = is_own
        self.attributes: set[str] = set()
        self.names: dict[CodeType, set[str]] = {}
        self.holders: dict[CodeType, set[str]] = {}
        self.generators: dict[CodeType, set[str]] = {}
        self.generator_attributes: set[str] = set()
        self.ran: set[CodeType] = set()
        self.holding: set[str] = set()
        self.returning: set[CodeType] = set()
        self._globals: dict[CodeType, tuple[str, ...]] = {}

    def frame(self, outer: CodeType, frame: FrameType) -> None:
        """Look at the names of a function that runs; `outer` is the code object of the function around it."""
        self.ran.add(frame.f_code)
        names = self.names.setdefault(outer, set())
        holders = self.holders.setdefault(outer, set())
        unread = read_nowhere(frame.f_code)
        names |= unread
        holders |= unread
        if unread:  # one of them may hold a Generator, too
            self.generators.setdefault(outer, set()).update(unread)
        held = frame.f_locals
        for name, value in [(name, held[name]) for name in held if name not in unread] if unread else held.items():
            if isinstance(value, np.random.Generator):
                self.generators.setdefault(outer, set()).add(name)
            elif name not in names and type(value) not in _PLAIN:
                private, holds = self.look(value)
                if private:
                    names.add(name)
                if holds:
                    holders.add(name)
        self.globals(frame.f_code, frame.f_globals)

    def returned(self, outer: CodeType, value: Any) -> None:
        """Look at what a function returns or yields."""
        if outer not in self.returning and type(value) not in _PLAIN and self.look(value)[0]:
            self.returning.add(outer)

    def globals(self, code: CodeType, names: Mapping[str, Any]) -> None:
        """Look at the names of a module that a function mentions."""
        self.namespace({name: names[name] for name in code.co_names if type(names.get(name)) not in _PLAIN})

    def namespace(self, names: Mapping[str, Any]) -> None:
        """Look at the names of a module or a class."""
        for name, value in list(names.items()):
            if type(value) not in _PLAIN and name not in self.attributes and self.look(value)[0]:
                self.attributes.add(name)

    def look(self, value: Any, depth: int = DEPTH, seen: set[int] | None = None, entries: int = ENTRIES) -> Found:
        """Tell whether a value is or contains something private, and whether an own object in it has such attributes.

        An iterator that cannot be looked into is taken for private.
        """
        if isinstance(value, Private):
            return True, False
        if isinstance(value, OTHERS) or depth == 0:
            return False, False
        seen = set() if seen is None else seen
        if id(value) in seen:
            return False, False
        seen.add(id(value))
        inside = functools.partial(self._any, depth=depth - 1, seen=seen, entries=entries)
        if isinstance(value, np.ndarray):
            return inside(_ends(value.ravel(), entries)) if value.dtype == object else (False, False)
        if type(value) in COLLECTIONS:
            return inside(_ends(value, entries))
        if type(value) is dict:
            return inside([*_ends(value, entries), *_ends(value.values(), entries)])
        if isinstance(value, functools.partial):
            return inside([value.func, *value.args, *value.keywords.values()])
        if isinstance(value, MethodType | BuiltinMethodType):
            return inside([value.__self__])
        if isinstance(value, FunctionType):
            return inside([*_cells(value), *(value.__defaults__ or ()), *vars(value).values()])
        if isinstance(value, GeneratorType):
            if value.gi_frame is not None and read_nowhere(value.gi_code):
                return True, True
            return inside([] if value.gi_frame is None else value.gi_frame.f_locals.values())
        return self._object(value, inside)

    def _any(self, values: Iterable[Any], *, depth: int, seen: set[int], entries: int) -> Found:
        private = holds = False
        for value in values:
            if type(value) not in _PLAIN:
                one, other = self.look(value, depth, seen, entries)
                private, holds = private or one, holds or other
                if private:
                    break
        return private, holds

    def _object(self, value: Any, inside: functools.partial[Found]) -> Found:
        """Look at an object by its attributes, and at its entries if it is a collection or a mapping as well."""
        own = self._is_own(type(value))
        private, holds = False, False
        if not own:
            inside = functools.partial(inside, depth=min(inside.keywords["depth"], WITHIN_OTHERS))
        for name, held in _state(value).items():
            if own and name in self.attributes:
                holds = True
            elif isinstance(held, np.random.Generator):
                self.generator_attributes.add(name)
            elif type(held) not in _PLAIN:
                one, other = inside([held])
                holds = holds or other
                if other:
                    self.holding.add(name)
                if one and own:
                    self.attributes.add(name)
                    holds = True
                private = private or (one and not own)
        if (base := next((kind for kind in (*COLLECTIONS, dict) if isinstance(value, kind)), None)) is not None:
            entries: Any = (
                base.values(value) if base is dict else base.__iter__(value)
            )  # not what a class makes of them
            private = private or inside(list(islice(entries, 2 * ENTRIES)))[0]
        elif isinstance(value, BaseException):
            private = private or inside(value.args)[0]
        elif not own and isinstance(value, Iterator):
            private = True
        return private, holds


_PLAIN = frozenset({bool, int, float, str, bytes, type(None), type, ModuleType, np.float64, np.int64})


def _ends(values: Any, most: int) -> list[Any]:
    """Return the entries of a collection; of a long one those at both ends."""
    if len(values) <= 2 * most:
        return list(values)
    last = islice(reversed(values), most) if hasattr(values, "__reversed__") or hasattr(values, "__getitem__") else ()
    return [*islice(values, most), *last]


def _state(value: Any) -> dict[str, Any]:
    """Return the attributes of an object as they are kept, whatever its class makes of them."""
    cls: Any = type(value)  # mypy takes classes for unhashable because their objects may be
    kept, slots = _places(cls)
    found = {}
    for name, member in slots:
        with suppress(AttributeError, TypeError):
            found[name] = member.__get__(value)
    if kept:
        with suppress(AttributeError):
            held = object.__getattribute__(value, "__dict__")
            return found | held if isinstance(held, dict) else found
    return found


@functools.lru_cache(maxsize=1024)
def _places(cls: type) -> tuple[bool, list[tuple[str, Any]]]:
    """Return whether objects of a class have a dictionary, and the slots in which they keep other attributes."""
    classes = [base for base in cls.__mro__ if base.__module__ != "builtins"]
    members = [(name, member) for base in classes for name, member in vars(base).items()]
    slots = [(name, member) for name, member in members if isinstance(member, MemberDescriptorType)]
    return bool(cls.__dictoffset__), slots


def _cells(function: FunctionType) -> Iterator[Any]:
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:
            continue
