"""Whether code does with ordinary rewards what it does with wrapped ones: the same lines, errors, actions, numbers."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import numpy as np

from privcheck.arrays import Table
from privcheck.certifying._noisy_replay import Played, Player
from privcheck.certifying._outside.same_numbers import Numbers
from privcheck.certifying._own_files import is_own
from privcheck.certifying._replay import changed_rounds
from privcheck.certifying._translated.private_choices import noted_choices
from privcheck.errors import PrivcheckError
from privcheck.feedback import Feedback, kind
from privcheck.mechanisms import Mechanism
from privcheck.private_values import LeakError, feature
from privcheck.reached_state import Kept

Step = tuple[str, int, str, str]
"""A file, a line, the function that it is in, and the class of an exception that passes through it, or nothing."""

FEATURES = feature.__module__
"""What calls functions of one number."""

MOST_CONSTANTS = 64
"""How many numbers that the code names are tried as rewards."""

NAMED_SEEDS = 3
"""Number of seeds with which these are played: by some, the noise decides as they do."""


@dataclass
class Way:
    """The lines of a target's own files that ran, and the exceptions that passed through them.

    Parameters
    ----------
    chooses : the name of a contextual `select`; empty for others. In it, and in functions of one number, exceptions
        alone are noted: the code as it is finds caches filled there that are put back under the guard.
    watches : whether to note what `select` sets.
    chosen : takes the places of choices by one datum of which both sides were computed: of their lines, the code as it
        is runs some.
    sets : the names of places whose numbers `select` has changed: under the guard that is lost.
    after : what the policy holds after each `select`, if it is watched.
    changed : all that `select` has changed, whatever it is, in the words of the code.
    """

    chooses: str = ""
    watches: bool = False
    chosen: set[tuple[str, int]] = field(default_factory=set)
    sets: set[str] = field(default_factory=set)
    after: list[Numbers] = field(default_factory=list)
    changed: set[str] = field(default_factory=set)
    steps: set[Step] = field(default_factory=set)
    numbers: Numbers = field(default_factory=Numbers)
    codes: set[CodeType] = field(default_factory=set)
    _apart: int = 0

    def held(self, policy: Any) -> None:
        """Take in what a policy holds at the end."""
        self.numbers.held(policy)

    @contextmanager
    def followed(self) -> Iterator[None]:
        """Take note of what runs in the block, in this thread."""
        previous = sys.gettrace()
        sys.settrace(self._called)
        try:
            with noted_choices(self.chosen):
                yield
        finally:
            sys.settrace(previous)

    def _called(self, frame: FrameType, event: str, argument: Any) -> Any:  # noqa: ARG002
        code = frame.f_code
        if not is_own(code.co_filename, frozenset()) or _of_the_guard(frame):
            return None
        self.codes.add(code)
        caller = frame.f_back
        of_one_number = caller is not None and caller.f_globals.get("__name__") == FEATURES
        apart = of_one_number or code.co_name == self.chooses
        before = None
        if self.watches and code.co_name == self.chooses and not self._apart:
            before = Numbers.of(frame.f_locals[code.co_varnames[0]])
            kept = Kept([frame.f_locals[code.co_varnames[0]]])
        self._apart += apart

        def stepped(frame: FrameType, event: str, argument: Any) -> Any:
            if event == "return":
                if not self._apart:
                    self.numbers.returns(frame, argument)
                self._apart -= apart
                if before is not None:
                    after = Numbers.of(frame.f_locals[code.co_varnames[0]])
                    new = after.found.keys() - before.found.keys()  # what was None, say
                    self.sets.update(name for name, _, _ in [*after.others(before), *new])
                    self.after.append(after)
                    self.changed |= kept.changes()
            elif event == "line" and not self._apart:
                self.steps.add((code.co_filename, frame.f_lineno, code.co_qualname, ""))
            elif event == "exception" and not issubclass(argument[0], _ORDINARY):
                self.steps.add((code.co_filename, frame.f_lineno, code.co_qualname, argument[0].__name__))
            return stepped

        return stepped

    def constants(self, low: float, high: float) -> list[float]:
        """Return the numbers within the range of rewards, without its ends, that the code names."""
        numbers = {
            float(one.real) for code in self.codes for one in code.co_consts if type(one) in (int, float, complex)
        }
        return sorted(one for one in numbers if low < one < high)[:MOST_CONSTANTS]


_ORDINARY = (StopIteration, StopAsyncIteration, GeneratorExit, LeakError)
"""What ends iterations, and what is reported as a leak."""


def _of_the_guard(frame: FrameType) -> bool:
    """Tell whether a mechanism or a kind of feedback of the target's own runs: the guard calls them in other ways."""
    place: FrameType | None = frame
    while place is not None:
        code = place.f_code
        own = code.co_argcount > 0 and is_own(code.co_filename, frozenset())
        if own and isinstance(place.f_locals.get(code.co_varnames[0]), Mechanism | Feedback):
            return True
        place = place.f_back
    return False


