"""Transcript replay of code that draws its noise from numpy: the same releases, by the noise that gives them there."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from privcheck.arrays import Array, Table
from privcheck.certifying._charging.one_release import computed_sensitivities
from privcheck.certifying._execution import drive, drive_guarded
from privcheck.certifying._outside.playing_again import Again
from privcheck.certifying._replay import Build, differing, divergence_of, replay
from privcheck.certifying._session import Session
from privcheck.certifying._translated.swapped_code import translated, untranslated
from privcheck.errors import PrivcheckError
from privcheck.feedback import kind
from privcheck.generators import GuardedDraws, HandledGenerator, PlayedDraws
from privcheck.mechanisms import DivergenceError, ForcedTape, Mechanism, NoisyMax, RecordedRelease
from privcheck.privacy import Contexts, Relation
from privcheck.private_values import REVEAL, Draw, Private, gathered
from privcheck.results import Divergence, ReplayResult

Look = Callable[[Any], object]

DIFFERENT = "the actions differ although the coins and all releases are the same"
ON_ONE = "{}; on the first stream, too, the code does something else with ordinary rewards than under the guard"


@dataclass
class NoisySession(Session):
    """A session without a budget that keeps what is behind its releases, or makes recorded releases again.

    Parameters
    ----------
    forced : the releases to make again; None draws new ones.
    """

    forced: list[RecordedRelease] | None = None
    releases: list[RecordedRelease] = field(default_factory=list)
    computed: list[Mapping[Any, float] | None] = field(default_factory=list)
    own: list[bool] = field(default_factory=list)
    blocks: list[tuple[int, int]] = field(default_factory=list)
    selected: dict[int, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.source.forgets = False
        self.source.on_winner = self._keep_noise
        self.source.on_answer = self._keep_draws

    def built(self, coins: np.random.Generator, flips: np.random.Generator) -> HandledGenerator:
        """Return the Generator to build a policy with; draws that become coins come from `flips`."""
        draws = GuardedDraws(coins.bit_generator, self.source, lambda first, count: self.blocks.append((first, count)))
        draws.flip_with(flips)
        return HandledGenerator(draws)

    def release(self, mechanism: Mechanism, value: Any, *, secure: bool = False, location: str | None = None) -> Any:  # noqa: ARG002
        """Make a release without a charge."""
        noised, value = location is not None, gathered(value, still=True)
        hidden, computed = value, None
        if isinstance(value, Private):
            value = self._without_draws(value)
            hidden, computed = value.reveal(REVEAL), computed_sensitivities(mechanism, value)
        self.computed.append(computed)
        self.own.append(not noised)
        exact = np.array(hidden, float)
        if self.forced is not None:
            if len(self.releases) >= len(self.forced):
                raise DivergenceError(f"release {len(self.releases) + 1} happens on one stream only")
            was = self.forced[len(self.releases)]
            if mechanism != was.mechanism or exact.shape != was.value.shape:
                raise DivergenceError(f"release {len(self.releases) + 1} is made with another mechanism or shape")
            self.releases.append(RecordedRelease(mechanism, exact, was.output))
            return was.output[0] if noised and isinstance(mechanism, NoisyMax) else _copied(was.output)
        given = exact.astype(np.int64) if mechanism.integers is not None else (exact if exact.ndim else float(exact))
        if noised and isinstance(mechanism, NoisyMax):
            noisy = exact + mechanism._draw(self._generator(), exact.shape)
            output: Any = (int(np.argmax(noisy)), noisy)
            self.releases.append(RecordedRelease(mechanism, exact, output))
            return output[0]
        output = mechanism.draw(given, self._generator())
        self.releases.append(RecordedRelease(mechanism, exact, output))
        return _copied(output)

    def _generator(self) -> np.random.Generator:
        assert self.noise is not None
        return self.noise

    def _keep_noise(self, held: Any, _: int) -> None:
        """Keep the noise behind the noisy maximum that was released last."""
        last = self.releases[-1]
        noise = last.output[1] - last.value
        for row, own in held.of_row.items():
            ((number, weight),) = own.items()
            self.selected[number] = float(noise[row] / weight)

    def _keep_draws(self, behind: Callable[[Callable[[Private], float]], dict[int, float]]) -> None:
        """Keep draws that give the answer that was released last."""
        self.selected.update(behind(lambda value: float(value.reveal(REVEAL))))

    def played_noise(self, flips: np.random.Generator) -> list[tuple[Array, str, Array]]:
        """Return the noise of this run, its law and its scales, for each call that drew some."""
        found = []
        for first, count in self.blocks:
            draws = {number: self.source.draws[number] for number in range(first, first + count)}
            noise = [self._noise(number, draw, flips) for number, draw in draws.items()]
            scales = np.array([draw.scale for draw in draws.values()])
            found.append((np.array(noise), draws[first].law, scales))
        return found

    def _noise(self, number: int, draw: Draw, flips: np.random.Generator) -> float:
        if draw.known is None:  # it decided something, or any number will do: never read, or read with another one
            return self._partner(number, flips)
        hidden = self.source.features._hidden
        parts = [
            float(weight) * (hidden[j] if j >= 0 else self._partner(j, flips))
            for j, weight in zip(draw.known.features.tolist(), draw.known.weights.tolist(), strict=True)
        ]
        return math.fsum((draw.known.const, *parts))

    def _partner(self, number: int, flips: np.random.Generator) -> float:
        if number not in self.selected:
            uniform = self.source.draws[number].law == "uniform"
            self.selected[number] = flips.random() if uniform else float(flips.integers(1, 9)) + 1000.0
        return self.selected[number]


def _copied(output: Any) -> Any:
    return output.copy() if isinstance(output, np.ndarray) else output


@dataclass(frozen=True)
class Played:
    """A guarded run: its actions, its releases, and the noise that it drew."""

    actions: list[int]
    session: NoisySession
    noise: list[tuple[Array, str, Array]]


def noisy_replay(
    build: Build,
    pairs: list[tuple[Table, Table]],
    seeds: list[int],
    feedback: str,
    contexts: Contexts | None,
    relation: Relation,
    rewards: tuple[float, float],
    forgotten: Callable[[], object] = lambda: None,
    again: Again | None = None,
) -> ReplayResult | None:
    """Replay code that draws its noise from the Generator that it is built with; None if a guarded run leaks.

    (a) A guarded run on the first stream of a pair gives the releases. (b) A guarded run on the second stream, with
    these releases, gives the noise by which the code would have made them there. (c) The code itself plays the second
    stream with this noise and the same coins: it must play the actions of (a). The code is also played on the first
    stream, with the noise of (a). A contextual code that plays otherwise, but does not if what its `select` sets is
    lost, as it is under the guard, does not diverge: `forgotten` is called.

    Parameters
    ----------
    build, pairs, seeds, feedback, contexts : as for `privcheck.certifying._replay.replay`.
    relation, rewards : the neighbour relation, and the declared range of rewards.
    again : plays the runs of replays that differ again.
    """
    player = Player(build, feedback, contexts, relation, rewards)
    first_runs: dict[tuple[bytes, int], Played] = {}
    on_one: dict[tuple[bytes, int], tuple[list[int], str] | None] = {}

    def unlike_guard(*given: Any) -> tuple[list[int], str] | None:
        failure = player.failure(*given)
        if failure is None or contexts is None or player.failure(*given, forgets=True) is not None:
            return failure
        forgotten()
        return None

    divergences, largest, witness = 0, 0.0, None
    for first, second in pairs:
        own = set(kind(feedback).hidden(np.flatnonzero((first != second).any(axis=1)).tolist()))
        for seed in seeds:
            key, failure = (first.tobytes(), seed), None
            if key not in first_runs:
                if (run := player.guarded(first, seed, None)) is None:
                    return None
                first_runs[key], failure = run, unlike_guard(first, seed, run, run.actions, set())
                on_one[key] = failure
            recorded = first_runs[key]
            other = player.forced(second, seed, recorded)
            if other is None:
                return None
            runs: list[tuple[Callable[[], Any], Any]] = [
                (partial(_actions, player.guarded, first, seed, None), recorded.actions),
                (partial(unlike_guard, first, seed, recorded, recorded.actions, set()), on_one[key]),
                (partial(_actions, player.forced, second, seed, recorded), _of(other)),
            ]
            if isinstance(other, str):
                failure = failure or (recorded.actions, other)
            else:
                largest = max(largest, abs(_loss(recorded.session, other.session)))
                on_two = unlike_guard(second, seed, other, recorded.actions, own)
                runs.append((partial(unlike_guard, second, seed, other, recorded.actions, own), on_two))
                failure = on_two or failure
            if failure is not None:
                if again is not None:
                    again.look(*runs)
                divergences += 1
                failure = failure if on_one[key] is None else (failure[0], ON_ONE.format(failure[1]))
                witness = witness or divergence_of(first, second, recorded.actions, *failure, own)
    return ReplayResult(len(pairs) * len(seeds), divergences, largest, witness)


def unexplained_divergence(
    build: Build,
    pair: tuple[Table, Table],
    seed: int,
    feedback: str,
    contexts: Contexts | None,
    relation: Relation,
    rewards: tuple[float, float],
) -> tuple[Divergence | None, bool]:
    """Return how a replay differs although noise from the policy's Generator is released too, or None; and whether
    anything was released.

    Parameters
    ----------
    pair, seed : one of the pairs and of the seeds of `noisy_replay`, whose other parameters these are.
    """
    tapes: list[Any] = []
    found = replay(build, [pair], [seed], feedback, contexts, lambda _, __, tape: tapes.append(tape))
    released = any(tape.recorded for tape in tapes)
    if found.first_divergence is None:
        return None, released
    noisy = noisy_replay(build, [pair], [seed], feedback, contexts, relation, rewards)
    if noisy is not None and not noisy.divergences:
        return None, True
    return found.first_divergence, released


def _actions(play: Callable[..., Played | str | None], *given: Any) -> list[int] | str | None:
    return _of(play(*given))


def _of(run: Played | str | None) -> list[int] | str | None:
    """Return the actions of a guarded run, or why it could not make the recorded releases."""
    return run.actions if isinstance(run, Played) else run


@dataclass(frozen=True)
class Player:
    """Plays a policy, guarded and as it is."""

    build: Build
    feedback: str
    contexts: Contexts | None
    relation: Relation
    rewards: tuple[float, float]

    def guarded(
        self,
        table: Table,
        seed: int,
        forced: list[RecordedRelease] | None,
        *,
        look: Look = lambda _: None,
        leaks: Look = lambda _: None,
    ) -> Played | None:
        """Return a guarded run, with recorded releases if some are given; None if it leaks or fails.

        `look` is shown the policy after the last round, and `leaks` what leaked or was refused.
        """
        coins, noise, flips = (np.random.default_rng([seed, purpose]) for purpose in range(3))
        session = NoisySession(self.relation, self.rewards, None, noise, self.contexts, forced=forced)
        try:
            with translated(self.build):
                policy = self.build(session.built(coins, flips))
                actions = drive_guarded(policy, table, session, self.feedback).actions
                look(policy)
        except PrivcheckError:
            actions = None
        if session.leaks or session.refusals:
            leaks([*session.leaks, *session.refusals])
            return None
        if actions is None:
            return None
        if forced is not None and len(session.releases) < len(forced):
            raise DivergenceError("the other stream makes fewer releases")
        return Played(actions, session, session.played_noise(flips))

    def forced(self, table: Table, seed: int, recorded: Played) -> Played | str | None:
        """Return a guarded run with the releases of another one, or why it cannot make them; None as for `guarded`."""
        try:
            return self.guarded(table, seed, recorded.session.releases)
        except DivergenceError as divergence:
            return str(divergence)

    def failure(
        self,
        table: Table,
        seed: int,
        run: Played,
        actions: list[int],
        own: set[int],
        *,
        look: Look = lambda _: None,
        forgets: bool = False,
    ) -> tuple[list[int], str] | None:
        """Play the code itself with the noise of a guarded run; return its actions and the reason if they differ.

        `look` is shown the policy after the last round. With `forgets` what a contextual `select` sets is lost.
        """
        rng = HandledGenerator(PlayedDraws(np.random.default_rng([seed, 0]).bit_generator, run.noise))
        releases = [one for one, own in zip(run.session.releases, run.session.own, strict=True) if own]
        try:
            with untranslated():
                policy = self.build(rng)
                played = drive(policy, table, ForcedTape(releases), self.feedback, self.contexts, forgets=forgets)
                look(policy)
        except DivergenceError as divergence:
            return divergence.actions, str(divergence)
        return (played, DIFFERENT) if differing(actions, played, own) else None


def _loss(one: NoisySession, two: NoisySession) -> float:
    """Return the exact loss of the releases that both runs make."""
    total = 0.0
    for was, now in zip(one.releases, two.releases, strict=True):
        if not np.array_equal(was.value, now.value):
            output = (
                was.output[0] if isinstance(was.mechanism, NoisyMax) and isinstance(was.output, tuple) else was.output
            )
            total += float(was.mechanism.log_ratio(output, was.value, now.value))
    return total
