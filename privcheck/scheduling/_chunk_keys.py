"""Keys of chunks: the SHA-256 of everything that decides what a chunk shows."""

from __future__ import annotations

import builtins
import dataclasses
import functools
import hashlib
import os
import pickle
import struct
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from pathlib import Path
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    GetSetDescriptorType,
    MappingProxyType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any, NamedTuple

import numpy as np

from privcheck.errors import PrivcheckError, words
from privcheck.scheduling._own_sources import is_own_module, own_sources, source_of

FUNCTIONS = (
    staticmethod,
    classmethod,
    property,
    functools.cached_property,
    functools.partialmethod,
    functools.singledispatchmethod,
    FunctionType,
)


class Fed(bytes):
    """Bytes that are fed as they are, unlike a value of type bytes, which is fed with its type."""


class Named(NamedTuple):
    """What own code names: a global, or an attribute of a class. It may be anything, and is then left out."""

    value: Any


def digest(value: Any) -> str:
    """Return the SHA-256 of a value: of numbers to the last bit, of code with the files that it consists of.

    What plays the same has equal digests in every process; what is equal but may play otherwise has not, such as 1 and
    1.0, or dicts in another order. Functions and classes stand for their names and sources, but not for the folder they
    lie in, and for what they hold: what a function closes over, its defaults and the globals that it names; the
    attributes, slots, fields and bases of a class; and so on in own code that these name. Other objects stand for their
    class, their attributes and, beside these, what would be pickled. Of libraries, only numbers, texts and own
    functions are seen that own code names there, or that were put there.

    What code reads from files or from the environment, or names as it runs, is not seen, nor what a cache holds, nor
    which subclasses there are, nor globals and attributes of classes that are neither plain values nor can be pickled.

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
    """

    def __init__(self, seen: dict[int, tuple[int, Any]], named: bool = False) -> None:
        self._hash, self._seen, self._named = hashlib.sha256(), seen, named
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
            for part in parts:
                self._feed(part)
            self._hash.update(b")")
            self._above.pop()

    def _apart(self, value: Any) -> str:
        """Return the digest of one of several values that have no order of their own."""
        other = _Digest(dict(self._seen), self._named)
        other._above = [*self._above]
        return other.of(value)

    def _parts(self, value: Any) -> tuple[str, list[Any]]:
        """Return what kind of value it is, and the bytes and values that it consists of."""
        found = _plain_parts(value) or self._parts_of_several(value)
        if found is not None:
            return _with_attributes(value, *found)
        if not self._named:
            return _parts_of_object(value)
        try:
            return _parts_of_named(value)
        except Exception:  # a global may be anything, such as a lock or an open file
            return "left out", [_fed(type(value).__qualname__)]

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


def _fed(text: str) -> Fed:
    return Fed(text.encode())


HOLDERS: dict[type, Callable[[Any], Any]] = {
    weakref.ref: lambda value: value(),
    weakref.WeakKeyDictionary: lambda value: list(value.items()),
    weakref.WeakValueDictionary: lambda value: list(value.items()),
    ContextVar: lambda value: value.get(None),
    threading.local: lambda value: dict(vars(value)),
    np.vectorize: lambda value: value.pyfunc,
    memoryview: bytes,
}
"""Values that cannot be pickled, and what they hold."""

OF_EVERY_CLASS = {
    "__abstractmethods__", "__annotate__", "__annotate_func__", "__annotations__", "__annotations_cache__",
    "__dataclass_fields__", "__dataclass_params__", "__doc__", "__firstlineno__", "__module__", "__parameters__",
    "__qualname__", "__slotnames__", "__static_attributes__", "__type_params__", "_abc_impl",
}  # fmt: skip
"""What Python says of a class: other names hold what it does, also those that begin with two underscores."""

POINTER = struct.calcsize("P")

MUTABLE = ("list", "dict", "set", "object", "array")
"""Kinds that stand for a number where code names them again."""


