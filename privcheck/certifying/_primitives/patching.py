"""Putting something in the place of functions, under all names that they have, and putting everything back."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from types import CellType, CodeType, FunctionType
from typing import Any, ClassVar
from weakref import WeakSet

from privcheck.errors import PrivcheckError, words
from privcheck.reached_state import referrers

Hook = Callable[..., Any]

ONE_AT_A_TIME = threading.Lock()
"""Held while functions are replaced in everything that holds them."""


class Kept:
    """Holds a function where no replacement reaches it: in a slot."""

    __slots__ = ("function",)

    def __init__(self, function: Any) -> None:
        self.function = function


class Patches:
    """Replacements that are in force; `undo` takes all of them back, whatever happened in between.

    A Python function gets another code object, so that everything that refers to it is reached: names imported from its
    module, bound methods, partial functions, closures. Compiled functions and classes cannot be changed themselves;
    each dict, list, closure and instance that holds one is given the replacement, and given the original back by
    `undo`, also where it came to hold the replacement later.
    """

    copies: ClassVar[WeakSet[FunctionType]] = WeakSet()
    """What does what a function did: one may outlive its replacement, in the frames of an exception."""

    def __init__(self) -> None:
        self._functions: list[tuple[FunctionType, CodeType]] = []
        self._objects: dict[int, tuple[Any, Any]] = {}
        self.unreachable: list[str] = []

    def function(self, function: FunctionType, hook: Callable[[FunctionType], Hook]) -> None:
        """Make a Python function call `hook(original)`, where `original` does what it did."""
        original = FunctionType(
            function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
        )
        original.__kwdefaults__ = function.__kwdefaults__
        original.__qualname__ = function.__qualname__
        self.copies.add(original)
        code = _calling(hook(original), function)
        self._functions.append((function, function.__code__))
        function.__code__ = code

    def objects(self, pairs: list[tuple[Any, Any]]) -> None:
        """Replace each first object by the second wherever a dict, list or closure holds it."""
        self._objects |= {id(pair[0]): pair for pair in pairs}
        self.unreachable += _replace({id(pair[0]): pair for pair in pairs}, {id(pair) for pair in pairs})

    def undo(self) -> None:
        """Take everything back; an interrupt in between does not stop it."""
        interrupted: BaseException | None = None
        while self._functions or self._objects:
            try:
                while self._functions:
                    function, code = self._functions[-1]
                    function.__code__ = code
                    self._functions.pop()
                if self._objects:
                    back = {id(new): (new, self._first(old)) for old, new in self._objects.values()}
                    _replace(back, {id(pair) for pair in self._objects.values()})
                    self._objects = {}
            except KeyboardInterrupt as error:
                interrupted = error
        if interrupted is not None:
            raise interrupted

    def _first(self, old: Any) -> Any:
        """Return what was there before an object, which may be a replacement itself: a declared function of numpy's."""
        before = {id(new): old for old, new in self._objects.values()}
        while id(old) in before:
            old = before[id(old)]
        return old


@contextmanager
def patched() -> Iterator[Patches]:
    """Undo all patches at the end of the block."""
    patches = Patches()
    try:
        yield patches
    finally:
        patches.undo()


def _calling(hook: Hook, function: FunctionType) -> CodeType:
    """Return code for a function that calls the hook, which is one of its constants; it has the same free variables."""
    free = function.__code__.co_freevars
    lines = ["def make():"]
    lines += [f"    {name} = None" for name in free]
    lines += ["    def call(*args, **kwargs):"]
    lines += [f"        if False: {', '.join(free)}"] * bool(free)
    lines += ["        return 'hook'.__call__(*args, **kwargs)", "    return call"]
    namespace: dict[str, Any] = {}
    exec("\n".join(lines), namespace)
    made: CodeType = namespace["make"]().__code__
    constants = tuple(hook if constant == "hook" else constant for constant in made.co_consts)
    return made.replace(co_consts=constants, co_name=function.__name__, co_filename=__file__)


