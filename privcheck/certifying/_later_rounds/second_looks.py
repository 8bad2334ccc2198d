"""Playing a policy once more as it may go on in later rounds: places hold private numbers that they held at the end.

A line that ran may not have read what a place can hold in later rounds: `return self.arm` is harmless until a line
gives `self.arm` a number that was chosen by a reward, which it may do in the last round that ran. So each place that
holds a private number without noise after the last round holds one before every round of another run, and rounds
follow for which no line counts as run. What a line does to private numbers does not depend on their values, but it may
depend on which of them are equal: a matrix that was symmetric after every run is filled with one that is.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from textwrap import shorten
from typing import Any

import numpy as np

from privcheck.arrays import Table
from privcheck.certifying._execution import drive_guarded
from privcheck.certifying._explored_streams import random_table
from privcheck.certifying._session import Session
from privcheck.errors import PrivcheckError
from privcheck.feedback import kind
from privcheck.private_values import Leak, Private, PrivateSource, Sample, assumed, sample_of
from privcheck.reached_state import places
from privcheck.targets import Game

Build = Callable[[np.random.Generator], Any]

MOST_AFTER = 100
"""Most rounds that follow those of a run; after a shorter one as many follow as it has."""

MOST_LATER, TIMES_LATER = 160, 8
"""Most rounds that follow one run under the budget, and how many times as many as it has."""


@dataclass
class HeldNumbers:
    """The private numbers that places held after the last round of some run, by the name of the place.

    Attributes
    ----------
    samples : see above.
    collections : for each collection of which an entry held one, how many entries it had.
    out_of_reach : where some were held and nothing can be put.
    chooses : whether code has made a number by a choice, a conversion or a comparison.
    """

    samples: dict[str, Sample] = field(default_factory=dict)
    collections: dict[str, tuple[int, Sample]] = field(default_factory=dict)
    out_of_reach: dict[str, None] = field(default_factory=dict)
    chooses: bool = False

    def look(self, policy: Any, session: Session, examined: list[Any]) -> None:
        """Take in what a policy holds after the last round of a run; others hold what was `examined` before."""
        self.chooses |= session.source.chooses
        found = list[Any]()
        for place in places([policy]):
            sample = sample_of(place.holds)
            if sample is None:
                continue
            found.append(place.holds)
            if place.put is None:
                self.out_of_reach[place.name] = None
            self.samples[place.name] = self.samples.get(place.name, sample).joined(sample)
            if place.row:
                length, other = self.collections.get(place.row, (place.length, sample))
                self.collections[place.row] = length, other.joined(sample)
        if self.chooses and unlisted(found, session.source):
            gc.collect()
            found += [place.holds for place in places(examined) if isinstance(place.holds, Private)]
            found += [value for value in examined if isinstance(value, Private)]
            if unlisted(found, session.source):
                self.out_of_reach["an object that is not looked into"] = None

    def fill(self, policy: Any, session: Session) -> None:
        """Let the places hold private numbers that do not hold any now."""
        for place in places([policy]):
            sample = self.samples.get(place.name)
            if sample is None and place.row in self.collections:
                length, other = self.collections[place.row]
                sample = None if length == place.length else other  # its entries come and go
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
    tables : their streams.
    held : what places held after them.
    """

    build: Build
    feedback: str
    game: Game
    arms: int
    seed: int
    tables: list[Table]
    held: HeldNumbers

    def leaks_after(self) -> list[Leak]:
        """Return the leaks of runs that go on beyond their last round, if a number was chosen in one."""
        if not self.held.chooses:
            return []
        return [leak for number in self._numbers for leak in self._play(number, fill=False)[0]]

    def later(self, budget: Any, accountants: Mapping[str, float] | None) -> tuple[list[Leak], list[str]]:
        """Return the leaks in many rounds that follow a run, and what is refused there, in words.

        This finds what code decides by value in a later round, however it does: a schedule, a date, a cell that is
        reached again, a counter that overflows. A policy that stops with an error there does nothing more.
        """
        game, table = self.game, self.tables[0]
        noise, coins, rewards = (np.random.default_rng([self.seed, 0, purpose]) for purpose in (6, 7, 8))
        session = Session(game.relation, game.rewards, budget, noise, game.contexts, accountants)
        after = random_table(rewards, min(TIMES_LATER * len(table), MOST_LATER), self.arms, game, 0)
        with suppress(PrivcheckError):
            drive_guarded(self.build(session.generator(coins)), np.concatenate([table, after]), session, self.feedback)
        return session.leaks, [REFUSED_LATER.format(session.round, refusal) for refusal in session.refusals[:1]]

    def unseen(self) -> list[str]:
        """Return which lines leak the private numbers that places may hold: a policy is not complete then."""
        found = dict[str, None]()
        if self.held.chooses and self.held.out_of_reach:
            found[OUT_OF_REACH.format(", ".join(self.held.out_of_reach))] = None
        for number in self._numbers if self.held.samples else ():
            leaks, ended = self._play(number, fill=True)
            for leak in leaks:
                place = f"{Path(leak.file).name}:{leak.line} ({shorten(leak.code, 80)})"
                found[UNSEEN.format(place, self._places)] = None
            if not (ended or leaks):
                found[STOPPED.format(self._places)] = None
        return list(found)

    @property
    def _numbers(self) -> list[int]:
        """The runs that are played once more."""
        return list(range(len(self.tables)))[: 3 if self.held.chooses else 1 : 2]

    def _play(self, number: int, *, fill: bool) -> tuple[list[Leak], bool]:
        """Return where a run leaks that goes on beyond its last round, and whether it could be played to its end."""
        game, table = self.game, self.tables[number]
        noise, coins = (np.random.default_rng([self.seed, number, purpose]) for purpose in (1, 2))
        session = Session(game.relation, game.rewards, None, noise, game.contexts)
        session.source.is_filled = fill
        policy = self.build(session.generator(coins))
        before = partial(self.held.fill, policy, session) if fill else lambda: None
        rng = np.random.default_rng([self.seed, number, 3])
        after = random_table(rng, min(len(table), MOST_AFTER) + 1, self.arms, game, number)
        try:
            drive_guarded(policy, np.concatenate([table, after]), session, self.feedback, before=before)
            failed = bool(session.refusals)
        except PrivcheckError:
            failed = True
        ended = kind(self.feedback).ended(session) >= len(table)  # some policies end with their horizon
        return session.leaks, ended or not failed

    @property
    def _places(self) -> str:
        samples = sorted(self.held.samples.items(), key=lambda item: (item[1].made is None, item[0]))
        names = [
            f"{name}, made at {Path(sample.made.file).name}:{sample.made.line}" if sample.made else name
            for name, sample in samples
        ]
        return "; ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def unlisted(found: list[Any], source: PrivateSource) -> bool:
    """Tell whether private numbers are held in other objects than those that were found."""
    listed = {id(value._cell) for value in found}
    return any(id(value._cell) not in listed for value in source.held())


REFUSED_LATER = "a run that goes on ends in round {}: {}"
UNSEEN = "{} was not seen with the private numbers that it may read in later rounds, of places that held some: {}"
STOPPED = "the policy stops where places hold private numbers as they did after the last round: {}"
OUT_OF_REACH = "private numbers that were chosen by a reward are held where it is not seen who reads them: {}"