def _plain_parts(value: Any) -> tuple[str, list[Any]] | None:
    """Return the parts of a number, a text or an array: what it is, whatever a class of its own says of it."""
    kind = type(value).__name__
    if value is None or value is ...:
        return kind, []
    if isinstance(value, int):
        return kind, [_fed(int.__format__(value, "x"))]
    if isinstance(value, float):
        return kind, [Fed(struct.pack("<d", value))]
    if isinstance(value, bytes):
        return kind, [Fed(value)]
    if isinstance(value, np.ndarray | np.generic):  # sums may go by the order in which its numbers lie
        array = np.asarray(value)
        content = array.tolist() if array.dtype.hasobject else Fed(np.ascontiguousarray(array).tobytes())
        return "array", [_fed(f"{array.dtype!r} {array.shape} {array.strides}"), content]
    for plain in (str, range, complex):
        if isinstance(value, plain):
            return kind, [_fed(plain.__repr__(value))]
    return None


def _with_attributes(value: Any, kind: str, parts: list[Any]) -> tuple[str, list[Any]]:
    """Return the parts of a number, text, array or collection, and what a class derived from theirs adds."""
    of, own = type(value), is_own_module(type(value).__module__)
    if of.__module__ == "builtins" or not (own or isinstance(value, dict) or hasattr(value, "__dict__")):
        return kind, parts
    return kind, [*parts, Named(of) if own else _fed(of.__qualname__), Named(_attributes(value))]


def _parts_of_object(value: Any) -> tuple[str, list[Any]]:
    """Return the parts of code, or of an object with attributes."""
    if isinstance(value, type | FunctionType | BuiltinFunctionType) or hasattr(value, "py_func"):
        return "code", _code(value)
    if isinstance(value, Path):
        return "path", [Fed(os.fsencode(value))]
    attributes, beside = _attributes(value), _beside_attributes(value)
    if attributes is None or beside is None or isinstance(value, np.random.Generator):
        got = words(f"an object of type {type(value).__name__}, on which what is played depends")
        hint = "pass a class or a function in a file, and its parameters as numbers, texts, arrays or dataclasses"
        raise PrivcheckError("store", got, "values that are the same in every process", hint)
    return "object", [type(value), attributes, beside]


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
        if isinstance(part, MemberDescriptorType)
    ]
    held = {name: getattr(value, name) for name in slots if hasattr(value, name)}
    return held | vars(value) if hasattr(value, "__dict__") else held if slots else None


def _parts_of_named(value: Any) -> tuple[str, list[Any]]:
    """Return the parts of what code names: of own code and own objects, or of anything that can be pickled."""
    if isinstance(value, ModuleType):
        return "module", [_fed(value.__name__)]
    kind = type(value)
    if isinstance(value, (type, BuiltinFunctionType, *FUNCTIONS)) or hasattr(value, "py_func"):
        return "code", _code(value, named=True)
    if is_own_module(kind.__module__) or isinstance(value, Path) or hasattr(value, "__wrapped__"):
        if isinstance(value, Path) or _beside_attributes(value) is not None:
            return _parts_of_object(value)
        return "object", [kind, _attributes(value)]
    if isinstance(value, np.random.Generator):
        return "object", [kind, value.bit_generator.state]
    for held_by, held in HOLDERS.items():
        if isinstance(value, held_by):
            return "object", [_fed(kind.__qualname__), held(value)]
    return "pickled", [_fed(f"{kind.__module__}.{kind.__qualname__}"), Fed(pickle.dumps(value, 4))]


def _code(value: Any, *, named: bool = False) -> list[Any]:
    if isinstance(value, staticmethod | classmethod):
        return [_fed(type(value).__name__), Named(value.__func__)]
    if isinstance(value, property):
        return [_fed("property"), *map(Named, (value.fget, value.fset, value.fdel))]
    if isinstance(value, functools.singledispatchmethod):
        return [_fed("by type"), Named(value.func), Named(dict(value.dispatcher.registry))]
    if isinstance(value, functools.cached_property | functools.partialmethod):
        given = vars(value).get("args", ()), vars(value).get("keywords"), value.func
        return [_fed("wrapped"), *map(Named, given)]
    module, name = value.__module__ or "builtins", value.__qualname__
    source = source_of(module)
    if source is None and not named:
        got = words(f"{name}, which is defined in no file")
        raise PrivcheckError("store", got, "a target in a file", "write it to a file, and name it 'file.py:name'")
    files = {} if named else own_sources([value])
    compiled = Named(getattr(value, "targetoptions", None))  # by numba: how
    owner = getattr(value, "__self__", None) if isinstance(value, BuiltinFunctionType) else None  # as in table.get
    of = [] if isinstance(owner, ModuleType | type | None) else [owner]
    return [_fed(f"{module} {name} {source}"), files, compiled, *of, *_held(getattr(value, "py_func", value), module)]


