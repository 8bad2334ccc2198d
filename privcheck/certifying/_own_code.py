"""The functions of a target's own files that a run of its policy may call."""

from __future__ import annotations

import ast
import functools
import inspect
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import CodeType, FrameType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from privcheck.certifying._own_files import (
    file_of,
    innermost,
    is_generated,
    is_own,
    is_standard,
    packages_of,
    plain_function,
    running,
)
from privcheck.certifying._syntax import CONSTRUCTORS, REACHES_NAMES, names_in
from privcheck.certifying._translated.definitions import Definition, definition

SHOWN_OR_STORED = ("repr", "str", "format", "reduce", "reduce_ex", "getstate", "setstate", "copy", "deepcopy")
MAKES_CLASSES = frozenset(
    f"__{name}__" for name in ("init_subclass", "set_name", "class_getitem", "mro_entries", "prepare")
)
CALLED_BY_NO_ROUND = MAKES_CLASSES | {f"__{name}__" for name in SHOWN_OR_STORED}
"""Methods with which objects are shown, copied and stored, and classes made; a round does not need them."""

ASKS = {
    "__repr__": {"repr", "str", "format", "ascii", "print"}, "__str__": {"str", "format", "print"},
    "__format__": {"format"}, "__copy__": {"copy"}, "__deepcopy__": {"deepcopy"},
}  # fmt: skip
"""Functions by which a round calls some of them after all."""

RUNS_TEXT = frozenset({"exec", "eval"})
"""Builtins that run code which is in no file."""

DEPTH = 4
"""How deep the attributes of a policy are searched for objects of its own classes and for generators."""


@dataclass(frozen=True, eq=False)
class OwnFunction:
    """A function of the target's own files, with its syntax tree.

    Parameters
    ----------
    function : the function itself.
    node : its definition.
    owner : the class in which it was found; None for a function of a module.
    name : what it is called: its own name, or that of the attribute of the class.
    """

    function: FunctionType
    node: Definition
    owner: type | None
    name: str

    @property
    def file(self) -> str:
        """The file that defines it."""
        return self.function.__code__.co_filename

    @functools.cached_property
    def parameters(self) -> list[str]:
        """The names of its positional parameters."""
        arguments = self.node.args
        return [a.arg for a in (*arguments.posonlyargs, *arguments.args)]

    @functools.cached_property
    def receiver(self) -> str:
        """The name of the parameter that receives the instance, or the class; empty if none does."""
        member = None if self.owner is None else inspect.getattr_static(self.owner, self.name, None)
        is_bound = self.owner is not None and not isinstance(member, staticmethod)
        return self.parameters[0] if is_bound and self.parameters else ""

    @property
    def told(self) -> list[str]:
        """The names of the positional parameters that a caller gives."""
        return self.parameters[1:] if self.receiver else self.parameters

    def value(self, name: str) -> Any:
        """Return what a free name stands for; None if that is not known."""
        code = self.function.__code__
        if name in code.co_freevars and self.function.__closure__ is not None:
            cell = self.function.__closure__[code.co_freevars.index(name)]
            try:
                return cell.cell_contents
            except ValueError:
                return None
        return self.function.__globals__.get(name)


