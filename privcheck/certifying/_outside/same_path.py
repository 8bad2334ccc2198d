"""Whether code does with ordinary rewards what it does with wrapped ones: the same lines, errors, actions, numbers."""

from __future__ import annotations

import sys
from collections.abc import Iterator
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
from privcheck.certifying._translated.private_choices import noted_choices
from privcheck.errors import PrivcheckError
from privcheck.feedback import Feedback, kind
from privcheck.mechanisms import Mechanism
from privcheck.private_values import LeakError, feature

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
    """

    chooses: str = ""
    watches: bool = False
    chosen: set[tuple[str, int]] = field(default_factory=set)
    sets: set[str] = field(default_factory=set)
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
        self._apart += apart

        def stepped(frame: FrameType, event: str, argument: Any) -> Any:
            if event == "return":
                if not self._apart:
                    self.numbers.returns(frame, argument)
                self._apart -= apart
                if before is not None:
                    after = Numbers.of(frame.f_locals[code.co_varnames[0]])
                    self.sets.update(name for name, _, _ in after.others(before))
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


def other_ways(player: Player, tables: list[Table], seed: int, rewards: tuple[float, float], arms: int) -> list[str]:
    """Return notes on what code does otherwise with ordinary rewards than with wrapped ones.

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
    """
    notes, named = dict[str, None](), set[float]()
    for table in tables:
        way = _compared(player, table, seed, notes)
        named.update(way.constants(*rewards))
    if named:
        cycle = np.resize(sorted(named), (len(tables[-1]), 1))
        table = tables[-1].copy()
        table[:, :arms] = cycle
        for number in range(seed, seed + NAMED_SEEDS):
            _compared(player, table, number, notes)
    return list(notes)


def _compared(player: Player, table: Table, seed: int, notes: dict[str, None]) -> Way:
    by = kind(player.feedback)

    def way(*, watches: bool = False) -> Way:
        return Way(by.chooses if by.contextual else "", watches)

    def guarded() -> tuple[Way, Played | None]:
        wrapped = way()
        with wrapped.followed():
            return wrapped, player.guarded(table, seed, None, look=wrapped.held)

    ordinary = way(watches=by.contextual)
    try:
        wrapped, run = guarded()
        if run is None:
            return wrapped
        with ordinary.followed():
            failure = player.failure(table, seed, run, run.actions, set(), look=ordinary.held)
    except PrivcheckError:  # replay says so
        return wrapped
    differing = (step for step in wrapped.steps ^ ordinary.steps if step[3] or step[:2] not in wrapped.chosen)
    found = min(differing, default=None, key=_alone_last)
    if found is not None:
        file, line, function, error = found
        place = f"{Path(file).name}:{line} in {function}"
        what = f"{error} is raised" if error else "this line runs"
        which = "wrapped" if found in wrapped.steps else "ordinary"
        notes[OTHERWISE.format(place, what, which)] = None
    elif failure is not None:
        notes[ACTIONS] = None
    elif others := wrapped.numbers.others(ordinary.numbers, largest := _largest(run)):
        again = wrapped.numbers.others(guarded()[0].numbers, largest)  # such as times
        lost = {(name, "", 0) for name in ordinary.sets}
        for name, function, _ in [key for key in others if key not in again and key not in lost][:1]:
            note = NUMBERS.format(f"{name} in {function}" if function else name)
            notes[note + (SET_IN_SELECT if by.contextual else "")] = None
    return ordinary


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
SET_IN_SELECT = ", or reads in update() what select() sets, which is lost under the guard: set it in update()"
ACTIONS = (
    "with ordinary rewards the code plays other actions than with wrapped ones, although the coins and all releases "
    "are the same: it tells the two apart"
)