def _held(value: Any, module: str) -> list[Any]:
    """Return what tells code from other code of the same name in the same file, and what it names."""
    own = is_own_module(module)
    if isinstance(value, FunctionType):
        own = own or value.__code__.co_filename.startswith("<")  # written by a program, in no module
        names = sorted(set(_names(value.__code__)))
        cells = [part for cell in value.__closure__ or () for part in _with_module(_content(cell), names)]
        globals_ = _globals(names, value.__globals__) if own else []
        about = [value.__defaults__, value.__kwdefaults__, Named(vars(value) if own else {})]
        return [*cells, *about, *_instructions(value.__code__), *globals_]
    if not isinstance(value, type):
        return []
    if not (own or "<" in value.__qualname__):
        return [part for each in value.__mro__ for part in _put_into(each, list(vars(each)), numbers=False)]
    held: list[Any] = []
    for name, part in sorted(vars(value).items()):
        function = getattr(part, "__func__", part)
        written = isinstance(function, FunctionType) and function.__code__.co_filename == "<string>"
        if written and dataclasses.is_dataclass(value) and name[:2] == "__":
            continue  # a dataclass writes its own
        if name not in OF_EVERY_CLASS and not isinstance(part, MemberDescriptorType | GetSetDescriptorType):
            held += [name, Named(part)]
    fields = dataclasses.fields(value) if dataclasses.is_dataclass(value) else ()
    held += [Named(part) for each in fields for part in (each.name, each.init, each.default, each.default_factory)]
    return [held, *map(Named, (type(value), *value.__bases__))]


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # it is empty
        return None


def _instructions(code: CodeType) -> list[Any]:
    constants = [_instructions(held) if isinstance(held, CodeType) else held for held in code.co_consts]
    arguments = code.co_flags, code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_varnames
    return [code.co_code, constants, code.co_names, arguments, code.co_exceptiontable]


def _globals(names: list[str], space: dict[str, Any]) -> Iterator[Any]:
    """Yield the globals that code names, and what it names of own modules, each after its name."""
    for name in names:
        if name in space or name in sys.modules:
            yield name
            yield from map(Named, _with_module(space.get(name, sys.modules.get(name)), names))
        elif not isinstance(vars(builtins).get(name), BuiltinFunctionType | type | None):
            yield from (name, Named(vars(builtins)[name]))


def _with_module(value: Any, names: list[str]) -> Iterator[Any]:
    """Yield a value; in place of a module its name, and what code names of it if it is own."""
    if isinstance(value, ModuleType):
        yield value.__name__
        yield from _of_module(value, names, set())
    else:
        yield value
        if isinstance(value, type) and not is_own_module(value.__module__):
            yield from _put_into(value, names)


def _of_module(module: ModuleType, names: list[str], above: set[str]) -> Iterator[Any]:
    """Yield what code names of a module: of one that is not own, numbers and texts, and what own code put there."""
    if module.__name__ in above:
        return
    if not is_own_module(module.__name__):
        yield from _put_into(module, names)
    elif "__getattr__" in vars(module) and not vars(module).keys() >= set(names):
        yield Named(vars(module)["__getattr__"])
    for name in names:
        value = vars(module).get(name)
        if name in vars(module) and is_own_module(module.__name__):
            yield from (name, Named(value))
        if isinstance(value, ModuleType):
            yield from _of_module(value, names, above | {module.__name__})


def _put_into(library: ModuleType | type, names: list[str], *, numbers: bool = True) -> Iterator[Any]:
    """Yield the numbers, texts and own functions among what code names of a library's module or class."""
    for name in names:
        value = vars(library).get(name)
        function = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
        own = isinstance(function, FunctionType) and is_own_module(function.__module__ or "builtins")
        if own or (numbers and isinstance(value, bool | int | float | str)):
            yield from (name, Named(value))


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for held in code.co_consts:
        if isinstance(held, CodeType):
            yield from _names(held)
