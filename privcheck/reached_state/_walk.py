"""Finding everything that can be changed and that some objects reach, and keeping what it holds."""

from __future__ import annotations

import array
import collections
import contextvars
import functools
import itertools
import random
import sys
import threading
import types
import typing
import weakref
from collections.abc import Callable, Iterable
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np

from privcheck.reached_state._holders import (
    MEMBERS,
    OF_ERRORS,
    base_of,
    put_array,
    put_cell,
    put_class,
    put_deque,
    put_dictionary,
    put_error,
    put_items,
    put_members,
    put_names,
    put_object,
    put_ordered,
    put_set,
    put_slots,
    put_space,
    slots_of,
)
from privcheck.reached_state._indirect import (
    take_builtin,
    take_cache,
    take_hidden,
    take_memory,
    take_module,
    take_partial,
    take_property,
    take_reference,
    take_slice,
    take_variable,
    take_view,
    take_wrapper,
)
from privcheck.reached_state._kinds import HARMLESS, NUMBERS, OPAQUE, has_attributes, hides_attributes, holds_more
from privcheck.reached_state._named_by_code import CACHE, CONTAINERS, take_named
from privcheck.reached_state._no_messages import REGISTRY
from privcheck.reached_state._own_modules import is_inner, is_of_others, is_own_class, is_own_file
from privcheck.reached_state._separate_draws import seeds_of

ATOMS: set[type] = {
    int, float, bool, str, bytes, complex, type(None), type(...), type(NotImplemented), range, object,
    np.float64, np.int64, np.bool_, *(type(np.dtype(kind)) for kind in (float, int, bool)), types.CodeType,
    typing.ForwardRef, types.GetSetDescriptorType, types.MemberDescriptorType, types.WrapperDescriptorType,
    types.MethodDescriptorType, types.ClassMethodDescriptorType,
}  # fmt: skip
"""Classes of objects that hold nothing which can be changed."""

_ITERATORS = tuple(kind for kind in vars(itertools).values() if isinstance(kind, type))

Put = tuple[Callable[..., None], Any, Any]


class Walk:
    """Everything that can be changed and that some objects reach, with what it holds now.

    Attributes
    ----------
    puts : what puts each of them back: a function, the object, and what it held.
    caches : each `lru_cache` in a place where another can stand: what puts a value there, and the cache.
    cleared : each `lru_cache` in a place where no other can stand.
    generators : random generators.
    refused : objects that hold something and can be neither copied nor refilled: iterators.
    trusted : objects of packages that are not looked into, such as loggers.
    unknown : objects of which it is not known what they hold.
    foreign : modules of others that own functions name.
    names : globals that own functions name and that are no code, with the modules that they belong to.
    looked_up : what names stood for, besides what is put back: a dictionary, the name, and its value.
    read : what else the way on depends on: a function, what it was given, and the objects that it returned.
    code : the functions and classes at which the walk ended; None if it went on through them.
    """

    atoms = frozenset(ATOMS)

    def __init__(self, roots: Iterable[Any], *, through_code: bool = True) -> None:
        self.puts: list[Put] = []
        self.caches: list[tuple[Callable[[Any], None], Any]] = []
        self.cleared, self.generators = list[Any](), list[Any]()
        self.refused: list[Any] = []
        self.trusted: list[Any] = []
        self.unknown: list[Any] = []
        self.foreign, self.names = dict[str, None](), dict[str, None]()
        self.looked_up: list[tuple[dict[str, Any], str, Any]] = []
        self.read: list[tuple[Callable[[Any], Iterable[Any]], Any, tuple[Any, ...]]] = []
        self.code: list[Any] | None = None if through_code else []
        self.seen: dict[int, Any] = {}
        self.todo: list[Any] = list(roots)
        self._spaces: dict[int, dict[str, Any]] = {}
        seen, todo = self.seen, self.todo
        while todo:
            value = todo.pop()
            kind: Any = type(value)  # mypy takes classes for unhashable because their objects may be
            if kind in ATOMS or id(value) in seen:
                continue
            seen[id(value)] = value  # which lives as long as its number
            taker = _TAKERS.get(kind) or _taker(kind)
            if self.code is not None and (taker is _function or taker is _class):
                self.code.append(value)
            else:
                taker(self, value)

    def hold(self, values: Iterable[Any]) -> None:
        """Look into values, too."""
        self.todo += values

    def look_up(self, space: dict[str, Any], name: str) -> Any:
        """Return what a name stands for, or `put_names`; the way on depends on it."""
        value = dict.get(space, name, put_names)
        self.looked_up.append((space, name, value))
        return value

    def parts(self, get: Callable[[Any], Iterable[Any]], value: Any) -> tuple[Any, ...]:
        """Return the parts of an object; the way on depends on them."""
        found = tuple(get(value))
        self.read.append((get, value, found))
        return found

    def keep_space(self, space: dict[str, Any]) -> None:
        """Keep all globals of a module."""
        self.puts.append((put_space, space, dict(space)))

    def keep_names(self, space: dict[str, Any], names: Iterable[str]) -> None:
        """Keep some globals of a module, or attributes."""
        kept = self._spaces.get(id(space))
        if kept is None:
            kept = self._spaces[id(space)] = {}
            self.puts.append((put_names, space, kept))
        for name in names:
            kept.setdefault(name, space.get(name, put_names))


