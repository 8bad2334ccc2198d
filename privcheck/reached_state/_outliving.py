"""What outlives the objects that code makes: what it reaches without them, by more than a weak reference."""

from __future__ import annotations

import gc
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable
from typing import Any

from privcheck.reached_state._holding_places import Place, places_of
from privcheck.reached_state._indirect import OF_CACHE, of_reference
from privcheck.reached_state._named_by_code import CACHE, CONTAINERS
from privcheck.reached_state._walk import Walk


def outliving(roots: Iterable[Any], kind: type) -> list[tuple[str, Any]]:
    """Return the objects of a class that some objects keep alive, each with the name of what holds it.

    >>> policy = type("Policy", (), {"__module__": "__main__", "seen": [{"first": 1}]})
    >>> outliving([policy], dict), outliving([policy], set)
    ([('Policy.seen', {'first': 1})], [])
    """
    walk = _Strong(roots)
    found = [value for value in walk.seen.values() if isinstance(value, kind)]
    if not found:
        return []
    names = walk.of_caches
    for place in places_of(walk):
        names.setdefault(id(place.holds), _name(place))
    return [(names.get(id(value), UNNAMED.format("place")), value) for value in found]


def clear_caches(roots: Iterable[Any]) -> None:
    """Clear every `lru_cache` that some objects reach.

    >>> from functools import lru_cache
    >>> double = lru_cache(lambda number: number * 2)
    >>> double(2), clear_caches([double]), double.cache_info().currsize
    (4, None, 0)
    """
    for value in _Strong(roots).seen.values():
        if type(value) is CACHE:
            value.cache_clear()


def _name(place: Place) -> str:
    """Return the name of what a place is in, such as a list, or its own."""
    if place.row in KINDS:
        return UNNAMED.format(place.row)
    of_many = bool(place.row) and not place.row.isidentifier()  # which attributes of a function have, its name
    return place.row if of_many else place.name


KINDS = {kind.__name__ for kind in (*CONTAINERS, OrderedDict, defaultdict)}
UNNAMED = "a {} without a name"


class _Strong(Walk):
    """A walk that does not follow weak references, but goes into the results that an `lru_cache` keeps.

    Attributes
    ----------
    of_caches : names of such results, by their numbers.
    """

    def __init__(self, roots: Iterable[Any]) -> None:
        self.of_caches: dict[int, str] = {}
        super().__init__(roots)

    def parts(self, get: Callable[[Any], Iterable[Any]], value: Any) -> tuple[Any, ...]:
        """Return the parts of an object that it keeps alive."""
        found = super().parts(get, value)
        if get is of_reference:
            return found[1:]
        if get is OF_CACHE:
            results = results_of(value)
            name = f"the cache of {getattr(value, '__name__', 'a function')}"
            self.of_caches |= dict.fromkeys(map(id, results), name)
            return (*found, *results)
        return found


def results_of(cache: Any) -> list[Any]:
    """Return the results that an `lru_cache` keeps; its keys are found by nobody who does not have them.

    >>> from functools import lru_cache
    >>> double = lru_cache(maxsize=3)(lambda number: number * 2)
    >>> [double(number) for number in (1.5, 2.5)], results_of(double)
    ([3.0, 5.0], [3.0, 5.0])
    """
    parts = gc.get_referents(cache)
    entries = next((part for part in reversed(parts) if type(part) is dict and part is not cache.__dict__), {})
    others = {id(part) for part in (entries, cache.__dict__, cache.__wrapped__, *entries)}
    held = [part for part in (*parts, *entries.values()) if id(part) not in others and not _is_inner(part)]
    return list({id(part): part for part in held}.values())


def _is_inner(part: Any) -> bool:
    """Tell whether an object is one that every cache has, or a link of its list."""
    return type(part) is object or (part if isinstance(part, type) else type(part)).__module__ == "functools"