def other_ways(
    player: Player,
    tables: list[Table],
    seed: int,
    rewards: tuple[float, float],
    arms: int,
    pairs: list[tuple[Table, Table]],
) -> tuple[list[str], list[str]]:
    """Return notes on what code does otherwise with ordinary rewards than with wrapped ones, and what `select` sets.

    What code does under the guard is a function of public numbers, so a run with the same coins and the same releases
    does the same with ordinary rewards: unless the code distinguishes the two, as by catching an error that
    wrapped ones alone raise. One more stream has rewards that the code names, with which it might compare them.

    Parameters
    ----------
    player : plays the policy, guarded and as it is.
    tables : streams.
    seed : of the coins and the noise.
    rewards : the declared range.
    arms : K, the number of columns that hold rewards.
    pairs : neighbouring streams, on which what a contextual `select` sets may hold contexts of earlier rounds.
    """
    notes, named, sets, changed = dict[str, None](), set[float](), set[str](), set[str]()
    for table in tables:
        way = _compared(player, table, seed, notes)
        named.update(way.constants(*rewards))
        sets |= way.sets
        changed |= way.changed
    if named:
        cycle = np.resize(sorted(named), (len(tables[-1]), 1))
        table = tables[-1].copy()
        table[:, :arms] = cycle
        for number in range(seed, seed + NAMED_SEEDS):
            way = _compared(player, table, number, notes)
            sets |= way.sets
            changed |= way.changed
    if sets and not notes:
        carried = set[str]()
        for first, second in [*pairs, *(_of_short_contexts(*pair, arms) for pair in pairs)]:
            carried |= _carried(player, first, second, seed)
        notes |= {CARRIED.format(", ".join(sorted(carried))): None} if carried else {}
    return list(notes), sorted(changed)


def _of_short_contexts(first: Table, second: Table, arms: int) -> tuple[Table, Table]:
    """Return a pair whose contexts lie halfway to the shortest one, except in the round in which a pair differs.

    There the second stream keeps its context, so that the largest one so far, say, is that of this round.
    """
    contexts = first[:, arms:]
    mixed = first.copy()
    mixed[:, arms:] = (contexts + contexts[np.argmin(np.square(contexts).sum(axis=1))]) / 2.0
    changed = changed_rounds(first, second)
    other = mixed.copy()
    other[changed] = second[changed]
    return mixed, other


def _carried(player: Player, first: Table, second: Table, seed: int) -> set[str]:
    """Return the places that `select` sets and whose numbers, in later rounds, depend on the context of an earlier one.

    The code is played as it is on two neighbouring streams with the same coins and releases. Nothing is said of code
    that does something else than under the guard.
    """
    ways = list[Way]()
    try:
        one = player.guarded(first, seed, None)
        other = None if one is None else player.guarded(second, seed, one.session.releases)
        for table, run in ((first, one), (second, other)):
            if run is None:
                return set()
            ways.append(Way(kind(player.feedback).chooses, watches=True))
            with ways[-1].followed():
                if player.failure(table, seed, run, run.actions, set()) is not None:
                    return set()
    except PrivcheckError:
        return set()
    later, found = max(changed_rounds(first, second), default=0) + 1, set[str]()
    largest = 0.0 if one is None else _largest(one)
    for mine, its in zip(ways[0].after[later:], ways[1].after[later:], strict=False):
        found |= {name for name, _, _ in mine.others(its, largest)}
    return found & (ways[0].sets | ways[1].sets)


