r"""Do raw data steer the actions, and at which lines?

The code itself is played on both streams with the same coins, the same releases of mechanisms, and noise so large that
nothing to which it is added can be seen (`MaskedDraws`). If the actions differ nevertheless, data reached them
around the noise. Coins can hide data too (exploration, randomised response). Where the code draws some, differing
actions count only if coins hide them less than claimed: over many sets of coins and one noise, an action in one
round or a beginning, chosen on half of the sets, is on the other half shown to be more than e^epsilon times as likely
on one stream. Runs that are played again must not differ: where they do, random numbers come from elsewhere, and
nothing is concluded.

The lines are then found by their effect. Rewards that differ are handed over as numbers that have both values
(`PairedNumber`), and readings of them at chosen lines have the outcome that they have on the first stream. Lines are at
fault if the actions are those of the first stream once their readings are, and if none of them can be left out. A
number that is not the same whenever the actions before it are has something random added to it, so it is not raw.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from privcheck.arrays import Table
from privcheck.auditing._faults.other_randomness import Taken
from privcheck.auditing._faults.paired_number import PairedNumber, Place, Readings
from privcheck.certifying import differing, drive
from privcheck.errors import PrivcheckError
from privcheck.feedback import kind
from privcheck.generators import HandledGenerator, MaskedDraws, TooManyDrawsError
from privcheck.inference import clopper_pearson
from privcheck.mechanisms import DivergenceError, ForcedTape, Recorder, Tape
from privcheck.private_values import Leak
from privcheck.targets import Game, Target

SEEDS = 40
"""Noises with which the two streams are compared."""

SETS_OF_COINS = 400
"""Sets of coins with which code that draws some is played, for one noise."""

Event = tuple[int, tuple[int, ...]]
"""An action in one round, or the first actions of a run (round -1)."""

LEVEL = 1e-6
"""Probability with which coins that hide the data as claimed are said not to, for one noise."""

MORE_SETS = 4000
"""Sets of coins for rare events, which are looked at for the first such noise if no other shows anything."""

MASKED = 3
"""Noises for which that is done."""

REPEATS = 20
"""Times that two differing runs are played again."""

COINS_OF_READINGS, WITHOUT_COINS = 60, 8
"""Sets of coins with which it is tested whether numbers that are read have something random added to them: for code
that draws coins, and for code that was not seen to.
"""

MOST_LINES = 12
"""Largest number of lines that are examined."""

UNFOLLOWED = ("conversion", "format", "hash", "pickle", "reveal")
"""Kinds of leaks that say nothing about what becomes of the value."""

OTHER_RELEASE = -1
"""Stands for the actions of a run that makes another release."""


@dataclass(frozen=True)
class RawPath:
    """What playing both streams shows.

    Parameters
    ----------
    steers : whether raw data steer the actions; None where coins may hide them, or nothing could be played.
    lines : where the data were read that steered the actions, in the order in which they were; empty if not known.
    examined : the lines where differing data were read.
    coins : whether coins hide some of it.
    noised : whether what is read at the lines may have something random added to it that the search does not follow.
    """

    steers: bool | None
    lines: tuple[Leak, ...] = ()
    examined: frozenset[Place] = frozenset()
    coins: bool = False
    noised: bool = False


def raw_path(
    target: Target, epsilon: float | None, game: Game, first: Table, second: Table, deadline: float, taken: Taken
) -> RawPath:
    """Return whether and where raw data steer the actions on two neighbouring streams."""
    player, masked = _Player(target, game, first, second, deadline, taken), list[tuple[int, list[int]]]()
    epsilon = epsilon or math.inf
    try:
        for seed in range(SEEDS):
            if time.monotonic() > deadline:
                return RawPath(None)
            actions, other, draws_coins = player.both(seed, seed)
            if taken.others or taken.must_follow:
                return RawPath(None)
            if not player.differ(actions, other):
                continue
            if len(masked) < MASKED and not player.repeats(seed, actions, other):
                return RawPath(None)
            if not draws_coins:
                return _located(player, seed, actions)
            masked.append((seed, actions))
            if len(masked) <= MASKED and player.tells(seed, SETS_OF_COINS, epsilon, deadline):
                return _located(player, seed, actions, draws_coins=True)
        if masked and player.tells(masked[0][0], MORE_SETS, epsilon, deadline):
            return _located(player, *masked[0], draws_coins=True)
    except (PrivcheckError, TooManyDrawsError):
        return RawPath(None)
    return RawPath(None if masked else False)


def _located(player: _Player, seed: int, actions: list[int], *, draws_coins: bool = False) -> RawPath:
    """Return the fewest lines whose readings make the difference."""
    if player.kind.id not in ("bandit", "identification"):
        return RawPath(True, coins=draws_coins)
    readings = Readings()
    player.paired(seed, readings)
    examined = frozenset(readings.found)
    lines = dict(list(readings.found.items())[:MOST_LINES])
    if not lines or player.differ(actions, player.paired(seed, Readings(frozenset(lines)))):
        return RawPath(True, (), examined, draws_coins)
    for place in reversed(list(lines)):
        fewer = frozenset(lines) - {place}
        if fewer and not player.differ(actions, player.paired(seed, Readings(fewer))):
            del lines[place]
    followed = not draws_coins or not any(leak.kind in UNFOLLOWED for leak in lines.values())
    if not followed or any(player.noised(seed, place, sets_for_readings(draws_coins)) for place in lines):
        return RawPath(True, (), examined, draws_coins, noised=True)
    return RawPath(True, tuple(lines.values()), examined, draws_coins)


def sets_for_readings(draws_coins: bool) -> int:
    """Return with how many sets of coins it is tested whether numbers that are read are raw."""
    return COINS_OF_READINGS if draws_coins else WITHOUT_COINS


def _events(actions: list[int], own: set[int]) -> Iterator[Event]:
    """Yield what is observed in a run: each action by itself, and each beginning."""
    shown = [0 if t in own else action for t, action in enumerate(actions)]
    for t in range(len(shown)):
        yield t, (shown[t],)
        yield -1, tuple(shown[: t + 1])


class _Player:
    """Plays the code on both streams."""

    def __init__(self, target: Target, game: Game, first: Table, second: Table, deadline: float, taken: Taken) -> None:
        self.target, self.game, self.first, self.second = target, game, first, second
        self.deadline, self.taken = deadline, taken
        self.kind = kind(target.feedback)
        self.changed = np.flatnonzero((first != second).any(axis=1)).tolist()
        self.own = set(self.kind.hidden(self.changed))

    def differ(self, one: list[int], two: list[int]) -> bool:
        """Tell whether two runs differ in what is observed."""
        return len(one) != len(two) or bool(differing(one, two, self.own))

    def both(self, noise: int, coins: int) -> tuple[list[int], list[int], bool]:
        """Return the actions on both streams, and whether coins were drawn."""
        tape, draws = Tape(np.random.default_rng([noise, 2])), MaskedDraws(coins, noise)
        actions, drawn = self._play(self.first, tape, draws, coins), self.taken.coins
        forced, again = ForcedTape(tape.releases), MaskedDraws(coins, noise)
        others = self._play(self.second, forced, again, coins)
        return actions, others, bool(draws.coins or again.coins or drawn or self.taken.coins)

    def repeats(self, seed: int, actions: list[int], other: list[int]) -> bool:
        """Tell whether the two runs of a seed are the same whenever they are played."""
        for _ in range(REPEATS):
            if self.both(seed, seed)[:2] != (actions, other):
                self.taken.differs()
            if self.taken.others or time.monotonic() > self.deadline:
                return False
        return True

    def noised(self, noise: int, place: Place, sets: int) -> bool:
        """Tell whether a number that is read there may differ between runs with the same actions before it."""
        found, compared = dict[tuple[int, ...], tuple[float, ...]](), False
        for coins in range(sets):
            if time.monotonic() > self.deadline:
                return True
            readings = Readings()
            actions = self.paired(noise, readings, coins)
            for (where, count), values in readings.read.items():
                if where == place:
                    before = tuple(actions[:count])
                    compared = compared or before in found
                    if found.setdefault(before, values) != values:
                        return True
        return not compared

    def tells(self, noise: int, sets_of_coins: int, epsilon: float, deadline: float) -> bool:
        """Tell whether coins hide the data less than claimed: an event is more than e^epsilon times as likely."""
        halves = [(Counter[Event](), Counter[Event]()) for _ in range(2)]
        for coins in range(sets_of_coins):
            if time.monotonic() > deadline:
                return False
            for counts, actions in zip(halves[coins % 2], self.both(noise, coins)[:2], strict=True):
                counts.update(_events(actions, self.own))
        chosen, counted = halves
        event, more = max(
            ((event, side) for side in (0, 1) for event in chosen[side]),
            key=lambda found: (chosen[found[1]][found[0]] + 1) / (chosen[1 - found[1]][found[0]] + 3),
        )
        often, rare, runs = counted[more][event], counted[1 - more][event], sets_of_coins // 2
        least, most = clopper_pearson(often, runs, LEVEL / 2.0)[0], clopper_pearson(rare, runs, LEVEL / 2.0)[1]
        return bool(least > math.exp(min(epsilon, 700.0)) * most)

    def paired(self, noise: int, readings: Readings, coins: int | None = None) -> list[int]:
        """Return the actions on the second stream, with what is read there as `readings` says."""
        tape, drawn = Tape(np.random.default_rng([noise, 2])), noise if coins is None else coins
        self._play(self.first, tape, MaskedDraws(drawn, noise), drawn)
        pairing = lambda policy: _Pairing(policy, self, readings)  # noqa: E731
        return self._play(self.second, ForcedTape(tape.releases), MaskedDraws(drawn, noise), drawn, pairing)

    def _play(
        self,
        table: Table,
        recorder: Recorder,
        draws: MaskedDraws,
        coins: int,
        wrapped: Callable[[Any], Any] = lambda p: p,
    ) -> list[int]:
        rng = HandledGenerator(draws)
        with np.errstate(all="ignore"), self.taken.from_elsewhere(rng, coins):
            policy = wrapped(self.target.build(rng))
            try:
                return drive(policy, table, recorder, self.target.feedback, self.game.contexts)
            except DivergenceError as divergence:
                return [*divergence.actions, *[OTHER_RELEASE] * (len(table) - len(divergence.actions))]


class _Pairing:
    """A policy that receives the rewards of both streams in the rounds in which they differ."""

    def __init__(self, policy: Any, player: _Player, readings: Readings) -> None:
        self._policy, self._player, self._readings, self._round = policy, player, readings, 0

    def select(self) -> Any:
        self._readings.actions = self._round
        return self._policy.select()

    def update(self, action: int, reward: float) -> None:
        self._readings.actions = self._round + 1
        if self._round in self._player.changed:
            other = float(self._player.first[self._round, action])
            reward = PairedNumber(reward, other, (self._round + 1,), self._readings)
        self._round += 1
        self._policy.update(action, reward)

    @property
    def stopped(self) -> bool:
        return bool(self._policy.stopped)

    def recommend(self) -> Any:
        return self._policy.recommend()
