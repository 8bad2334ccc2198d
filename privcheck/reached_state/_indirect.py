"""Objects that pass on to others: caches, bound methods, partials, references."""

from __future__ import annotations

import gc
import types
from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import Any, Protocol

from privcheck.reached_state._holders import put_dictionary, put_partial
from privcheck.reached_state._named_by_code import CACHE
from privcheck.reached_state._own_modules import is_own_module

OF_CACHE = attrgetter("__wrapped__", "__dict__")
"""What a walk reads of an `lru_cache`."""

_OF_PARTIAL = attrgetter("func", "args", "keywords", "__dict__")
_OF_PROPERTY = attrgetter("fget", "fset", "fdel")


class Passing(Protocol):
    """The parts of a walk that are filled here: see `Walk`."""

    puts: list[Any]
    cleared: list[Any]
    todo: list[Any]
    foreign: dict[str, None]

    def keep_space(self, space: dict[str, Any]) -> None:
        """Keep all globals of a module."""

    def hold(self, values: Iterable[Any]) -> None:
        """Look into values, too."""

    def parts(self, get: Callable[[Any], Iterable[Any]], value: Any) -> tuple[Any, ...]:
        """Return the parts of an object; the way on depends on them."""


def take_cache(walk: Passing, value: Any) -> None:
    """Take an `lru_cache`."""
    walk.hold(walk.parts(OF_CACHE, value))


def take_wrapper(walk: Passing, value: Any) -> None:
    """Take a bound method, or a static or class method."""
    inner, receiver = walk.parts(_of_wrapper, value)
    if not isinstance(value, types.MethodType):  # whose attributes are those of its function
        walk.puts.append((put_dictionary, value.__dict__, dict(value.__dict__)))
    if type(inner) is CACHE:
        walk.cleared.append(inner)
    walk.hold((inner, receiver))


def _of_wrapper(value: Any) -> tuple[Any, Any]:
    return value.__func__, getattr(value, "__self__", None)


def take_partial(walk: Passing, value: Any) -> None:
    """Take a `functools.partial`."""
    if type(value.func) is CACHE:
        walk.cleared.append(value.func)
    saved = walk.parts(_OF_PARTIAL, value)
    walk.puts.append((put_partial, value, saved))
    walk.hold(saved)


def take_property(walk: Passing, value: Any) -> None:
    """Take a property."""
    walk.hold(walk.parts(_OF_PROPERTY, value))


def take_builtin(walk: Passing, value: Any) -> None:
    """Take a method of a built-in object."""
    if not isinstance(value.__self__, types.ModuleType):
        walk.todo.append(value.__self__)


def take_reference(walk: Passing, value: Any) -> None:
    """Take a weak reference."""
    walk.hold(walk.parts(of_reference, value))


def take_variable(walk: Passing, value: Any) -> None:
    """Take a context variable."""
    walk.hold(walk.parts(_of_variable, value))


def _of_variable(value: Any) -> tuple[Any, ...]:
    try:
        return (value.get(),)
    except LookupError:  # it has no value here
        return ()


def take_view(walk: Passing, value: Any) -> None:
    """Take a view of a dictionary that cannot be written to."""
    walk.hold(walk.parts(_of_view, value))


def _of_view(value: Any) -> Any:
    return value.values()


def of_reference(value: Any) -> tuple[Any, Any]:
    """Return what a weak reference refers to, and what is called when that is gone."""
    return value(), value.__callback__


def take_module(walk: Passing, value: types.ModuleType) -> None:
    """Take a module that an object holds: code may reach all of it, by whatever names."""
    if is_own_module(value):
        walk.keep_space(vars(value))
        walk.hold(part for name, part in vars(value).items() if name[:2] != "__")
    else:
        walk.foreign[value.__name__] = None


def take_slice(walk: Passing, value: slice) -> None:
    """Take a slice, whose ends may be any objects."""
    walk.hold((value.start, value.stop, value.step))


def take_hidden(walk: Passing, value: Any) -> None:
    """Take the dictionary of an object that does not show it."""
    walk.todo += [part for part in gc.get_referents(value) if type(part) is dict]


def take_memory(walk: Passing, value: memoryview) -> None:
    """Take a view of the memory of another object."""
    walk.todo.append(value.obj)
