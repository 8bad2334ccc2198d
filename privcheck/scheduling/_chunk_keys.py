"""Keys of chunks: the SHA-256 of everything that decides what a chunk shows."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
from collections.abc import Callable
from pathlib import Path
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodType,
)
from typing import Any

import numpy as np

from privcheck.errors import PrivcheckError, words
from privcheck.scheduling._own_sources import own_sources, source_of


def digest(value: Any) -> str:
    """Return the SHA-256 of a value: of numbers to the last bit, of code with the files that it consists of.

    Equal values have equal digests in every process. Functions and classes stand for their names and sources, what they
    close over included, but not for the folder they lie in; other objects stand for their class and their attributes.

    Raises
    ------
    PrivcheckError : code that is in no file, or an object whose attributes cannot be read.

    Examples
    --------
    >>> digest((1, 0.5, np.zeros(3))) == digest((1, 0.5, np.zeros(3))) != digest((1, 0.5, np.zeros(4)))
    True
    """
    found = hashlib.sha256()
    _feed(value, found.update, ())
    return found.hexdigest()


def _feed(value: Any, update: Callable[[bytes], None], above: tuple[int, ...]) -> None:
    if id(value) in above:
        update(b"itself")
        return
    above = (*above, id(value))
    kind, parts = _parts(value)
    update(f"({kind}:{len(parts)}".encode())
    for part in parts:
        if isinstance(part, bytes):
            update(f"{len(part)}:".encode() + part)
        else:
            _feed(part, update, above)
    update(b")")


def _parts(value: Any) -> tuple[str, list[Any]]:
    """Return what kind of value it is, and the bytes and values that it consists of."""
    if value is None or value is ... or isinstance(value, bool | int | str | range | complex):
        return type(value).__name__, [repr(value).encode()]
    if isinstance(value, float):
        return "float", [value.hex().encode()]
    if isinstance(value, bytes):
        return "bytes", [value]
    if isinstance(value, np.ndarray | np.generic):
        array = np.asarray(value)
        content = array.tolist() if array.dtype.kind == "O" else np.ascontiguousarray(array).tobytes()
        return "array", [f"{array.dtype.str} {array.shape}".encode(), content]
    return _parts_of_several(value) or _parts_of_object(value)


def _parts_of_several(value: Any) -> tuple[str, list[Any]] | None:
    """Return the same of what holds other values; None for any other object."""
    if isinstance(value, list | tuple):
        return type(value).__name__, list(value)
    if isinstance(value, dict):
        pairs = sorted((digest(key), digest(held)) for key, held in value.items())
        return "dict", [text.encode() for pair in pairs for text in pair]
    if isinstance(value, set | frozenset):
        return "set", sorted(digest(each).encode() for each in value)
    if isinstance(value, np.random.SeedSequence):
        return "seed", [value.entropy, tuple(value.spawn_key)]
    if isinstance(value, functools.partial):
        return "partial", [value.func, value.args, value.keywords]
    if isinstance(value, MethodType):
        return "method", [value.__self__, value.__func__]
    return None


def _parts_of_object(value: Any) -> tuple[str, list[Any]]:
    """Return the same of code, or of an object with attributes."""
    if isinstance(value, type | FunctionType | BuiltinFunctionType) or hasattr(value, "py_func"):
        return "code", _code(value)
    if isinstance(value, Path):
        return "path", [str(value).encode()]
    if dataclasses.is_dataclass(value):
        fields = {each.name: getattr(value, each.name) for each in dataclasses.fields(value) if each.init}
        return "object", [type(value), fields]
    if not hasattr(value, "__dict__") or isinstance(value, np.random.Generator):
        got = words(f"an object of type {type(value).__name__}, on which what is played depends")
        hint = "pass a class or a function in a file, and its parameters as numbers, texts, arrays or dataclasses"
        raise PrivcheckError("store", got, "values that are the same in every process", hint)
    return "object", [type(value), vars(value)]


def _code(value: Any) -> list[Any]:
    module, name = value.__module__ or "builtins", value.__qualname__
    source = source_of(module)
    if source is None:
        got = words(f"{name}, which is defined in no file")
        raise PrivcheckError("store", got, "a target in a file", "write it to a file, and name it 'file.py:name'")
    return [f"{module} {name} {source}".encode(), own_sources([value]), *_held(value)]


def _held(value: Any) -> list[Any]:
    """Return what tells code from other code of the same name in the same file, such as two lambdas."""
    value = getattr(value, "py_func", value)
    if isinstance(value, FunctionType):
        cells = [cell.cell_contents for cell in value.__closure__ or ()]
        return [*cells, value.__defaults__, value.__kwdefaults__, *_instructions(value.__code__)]
    if not isinstance(value, type) or "<" not in value.__qualname__:
        return []
    held: dict[str, Any] = {}
    for name, part in vars(value).items():  # a class in a function: its methods may close over other values each time
        part = getattr(part, "__func__", part)
        if isinstance(part, property):
            held[name] = [part.fget, part.fset, part.fdel]
        elif isinstance(part, functools.cached_property):
            held[name] = part.func
        elif isinstance(part, FunctionType):
            held |= {} if part.__code__.co_filename == "<string>" else {name: part}  # a dataclass writes its own
        elif not (name.startswith(("__", "_abc_")) or isinstance(part, MemberDescriptorType | GetSetDescriptorType)):
            held[name] = part
    return [held, list(value.__bases__)]


def _instructions(code: CodeType) -> list[Any]:
    constants = [_instructions(held) if isinstance(held, CodeType) else held for held in code.co_consts]
    return [code.co_code, constants, code.co_names]
