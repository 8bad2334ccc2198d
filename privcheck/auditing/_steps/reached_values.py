"""What a call reaches by its arguments: each value at its place, so that what the call changes can be told and undone.

Only types whose values are known entirely are taken apart: numbers, text, arrays, plain lists, tuples, dictionaries,
sets and objects, bound methods, and functions with what they capture. Anything else is unknown, and is not undone.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from types import BuiltinFunctionType, FunctionType, MemberDescriptorType, MethodType, ModuleType, NoneType
from typing import Any

import numpy as np

from privcheck.auditing._steps.compared_values import GLOBAL, same_numbers
from privcheck.auditing._steps.kinds_of_generators import GENERATORS
from privcheck.auditing._steps.stand_ins import is_seen

Place = tuple[tuple[str, Any], ...]
"""The steps from the name of an argument to a value in it."""

ATOMS = (NoneType, bool, int, float, complex, str, bytes, range, slice)
NAMED = (type, ModuleType, enum.Enum, np.ufunc, np.dtype)
"""Types of values that a call cannot change: exactly these, and these with what derives from them."""

MOST_STEPS = 40
"""Steps from an argument to a value; what is deeper is unknown."""

FOREIGN = "source of coins"
"""What is known of a generator that is neither one of the run nor global, and of bits and seeds: its coins are those of
the recorded run whenever a call is played again.
"""

OUTPUT = "return"
"""The name under which the output stands beside the arguments: no parameter has it."""


@dataclass(frozen=True)
class Entry:
    """What is at a place.

    Parameters
    ----------
    kind : "atom", "array", "set", "generator", "same" as at an earlier place, "unknown", or that of a container.
    value : a copy, or what is known of a container apart from its parts.
    """

    kind: str
    value: Any = None

    def equals(self, other: Entry | None) -> bool:
        """Tell whether the same is at two places."""
        if other is None or self.kind != other.kind:
            return False
        if self.kind == "array":
            return same_numbers(self.value, other.value)
        if self.kind == "atom":
            return type(self.value) is type(other.value) and _same_atoms(self.value, other.value)
        return bool(self.value == other.value)


@dataclass
class Reached:
    """What is reached from the arguments of a call.

    Parameters
    ----------
    entries : by place.
    objects : the containers and arrays themselves, by place.
    parts : what each of them holds itself.
    """

    entries: dict[Place, Entry] = field(default_factory=dict)
    objects: dict[Place, Any] = field(default_factory=dict)
    parts: dict[int, list[Any]] = field(default_factory=dict)
    _places: dict[int, Place] = field(default_factory=dict)

    @property
    def is_known(self) -> bool:
        """Whether every value is of a type that is known entirely."""
        return not self.unknown

    @property
    def has_other_coins(self) -> bool:
        """Whether a generator is reached that is neither one of the run nor global, or bits or seeds are."""
        return any(entry.kind == "unknown" and entry.value == FOREIGN for entry in self.entries.values())

    @property
    def unknown(self) -> set[str]:
        """The names of arguments with values of unknown types."""
        return {place[0][1] for place, entry in self.entries.items() if entry.kind == "unknown"}

    def equals(self, other: Reached) -> bool:
        """Tell whether the same is reached."""
        return self.entries.keys() == other.entries.keys() and not self.places_unlike(other)

    def places_unlike(self, other: Reached) -> set[Place]:
        """Return the places at which two differ."""
        mine, theirs = self.entries, other.entries
        found = {place for place, entry in mine.items() if not entry.equals(theirs.get(place))}
        return found | (theirs.keys() - mine.keys())

    def arguments_unlike(self, other: Reached) -> set[str]:
        """Return the names of arguments that differ, those among them that are part of another that does."""
        unlike = self.places_unlike(other)
        shared = {
            place[0][1]
            for place, entry in self.entries.items()
            if entry.kind == "same" and any(each[: len(entry.value)] == entry.value for each in unlike)
        }
        return shared | {place[0][1] for place in unlike}

    def add(self, place: Place, value: Any, generators: Sequence[Any]) -> None:
        """Add what is reached from a value."""
        if isinstance(value, GENERATORS):
            if isinstance(generators, list) and is_seen(value) and not any(one is value for one in generators):
                generators.append(value)
            number = next((n for n, one in enumerate((*GLOBAL, *generators)) if one is value), None)
            self.entries[place] = Entry("unknown", FOREIGN) if number is None else Entry("generator", number)
            return
        if _is_atom(value):
            self.entries[place] = Entry("atom", value)
            return
        if id(value) in self._places:
            self.entries[place] = Entry("same", self._places[id(value)])
            return
        self._places[id(value)] = place
        self.objects[place] = value
        entry, parts = _taken_apart(value) if len(place) < MOST_STEPS else (Entry("unknown"), [])
        self.entries[place] = entry
        self.parts[id(value)] = [part for _, part in parts]
        for step, part in parts:
            self.add((*place, step), part, generators)

    def forget(self) -> None:
        """Keep copies only."""
        self.objects, self.parts, self._places = {}, {}, {}


def reached(arguments: dict[str, Any], generators: Sequence[Any]) -> Reached:
    """Return what is reached from arguments by name."""
    found = Reached()
    for name, value in arguments.items():
        found.add((("argument", name),), value, generators)
    return found


@dataclass
class Change:
    """What a call changes.

    Parameters
    ----------
    before, after : what its arguments reach, and afterwards its output, in a list.
    in_place : the places that hold the same object afterwards.
    is_known : whether everything is of a type that is known, and is still reached if it has changed.
    """

    before: Reached
    after: Reached
    in_place: frozenset[Place]
    is_known: bool

    @cached_property
    def places(self) -> set[Place]:
        """The places at which something has changed, those of the output among them."""
        return self.before.places_unlike(self.after)


def change_of(before: Reached, arguments: dict[str, Any], generators: Sequence[Any], output: list[Any]) -> Change:
    """Return what a call has changed."""
    after = reached({**arguments, OUTPUT: output}, generators)
    in_place = frozenset(place for place, value in after.objects.items() if before.objects.get(place) is value)
    lost = any(
        id(value) not in after.parts and not _is_unchanged(before, place, value)
        for place, value in before.objects.items()
    )
    return Change(before, after, in_place, before.is_known and after.is_known and not lost)


def _is_unchanged(before: Reached, place: Place, value: Any) -> bool:
    entry, parts = _taken_apart(value)
    was = before.parts[id(value)]
    same = len(parts) == len(was) and all(one is two for (_, one), two in zip(parts, was, strict=True))
    return same and entry.equals(before.entries[place])


def _is_atom(value: Any) -> bool:
    if isinstance(value, np.generic):
        return value.dtype.kind not in "OV"
    if isinstance(value, BuiltinFunctionType):
        return value.__self__ is None or isinstance(value.__self__, ModuleType)
    return type(value) in ATOMS or isinstance(value, NAMED)


def _is_key(value: Any) -> bool:
    return all(_is_key(part) for part in value) if type(value) in (tuple, frozenset) else _is_atom(value)


def _taken_apart(value: Any) -> tuple[Entry, list[tuple[tuple[str, Any], Any]]]:
    """Return what is known of a value apart from its parts, and these."""
    kind: Any = type(value)
    if kind is np.ndarray and value.dtype.kind not in "OV":
        return Entry("array", value.copy()), []
    if kind in (set, frozenset) and all(_is_key(part) for part in value):
        return Entry(kind.__name__, frozenset(value)), []
    if kind in (list, tuple):
        return Entry(kind.__name__, len(value)), [(("entry", place), part) for place, part in enumerate(value)]
    if kind is dict and all(_is_key(key) for key in value):
        return Entry("dict", tuple(value)), [(("key", key), part) for key, part in value.items()]
    if kind is MethodType:
        return Entry("method", value.__func__), [(("owner", None), value.__self__)]
    if kind is BuiltinFunctionType:
        return Entry("method", value.__name__), [(("owner", None), value.__self__)]
    if kind is FunctionType:
        return Entry("function", value.__code__), list(_captured(value))
    if (slots := _slots_of(kind)) is not None:
        held = {name: getattr(value, name) for name in slots if hasattr(value, name)} | getattr(value, "__dict__", {})
        return Entry("object", (kind, frozenset(held))), [(("attribute", name), part) for name, part in held.items()]
    if isinstance(value, np.random.BitGenerator | np.random.SeedSequence):
        return Entry("unknown", FOREIGN), []
    return Entry("unknown", kind.__qualname__), []


@lru_cache(maxsize=1000)
def _slots_of(kind: type) -> tuple[str, ...] | None:
    """Return the slots of a class of Python code, none for most; None for a class that holds more than it shows.

    An object takes as many bytes as one of a class with as many slots, or C code keeps something in it.
    """
    if issubclass(kind, BaseException):
        return None
    found = tuple(
        name
        for base in kind.__mro__
        if "__slots__" in vars(base)
        for name, value in vars(base).items()
        if isinstance(value, MemberDescriptorType)
    )
    names = [f"slot{number}" for number in range(len(found))]
    names += ["__dict__"] * bool(kind.__dictoffset__) + ["__weakref__"] * bool(kind.__weakrefoffset__)
    alike = type("Alike", (), {"__slots__": names})
    return found if (alike.__basicsize__, alike.__itemsize__) == (kind.__basicsize__, kind.__itemsize__) else None


def _captured(function: FunctionType) -> Iterator[tuple[tuple[str, Any], Any]]:
    for number, cell in enumerate(function.__closure__ or ()):
        try:
            yield ("cell", number), cell.cell_contents
        except ValueError:  # nothing is in it yet
            yield ("cell", number), NoneType
    yield ("defaults", 0), function.__defaults__
    yield ("defaults", 1), function.__kwdefaults__
    yield ("defaults", 2), function.__dict__ or None


def _same_atoms(one: Any, two: Any) -> bool:
    if isinstance(one, float | np.floating) and math.isnan(one):
        return math.isnan(two)
    return bool(one == two)


def at(there: Reached, place: Place) -> Entry:
    """Return what is at a place."""
    return there.entries.get(place, NOTHING)


NOTHING = Entry("nothing")


def varying(several: Sequence[Reached]) -> dict[Place, Any]:
    """Return the places at which calls on one input, with different coins, leave something different.

    By place: a mask of the entries of an array that vary, or None for all of any other value.
    """
    return unlike(several, {place: None for one in several for place in one.entries})


def unlike(several: Sequence[Reached], places: Iterable[Place]) -> dict[Place, Any]:
    """Return those of some places at which several differ, as `varying` does."""
    found: dict[Place, Any] = {}
    for place in places:
        first, *rest = (at(one, place) for one in several)
        if all(first.equals(other) for other in rest):
            continue
        alike = all(other.kind == "array" == first.kind and other.value.shape == first.value.shape for other in rest)
        found[place] = np.any([other.value != first.value for other in rest], axis=0) if alike else None
    return found


def covers(wide: dict[Place, Any], narrow: dict[Place, Any]) -> bool:
    """Tell whether some places, and entries of arrays there, are among others."""
    return all(
        place in wide and (wide[place] is None or (mask is not None and not np.any(mask & ~wide[place])))
        for place, mask in narrow.items()
    )
