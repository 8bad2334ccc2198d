"""The places in which what can be changed is held: attributes, entries, globals, closures, defaults."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from privcheck.reached_state import _holders as holders
from privcheck.reached_state._holders import put_partial
from privcheck.reached_state._named_by_code import CONTAINERS
from privcheck.reached_state._walk import Walk

Put = Callable[[Any], object]


@dataclass(frozen=True)
class Place:
    """A place that holds something.

    Parameters
    ----------
    name : what code calls it, such as "Policy.arm", "Policy.memory['arm']" or "the global arm".
    holds : what it holds.
    put : puts something else there; None if nothing can be.
    row : what holds it, if that is a collection; nothing for other places.
    length : how many entries that has.
    """

    name: str
    holds: Any
    put: Put | None
    row: str = ""
    length: int = 0


def places(roots: list[Any]) -> Iterator[Place]:
    """Yield the places that some objects reach, those of each object once; entries of tuples are places as well.

    >>> [(place.name, place.holds) for place in places([[1, {"a": 2.5}]]) if type(place.holds) is not dict]
    [('list[0]', 1), ("list[1]['a']", 2.5)]
    """
    yield from places_of(Walk(roots))


def places_of(walk: Walk) -> Iterator[Place]:
    """Yield the places that a walk has found."""
    names = {id(value): f"the global {name}" for _, name, value in walk.looked_up if isinstance(value, CONTAINERS)}
    for put, value, saved in walk.puts:
        parts = _PARTS.get(put)
        if parts is None:
            continue
        of = names.get(id(value), type(value).__name__)
        if put is holders.put_members:
            names |= {id(cell): name for name, cell in _cells(value)}
            names[id(value.__dict__)] = value.__name__
            names[id(value.__kwdefaults__)] = f"the defaults of {value.__name__}"
        for place in parts(of, value, saved):
            yield from _with_parts(place, names)
    for space, name, value in walk.looked_up:
        if value is not holders.put_names:
            yield from _with_parts(Place(f"the global {name}", value, partial(dict.__setitem__, space, name)), names)


def _with_parts(place: Place, names: dict[int, str]) -> Iterator[Place]:
    held = place.holds
    names.setdefault(id(held), place.name)
    yield place
    if isinstance(held, tuple):
        for number, part in enumerate(held):
            put = None if place.put is None else partial(_put_in_tuple, place.put, held, number)
            yield from _with_parts(Place(f"{place.name}[{number}]", part, put, place.name, len(held)), names)


def _put_in_tuple(put: Put, held: tuple[Any, ...], number: int, value: Any) -> None:
    put(tuple.__new__(type(held), (*held[:number], value, *held[number + 1 :])))


def _cells(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    return zip(
        (f"{name}, which {function.__name__} closes over" for name in function.__code__.co_freevars),
        function.__closure__ or (),
        strict=False,
    )


def _key(key: Any) -> str:
    return repr(key) if type(key) in (str, int, float, bool, bytes, type(None)) else f"a {type(key).__name__}"


def _of_dictionary(of: str, value: Any, _: Any) -> Iterator[Place]:
    base = holders.base_of(value)
    for key, part in list(base.items(value)):
        yield Place(f"{of}[{_key(key)}]", part, partial(base.__setitem__, value, key), of, len(value))


def _of_row(of: str, value: Any, _: Any) -> Iterator[Place]:
    if isinstance(value, bytearray) or not hasattr(type(value), "index") or hasattr(value, "typecode"):
        return
    kind = list if isinstance(value, list) else type(value)
    for number, part in enumerate(list(value)):
        yield Place(f"{of}[{number}]", part, partial(kind.__setitem__, value, number), of, len(value))


def _of_set(of: str, value: Any, _: Any) -> Iterator[Place]:
    for part in list(value):
        yield Place(f"an entry of {of}", part, None)


def _of_array(of: str, value: Any, _: Any) -> Iterator[Place]:
    if value.dtype.hasobject and value.dtype.names is None:
        for number, part in enumerate(value.ravel().tolist()):
            yield Place(f"{of}[{number}]", part, partial(value.flat.__setitem__, number), of, value.size)


def _of_function(_: str, value: Any, __: Any) -> Iterator[Place]:
    if value.__defaults__:
        name = f"the defaults of {value.__name__}"
        yield Place(name, value.__defaults__, partial(setattr, value, "__defaults__"))


def _of_cell(of: str, value: Any, saved: Any) -> Iterator[Place]:
    if saved is not holders.put_cell:
        yield Place(of, saved, partial(setattr, value, "cell_contents"))


def _of_names(_: str, value: Any, saved: Any) -> Iterator[Place]:
    for name, part in saved.items():
        if part is not holders.put_names:
            yield Place(f"the global {name}", part, partial(dict.__setitem__, value, name))


def _of_class(_: str, value: Any, saved: Any) -> Iterator[Place]:
    for name, part in saved[3].items():
        if not name.startswith("__"):
            yield Place(f"{value.__name__}.{name}", part, partial(type.__setattr__, value, name))


def _of_object(_: str, value: Any, saved: Any) -> Iterator[Place]:
    for name, part in saved[1].items():
        yield Place(f"{type(value).__name__}.{name}", part, partial(dict.__setitem__, value.__dict__, name))


def _of_slots(_: str, value: Any, saved: Any) -> Iterator[Place]:
    for slot, part in saved:
        if part is not holders.put_names:
            yield Place(f"{type(value).__name__}.{slot.__name__}", part, partial(slot.__set__, value))


def _of_partial(of: str, _: Any, saved: Any) -> Iterator[Place]:
    yield Place(f"an argument of {of}", saved[1], None)


_PARTS: dict[Any, Callable[[str, Any, Any], Iterator[Place]]] = {
    holders.put_dictionary: _of_dictionary, holders.put_ordered: _of_dictionary, holders.put_items: _of_row,
    holders.put_deque: _of_row, holders.put_set: _of_set, holders.put_array: _of_array,
    holders.put_members: _of_function, holders.put_cell: _of_cell, holders.put_names: _of_names,
    holders.put_space: _of_names, holders.put_class: _of_class, holders.put_object: _of_object,
    holders.put_slots: _of_slots, put_partial: _of_partial,
}  # fmt: skip
"""By what puts an object back, the places in it."""
