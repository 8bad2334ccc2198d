"""Keys of chunks: the parts that code consists of, and what it names."""

from __future__ import annotations

import builtins
import dataclasses
import functools
import sys
from collections.abc import Iterable, Iterator
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any, NamedTuple

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


def fed(text: str) -> Fed:
    return Fed(text.encode())


OF_EVERY_CLASS = {
    "__abstractmethods__", "__annotate__", "__annotate_func__", "__annotations__", "__annotations_cache__",
    "__dataclass_fields__", "__dataclass_params__", "__doc__", "__firstlineno__", "__module__", "__parameters__",
    "__qualname__", "__slotnames__", "__static_attributes__", "__type_params__", "_abc_impl",
}  # fmt: skip
"""What Python says of a class: other names hold what it does, also those that begin with two underscores."""


def parts_of_code(value: Any, *, named: bool = False) -> list[Any]:
    """Return the parts of a function, a class or what holds one.

    Parameters
    ----------
    named : whether own code names it; what the user passes stands for all files that it imports.

    Raises
    ------
    PrivcheckError : code passed by the user that is in no file.
    """
    if isinstance(value, staticmethod | classmethod):
        return [fed(type(value).__name__), Named(value.__func__)]
    if isinstance(value, property):
        return [fed("property"), *map(Named, (value.fget, value.fset, value.fdel))]
    if isinstance(value, functools.singledispatchmethod):
        return [fed("by type"), Named(value.func), Named(dict(value.dispatcher.registry))]
    if isinstance(value, functools.cached_property | functools.partialmethod):
        given = vars(value).get("args", ()), vars(value).get("keywords"), value.func
        return [fed("wrapped"), *map(Named, given)]
    module, name = value.__module__ or "builtins", value.__qualname__
    source = source_of(module)
    if source is None and not named:
        got = words(f"{name}, which is defined in no file")
        raise PrivcheckError("store", got, "a target in a file", "write it to a file, and name it 'file.py:name'")
    files = {} if named else own_sources([value])
    compiled = Named(getattr(value, "targetoptions", None))  # by numba: how
    owner = getattr(value, "__self__", None) if isinstance(value, BuiltinFunctionType) else None  # as in table.get
    of = [] if isinstance(owner, ModuleType | type | None) else [owner]
    return [fed(f"{module} {name} {source}"), files, compiled, *of, *_held(getattr(value, "py_func", value), module)]


def _held(value: Any, module: str) -> list[Any]:
    """Return what tells code from other code of the same name in the same file, and what it names."""
    own = is_own_module(module)
    if isinstance(value, FunctionType):
        own = own or value.__code__.co_filename.startswith("<")  # written by a program, in no module
        names = sorted(set(_names(value.__code__)))
        cells = [part for cell in value.__closure__ or () for part in _with_module(_content(cell), names)]
        globals_ = _globals(names, value.__globals__) if own else []
        attributes = dict(vars(value)) if own else {}
        if _is_by_type(value):  # its cache and the count of registrations are in its closure
            cells = [Named(dict(vars(value)["registry"]))]
            attributes = {name: held for name, held in attributes.items() if name not in BY_TYPE}
        about = [value.__defaults__, value.__kwdefaults__, Named(attributes)]
        return [*cells, *about, *_instructions(value.__code__), *globals_]
    if not isinstance(value, type):
        return []
    if not (own or "<" in value.__qualname__):
        return [part for each in value.__mro__ for part in _put_into(each, list(vars(each)), numbers=False)]
    held: list[Any] = []
    for name, part in sorted(vars(value).items()):
        function = getattr(part, "__func__", part)
        written = function.__code__.co_filename if isinstance(function, FunctionType) else ""
        if written == "<string>" and dataclasses.is_dataclass(value) and name[:2] == "__":
            continue  # a dataclass writes its own
        if written.startswith("<attrs generated") and name == "__hash__":
            continue  # it has a number in it that is another one in each process
        if name not in OF_EVERY_CLASS and not isinstance(part, MemberDescriptorType | GetSetDescriptorType):
            held += [name, Named(part)]
    fields = dataclasses.fields(value) if dataclasses.is_dataclass(value) else ()
    for each in fields:
        held += map(Named, (each.name, each.init, each.default, each.default_factory, each.metadata))
    return [held, *map(Named, (type(value), *value.__bases__))]


BY_TYPE = ("dispatch", "register", "registry", "_clear_cache")
"""Attributes that `functools.singledispatch` gives a function."""


def _is_by_type(value: FunctionType) -> bool:
    """Tell whether a function was made by `functools.singledispatch`."""
    dispatch = vars(value).get("dispatch")
    return isinstance(dispatch, FunctionType) and "dispatch_cache" in dispatch.__code__.co_freevars


def is_compiled(value: Any) -> bool:
    """Tell whether numba has compiled a function or ufunc, without a look at attributes that others make up."""
    return type(value).__module__.startswith("numba.") and (hasattr(value, "py_func") or hasattr(value, "_dispatcher"))


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
        if name in space:
            yield name
            yield from map(Named, _with_module(space[name], names))
        elif name in sys.modules:  # imported where it is used, or an attribute of that name
            held = list(_of_module(sys.modules[name], names, set()))
            yield from (name, *map(Named, held)) if held else ()
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


def _put_into(library: ModuleType | type, names: Iterable[str], *, numbers: bool = True) -> Iterator[Any]:
    """Yield the numbers, texts and own functions and objects among what code names of a library's module or class."""
    for name in names:
        value = vars(library).get(name)
        if is_own(value) or (numbers and isinstance(value, bool | int | float | str)):
            yield from (name, Named(value))


def is_own(value: Any) -> bool:
    """Tell whether code, or the class of an object, is the user's."""
    while isinstance(value, functools.partial | property | MethodType | staticmethod | classmethod):
        of = value.func if isinstance(value, functools.partial) else value.fget if isinstance(value, property) else None
        value = of or getattr(value, "__func__", None)
    if isinstance(value, FunctionType) and value.__code__.co_filename.startswith("<"):
        return True
    of = value if isinstance(value, type | FunctionType) else type(value)
    return is_own_module(of.__module__ or "builtins")


def parts_of_module(value: ModuleType) -> list[Any]:
    """Return the parts of a module that is handed around, of which code may name anything: of an own one all that it
    holds, of any other what own code put there.
    """
    own = is_own_module(value.__name__)
    held = (part for name, each in sorted(vars(value).items()) for part in (name, Named(each)) if name[:2] != "__")
    return [value.__name__, *(held if own else _put_into(value, sorted(vars(value)), numbers=False))]


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for held in code.co_consts:
        if isinstance(held, CodeType):
            yield from _names(held)