Taker = Callable[[Walk, Any], None]
_EXTRA: dict[type, Taker] = {}


def keep_as(kind: type, parts: Callable[[Any], Any], put: Callable[[Any, Any], None]) -> None:
    """Declare how objects of a class are kept: what `parts` returns is given back to `put`."""

    def take(walk: Walk, value: Any) -> None:
        walk.puts.append((put, value, parts(value)))

    _EXTRA[kind] = take


def _nothing(walk: Walk, value: Any) -> None:
    """Take an object that holds nothing."""


def _dictionary(walk: Walk, value: dict[Any, Any]) -> None:
    if type(value) is dict:
        walk.puts.append((put_dictionary, value, dict.copy(value)))
    else:
        walk.puts.append((put_ordered, value, list(base_of(value).items(value))))
        if isinstance(value, collections.defaultdict):
            walk.todo += walk.parts(attrgetter("default_factory", "__class__"), value)
    kinds = set(map(type, dict.values(value)))
    if not kinds <= ATOMS and value is not sys.modules:  # which stands in every program: its modules are named
        if CACHE in kinds:
            base = base_of(value)
            walk.caches += [
                (functools.partial(base.__setitem__, value, key), part)
                for key, part in dict.items(value)
                if type(part) is CACHE
            ]
        walk.todo += dict.values(value)
    if not set(map(type, value)) <= ATOMS:
        walk.todo += list(dict.keys(value))


def _list(walk: Walk, value: list[Any]) -> None:
    walk.puts.append((put_items, value, list.copy(value)))
    kinds = set(map(type, list.__iter__(value)))
    if not kinds <= ATOMS:
        if CACHE in kinds:
            walk.caches += [
                (functools.partial(list.__setitem__, value, place), part)
                for place, part in enumerate(value)
                if type(part) is CACHE
            ]
        walk.todo += list.copy(value)


def _deque(walk: Walk, value: Any) -> None:
    walk.puts.append((put_deque, value, list(value)))
    walk.hold(value)


def _tuple(walk: Walk, value: Any) -> None:
    kinds = set(map(type, value))
    if not kinds <= ATOMS:
        walk.cleared += [part for part in value if type(part) is CACHE]
        walk.hold(value)


def _set(walk: Walk, value: Any) -> None:
    walk.puts.append((put_set, value, set(value)))
    walk.hold(value)


def _bytes(walk: Walk, value: Any) -> None:
    walk.puts.append((put_items, value, value[:]))


def _array(walk: Walk, value: Any) -> None:
    saved = np.array(value, copy=True, subok=False)
    walk.puts.append((put_array, value, (saved, value.shape, value.strides, value.flags.writeable)))
    walk.todo.append(value.dtype)
    if value.dtype.hasobject:
        walk.hold(saved.ravel().tolist())
    if value.base is not None:
        walk.todo.append(value.base)


def _function(walk: Walk, value: Any) -> None:
    code = value.__code__
    walk.puts.append((put_members, value, tuple(getattr(value, name) for name in MEMBERS)))
    for held in (value.__dict__, value.__annotations__):
        if held:
            walk.todo.append(held)
        else:
            walk.puts.append((put_dictionary, held, {}))
    for part in (value.__defaults__, value.__kwdefaults__):
        if part:
            walk.todo.append(part)
    for cell in value.__closure__ or ():
        walk.todo.append(cell)
    if is_own_file(code.co_filename):
        take_named(walk, code, value.__globals__)
        walk.keep_names(value.__globals__, (REGISTRY,))
        if type(notes := value.__globals__.get(REGISTRY)) is dict:
            walk.todo.append(notes)


def _cell(walk: Walk, cell: Any) -> None:
    try:
        value = cell.cell_contents
    except ValueError:
        walk.puts.append((put_cell, cell, put_cell))
        return
    walk.puts.append((put_cell, cell, value))
    if type(value) is CACHE:
        walk.caches.append((functools.partial(setattr, cell, "cell_contents"), value))
    walk.todo.append(value)


def _class(walk: Walk, value: type) -> None:
    if value.__flags__ & (1 << 8) or not value.__flags__ & (1 << 9):  # immutable, or not made by a class statement
        return
    space = dict(vars(value))
    walk.puts.append((put_class, value, (value.__name__, value.__qualname__, value.__bases__, space)))
    walk.look_up(sys.modules, value.__module__)
    if not is_own_class(value):
        if is_of_others(value):
            walk.foreign[value.__module__] = None
        if not value.__module__.startswith("privcheck."):
            walk.todo += [part for name, part in space.items() if type(part) in CONTAINERS and name[:2] != "__"]
        return
    for name, part in space.items():
        if type(part) is CACHE:
            walk.caches.append((functools.partial(type.__setattr__, value, name), part))
        if type(part) not in ATOMS:
            walk.todo.append(part)
    walk.hold(value.__mro__[1:])
    walk.todo.append(type(value))