class OwnCode:
    """What a run of a policy may call in the target's own files, found from the policy and by following names.

    Its own files are the modules of the policy's classes, their packages, and whatever else lies outside of the
    standard library, of installed packages and of privcheck; of privcheck, the shipped bandits.

    Parameters
    ----------
    policy : a newly built policy.
    called, read, learns : names of methods called from outside, of attributes read, of the method told the rewards.

    Attributes
    ----------
    policy : the policy.
    functions : everything that was found.
    roots : those that are called although no other one names them: `select`, `update` and what else is `called` or
        `read`, what the policy holds and what Python calls by itself.
    classes : own classes of the policy and of the objects that it holds.
    instances : the first object of each class.
    generators : names of the attributes that hold a numpy Generator, or an object that does.
    unnamed : classes of which objects are made under another name than their own.
    unreadable : names of methods whose source cannot be read.
    """

    def __init__(self, policy: Any, called: Iterable[str], read: Iterable[str] = (), learns: str = "update") -> None:
        self.policy, self.learns = policy, learns
        self.functions: list[OwnFunction] = []
        self.roots: set[OwnFunction] = set()
        self.classes: list[type] = []
        self._made: set[type] = set()
        self.instances: dict[type, Any] = {}
        self.generators: set[str] = set()
        self.unnamed: set[type] = set()
        self.unreadable: list[str] = []
        self._known: dict[Any, OwnFunction | None] = {}
        self._seen: dict[int, Any] = {}
        self._names = {*called, *read}
        self._asked: set[str] = set()
        self._packages = frozenset(packages_of({cls: _file(cls) for cls in type(policy).__mro__}))
        for name in sorted(called):
            self._add_root(self._add(getattr(policy, name, None), name=name, needed=True))
        for name in sorted(read):
            for part in functions_of(inspect.getattr_static(policy, name, None)):
                self._add_root(self._add(part, name=name, needed=True))
        self._outside = set(self.roots)
        self._look_into(policy, DEPTH, {})
        self._follow()

    def methods(self, name: str) -> list[OwnFunction]:
        """Return the methods of this name, of any class."""
        return [f for f in self.functions if f.owner is not None and f.name == name]

    def updates(self) -> list[OwnFunction]:
        """Return what receives the rewards: the policy's `update`, and those that it inherits."""
        told = plain_function(getattr(self.policy, self.learns, None))
        bases = type(self.policy).__mro__
        return [f for f in self.functions if f.function is told or (f.name == self.learns and f.owner in bases)]

    def of(self, value: Any) -> list[OwnFunction]:
        """Return the function that a value is, or the method that makes an object of the class that it is."""
        if isinstance(value, type):
            return [f for f in self.methods("__init__") if f.owner in value.__mro__]
        function = plain_function(value)
        found = self._known.get(function) if isinstance(function, FunctionType) else None  # others may not be hashed
        return [] if found is None else [found]

    def is_called_unseen(self, own: OwnFunction) -> bool:
        """Tell whether no call names a function that is called, other than by the feedback."""
        if own.name in CONSTRUCTORS:
            return any(own.owner in cls.__mro__ for cls in self.unnamed)
        return own in self.roots and own not in self._outside

    def is_own(self, file: str) -> bool:
        """Tell whether a file belongs to the target."""
        return is_own(file, self._packages)

    def alike(self, policy: Any) -> list[Any]:
        """Return what else the policy holds on which methods of its class can be called."""
        found: dict[int, Any] = {}
        self._look_into(policy, DEPTH, found)
        return [value for value in found.values() if value is not policy and alike(value, policy)]

    def owns(self, cls: type) -> bool:
        """Tell whether a class belongs to the target."""
        return self.is_own(_file(cls))

    def takes_in(self, frame: FrameType) -> OwnFunction | None:
        """Take in the function that runs in a frame, whatever called it; None if it is known or cannot be read."""
        code, function = frame.f_code, running(frame)
        receiver = frame.f_locals.get(code.co_varnames[0]) if code.co_argcount else None
        owner = next((cls for cls in type(receiver).__mro__ if _defines(cls, code)), None)
        before = len(self.functions)
        own = self._add(function, owner, needed=True)
        self._look_into(receiver, DEPTH, {})
        self._follow()
        return own if len(self.functions) > before else None

    def _look_into(self, value: Any, depth: int, seen: dict[int, Any]) -> bool:
        """Take in the classes and functions of the objects in a value; tell whether it holds a Generator."""
        if isinstance(value, np.random.Generator | np.random.BitGenerator):
            return True
        if depth < 0 or id(value) in seen or isinstance(value, str | bytes | int | float | np.ndarray | ModuleType):
            return False
        seen[id(value)] = value
        if isinstance(value, FunctionType | MethodType | functools.partial):
            self._add_root(self._add(value))
            return False
        if isinstance(value, type):
            self._add_class(value)
            self.unnamed.add(value)
            return False
        if isinstance(value, dict | list | tuple | set | frozenset):
            items = list(value.values() if isinstance(value, dict) else value)
            return sum(self._look_into(item, depth - 1, seen) for item in items) > 0
        self._add_class(type(value))
        self.instances.setdefault(type(value), value)
        found = False
        for name, held in attributes(value).items():
            if self._look_into(held, depth - 1, seen):
                self.generators.add(name)
                found = True
        return found

    def _add_root(self, own: OwnFunction | None) -> None:
        if own is not None:
            self.roots.add(own)

    def _add_class(self, cls: type) -> None:
        self._made.add(cls)
        for field in vars(cls).get("__dataclass_fields__", {}).values():
            self._add_root(self._add(field.default_factory))
        for base in cls.__mro__:
            if base not in self.classes and self.is_own(_file(base)):
                self.classes.append(base)

    def _add(
        self, value: Any, owner: type | None = None, name: str = "", *, needed: bool = False
    ) -> OwnFunction | None:
        """Take in a function, whatever it is wrapped in; one that is needed has to be readable."""
        found = plain_function(value)
        if not isinstance(found, FunctionType):
            if found is not None and self._is_of_own_class(value := innermost(value)):
                self._look_into(value, DEPTH, {})
            elif needed and found is not None:
                self.unreadable.append(name)
            return None
        if found in self._known:
            return self._known[found]
        own = node = None
        file = found.__code__.co_filename
        if needed or self.is_own(file):
            node = definition(found.__code__, found.__globals__)
            if node is None and not is_generated(found.__code__):
                self.unreadable.append(found.__qualname__)
        if node is not None:
            own = OwnFunction(found, node, owner or _owner(value), name or found.__name__)
            self.functions.append(own)
        self._known[found] = own
        if (wrapped := getattr(found, "__wrapped__", None)) is not None:
            self._add_root(self._add(wrapped, owner))
        for inner in (cell for cell in (found.__closure__ or ()) if own is not None):
            try:
                held = inner.cell_contents
            except ValueError:
                continue
            if isinstance(held, FunctionType | MethodType | functools.partial):
                self._add_root(self._add(held))
        return own

    def _follow(self) -> None:
        """Take in what the functions found so far name, until nothing is new."""
        done = 0
        before = (-1, -1)
        while before != (len(self.functions), len(self.classes)) or done < len(self.functions):
            before = len(self.functions), len(self.classes)
            for own in self.functions[done:]:
                self._follow_names(own)
            done = before[0]
            for cls in list(self.classes):
                self._add_methods(cls)

    def _follow_names(self, own: OwnFunction) -> None:
        for node in ast.walk(own.node):
            if isinstance(node, ast.Attribute):
                self._names.add(node.attr)
                self._asked.add(node.attr)
                if isinstance(node.value, ast.Name) and isinstance(module := own.value(node.value.id), ModuleType):
                    self._add_named(getattr(module, node.attr, None), node.attr)
            elif isinstance(node, ast.Name):
                self._asked.add(node.id)
                self._add_named(own.value(node.id), node.id)
                if node.id in RUNS_TEXT and own.value(node.id) is None:
                    self.unreadable.append(f"what {node.id}() runs in {own.function.__qualname__}")
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                self._names.update(names_in(node.value))
            if getattr(node, "id", getattr(node, "attr", "")) in (*REACHES_NAMES, "getattr"):
                self._names.update(name for cls in self.classes for name in vars(cls) if name not in MAKES_CLASSES)

    def _add_named(self, value: Any, name: str) -> None:
        """Take in what a name stands for; a function of another name is a root, because calls do not name it."""
        if isinstance(value, type):
            self._add_class(value)
            self.unnamed.update([] if name else [value])
        elif isinstance(value, dict | list | tuple):
            for item in value.values() if isinstance(value, dict) else value:
                if isinstance(item, FunctionType | type):
                    self._add_named(item, "")
        elif isinstance(value, FunctionType | MethodType | functools.partial):
            found = self._add(value)
            if found is not None and found.function.__name__ != name:
                self._add_root(found)
        elif self._is_of_own_class(value):
            self._look_into(value, DEPTH, self._seen)

    def _add_methods(self, cls: type) -> None:
        """Take in the methods of a class that are named anywhere, and those that Python calls by itself."""
        for name, member in list(vars(cls).items()):
            by_round = name not in CALLED_BY_NO_ROUND or not self._asked.isdisjoint(ASKS.get(name, ()))
            implicit = name.startswith("__") and name.endswith("__") and by_round
            if name in self._names or implicit:
                for part in functions_of(member):
                    if self._is_called(cls, name):
                        own = self._add(part, cls, name)
                        if implicit or (own is not None and own.function.__name__ != name):
                            self._add_root(own)
            elif self._is_of_own_class(member):
                self._look_into(member, DEPTH, self._seen)

    def _is_of_own_class(self, value: Any) -> bool:
        """Tell whether a value is an object of a class of the target, which Python may call by itself."""
        return not isinstance(value, type | ModuleType) and self.is_own(_file(type(value)))

    def _is_called(self, cls: type, name: str) -> bool:
        """Tell whether an object of some class has this method of this class, or reaches it through `super`."""
        for found in [made for made in self._made if cls in made.__mro__]:
            for base in found.__mro__:
                if base is cls:
                    return True
                if name in vars(base):
                    parts = [self._known.get(plain_function(part)) for part in functions_of(vars(base)[name])]
                    if not any(own is not None and _calls_super(own.node) for own in parts):
                        break
        return False


