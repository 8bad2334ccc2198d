"""What a function of one number may call, looked through: what surely tells, and what is not known to keep nothing."""

from __future__ import annotations

import builtins
import collections
import functools
import importlib
import types
import weakref
from _thread import LockType
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from privcheck.reached_state._holders import slots_of
from privcheck.reached_state._known_calls import (
    BEYOND,
    COINS,
    DUNDERS,
    FRAMES,
    OF_LOCKS,
    PURE,
    REGISTERING,
    WRITING,
    acts_outside,
    is_impure,
    is_known,
    is_known_kind,
)
from privcheck.reached_state._named_by_code import CACHE, DISPATCHER
from privcheck.reached_state._own_modules import is_inner, is_own_class, is_own_file, is_own_module
from privcheck.reached_state._uses_of_code import Uses, uses_of
from privcheck.reached_state._walk import ATOMS

_MISSING = object()
_CONTAINERS = (dict, list, tuple, set, frozenset, collections.deque, types.MappingProxyType)

_OF_ALL = frozenset({"globals", "vars", "locals", "eval", "exec", "compile", "__import__", "dir", "id"})
_CONSTRUCTING = frozenset({"__init__", "__new__", "__post_init__", "__init_subclass__", "__class_getitem__", "__del__"})
_MAKING, _DESTROYING = "a class that it makes", "a method __del__"
_GIVEN_UP = "a generator with try, with, await or yield from"
_WEAK = frozenset({"weakref.ref", "weakref.finalize", "weakref.proxy", "_weakref.proxy", "weakref.WeakMethod"})
_OF_CLASSES = frozenset({"type", "__class__", "copy", "deepcopy", "replace"})
"""Names by which code makes objects of classes that it does not name."""


class LookedThrough(NamedTuple):
    """What a function may do besides computing with its number and with what is put back.

    Parameters
    ----------
    impure : what surely keeps or tells something, in the words of the code.
    unknown : what is not known to keep nothing.
    """

    impure: tuple[str, ...]
    unknown: tuple[str, ...]

    @property
    def late(self) -> tuple[str, ...]:
        """What runs when objects are given up, which may be after everything has been put back."""
        late = {_DESTROYING, _GIVEN_UP, *_WEAK}
        return tuple(name for name in (*self.impure, *self.unknown) if name in late)

    @property
    def outside(self) -> tuple[str, ...]:
        """What surely acts outside of the process, at another time, or on what is not put back."""
        return (*filter(acts_outside, self.impure), *(name for name in self.unknown if name in BEYOND))


def looked_through(function: Any) -> LookedThrough:
    """Return what a function uses that is on no list, in it or in own functions that it may call.

    Every value that own code can lay hands on is a number, a text, a container or an array; an object that is found
    from the function by names; or what a call returns. So it is enough to look at what names stand for, and at
    attributes that lead further than an object: to the frames of callers. What names stand for is on a list of
    functions and classes that compute from their arguments alone, or is an own function, which is looked through
    likewise, or is returned here. Own classes and objects are followed by the names of attributes, whatever the object.

    Examples
    --------
    >>> import math, logging, warnings
    >>> log = logging.getLogger("looked through")
    >>> looked_through(lambda x: math.log(x))
    LookedThrough(impure=(), unknown=())
    >>> looked_through(lambda x: log.info(x))
    LookedThrough(impure=(), unknown=('logging.Logger.info',))
    >>> looked_through(lambda x: warnings.warn(str(x))), looked_through(print).impure
    (LookedThrough(impure=('warnings.warn',), unknown=()), ('print',))
    """
    look = _Look()
    look.value(function, "")
    look.follow()
    return LookedThrough(tuple(look.impure), tuple(name for name in look.unknown if name not in look.impure))


def place_of(function: Any) -> str:
    """Return the file and the line of a function, in brackets; nothing if it has none."""
    while not isinstance(function, types.FunctionType):
        outer = function
        function = getattr(outer, "__func__", getattr(outer, "func", getattr(outer, "__wrapped__", None)))
        if function is None or function is outer:
            return ""
    return f" ({Path(function.__code__.co_filename).name}:{function.__code__.co_firstlineno})"


