"""Keys of chunks: the SHA-256 of everything that decides what a chunk shows."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import io
import os
import pickle
import random
import struct
import threading
import weakref
from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar
from pathlib import Path
from types import (
    BuiltinFunctionType,
    FunctionType,
    MappingProxyType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any

import numpy as np

from privcheck.errors import PrivcheckError, words
from privcheck.scheduling._own_sources import is_own_module
from privcheck.scheduling._parts_of_code import (
    FUNCTIONS,
    Fed,
    Named,
    fed,
    is_compiled,
    is_own,
    parts_of_code,
    parts_of_module,
)


def digest(value: Any) -> str:
    """Return the SHA-256 of a value: of numbers to the last bit, of code with the files that it consists of.

    What plays the same has equal digests in every process; what is equal but may play otherwise has not, such as 1 and
    1.0, or dicts in another order. Functions and classes stand for their names and sources, but not for the folder they
    lie in, and for what they hold: what a function closes over, its defaults and the globals that it names; the
    attributes, slots, fields and bases of a class; and so on in own code that these name. Other objects stand for their
    class, their attributes and, beside these, what would be pickled, where own code and objects count as everywhere. Of
    libraries, only numbers and texts are seen that own code names there, and own code and objects that were put there;
    of a module that is handed around, in a list or as an attribute, all that it holds if it is own.

    What code reads from files or from the environment, or names as it runs, is not seen, nor the state of the global
    generators, which each run seeds, nor what a cache holds, nor which subclasses there are, nor globals and attributes
    of classes that are neither plain values nor can be pickled.

    Raises
    ------
    PrivcheckError : code that is in no file, or an object whose attributes cannot be read.

    Examples
    --------
    >>> digest((1, 0.5, np.zeros(3))) == digest((1, 0.5, np.zeros(3))) != digest((1, 0.5, np.zeros(4)))
    True
    """
    return _Digest({}).of(value)


class _Digest:
    """Feeds a hash.

    Parameters
    ----------
    seen : objects that have a number, by their ids. Code, and what it names, is fed once and then stands for its
        number: functions may name each other. What a user passes is fed wherever it stands, or equal arguments that
        share their parts in another way would have other digests.
    named : whether what is fed is named by code, rather than passed by the user.
    held : whether it is part of something that the user passes. Of an installed package such a part has its own module
        in the key; of what is passed itself, all that the package imports counts.
    """

    def __init__(self, seen: dict[int, tuple[int, Any]], named: bool = False, held: bool = False) -> None:
        self._hash, self._seen, self._named, self._held = hashlib.sha256(), seen, named, held
        self._above: list[int] = []

    def of(self, value: Any) -> str:
        """Return the digest of a value."""
        self._feed(value)
        return self._hash.hexdigest()

    def _feed(self, value: Any) -> None:
        if isinstance(value, Fed):
            self._hash.update(f"{len(value)}:".encode() + value)
        elif isinstance(value, Named):
            before, self._named = self._named, True
            self._feed(value.value)
            self._named = before
        elif id(value) in self._above:
            self._hash.update(f"what holds it, {self._above.index(id(value))} from the top".encode())
        elif id(value) in self._seen:
            self._hash.update(f"seen {self._seen[id(value)][0]}".encode())
        else:
            kind, parts = self._parts(value)
            if kind in ("code", "module") or (self._named and kind in MUTABLE):
                self._seen[id(value)] = len(self._seen), value  # which lives as long as its number
            self._above.append(id(value))
            self._hash.update(f"({kind}:{len(parts)}".encode())
            before = self._held
            for place, part in enumerate(parts):
                self._held = before or not (kind in ("tuple", "method") or (kind == "partial" and place == 0))
                self._feed(part)
            self._held = before
            self._hash.update(b")")
            self._above.pop()

    def _apart(self, value: Any) -> str:
        """Return the digest of one of several values that have no order of their own."""
        other = _Digest(dict(self._seen), self._named, self._held)
        other._above = [*self._above]
        return other.of(value)

    def _parts(self, value: Any) -> tuple[str, list[Any]]:
        """Return what kind of value it is, and the bytes and values that it consists of."""
        if _is_of_the_process(value):
            return "of the process", [fed(type(value).__qualname__)]
        found = _plain_parts(value) or self._parts_of_several(value)
        if found is not None:
            return _with_attributes(value, *found)
        if isinstance(value, ModuleType):
            return "module", parts_of_module(value)
        if not self._named:
            return _parts_of_object(value, self._held)
        try:
            return _parts_of_named(value)
        except Exception:  # a global may be anything, such as a lock or an open file
            return "left out", [fed(type(value).__qualname__)]

    def _parts_of_several(self, value: Any) -> tuple[str, list[Any]] | None:
        """Return the same of what holds other values; None for any other object."""
        if isinstance(value, list | tuple):
            return type(value).__name__, list(value)
        if isinstance(value, dict | MappingProxyType):  # in order, by which code may go
            return "dict", [part for pair in value.items() for part in pair]
        if isinstance(value, set | frozenset):
            return "set", sorted(value, key=self._apart)
        if isinstance(value, np.random.SeedSequence):
            return "seed", [value.entropy, tuple(value.spawn_key), value.pool_size]
        if isinstance(value, functools.partial):
            return "partial", [value.func, value.args, value.keywords]
        if isinstance(value, MethodType):
            return "method", [value.__self__, value.__func__]
        return None


HOLDERS: dict[type, Callable[[Any], Any]] = {
    weakref.ref: lambda value: value(),
    weakref.WeakKeyDictionary: lambda value: list(value.items()),
    weakref.WeakValueDictionary: lambda value: list(value.items()),
    ContextVar: lambda value: _of_context(value),
    threading.local: lambda value: dict(vars(value)),
    np.vectorize: lambda value: [value.pyfunc, value.otypes, value.excluded, value.signature, value.cache],
    memoryview: bytes,
}
"""Values that cannot be pickled, and what they hold."""

DRAWN_FROM = np.random.Generator, np.random.BitGenerator, np.random.RandomState
"""What is in another state after each draw, and so is refused where a user passes it."""


def _of_context(value: ContextVar[Any]) -> Any:
    """Return what a context variable holds, its default included; None if that is nothing."""
    try:
        return value.get()
    except LookupError:
        return None


OF_THE_PROCESS = (np.random.mtrand._rand, random._inst, os.environ)
"""What no key sees: the state of the global generators, which are seeded before each run, and the environment."""


def _is_of_the_process(value: Any) -> bool:
    return any(value is each for each in OF_THE_PROCESS)


OFFSETS = ("__dictoffset__", "__weaklistoffset__", "__vectorcalloffset__")
"""Members of compiled classes, such as `functools.partial`, that hold addresses and no attributes."""

POINTER = struct.calcsize("P")

MUTABLE = ("list", "dict", "set", "object", "array")
"""Kinds that stand for a number where code names them again."""


def _plain_parts(value: Any) -> tuple[str, list[Any]] | None:
    """Return the parts of a number, a text or an array: what it is, whatever a class of its own says of it."""
    kind = type(value).__name__
    if value is None or value is ...:
        return kind, []
    if isinstance(value, int):
        return kind, [fed(int.__format__(value, "x"))]
    if isinstance(value, float):
        return kind, [Fed(struct.pack("<d", value))]
    if isinstance(value, bytes):
        return kind, [Fed(value)]
    if isinstance(value, np.ndarray | np.generic):  # sums may go by the order in which its numbers lie
        array = np.asarray(value)
        content = array.tolist() if array.dtype.hasobject else Fed(np.ascontiguousarray(array).tobytes())
        return "array", [fed(f"{array.dtype!r} {array.shape} {array.strides}"), content]
    for plain in (str, range, complex):
        if isinstance(value, plain):
            return kind, [fed(plain.__repr__(value))]
    return None


def _with_attributes(value: Any, kind: str, parts: list[Any]) -> tuple[str, list[Any]]:
    """Return the parts of a number, text, array or collection, and what a class derived from theirs adds."""
    of, own = type(value), is_own_module(type(value).__module__)
    if of.__module__ == "builtins" or not (own or isinstance(value, dict) or hasattr(value, "__dict__")):
        return kind, parts
    return kind, [*parts, Named(of) if own else fed(of.__qualname__), Named(_attributes(value))]


def _parts_of_object(value: Any, held: bool = False) -> tuple[str, list[Any]]:
    """Return the parts of code, or of an object with attributes."""
    if isinstance(value, type | FunctionType | BuiltinFunctionType) or (
        is_compiled(value) and hasattr(value, "py_func")
    ):
        return "code", parts_of_code(value, named=held and not is_own_module(value.__module__ or "builtins"))
    if isinstance(value, Path):
        return "path", [Fed(os.fsencode(value))]
    attributes, beside = _attributes(value), _beside_attributes(value)
    if attributes is None or beside is None or isinstance(value, DRAWN_FROM):
        if not isinstance(value, DRAWN_FROM) and not is_own_module(type(value).__module__):
            with suppress(Exception):  # whatever pickle raises
                return _parts_pickled(value)
        got = words(f"an object of type {type(value).__name__}, on which what is played depends")
        hint = "pass a class or a function in a file, and its parameters as numbers, texts, arrays or dataclasses"
        raise PrivcheckError("store", got, "values that are the same in every process", hint)
    by_name = held and not is_own_module(type(value).__module__)
    return "object", [Named(type(value)) if by_name else type(value), attributes, beside]


def _beside_attributes(value: Any) -> list[Any] | None:
    """Return what an object holds that is no attribute, as one of a class derived from a compiled one does: what would
    be pickled. None if nobody knows; nothing for any other object.
    """
    kind = type(value)
    slots = (
        isinstance(part, MemberDescriptorType)
        for each in kind.__mro__
        if "__slots__" in vars(each)
        for part in vars(each).values()
    )
    pointers = sum(slots) + (kind.__dictoffset__ > 0) + (kind.__weakrefoffset__ > 0)
    if not kind.__itemsize__ and kind.__basicsize__ <= object.__basicsize__ + pointers * POINTER:
        return []
    try:
        found = value.__reduce_ex__(4)
    except Exception:  # whatever its class raises
        return None
    return [found] if isinstance(found, str) else [*found[:3], *(list(each or ()) for each in found[3:5])]


def _attributes(value: Any) -> dict[str, Any] | None:
    """Return the attributes of an object, slots included; of a dataclass that is not the user's, what it is made of."""
    if dataclasses.is_dataclass(value) and not is_own_module(type(value).__module__):
        return {each.name: getattr(value, each.name) for each in dataclasses.fields(value) if each.init}
    slots = [
        name
        for each in type(value).__mro__
        for name, part in vars(each).items()
        if isinstance(part, MemberDescriptorType) and name not in OFFSETS
    ]
    held = {name: getattr(value, name) for name in slots if hasattr(value, name)}
    return held | vars(value) if hasattr(value, "__dict__") else held if slots else None


