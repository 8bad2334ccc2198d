"""How much room containers take: one that grew and shrank again takes more, which code can ask for."""

from __future__ import annotations

import array
import sys
from contextlib import suppress
from operator import methodcaller
from typing import Any

from privcheck.reached_state import _holders as holders

_CONTAINERS = {
    holders.put_dictionary, holders.put_object, holders.put_items, holders.put_set, holders.put_deque,
    holders.put_ordered,
}  # fmt: skip

_size = methodcaller("__sizeof__")


class Sizes:
    """The room that containers take, each as if it were filled anew with what it holds.

    One that takes another is filled anew at once; others are left alone, because other threads may read them.

    Guarantee
    ---------
    Once a container is put back, the room that it takes and, of a set, the order of its entries are what filling it
    makes of them, whatever was added to it and taken away in between.

    Parameters
    ----------
    puts : what puts each of them back: a function, the object, and what it holds.

    Examples
    --------
    >>> import sys
    >>> entries = {1, 2}
    >>> sizes = Sizes([(holders.put_set, entries, set(entries))])
    >>> before = sys.getsizeof(entries)
    >>> entries.update(range(3, 1000)); entries.difference_update(range(3, 1000))
    >>> sys.getsizeof(entries) == before, sizes.put_back(), sys.getsizeof(entries) == before
    (False, None, True)
    """

    def __init__(self, puts: list[Any]) -> None:
        found = [
            (put, _of(put, value), saved)
            for put, value, saved in puts
            if put in _CONTAINERS and value is not sys.modules
        ]
        for put, value, saved in found:
            if not _is_as_filled(put, value, saved):
                _fill(put, value, saved)
        self._found = found
        self._values = [value for _, value, _ in found]
        self._sizes = list(map(_size, self._values))

    def hold(self) -> bool:
        """Return whether each takes as much room as it did."""
        return list(map(_size, self._values)) == self._sizes

    def put_back(self) -> None:
        """Fill those anew that take more room or less; all hold again what they held."""
        if not self.hold():
            for (put, value, saved), size in zip(self._found, self._sizes, strict=True):
                if _size(value) != size:
                    _fill(put, value, saved)


def _of(put: Any, value: Any) -> Any:
    return value.__dict__ if put is holders.put_object else value


def _is_as_filled(put: Any, value: Any, saved: Any) -> bool:
    """Tell whether a container is as it would be if it were filled anew."""
    if put is holders.put_ordered or put is holders.put_deque:
        return False
    made: Any
    if put is holders.put_set:
        made = set()
        made.update(saved)
        return made.__sizeof__() == set.__sizeof__(value) and list(made) == list(set.__iter__(value))
    if put is holders.put_items:
        if type(value) is not list:
            return False
        made = []
        made[:] = saved
    else:
        made = {}
        made.update(saved[1] if put is holders.put_object else saved)
    return bool(made.__sizeof__() == _size(value))


def _fill(put: Any, value: Any, saved: Any) -> None:
    if put is holders.put_object:
        dict.clear(value)
        dict.update(value, saved[1])
    elif put is holders.put_dictionary:
        dict.clear(value)
        dict.update(value, saved)
    elif put is holders.put_set:
        set.clear(value)
        set.update(value, saved)
    elif put is holders.put_ordered:
        base = holders.base_of(value)
        base.clear(value)
        for key, part in saved:
            base.__setitem__(value, key, part)
    elif put is holders.put_deque:
        holders.put_deque(value, saved)
    else:
        with suppress(BufferError):  # of what a view looks at the length cannot be changed, by nobody
            if isinstance(value, array.array):  # a short one gives no room back
                value.extend(array.array(value.typecode, bytes(64 * value.itemsize)))
            del value[:]
        value[:] = saved
