"""State that is put back after a call: what was reached from some objects is then as it was before."""

from __future__ import annotations

import copy
import decimal
import functools
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from operator import attrgetter, is_
from typing import Any

import numpy as np

from privcheck.reached_state._changes import changed, changes, place
from privcheck.reached_state._holders import (
    parts_of_decimal,
    put_array,
    put_decimal,
    put_fields,
    put_lock,
    put_record,
    put_seeds,
    put_signals,
    spawned,
    times_held,
)
from privcheck.reached_state._lock import LOCK
from privcheck.reached_state._no_messages import without_messages
from privcheck.reached_state._outliving import clear_caches, outliving
from privcheck.reached_state._own_modules import is_own_class
from privcheck.reached_state._separate_draws import SeparateCoins
from privcheck.reached_state._sizes import Sizes
from privcheck.reached_state._unchanged import Unchanged
from privcheck.reached_state._walk import Walk, keep_as

keep_as(type(LOCK), times_held, put_lock)
keep_as(np.random.SeedSequence, spawned, put_seeds)
keep_as(np.dtype, attrgetter("names"), put_fields)
keep_as(np.void, copy.deepcopy, put_record)
keep_as(decimal.Context, parts_of_decimal, put_decimal)
keep_as(type(decimal.Context().flags), dict, put_signals)


class Kept:
    """What some objects reach and can be changed, as it is now.

    Parameters
    ----------
    roots : the objects: functions, classes, policies.
    often : whether it is put back often, so that it pays to note what has to be compared.
    code : what the functions and classes reach that are met, found before; None finds it anew.

    Attributes
    ----------
    refused : objects that hold something and can be neither copied nor refilled, such as `itertools.count`.
    trusted : objects that are not looked into, such as loggers.
    unknown : objects of which it is not known what they hold, such as open files.

    Examples
    --------
    >>> seen = []
    >>> def remember(number):
    ...     seen.append(number)
    >>> kept = Kept([remember])
    >>> remember(0.5)
    >>> kept.put_back()
    >>> seen
    []
    """

    def __init__(self, roots: Iterable[Any], *, often: bool = False, code: KnownCode | None = None) -> None:
        self._walk = walk = Walk(roots, through_code=code is None)
        self._sizes: Sizes | None = None
        self._unchanged = Unchanged(walk) if often else None
        self.of_code = None if code is None else code.reached(walk.code or [])
        self.refused, self.trusted, self.unknown = walk.refused, walk.trusted, walk.unknown
        self.generators = walk.generators
        if self.of_code is not None:
            of_code = self.of_code
            self.refused = [*self.refused, *of_code.refused]
            self.trusted = [*self.trusted, *of_code.trusted]
            self.unknown = [*self.unknown, *of_code.unknown]
            self.generators = list({id(each): each for each in [*self.generators, *of_code.generators]}.values())

    @property
    def walk(self) -> Walk:
        """What was found."""
        return self._walk

    def fill_anew(self) -> None:
        """Let containers take, from now on, the room that they take when they are filled with what they hold."""
        self._sizes = Sizes(self._walk.puts)

    def empty_caches(self) -> None:
        """Replace every `lru_cache` by an empty one until the state is put back; clear one that has to stay."""
        made: dict[int, Any] = {}
        for put, cache in self._walk.caches:
            if id(cache) not in made:
                made[id(cache)] = _emptied(cache)
            put(made[id(cache)])
        self._clear()
        if self.of_code is not None:
            self.of_code.empty_caches()

    def put_back(self, look: Callable[[], object] = lambda: None) -> None:
        """Refill everything with what it held; it may be put back again later.

        `look` is called first, unless nothing but numbers in arrays has changed.
        """
        if self._unchanged is not None and not self._walk.caches and self._unchanged.holds():
            for array, saved in self._unchanged.arrays:
                put_array(array, saved)
        else:
            look()
            for put, value, saved in self._walk.puts:
                put(value, saved)
        if self._sizes is not None:
            self._sizes.put_back()
        for put, cache in self._walk.caches:
            put(cache)
        self._clear()
        if self.of_code is not None:
            self.of_code.put_back()

    def is_current(self) -> bool:
        """Return whether all is as it was when it was kept, but for numbers in arrays: what these hold now is kept."""
        if self._unchanged is None or not self._unchanged.holds():
            return False
        self._unchanged.keep_arrays()
        return True

    def changed(self) -> str:
        """Return what has changed first, in the words of the code; nothing if all is as it was."""
        return changed(self._walk)

    def changes(self) -> set[str]:
        """Return all that has changed, in the words of the code."""
        return {*changes(self._walk)}

    def place(self, value: Any) -> str:
        """Return where an object stands, as code would name it."""
        return place(self._walk, value)

    def own_classes(self) -> list[type]:
        """Return the classes that were reached and are not those of an installed package.

        >>> own = type("Policy", (), {"__module__": "__main__"})
        >>> Kept([float, SeparateCoins]).own_classes(), len(Kept([own]).own_classes())
        ([], 1)
        """
        reached = (value for value in self.walk.seen.values() if isinstance(value, type))
        return [value for value in reached if is_own_class(value)]

    @staticmethod
    def alive(roots: Iterable[Any], kind: type) -> list[tuple[str, Any]]:
        """Return the objects of a class that some objects keep alive, each with the name of what holds it."""
        return outliving(roots, kind)

    @staticmethod
    def clear_caches(roots: Iterable[Any]) -> None:
        """Clear every `lru_cache` that some objects reach; nothing puts back what it held."""
        clear_caches(roots)

    def _clear(self) -> None:
        for cache in self._walk.cleared:
            cache.cache_clear()

    def __deepcopy__(self, memo: dict[int, Any]) -> Kept:
        return self


class KnownCode:
    """What functions and classes reach, of which most never changes: it is found again only when something has changed.

    Guarantee
    ---------
    What is returned is what another walk would find: everything that the walk before has read is compared first.
    """

    def __init__(self) -> None:
        self._kept: Kept | None = None
        self._code: list[Any] = []
        self._changes = 0

    def reached(self, code: list[Any]) -> Kept:
        """Return what functions and classes reach now."""
        kept = self._kept
        if kept is None or len(code) != len(self._code) or not all(map(is_, code, self._code)) or not kept.is_current():
            self._changes += kept is not None
            self._kept = kept = Kept(code, often=self._changes < GIVEN_UP)
            kept.fill_anew()
            self._code = code
        return kept

    def __deepcopy__(self, memo: dict[int, Any]) -> KnownCode:
        return KnownCode()


GIVEN_UP = 16
"""Changes after which what code reaches is no longer compared: noting what to compare takes longer than finding it."""


def _emptied(cache: Any) -> Any:
    fresh = functools.lru_cache(**cache.cache_parameters())(cache.__wrapped__)
    fresh.__dict__.update(cache.__dict__)
    return fresh


@contextmanager
def apart(roots: Iterable[Any], coins: SeparateCoins, code: KnownCode | None = None) -> Iterator[Kept]:
    """Run a block whose writes are undone: what it reaches is put back, and generators draw coins of their own in it.

    Parameters
    ----------
    roots : what the block calls.
    coins : where the generators, the global ones included, get their states for the block.
    code : what functions and classes reached in an earlier block.
    """
    with LOCK:
        kept = Kept(roots, code=code)
        if code is None:
            kept.fill_anew()
        with (
            coins.drawing(kept.generators),
            decimal.localcontext(),  # an object that contexts of threads share
            without_messages(),
        ):
            kept.empty_caches()
            try:
                yield kept
            finally:
                kept.put_back()