def _parts_of_named(value: Any) -> tuple[str, list[Any]]:
    """Return the parts of what code names: of own code and own objects, or of anything that can be pickled."""
    kind = type(value)
    if isinstance(value, (type, BuiltinFunctionType, *FUNCTIONS)) or (is_compiled(value) and hasattr(value, "py_func")):
        return "code", parts_of_code(value, named=True)
    if is_compiled(value):  # a ufunc
        compiled = value._dispatcher
        return "object", [fed(kind.__qualname__), compiled.py_func, compiled.targetoptions]
    if is_own_module(kind.__module__) or isinstance(value, Path) or hasattr(value, "__wrapped__"):
        if isinstance(value, Path) or _beside_attributes(value) is not None:
            return _parts_of_object(value)
        return "object", [kind, _attributes(value)]
    if isinstance(value, np.random.Generator):
        return "object", [kind, value.bit_generator.state]
    for held_by, held in HOLDERS.items():
        if isinstance(value, held_by):
            return "object", [fed(kind.__qualname__), held(value)]
    return _parts_pickled(value)


def _parts_pickled(value: Any) -> tuple[str, list[Any]]:
    """Return the parts of an object of a library: what is pickled, with own code and objects in it as everywhere."""
    kind, pickled = type(value), io.BytesIO()
    pickler = _LeavesOwn(pickled, 4)
    pickler.dump(value)
    return "pickled", [fed(f"{kind.__module__}.{kind.__qualname__}"), Fed(pickled.getvalue()), *pickler.left]


class _LeavesOwn(pickle.Pickler):
    """Pickles objects of libraries, and leaves what they hold of own code and objects, which pickle only names, and of
    what pickle writes otherwise in each process: sets, compiled functions, and what belongs to the process.
    """

    def __init__(self, file: io.BytesIO, protocol: int) -> None:
        super().__init__(file, protocol)
        self.left: list[Any] = []

    def persistent_id(self, value: Any) -> int | None:
        stands_apart = isinstance(value, (ModuleType, set, frozenset, *HOLDERS)) or is_compiled(value)
        if not stands_apart and not is_own(value) and not _is_of_the_process(value):
            return None
        self.left.append(value)
        return len(self.left)
