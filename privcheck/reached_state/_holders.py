"""Refilling what can be changed with what it held, in place: whoever refers to it sees it as it was."""

from __future__ import annotations

import collections
import types
import warnings
from contextlib import suppress
from functools import lru_cache
from itertools import starmap
from operator import is_
from typing import Any

import numpy as np


def put_dictionary(value: dict[Any, Any], saved: dict[Any, Any]) -> None:
    """Refill a dictionary, unless it holds the same keys and objects in the same order."""
    if not same(value, saved):
        dict.clear(value)
        dict.update(value, saved)


def same(value: dict[Any, Any], saved: dict[Any, Any]) -> bool:
    """Tell whether two dictionaries hold the same objects."""
    return (
        len(value) == len(saved)
        and all(map(is_, dict.values(value), dict.values(saved)))
        and all(map(is_, dict.keys(value), dict.keys(saved)))
    )


def put_ordered(value: Any, saved: list[tuple[Any, Any]]) -> None:
    """Refill a dictionary of a derived class."""
    base = base_of(value)
    if len(value) == len(saved) and all(
        one is key and two is part for (one, two), (key, part) in zip(base.items(value), saved, strict=True)
    ):
        return
    base.clear(value)
    for key, part in saved:
        base.__setitem__(value, key, part)


def base_of(value: dict[Any, Any]) -> Any:
    """Return the class whose methods read a dictionary as it is, and in its order.

    >>> base_of(collections.OrderedDict()).__name__, base_of(collections.Counter()).__name__
    ('OrderedDict', 'dict')
    """
    return collections.OrderedDict if isinstance(value, collections.OrderedDict) else dict


def put_items(value: Any, saved: Any) -> None:
    """Refill a list, or bytes."""
    value[:] = saved


def put_deque(value: Any, saved: list[Any]) -> None:
    """Refill a deque."""
    value.clear()
    value.extend(saved)


def put_set(value: set[Any], saved: set[Any]) -> None:
    """Refill a set."""
    if len(value) != len(saved) or not all(starmap(is_, zip(set.__iter__(value), saved, strict=True))):
        set.clear(value)
        set.update(value, saved)


def put_array(value: Any, saved: tuple[Any, tuple[int, ...], tuple[int, ...], bool]) -> None:
    """Refill an array; one that nobody can write to is as it was."""
    numbers, shape, strides, writeable = saved
    form = {"dtype": numbers.dtype, "shape": shape, "strides": strides}
    if any(getattr(value, name) != held for name, held in form.items()):
        with warnings.catch_warnings():  # numpy 2.5 deprecates this, and has nothing else that changes the array itself
            warnings.simplefilter("ignore", DeprecationWarning)
            for name, held in form.items():
                if getattr(value, name) != held:
                    setattr(value, name, held)
    if not value.flags.writeable:
        try:
            value.flags.writeable = True
        except ValueError:
            return
    np.copyto(value, numbers)
    if not writeable:
        value.flags.writeable = False


def put_partial(value: Any, saved: tuple[Any, ...]) -> None:
    """Put back what a `functools.partial` calls, and with what."""
    if not all(map(is_, (value.func, value.args, value.keywords, value.__dict__), saved)):
        value.__setstate__(saved)


def put_fields(kind: Any, saved: tuple[str, ...] | None) -> None:
    """Put back the names of the fields of a type of numpy."""
    if kind.names != saved:
        kind.names = saved


def put_record(value: Any, saved: Any) -> None:
    """Put back the fields of a record of numpy, which is a part of an array."""
    for name in saved.dtype.names or ():
        value[name] = saved[name]


OF_DECIMAL = ("prec", "rounding", "Emin", "Emax", "capitals", "clamp")


def parts_of_decimal(context: Any) -> tuple[Any, ...]:
    """Return what a context of the decimal module holds, its flags and traps included."""
    return tuple(getattr(context, name) for name in OF_DECIMAL), dict(context.flags), dict(context.traps)


def put_decimal(context: Any, saved: tuple[Any, ...]) -> None:
    """Put back the settings, flags and traps of a context of the decimal module."""
    settings, *signals = saved
    for name, part in zip(OF_DECIMAL, settings, strict=True):
        setattr(context, name, part)
    for own, part in zip((context.flags, context.traps), signals, strict=True):
        own.update(part)


def put_signals(signals: Any, saved: dict[Any, Any]) -> None:
    """Put back the flags, or the traps, of a context of the decimal module."""
    signals.update(saved)