class _Look:
    """A function that is being looked through.

    Attributes
    ----------
    impure, unknown : what was found.
    names : attributes that the code names, of whatever object.
    holders : own objects, classes and functions, whose attributes they may be: their namespaces.
    modules : modules that stand in variables.
    """

    def __init__(self) -> None:
        self.impure, self.unknown = dict[str, None](), dict[str, None]()
        self.names, self.modules = set[str](), dict[int, types.ModuleType]()
        self.holders, self._seen = dict[int, Any](), dict[int, Any]()
        self._classes, self._makes_any, self._locks = dict[type, bool](), False, False

    def follow(self) -> None:
        """Follow the names of attributes until nothing is new."""
        before = (-1, -1)
        while before != (before := (len(self._seen), len(self.names))):
            for space in list(self.holders.values()):
                for name in self.names.intersection(space):
                    self.value(space[name], name)
            for module in list(self.modules.values()):
                for name in self.names.intersection(vars(module)):
                    self.chain(module, (name,), sets=False)
                if "__dict__" in self.names and not is_own_module(module):
                    self.unknown[f"the names of {module.__name__}"] = None
            for kind, made in list(self._classes.items()):
                if self._makes_any and not made:
                    self._class(kind, made=True)
        for name in sorted(self.names & OF_LOCKS) if self._locks else ():  # nobody knows who holds one, to put it back
            self.impure[f"threading.Lock.{name}"] = None

    def code(self, function: types.FunctionType) -> None:
        """Look at the code of an own function."""
        uses = uses_of(function.__code__)
        self._attributes(uses)
        if uses.makes_classes:  # its bases know of it as long as it is there
            self.unknown[_MAKING] = None
        if uses.ends_later:
            self.unknown[_GIVEN_UP] = None
        if "__del__" in uses.names or "__del__" in uses.texts:
            self.impure[_DESTROYING] = None
        for name in uses.imports:
            self._imported(name, uses.imported)
        free = function.__code__.co_freevars
        for use in uses.uses:
            value = _MISSING
            if use.in_cell:
                if use.name in free and function.__closure__:
                    value = _content(function.__closure__[free.index(use.name)])
            else:
                value = function.__globals__.get(use.name, vars(builtins).get(use.name, _MISSING))
            if value is _MISSING:
                self.names.update(use.chain)
                self._attribute_names(use.chain)
                continue
            if not use.in_cell and use.name in _OF_ALL and value is vars(builtins).get(use.name):
                self.unknown[use.name] = None
            self._makes_any = self._makes_any or use.name in _OF_CLASSES or bool(_OF_CLASSES.intersection(use.chain))
            self.chain(value, use.chain, sets=use.sets, name=use.name)

    def _attributes(self, uses: Uses) -> None:
        asked = uses.attributes
        if any(use.name in ("getattr", "setattr", "delattr", "hasattr") for use in uses.uses):
            asked = asked | uses.texts
        self.names |= asked
        self._attribute_names([*asked, *(FRAMES & uses.texts)])
        self._makes_any = self._makes_any or bool(_OF_CLASSES & asked)
        if uses.computes:
            self.unknown["an attribute whose name is computed"] = None

    def _attribute_names(self, names: Iterable[str]) -> None:
        """Take note of attributes that lead to frames, to files, or to what Python keeps of classes and modules."""
        for name in sorted(names):
            if name in FRAMES or name in WRITING:
                self.impure[f"the attribute {name}"] = None
            elif name in REGISTERING or (name[:2] == "__" == name[-2:] and name not in DUNDERS):
                self.unknown[f"the attribute {name}"] = None

    def _imported(self, name: str, parts: Iterable[str]) -> None:
        try:
            module = importlib.import_module(name)
            top = importlib.import_module(name.partition(".")[0])
        except Exception:
            return
        for each in {module, top}:
            self.value(each, each.__name__)
        for part in parts:
            if part in vars(module):
                self.chain(module, (part,), sets=False)

    def chain(self, value: Any, chain: tuple[str, ...], *, sets: bool, name: str = "") -> None:
        """Look at what a name stands for, and at the attributes that are asked of it at once."""
        label, place, of_others = name, 0, False
        while isinstance(value, types.ModuleType) and place < len(chain) - sets:
            of_others = not is_own_module(value)
            label = f"{value.__name__}.{chain[place]}"
            found = vars(value).get(chain[place], _MISSING)
            if found is _MISSING:
                found = getattr(value, chain[place], _MISSING) if value.__name__.startswith("privcheck") else _MISSING
            if found is _MISSING:
                return
            if of_others and not isinstance(found, types.ModuleType):
                self._of_module(value, chain[place], found, label)
            value, place = found, place + 1
        rest = chain[place:]
        if sets and (of_others or isinstance(value, types.ModuleType) or _is_code(value)) and not _is_own(value):
            self.impure[f"{'.'.join((name, *chain))}, which it sets"] = None
            return
        if not (of_others and not isinstance(value, types.ModuleType) and id(value) in self._seen):
            self.value(value, label, rest)
        self._attribute_names(rest)
        if type(value) not in (dict, list, tuple, set, frozenset, str, np.ndarray) and id(value) not in PURE:
            self.names.update(rest)
        else:
            self.names.update(rest[1:])

    def _of_module(self, module: types.ModuleType, name: str, value: Any, label: str) -> None:
        """Look at what a module of others has under a name."""
        if type(value) in ATOMS or _is_struct(value) or id(value) in PURE:
            return
        if module.__name__ in COINS:
            self._seen[id(value)] = value
            return
        if is_impure(module.__name__, name):
            self.impure[label] = None
            self._seen[id(value)] = value
        elif not (_is_code(value) or type(value) is DISPATCHER or isinstance(value, int | str | float)):
            self.unknown[label] = None
            self._seen[id(value)] = value

    def value(self, value: Any, label: str, rest: tuple[str, ...] = ()) -> None:
        """Look at a value that code may lay hands on."""
        kind: Any = type(value)
        if kind in ATOMS or id(value) in PURE:
            return
        key = id(value) if not rest else hash((id(value), rest))
        if key in self._seen:
            return
        self._seen[key] = value
        if isinstance(value, types.ModuleType):
            self._module(value, label)
        elif isinstance(value, types.FunctionType):
            self._function(value)
        elif kind is DISPATCHER:
            self._others(value.__module__, value.__name__)
        elif isinstance(value, types.BuiltinFunctionType | types.MethodWrapperType):
            self._builtin(value)
        elif isinstance(value, type):
            self._class(value, made=True)
        elif (parts := _parts(value, kind)) is not None:
            for part in parts if not set(map(type, parts)) <= ATOMS else ():
                self.value(part, label)
        else:
            self._object(value, kind, rest)

    def _module(self, module: types.ModuleType, label: str) -> None:
        if is_impure(module.__name__, ""):
            self.impure[label if label.startswith(module.__name__) else module.__name__] = None
        self.modules[id(module)] = module

    def _function(self, function: types.FunctionType) -> None:
        code = function.__code__
        for part in (function.__defaults__, function.__kwdefaults__, *(function.__closure__ or ())):
            self.value(part, function.__name__)
        if vars(function):
            self.holders[id(function)] = vars(function)
        if is_own_file(code.co_filename):
            self.code(function)
        else:
            self._others(str(function.__globals__.get("__name__")), code.co_qualname)

    def _builtin(self, function: Any) -> None:
        owner = function.__self__
        if owner is None or isinstance(owner, types.ModuleType):
            name = function.__qualname__
            is_builtin = vars(builtins).get(name) is function
            module = "builtins" if is_builtin else function.__module__ or getattr(owner, "__name__", "builtins")
            self._others(str(module), name)
        else:
            self.value(owner, function.__name__, (function.__name__,))
            self._attribute_names([function.__name__])

    def _others(self, module: str, name: str) -> None:
        """Take note of a function or a class of others."""
        label = name if module == "builtins" else f"{module}.{name}"
        if is_impure(module, name):
            self.impure[label] = None
        elif not is_known(module, name):
            self.unknown[label] = None

    def _class(self, cls: Any, *, made: bool) -> None:
        """Look at what Python calls by itself of an own class, and at the classes of others that it derives from."""
        if self._classes.get(cls, False) or (cls in self._classes and not made):
            return
        self._classes[cls] = made
        for base in cls.__mro__:
            if base is not object and id(base) not in PURE:
                self._base(base, made=made)
        if _is_own(type(cls)):
            self._class(type(cls), made=False)

    def _base(self, base: Any, *, made: bool) -> None:
        """Look at what a class takes from one that it derives from, or has itself."""
        if base is weakref.ref:  # what it calls is called when an object is given up
            self.unknown["weakref.ref"] = None
        if issubclass(base, BaseException) and base.__module__ == "builtins":
            if base is KeyboardInterrupt:  # the one that is not caught
                self.impure["KeyboardInterrupt"] = None
        elif not _is_own(base):
            if not (is_known_kind(base) or is_inner(base.__module__)):
                self._others(base.__module__, base.__qualname__)
        else:
            space = vars(base)
            self.holders[id(base)] = space
            if "__del__" in space:
                self.impure[_DESTROYING] = None
            for name, part in space.items():
                if name[:2] == "__" == name[-2:] and (made or name not in _CONSTRUCTING) and name != "__dict__":
                    self.value(part, name)

    def _object(self, value: Any, kind: type, rest: tuple[str, ...]) -> None:
        """Look at an object: an own one is followed by names, of others the functions that it holds."""
        if is_inner(kind.__module__) or _is_struct(value):
            return
        held, self._locks = getattr(value, "__dict__", None), self._locks or kind is LockType
        if _is_own(kind):
            self._class(kind, made=False)
            if isinstance(held, dict):
                self.holders[id(value)] = held
            if slots := slots_of(kind):
                found = {slot.__name__: getattr(value, slot.__name__, None) for slot in slots}
                self.holders[id(slots)] = {**self.holders.get(id(slots), {}), **found}
        else:
            if not is_known_kind(kind):
                self._others(kind.__module__, ".".join((kind.__qualname__, *rest[:1])))
            for part in held.values() if isinstance(held, dict) else ():
                if _is_code(part) or _is_own(type(part)):
                    self.value(part, kind.__name__)
        if isinstance(value, _CONTAINERS):
            for part in list(dict.values(value)) if isinstance(value, dict) else list(value):
                self.value(part, kind.__name__)
        elif isinstance(value, np.ndarray) and value.dtype.hasobject:
            for part in value.ravel().tolist():
                self.value(part, kind.__name__)


