"""Playing a policy once more as it may go on in later rounds: places hold private numbers that they held at the end.

A line that ran may not have read what a place can hold in later rounds: `return self.arm` is harmless until a line
gives `self.arm` a number that was chosen by a reward, which it may do in the last round that ran. So each place that
holds a private number without noise after the last round holds one before every round of another run, and rounds
follow for which no line counts as run. What a line does to private numbers does not depend on their values.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from privcheck.arrays import Table
from privcheck.certifying._execution import drive_guarded
from privcheck.certifying._explored_streams import random_table
from privcheck.certifying._session import Session
from privcheck.errors import PrivcheckError
from privcheck.private_values import Leak, Sample, assumed, sample_of
from privcheck.reached_state import places
from privcheck.targets import Game

Build = Callable[[np.random.Generator], Any]

ROUNDS_AFTER = 4
"""Rounds that follow those of a run."""


@dataclass
class HeldNumbers:
    """The private numbers that places held after the last round of some run, by the name of the place.

    Attributes
    ----------
    samples : see above.
    rows : for each list, deque or tuple of which an entry held one, how many entries it had.
    unseen : whether some were held where they were not found, or where nothing can be put.
    """

    samples: dict[str, Sample] = field(default_factory=dict)
    rows: dict[str, tuple[int, Sample]] = field(default_factory=dict)
    unseen: dict[str, None] = field(default_factory=dict)

    def look(self, policy: Any) -> None:
        """Take in what a policy holds after the last round of a run."""
        for place in places([policy]):
            sample = sample_of(place.holds)
            if sample is None:
                continue
            if place.put is None:
                self.unseen[place.name] = None
            self.samples.setdefault(place.name, sample)
            if place.row:
                self.rows.setdefault(place.row, (place.length, sample))

    def fill(self, policy: Any, session: Session) -> None:
        """Let the places hold private numbers that do not hold any now."""
        for place in places([policy]):
            sample = self.samples.get(place.name)
            if place.row in self.rows and sample is None:
                length, other = self.rows[place.row]
                sample = other if length != place.length else None
            if sample is not None and place.put is not None:
                value = assumed(sample, place.holds, session.source)
                if value is not None and value is not place.holds:
                    place.put(value)


@dataclass
class SecondLooks:
    """Plays runs once more.

    Parameters
    ----------
    build, feedback, game, arms, seed : of the runs.
    """

    build: Build
    feedback: str
    game: Game
    arms: int
    seed: int

    def play(self, number: int, table: Table, held: HeldNumbers | None) -> tuple[list[Leak], bool]:
        """Return where a run leaks that goes on beyond its last round, and whether it could be played to its end.

        Parameters
        ----------
        number, table : of the run, whose coins and noise are drawn again.
        held : private numbers that places are to hold; None leaves them as they are.
        """
        noise, coins = (np.random.default_rng([self.seed, number, purpose]) for purpose in (1, 2))
        game = self.game
        session = Session(game.relation, game.rewards, None, noise, game.contexts)
        policy = self.build(session.generator(coins))
        before = (lambda: None) if held is None else lambda: held.fill(policy, session)
        try:
            drive_guarded(policy, table, session, self.feedback, before=before)
        except PrivcheckError:
            return session.leaks, False
        ended = not session.refusals
        rng = np.random.default_rng([self.seed, number, 3])
        after = random_table(rng, ROUNDS_AFTER + self.arms, self.arms, game, number)
        with suppress(PrivcheckError):
            drive_guarded(policy, after, session, self.feedback, before=before, first=session.round)
        return session.leaks, ended


def leaks_after(looks: SecondLooks, tables: list[Table]) -> list[Leak]:
    """Return the leaks of runs that go on beyond their last round, in which a private number may have been chosen."""
    return [leak for number in _looked_at(tables) for leak in looks.play(number, tables[number], None)[0]]


def unseen(looks: SecondLooks, tables: list[Table], held: HeldNumbers) -> list[str]:
    """Return which lines leak private numbers that places may hold in later rounds: a policy is not complete then."""
    found = dict[str, None]()
    if not held.samples:
        return []
    for number in _looked_at(tables):
        leaks, ended = looks.play(number, tables[number], held)
        for leak in leaks:
            found[UNSEEN.format(f"{Path(leak.file).name}:{leak.line}", leak.code, _places(held))] = None
        if not ended and not leaks:
            found[STOPPED.format(_places(held))] = None
    return list(found)


def _looked_at(tables: list[Table]) -> list[int]:
    return list(range(len(tables)))[:3:2]


def _places(held: HeldNumbers) -> str:
    names = [
        f"{name}, made at {Path(sample.made.file).name}:{sample.made.line}" if sample.made else name
        for name, sample in sorted(held.samples.items(), key=lambda item: (item[1].made is None, item[0]))
    ]
    return "; ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


UNSEEN = "{} ({}) was not seen with a private number that a place may hold in later rounds: {}"
STOPPED = "the policy could not be played with private numbers in all places that may hold some in later rounds: {}"