def spawned(seeds: Any) -> tuple[int, Any]:
    """Return how many were spawned of a seed sequence, and what it is set to by."""
    return seeds.n_children_spawned, seeds.__reduce__()[2]


def put_seeds(seeds: Any, saved: tuple[int, Any]) -> None:
    """Let a seed sequence spawn next what it would have spawned then.

    >>> seeds = np.random.SeedSequence(7)
    >>> before = spawned(seeds)
    >>> one = seeds.spawn(1)[0]
    >>> put_seeds(seeds, before)
    >>> seeds.spawn(1)[0].spawn_key == one.spawn_key
    True
    """
    if seeds.n_children_spawned != saved[0]:
        seeds.__setstate__(saved[1])


def times_held(lock: Any) -> int:
    """Return how often this thread has acquired a reentrant lock, which it tells in its text alone.

    >>> import threading
    >>> lock = threading.RLock()
    >>> lock.acquire(), times_held(lock)
    (True, 1)
    """
    return int(repr(lock).partition("count=")[2].split()[0]) if lock._is_owned() else 0


def put_lock(lock: Any, saved: int) -> None:
    """Acquire or release a reentrant lock until this thread has it as often as before."""
    while times_held(lock) > saved:
        lock.release()
    while times_held(lock) < saved:
        lock.acquire()


MEMBERS = ("__code__", "__defaults__", "__kwdefaults__", "__doc__", "__name__", "__qualname__", "__module__")
"""What can be set of a function, besides its attributes."""

OF_ERRORS = ("args", "__cause__", "__context__", "__suppress_context__", "__traceback__")


def put_error(error: Any, saved: tuple[Any, ...]) -> None:
    """Put back what an exception holds: a traceback holds the variables of the functions that it went through."""
    for name, part in zip(OF_ERRORS, saved, strict=True):
        setattr(error, name, part)


def put_members(function: Any, saved: tuple[Any, ...]) -> None:
    """Put back the code and the defaults of a function."""
    for name, part in zip(MEMBERS, saved, strict=True):
        if getattr(function, name) is not part:
            setattr(function, name, part)


def put_cell(cell: Any, saved: Any) -> None:
    """Put back what a closure refers to; the function itself stands for nothing."""
    try:
        now = cell.cell_contents
    except ValueError:
        now = put_cell
    if now is not saved:
        if saved is put_cell:
            del cell.cell_contents
        else:
            cell.cell_contents = saved


def put_names(space: dict[str, Any], saved: dict[str, Any]) -> None:
    """Put back globals; the function itself stands for a name that is not there."""
    for name, part in saved.items():
        if space.get(name, put_names) is not part:
            if part is put_names:
                del space[name]
            else:
                space[name] = part


def put_slots(value: Any, saved: list[tuple[Any, Any]]) -> None:
    """Put slots back."""
    for slot, part in saved:
        if getattr(value, slot.__name__, put_names) is not part:
            if part is put_names:
                slot.__delete__(value)
            else:
                slot.__set__(value, part)


def put_space(space: dict[str, Any], saved: dict[str, Any]) -> None:
    """Put back all globals of a module."""
    for name in [name for name in space if name not in saved]:
        del space[name]
    put_names(space, saved)


def put_class(value: type, saved: tuple[str, str, tuple[type, ...], dict[str, Any]]) -> None:
    """Put back the attributes of a class, its names and its bases."""
    name, qualified, bases, attributes = saved
    if (value.__name__, value.__qualname__, value.__bases__) != (name, qualified, bases):
        value.__name__, value.__qualname__, value.__bases__ = name, qualified, bases
    space = vars(value)
    if len(space) == len(attributes) and all(map(is_, space.values(), attributes.values())):
        return
    for name in [name for name in space if name not in attributes]:
        type.__delattr__(value, name)
    for name, part in attributes.items():
        if space.get(name, attributes) is not part:
            with suppress(AttributeError, TypeError):  # __dict__ and __weakref__ cannot be set
                type.__setattr__(value, name, part)


def put_object(value: Any, saved: tuple[type, dict[str, Any]]) -> None:
    """Put back the attributes of an object, and its class."""
    kind, attributes = saved
    if type(value) is not kind:
        value.__class__ = kind
    put_dictionary(value.__dict__, attributes)


@lru_cache(maxsize=4096)
def slots_of(kind: type) -> tuple[Any, ...]:
    """Return the descriptors of the slots of a class."""
    return tuple(
        part
        for base in kind.__mro__
        for part in vars(base).values()
        if type(part) is types.MemberDescriptorType and "__slots__" in vars(base) and part.__name__ != "__weakref__"
    )