def _object(walk: Walk, value: Any) -> None:
    held = getattr(value, "__dict__", None)
    if isinstance(held, dict):
        walk.puts.append((put_object, value, (type(value), dict.copy(held))))
        kinds = set(map(type, held.values()))
        if not kinds <= ATOMS:
            if CACHE in kinds:
                walk.caches += [
                    (functools.partial(held.__setitem__, name), part)
                    for name, part in held.items()
                    if type(part) is CACHE
                ]
            walk.todo += held.values()
    cls: Any = type(value)
    if slots := slots_of(cls):
        found = [(slot, getattr(value, slot.__name__, put_names)) for slot in slots]
        walk.puts.append((put_slots, value, found))
        walk.hold(part for _, part in found)
    walk.todo.append(type(value))


def _error(walk: Walk, value: Any) -> None:
    saved = tuple(getattr(value, name) for name in OF_ERRORS)
    walk.puts.append((put_error, value, saved))
    walk.todo.append(saved[0])
    _object(walk, value)


def _generator(walk: Walk, value: Any) -> None:
    walk.generators.append(value)
    walk.todo.append(seeds_of(value))


def _refused(walk: Walk, value: Any) -> None:
    walk.refused.append(value)


def _trusted(walk: Walk, value: Any) -> None:
    walk.trusted.append(value)


def _unknown(walk: Walk, value: Any) -> None:
    walk.unknown.append(value)


def _ufunc(walk: Walk, value: Any) -> None:
    if all("O" in kinds for kinds in value.types):  # made by `np.frompyfunc`, which does not tell of what
        walk.refused.append(value)


_TAKERS: dict[type, Taker] = {
    dict: _dictionary, list: _list, tuple: _tuple, frozenset: _tuple, set: _set, collections.deque: _deque,
    collections.OrderedDict: _dictionary, collections.defaultdict: _dictionary, bytearray: _bytes, array.array: _bytes,
    memoryview: take_memory, np.ndarray: _array, types.FunctionType: _function, types.CellType: _cell,
    CACHE: take_cache, types.MethodType: take_wrapper, staticmethod: take_wrapper, classmethod: take_wrapper,
    property: take_property, functools.partial: take_partial, types.BuiltinFunctionType: take_builtin,
    type(object().__str__): take_builtin,
    contextvars.ContextVar: take_variable, weakref.ref: take_reference, types.MappingProxyType: take_view,
    type(threading.Lock()): _trusted, np.ufunc: _ufunc, types.ModuleType: take_module, slice: take_slice,
}  # fmt: skip

_BASES: list[tuple[Any, Taker]] = [
    (type, _class),
    (random.SystemRandom, _nothing),
    ((np.random.Generator, np.random.BitGenerator, np.random.RandomState, random.Random), _generator),
    ((np.generic, np.dtype, Path), _nothing),
    (_ITERATORS, _refused),
    (BaseException, _error),
    (threading.local, _object),
]


@functools.cache
def _taker(kind: type) -> Taker:
    """Return what takes objects of a class."""
    module = kind.__module__ if isinstance(kind.__module__, str) else ""  # it may be a property
    extra = next((base for base in kind.__mro__ if base in _EXTRA), None)
    if extra is not None:
        return _both(_EXTRA[extra]) if kind is not extra and kind.__dictoffset__ else _EXTRA[extra]
    if is_inner(module):
        return _nothing
    for bases, taker in _BASES:
        if issubclass(kind, bases):
            return _both(taker) if taker in (_nothing, _generator) and has_attributes(kind) else taker
    parts = [taker for base, taker in _TAKERS.items() if issubclass(kind, base)]
    return _both(parts[-1]) if parts else _taker_of_object(kind, module)


def _taker_of_object(kind: Any, module: str) -> Taker:
    if issubclass(kind, NUMBERS):
        return _object
    if hasattr(kind, "__next__") and not hasattr(kind, "__dict__"):
        return _refused
    if module == "typing":
        return take_hidden if hides_attributes(kind) else _object if kind.__dictoffset__ else _nothing
    if module.partition(".")[0] in OPAQUE:
        return _trusted
    if (kind.__dictoffset__ or slots_of(kind)) and not holds_more(kind):
        return _object
    if hasattr(kind, "__next__"):
        return _refused
    return _nothing if module in HARMLESS else _unknown


def _both(taker: Taker) -> Taker:
    """Return what takes objects of a class derived from a built-in one: what it holds, and its attributes."""

    def take(walk: Walk, value: Any) -> None:
        taker(walk, value)
        _object(walk, value)

    return take