def _parts(value: Any, kind: Any) -> list[Any] | None:
    """Return what a value passes on to or contains; None if it is neither a wrapper nor a container."""
    if kind is CACHE:
        return [value.__wrapped__]
    if kind.__name__ == "CPUDispatcher":  # numba's, of which globals are constants
        return [value.py_func]
    if isinstance(value, types.MethodType | staticmethod | classmethod):
        return [value.__func__, getattr(value, "__self__", None)]
    if isinstance(value, functools.partial):
        return [value.func, *value.args, *value.keywords.values()]
    if isinstance(value, property):
        return [value.fget, value.fset, value.fdel]
    if kind in _CONTAINERS:
        return [*value.values(), *value] if kind in (dict, types.MappingProxyType) else list(value)
    return [_content(value)] if kind is types.CellType else None


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return _MISSING


def _is_struct(value: Any) -> bool:
    """Tell whether a value is a tuple of numbers with names, such as `sys.float_info`."""
    return isinstance(value, tuple) and all(type(part) in ATOMS for part in value)


def _is_code(value: Any) -> bool:
    return isinstance(
        value, type | types.FunctionType | types.BuiltinFunctionType | types.MethodType | functools.partial
    )


def _is_own(value: Any) -> bool:
    if isinstance(value, types.ModuleType):
        return is_own_module(value)
    if isinstance(value, type):  # of those that no class statement makes, none is own: Cython hides their modules
        return bool(value.__flags__ & (1 << 9)) and isinstance(value.__module__, str) and is_own_class(value)
    return isinstance(value, types.FunctionType) and is_own_file(value.__code__.co_filename)
