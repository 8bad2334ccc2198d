"""Functions of one private number that may keep something of it: all that they reach is put back after each call."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import copy_context
from typing import Any, Protocol

from privcheck.errors import PrivcheckError, words
from privcheck.reached_state._kept import Kept, apart
from privcheck.reached_state._looked_through import looked_through, place_of
from privcheck.reached_state._no_messages import without_messages
from privcheck.reached_state._plain_functions import is_plain
from privcheck.reached_state._separate_draws import SeparateCoins


class Run(Protocol):
    """What belongs to a run whose private numbers functions are given.

    Attributes
    ----------
    coins : of what the functions draw.
    reading : whether draws of noise are public numbers.
    closed : whether nothing may be released.
    on_change : receives, in words, the name of a function whose results depend on earlier calls; None in deployment.
    compared : how often each function was looked at for that.
    functions : the functions, with what they reach if they are not known to keep nothing.
    unknown : for functions, with the place of each, what they use that is not known to keep nothing.
    """

    coins: SeparateCoins
    reading: bool
    closed: bool
    on_change: Callable[[str], object] | None
    compared: dict[str, int]
    functions: dict[str, Kept | None]
    unknown: dict[str, tuple[str, ...]]

    def check_thread(self) -> None:
        """Refuse a call in a thread of the policy, which would wait for what the call of the policy holds."""


CHAIN = 15
"""Calls in a row that are compared with calls apart, for a function that changed something."""

COMPARED = 8
"""Calls of one function that are looked at in this way, of those that changed something, in one run."""


def applied_apart(
    function: Any,
    inside: Callable[[float], float],
    numbers: list[float],
    probes: list[float] | None = None,
    source: Run | None = None,
) -> list[float]:
    """Return a function of each number, none of which any of the calls keeps.

    Parameters
    ----------
    function : what the user gave.
    inside : the function, moved into its interval; it raises nothing.
    numbers : the private numbers.
    probes : public numbers like them, with which a function is tried that changed something.
    source : the private data of the run. Its `on_change` receives the name of a function whose results depend on
        earlier calls.
        None if the numbers are public.

    Guarantee
    ---------
    What is reached from the function (its receiver, closure, defaults, attributes, the globals that its own code names,
    and so on) is copied before the first call and refilled after each, whether or not it has changed. Caches are empty
    and generators draw coins of their own meanwhile. Hence no call depends on a number that another one was given,
    unless the function tells or keeps something elsewhere: one that surely does is refused, by its code and by what
    that names, before it is called with anything (with an `on_change`, it is called all the same); what is not
    known to keep nothing is noted in `source`.
    """
    if source is not None:
        source.check_thread()
    plain = is_plain(function)
    if (
        source is not None
        and source.on_change is not None
        and (key := name_of(function) + place_of(function)) not in source.functions
    ):
        source.functions[key] = None if plain else Kept([function])
    if source is None or plain:
        with without_messages(function, plain=plain):
            return [inside(number) for number in numbers]
    _look_through(function, source)
    found = []
    before = source.reading, source.closed
    source.reading = source.closed = True
    if source.on_change is not None:
        source.coins.drawn = set()
    try:
        for number in numbers:
            with apart([function], source.coins) as kept:
                _check(function, kept)
                found.append(copy_context().run(inside, number))
                changed = kept.changed() if source.on_change is not None else ""
            if source.coins.drawn and source.on_change is not None:
                source.on_change(f"{name_of(function)} draws coins: it is not a function of one number")
            if changed and source.on_change is not None:
                _compare(function, inside, [number, *(probes or ())], changed, source)
    finally:
        source.reading, source.closed = before
    return found


def _look_through(function: Any, source: Run) -> None:
    """Refuse a function that surely tells or keeps something, or say so; take note of what is not known."""
    seen = looked_through(function)
    if seen.impure:
        uses = f"{name_of(function)}{place_of(function)} uses {', '.join(seen.impure)}"
        if source.on_change is None:
            hint = "what it receives could pass from there to later rounds: compute with the number alone"
            raise PrivcheckError("function", words(f"one that is none: {uses}"), "a function of one number", hint)
        source.on_change(f"{uses}: it is not a function of one number")
    if seen.unknown:
        key = name_of(function) + place_of(function)
        source.unknown[key] = tuple(dict.fromkeys((*source.unknown.get(key, ()), *seen.unknown)))


def _check(function: Any, kept: Kept) -> None:
    """Refuse a function that reaches what cannot be put back: by what it is, not by what it has done."""
    if kept.refused or kept.unknown:
        kind = type((kept.refused or kept.unknown)[0]).__name__
        got = words(f"{name_of(function)}, which reaches an object of type {kind}")
        hint = "such an object could keep the number and cannot be put back: give a function of the number alone"
        raise PrivcheckError("function", got, "a function of one number", hint)


def _compare(function: Any, inside: Callable[[float], float], numbers: list[float], changed: str, source: Run) -> None:
    """Tell `on_change` if results depend on earlier calls: a cache changes, too, but its results do not."""
    assert source.on_change is not None
    key = getattr(function, "__qualname__", repr(type(function)))
    source.compared[key] = source.compared.get(key, 0) + 1
    if source.compared[key] > COMPARED:
        return
    asked = [numbers[place % len(numbers)] for place in range(CHAIN)]
    alone = []
    for number in asked:
        with apart([function], source.coins):
            alone.append(copy_context().run(inside, number))
    with apart([function], source.coins):
        in_a_row = copy_context().run(lambda: [inside(number) for number in asked])
    if repr(alone) != repr(in_a_row):
        source.on_change(f"{name_of(function)} changes {changed}: it is not a function of one number")


def name_of(function: Any) -> str:
    """Return what a function is called in messages."""
    name = getattr(function, "__name__", None)
    return "a lambda" if name == "<lambda>" else str(name or f"an object of type {type(function).__name__}")