def _replace(pairs: dict[int, tuple[Any, Any]], ours: set[int]) -> list[str]:
    """Replace objects in whatever holds them; return what could not be changed, in words."""
    held = [old for old, _ in pairs.values()]
    ours |= {id(held), id(pairs), *(id(pair) for pair in pairs.values())}
    left = []
    holders = [holder for holder in referrers(held) if id(holder) not in ours and not isinstance(holder, Kept)]
    owners = _owners([holder for holder in holders if isinstance(holder, dict) and "__module__" in holder])
    for holder in holders:
        if isinstance(holder, dict):
            left += _replace_in_dict(holder, pairs, owners.get(id(holder)))
        elif isinstance(holder, list):
            holder[:] = [pairs[id(value)][1] if id(value) in pairs else value for value in holder]
        elif isinstance(holder, CellType):
            if id(holder.cell_contents) in pairs:
                holder.cell_contents = pairs[id(holder.cell_contents)][1]
        elif not _replaced_in_instance(holder, pairs):
            left += _unchangeable(holder, pairs)
    return left


def _replace_in_dict(holder: dict[Any, Any], pairs: dict[int, tuple[Any, Any]], owner: type | None) -> list[str]:
    left = []
    for key, value in list(holder.items()):
        if id(value) not in pairs:
            continue
        if owner is None:
            holder[key] = pairs[id(value)][1]
        elif not _settable(owner, key, pairs[id(value)][1]):
            left.append(f"attribute {key} of {owner.__name__}")
    return left


def _replaced_in_instance(holder: Any, pairs: dict[int, tuple[Any, Any]]) -> bool:
    """Replace what the attributes of an instance hold, and tell whether there was anything to replace."""
    attributes = getattr(holder, "__dict__", None)
    if not isinstance(attributes, dict) or not any(id(value) in pairs for value in attributes.values()):
        return False
    _replace_in_dict(attributes, pairs, None)
    return True


def _unchangeable(holder: Any, pairs: dict[int, tuple[Any, Any]]) -> list[str]:
    """Name something that keeps a function and cannot be changed; frames and classes do not matter."""
    if isinstance(holder, partial):
        return [f"a partial function of {getattr(holder.func, '__name__', holder.func)}"]
    if isinstance(holder, FunctionType):
        return [f"a default argument of {holder.__qualname__}"]
    slots = [name for cls in type(holder).__mro__ for name in _slots(cls)]
    if name := next((name for name in slots if id(getattr(holder, name, None)) in pairs), ""):
        return [f"slot {name} of {type(holder).__name__}"]
    if isinstance(holder, tuple) and any(id(item) in pairs for item in holder):
        return [] if _is_of_types(holder, pairs) else ["a tuple"]
    return []


def _is_of_types(holder: tuple[Any, ...], pairs: dict[int, tuple[Any, Any]]) -> bool:
    """Tell whether a tuple is of bases, an order of lookup, or annotations, each after the name of its parameter."""
    named = zip(("", *holder), holder, strict=False)
    alike = all(isinstance(name, str) and isinstance(item, type) for name, item in named if id(item) in pairs)
    return alike or all(isinstance(item, type) for item in holder)


def _slots(cls: type) -> list[str]:
    slots = cls.__dict__.get("__slots__", ())
    return [slots] if isinstance(slots, str) else list(slots)


def _owners(namespaces: list[dict[str, Any]]) -> dict[int, type]:
    """Return the class of each dict that is the namespace of one, by its id.

    A class has to notice changes, or its methods are looked up stale. All are looked for at once: each search goes
    through everything that there is in memory.
    """
    classes = [holder for holder in referrers(namespaces) if isinstance(holder, type)] if namespaces else []
    return {id(found): owner for owner in classes for found in gc.get_referents(owner.__dict__)}


def _settable(owner: type, key: str, value: Any) -> bool:
    try:
        setattr(owner, key, value)
    except TypeError:
        return False
    return True


def refuse_unpatchable(name: str, found: Any) -> None:
    """Refuse a primitive that is a class or a method of a compiled class."""
    if isinstance(found, type):
        hint = f"declare its method, as in '{name}.__call__'"
        raise PrivcheckError("primitive", words(f"{name}, a class"), "a function or a method", hint)
    if type(found).__name__ in ("method_descriptor", "wrapper_descriptor", "cython_function_or_method"):
        hint = "declare the Python function that calls it"
        raise PrivcheckError("primitive", words(f"{name}, a compiled method"), "a Python method or a function", hint)
