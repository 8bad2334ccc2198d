"""Which names and attributes hold private values while a target's own code runs, seen from within."""

from __future__ import annotations

import dis
import functools
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from enum import Enum
from itertools import islice
from types import (
    AsyncGeneratorType,
    BuiltinMethodType,
    CodeType,
    CoroutineType,
    FrameType,
    FunctionType,
    GeneratorType,
    MappingProxyType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any, NamedTuple

import numpy as np

from privcheck.certifying._own_code import functions_of
from privcheck.certifying._own_files import plain_function
from privcheck.certifying._syntax import CONSTRUCTORS
from privcheck.mechanisms import Mechanism
from privcheck.private_values import Private

_SHARED_PLACES: bool = sys.version_info >= (3, 13)

OTHERS = (
    bool, int, float, complex, str, bytes, type(None), ModuleType, np.generic, np.random.Generator,
    np.random.BitGenerator, np.random.SeedSequence, CodeType, Mechanism, range,
)  # fmt: skip
"""What holds nothing private, and is not looked into."""

COLLECTIONS = (list, tuple, set, frozenset, deque)

DEPTH = 5
"""How deep objects are searched."""

WITHIN_OTHERS = 3
"""How deep objects of other people's classes are searched."""

ENTRIES = 100
"""How many entries are looked at, of either end, in a collection at one moment."""

ALL = 10**6
"""How many at the end of a run."""


class Found(NamedTuple):
    """What a value holds: something private, an own object with an attribute that does, and functions."""

    private: bool = False
    holds: bool = False
    functions: frozenset[CodeType] = frozenset()


NOTHING = Found()

UNCHANGING = (*OTHERS, tuple, frozenset, type, FunctionType, MethodType, BuiltinMethodType, Enum)
"""What is the same whoever holds it."""

Place = tuple[CodeType | None, str]
"""A name of a function, by its code object; without one, an attribute or a global name, whatever the object."""


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
    functions : by place, the code of functions that were kept there, in containers too, or that a function returned
        (the place "return").
    objects : by place, the code of the methods that Python itself calls of the own object that was there.
    changing, nesting : places that held an object that can change, and those that held one with such entries.
    ran : code objects of which something ran.
    returning : code objects that returned something private.

    Examples
    --------
    >>> from privcheck.private_values import PrivateSource
    >>> reward = PrivateSource().scalar(0.5, 0.0, 1.0, datum=1)
    >>> seen = ObservedValues(lambda cls: False)
    >>> [seen.look(value).private for value in ([0, (reward,)], [0, 0.5], iter([0.5]))]
    [True, False, True]
    >>> [code.co_name for code in seen.look({"ask": lambda: 0}).functions]
    ['<lambda>']
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
        self.functions: dict[Place, set[CodeType]] = {}
        self.objects: dict[Place, set[CodeType]] = {}
        self.changing: set[Place] = set()
        self.nesting: set[Place] = set()
        self._special: dict[type, frozenset[CodeType]] = {}

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
                found = self.look(value)
                if found.private:
                    names.add(name)
                if found.holds:
                    holders.add(name)
                self._keep((outer, name), value, found.functions)
        self.globals(frame.f_code, frame.f_globals)

    def returned(self, outer: CodeType, value: Any) -> None:
        """Look at what a function returns or yields."""
        if outer not in self.returning and type(value) not in _PLAIN:
            found = self.look(value)
            if found.private:
                self.returning.add(outer)
            self._keep((outer, "return"), value, found.functions)

    def globals(self, code: CodeType, names: Mapping[str, Any]) -> None:
        """Look at the names of a module that a function mentions."""
        self.namespace({name: names[name] for name in code.co_names if type(names.get(name)) not in _PLAIN})

    def namespace(self, names: Mapping[str, Any]) -> None:
        """Look at the names of a module or a class."""
        for name, value in list(names.items()):
            if type(value) not in _PLAIN and name not in self.attributes:
                found = self.look(value)
                if found.private:
                    self.attributes.add(name)
                named = {code for code in found.functions if code.co_name == name}  # these are found by their names
                self._keep((None, name), value, found.functions - named)

    def look(
        self, value: Any, depth: int = DEPTH, seen: dict[int, Found] | None = None, entries: int = ENTRIES
    ) -> Found:
        """Tell what a value is or contains; an iterator that cannot be looked into is taken for private."""
        if isinstance(value, Private):
            return _PRIVATE
        if isinstance(value, OTHERS) or (depth == 0 and not isinstance(value, _FUNCTIONS)):
            return NOTHING
        seen = {} if seen is None else seen
        if (known := seen.get(id(value))) is not None:
            return known
        seen[id(value)] = NOTHING
        found = seen[id(value)] = self._within(value, max(depth - 1, 0), seen, entries)
        return found

    def _within(self, value: Any, depth: int, seen: dict[int, Found], entries: int) -> Found:
        inside = functools.partial(self._any, depth=depth, seen=seen, entries=entries)
        if isinstance(value, np.ndarray):
            return inside(_ends(value.ravel(), entries)) if value.dtype == object else NOTHING
        if type(value) in COLLECTIONS:
            return inside(_ends(value, entries))
        if isinstance(value, MappingProxyType):
            value = dict(value)
        if type(value) is dict:
            return inside([*_ends(value, entries), *_ends(value.values(), entries)])
        if isinstance(value, functools.partial):
            return inside([value.func, *value.args, *value.keywords.values()], is_code=True)
        if isinstance(value, MethodType | BuiltinMethodType):
            return inside([getattr(value, "__func__", None), value.__self__], is_code=True)
        if isinstance(value, FunctionType):
            held = [*_cells(value), *(value.__defaults__ or ()), *vars(value).values()]
            return _with_code(inside(held, is_code=True), value.__code__)
        if isinstance(value, GeneratorType | CoroutineType | AsyncGeneratorType):
            frame, code = _running(value)
            if frame is not None and read_nowhere(code):
                return Found(private=True, holds=True)
            return _with_code(inside([] if frame is None else frame.f_locals.values(), is_code=True), code)
        if isinstance(value, type):
            return Found(functions=self._methods(value, CONSTRUCTORS.__contains__)) if self._is_own(value) else NOTHING
        return self._object(value, inside)

    def _any(
        self, values: Iterable[Any], *, depth: int, seen: dict[int, Found], entries: int, is_code: bool = False
    ) -> Found:
        """Look at several values; what the code of a function calls of own objects is found by its syntax."""
        private = holds = False
        functions: frozenset[CodeType] = frozenset()
        for value in values:
            if type(value) not in _PLAIN:
                found = self.look(value, depth, seen, entries)
                private, holds = private or found.private, holds or found.holds
                if private:
                    break
                if found.functions and not (is_code and self._is_own(type(value))):
                    functions |= found.functions
        return Found(private, holds, functions) if private or holds or functions else NOTHING

    def _keep(self, place: Place, value: Any, functions: Iterable[CodeType]) -> None:
        """Take note of the functions that a place holds, and whether what it holds can change."""
        if place not in self.nesting and not isinstance(value, UNCHANGING):
            self.changing.add(place)
            if _nests(value):
                self.nesting.add(place)
        if functions:
            is_object = self._is_own(type(value)) and not isinstance(value, (*COLLECTIONS, dict))
            (self.objects if is_object else self.functions).setdefault(place, set()).update(functions)

    def _methods(self, cls: type, wanted: Callable[[str], bool]) -> frozenset[CodeType]:
        """Return the code of the methods of an own class, of those names, that its own files define."""
        members = [item for base in cls.__mro__ if self._is_own(base) for item in vars(base).items()]
        found = [plain_function(part) for name, member in members if wanted(name) for part in functions_of(member)]
        return frozenset(part.__code__ for part in found if isinstance(part, FunctionType))

    def _called_by_python(self, cls: type) -> frozenset[CodeType]:
        if cls not in self._special:
            self._special[cls] = self._methods(cls, _is_special)
        return self._special[cls]

    def _object(self, value: Any, inside: functools.partial[Found]) -> Found:
        """Look at an object by its attributes, and at its entries if it is a collection or a mapping as well."""
        own = self._is_own(type(value))
        private, holds, functions = False, False, self._called_by_python(type(value)) if own else frozenset()
        if not own:
            inside = functools.partial(inside, depth=min(inside.keywords["depth"], WITHIN_OTHERS))
        for name, held in _state(value).items():
            if own and name in self.attributes:
                holds = True
            elif isinstance(held, np.random.Generator):
                self.generator_attributes.add(name)
            elif type(held) not in _PLAIN:
                found = inside([held])
                holds = holds or found.holds
                if found.holds:
                    self.holding.add(name)
                if own:
                    self._keep((None, name), held, found.functions)
                else:
                    functions |= found.functions
                if found.private and own:
                    self.attributes.add(name)
                    holds = True
                private = private or (found.private and not own)
        if (base := next((kind for kind in (*COLLECTIONS, dict) if isinstance(value, kind)), None)) is not None:
            entries: Any = (
                base.values(value) if base is dict else base.__iter__(value)
            )  # not what a class makes of them
            found = inside(list(islice(entries, 2 * ENTRIES)))
            private, functions = private or found.private, functions | found.functions
        elif isinstance(value, BaseException):
            private = private or inside(value.args).private
        elif not own and isinstance(value, Iterator):
            private = True
        return Found(private, holds, functions) if private or holds or functions else NOTHING


_PLAIN = frozenset({bool, int, float, str, bytes, type(None), ModuleType, np.float64, np.int64})
_PRIVATE = Found(private=True)
_FUNCTIONS = (FunctionType, MethodType, functools.partial)


def _is_special(name: str) -> bool:
    """Tell whether Python itself calls a method of this name, of an object that is there."""
    return name.startswith("__") and name.endswith("__") and name not in CONSTRUCTORS


def _nests(value: Any) -> bool:
    """Tell whether some of the first entries of a collection can change; a part of an array may be a view of it."""
    if type(value) is dict:
        value = value.values()
    elif not isinstance(value, COLLECTIONS):
        return isinstance(value, np.ndarray)
    return any(not isinstance(entry, UNCHANGING) for entry in islice(value, 3))


def _with_code(found: Found, code: CodeType) -> Found:
    return found._replace(functions=found.functions | {code})


def _running(value: Any) -> tuple[FrameType | None, CodeType]:
    """Return the frame of a generator or a coroutine, None if it has ended, and its code."""
    kind = {GeneratorType: "gi", CoroutineType: "cr"}.get(type(value), "ag")
    return getattr(value, f"{kind}_frame"), getattr(value, f"{kind}_code")


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