def _compared(player: Player, table: Table, seed: int, notes: dict[str, None]) -> Way:
    by = kind(player.feedback)

    def way(*, watches: bool = False) -> Way:
        return Way(by.chooses if by.contextual else "", watches)

    def guarded() -> tuple[Way, Played | None]:
        wrapped = way()
        with wrapped.followed():
            return wrapped, player.guarded(table, seed, None, look=wrapped.held)

    def difference(*, forgets: bool) -> tuple[Way, str | None]:
        """Play the code as it is; return its way, and a note on what it does otherwise than under the guard."""
        assert run is not None
        ordinary = way(watches=by.contextual and not forgets)
        with ordinary.followed():
            failure = player.failure(table, seed, run, run.actions, set(), look=ordinary.held, forgets=forgets)
        differing = (step for step in wrapped.steps ^ ordinary.steps if step[3] or step[:2] not in wrapped.chosen)
        if (found := min(differing, default=None, key=_alone_last)) is not None:
            file, line, function, error = found
            place = f"{Path(file).name}:{line} in {function}"
            what = f"{error} is raised" if error else "this line runs"
            return ordinary, OTHERWISE.format(place, what, "wrapped" if found in wrapped.steps else "ordinary")
        if failure is not None:
            return ordinary, ACTIONS
        if others := wrapped.numbers.others(ordinary.numbers, largest := _largest(run)):
            again = wrapped.numbers.others(guarded()[0].numbers, largest)  # such as times
            lost = {(name, "", 0) for name in ordinary.sets}
            for name, function, _ in [key for key in others if key not in again and key not in lost][:1]:
                return ordinary, NUMBERS.format(f"{name} in {function}" if function else name)
        return ordinary, None

    try:
        wrapped, run = guarded()
        if run is None:
            return wrapped
        ordinary, note = difference(forgets=False)
        if note is not None and by.contextual and difference(forgets=True)[1] is None:
            note = set_in_select(ordinary.sets)
    except PrivcheckError:  # replay says so
        return wrapped
    notes |= {} if note is None else {note: None}
    return ordinary


def set_in_select(names: Iterable[str] = ()) -> str:
    """Return the note on what a contextual `select` sets and the code reads later, with its names.

    >>> set_in_select(["self.t"])  # doctest: +ELLIPSIS
    'what select() sets (self.t) is lost under the guard, and without it the code does something else: set it in ...'
    """
    named = f" ({', '.join(sorted(names))})" if names else ""
    what = f"what select() sets{named} is lost under the guard, and without it the code does something else"
    return f"{what}: set it in update(), where contexts are private"


def _largest(run: Played) -> float:
    """Return the largest number that was released or is behind a release."""
    numbers = [
        np.abs(np.asarray(part, np.float64)).max(initial=0.0)
        for one in run.session.releases
        for part in (one.value, *_parts(one.output))
    ]
    return float(max(numbers, default=0.0))


def _parts(output: Any) -> tuple[Any, ...]:
    """Return the numbers that were released; with the index of a noisy maximum, the noisy scores."""
    return output if isinstance(output, tuple) else (output,)


def _alone_last(step: Step) -> tuple[bool, Step]:
    """Order steps so that exceptions, which are the cause, come before lines."""
    return not step[3], step


OTHERWISE = (
    "{}: {} with {} rewards alone, so the code does something else with the others: let it do the same with both, "
    "as by releasing a value before it is read"
)
NUMBERS = (
    "{} is another number with ordinary rewards than with wrapped ones, although the coins and all releases are the "
    "same: the code computes otherwise than in real numbers, or tells the two apart"
)
CARRIED = (
    "what select() sets ({}) depends on contexts of earlier rounds: it is lost under the guard, but without it later "
    "actions may depend on them: keep the private context that update() receives, and release what is computed from it"
)
ACTIONS = (
    "with ordinary rewards the code plays other actions than with wrapped ones, although the coins and all releases "
    "are the same: it computes otherwise than in real numbers, or tells the two apart"
)
