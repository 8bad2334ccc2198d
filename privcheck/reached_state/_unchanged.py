"""Whether everything that a walk read is as it was: it then finds the same again, and there is nothing to put back."""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterable
from itertools import chain, repeat
from operator import attrgetter, is_
from typing import Any

import numpy as np

from privcheck.reached_state import _holders as holders
from privcheck.reached_state._indirect import of_reference
from privcheck.reached_state._walk import Walk

_OF_FUNCTION = attrgetter(*holders.MEMBERS, "__dict__")
_OF_CLASS = attrgetter("__name__", "__qualname__", "__bases__", "__class__")
_CONTENT, _SPACE = attrgetter("cell_contents"), attrgetter("__dict__")

Test = Callable[[], bool]


class Unchanged:
    """Compares what a walk has read with what is there now, by identity.

    Where a walk goes depends on what it reads and on nothing else. If all of that is the same, another walk from the
    same objects finds the same, and putting it back changes nothing. Numbers in arrays lead nowhere and are left out.
    Objects of one kind are compared together, which takes a tenth of the time of a walk.

    Parameters
    ----------
    walk : what was found, right after it was.

    Attributes
    ----------
    arrays : those that were found, with what they held.
    """

    def __init__(self, walk: Walk) -> None:
        found = collections.defaultdict[Any, list[Any]](list)
        for put, value, _ in walk.puts:
            found[put].append(value)
        self.arrays = [(value, saved) for put, value, saved in walk.puts if put is holders.put_array]
        objects, items = found[holders.put_object], found[holders.put_items]
        lists = [value for value in items if isinstance(value, list)]
        cells, empty = _full_and_empty(found[holders.put_cell])
        self._tests: list[Test] = [
            *_dictionaries(found[holders.put_dictionary] + found[holders.put_space], dict),
            *_dictionaries([vars(value) for value in found[holders.put_class]], type(vars(type))),
            *_attributes(found[holders.put_class], _OF_CLASS),
            *_attributes(found[holders.put_members], _OF_FUNCTION),
            *_objects(objects),
            *_single(cells, _CONTENT),
            *_sequences(lists, list),
            *_sequences(found[holders.put_deque], collections.deque),
            *_sequences(found[holders.put_set], set),
            *(_equal(value, bytes(value)) for value in items if not isinstance(value, list)),
            *_parts(found[holders.put_ordered], _of_ordered),
            *_names(walk),
            *_parts(walk.read, lambda read: read[0](read[1])),
            *_parts([part for part in walk.puts if part[0] is holders.put_slots], _of_slots),
        ]
        self._empty = empty
        self._comparable = (
            set(found) <= _COMPARED
            and not any(value.dtype.hasobject for value, _ in self.arrays)
            and not any(
                get is of_reference for get, _, _ in walk.read
            )  # to compare them would keep alive what they name
        )

    def holds(self) -> bool:
        """Return whether all is the same, but for numbers in arrays."""
        if not self._comparable or any(map(_is_full, self._empty)):
            return False
        for array, (numbers, shape, strides, writeable) in self.arrays:
            alike = array.shape == shape and array.strides == strides and array.dtype == numbers.dtype
            if not alike or array.flags.writeable != writeable:
                return False
        try:
            return all(test() for test in self._tests)
        except (ValueError, AttributeError, RuntimeError):  # a cell, an attribute or an entry is gone
            return False

    def keep_arrays(self) -> None:
        """Keep what the arrays hold now."""
        for array, (numbers, _, _, _) in self.arrays:
            np.copyto(numbers, array)


_COMPARED = {
    holders.put_array, holders.put_cell, holders.put_class, holders.put_deque, holders.put_dictionary,
    holders.put_items, holders.put_members, holders.put_names, holders.put_object, holders.put_ordered,
    holders.put_partial, holders.put_set, holders.put_slots, holders.put_space,
}  # fmt: skip


def _all_same(now: Iterable[Any], was: Iterable[Any]) -> bool:
    return all(map(is_, now, was))


def _parts(values: list[Any], get: Callable[[Any], Iterable[Any]]) -> Iterable[Test]:
    """Yield a test of whether objects have the same parts, as many of them."""
    if not values:
        return
    was = list(chain.from_iterable(map(get, values)))

    def test() -> bool:
        now = list(chain.from_iterable(map(get, values)))
        return len(now) == len(was) and _all_same(now, was)

    yield test


def _attributes(values: list[Any], get: Callable[[Any], tuple[Any, ...]]) -> Iterable[Test]:
    """Yield a test of whether objects have the same attributes, of which there are always as many."""
    if values:
        was = list(chain.from_iterable(map(get, values)))
        yield lambda: _all_same(chain.from_iterable(map(get, values)), was)


def _single(values: list[Any], get: Callable[[Any], Any]) -> Iterable[Test]:
    """Yield a test of whether objects have the same one part."""
    if values:
        was = list(map(get, values))
        yield lambda: _all_same(map(get, values), was)


def _dictionaries(every: list[Any], kind: Any) -> Iterable[Test]:
    """Yield tests of whether dictionaries hold the same keys and objects in the same order."""
    empty, values = ([each for each in every if bool(kind.__len__(each)) is full] for full in (False, True))
    if empty:
        yield lambda: not any(map(kind.__len__, empty))
    if not values:
        return
    lengths = list(map(kind.__len__, values))
    keys = list(chain.from_iterable(map(kind.keys, values)))
    held = list(chain.from_iterable(map(kind.values, values)))
    yield (
        lambda: (
            list(map(kind.__len__, values)) == lengths
            and _all_same(chain.from_iterable(map(kind.values, values)), held)
            and _all_same(chain.from_iterable(map(kind.keys, values)), keys)
        )
    )


def _objects(values: list[Any]) -> Iterable[Test]:
    """Yield a test of whether objects have the same class and the same attributes."""
    if values:
        yield from _single(values, type)
        yield from _single(values, _SPACE)
        yield from _dictionaries(list(map(_SPACE, values)), dict)


def _sequences(values: list[Any], kind: Any) -> Iterable[Test]:
    if values:
        lengths = list(map(kind.__len__, values))
        yield lambda: list(map(kind.__len__, values)) == lengths
        yield from _parts(values, kind.__iter__)


def _of_ordered(value: Any) -> list[Any]:
    base = holders.base_of(value)
    return [*base.keys(value), *base.values(value)]


def _equal(value: Any, was: bytes) -> Test:
    return lambda: bytes(value) == was


def _names(walk: Walk) -> Iterable[Test]:
    """Yield a test of whether names stand for the same objects, or still for none."""
    kept = [
        (space, name, part)
        for put, space, saved in walk.puts
        if put is holders.put_names
        for name, part in saved.items()
    ]
    every = {(id(space), name): (space, name, value) for space, name, value in [*walk.looked_up, *kept]}
    if every:
        spaces, names, values = map(list, zip(*every.values(), strict=True))
        yield lambda: _all_same(map(dict.get, spaces, names, repeat(holders.put_names)), values)


def _of_slots(part: Any) -> list[Any]:
    _, value, saved = part
    return [getattr(value, slot.__name__, holders.put_names) for slot, _ in saved]


def _full_and_empty(cells: list[Any]) -> tuple[list[Any], list[Any]]:
    full = [cell for cell in cells if _is_full(cell)]
    return full, [cell for cell in cells if not _is_full(cell)]


def _is_full(cell: Any) -> bool:
    try:
        _CONTENT(cell)
    except ValueError:
        return False
    return True