def alike(value: Any, policy: Any) -> bool:
    """Tell whether an object has a class in common with a policy, other than those that all objects have."""
    cls: Any = type(policy)  # mypy takes classes for unhashable because their objects may be
    return not _bases(cls).isdisjoint(type(value).__mro__)


@functools.lru_cache(maxsize=64)
def _bases(cls: type) -> frozenset[type]:
    return frozenset(base for base in cls.__mro__ if base is not object and not is_standard(_file(base)))


def attributes(value: Any) -> dict[str, Any]:
    """Return the attributes of an object, those in slots included."""
    slots = [name for cls in type(value).__mro__ for name in _slots(cls)]
    held = {name: getattr(value, name) for name in slots if hasattr(value, name)}
    return held | getattr(value, "__dict__", {})


def _slots(cls: type) -> Iterable[str]:
    slots = cls.__dict__.get("__slots__", ())
    return (slots,) if isinstance(slots, str) else [name for name in slots if not name.startswith("__")]


def functions_of(member: Any) -> Iterator[Any]:
    """Yield the functions of a member of a class: a property has up to three."""
    if isinstance(member, property):
        yield from (part for part in (member.fget, member.fset, member.fdel) if part is not None)
    elif isinstance(member, functools.cached_property):
        yield member.func
    elif isinstance(plain_function(member), FunctionType):
        yield member


def _file(cls: type) -> str:
    plain = (plain_function(f) for member in vars(cls).values() for f in functions_of(member))
    return file_of(cls, [f.__code__ for f in plain if isinstance(f, FunctionType)])  # a cached function is none


def _defines(cls: type, code: CodeType) -> bool:
    return any(plain_function(f).__code__ is code for member in vars(cls).values() for f in functions_of(member))


def _owner(value: Any) -> type | None:
    while isinstance(value, functools.partial):
        value = value.func
    holder = value.__self__ if isinstance(value, MethodType) else None
    return holder if holder is None or isinstance(holder, type) else type(holder)


def _calls_super(node: Definition) -> bool:
    return any(isinstance(part, ast.Name) and part.id == "super" for part in ast.walk(node))
