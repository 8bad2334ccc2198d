"""Transcript replay: the same coins and the same releases on a neighbouring stream must give the same actions."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from privcheck.arrays import Table
from privcheck.certifying._execution import drive
from privcheck.certifying._outside.playing_again import Again
from privcheck.certifying._translated.swapped_code import untranslated
from privcheck.feedback import kind
from privcheck.mechanisms import DivergenceError, ForcedTape, Recorder, Tape
from privcheck.privacy import Contexts, removed_row
from privcheck.results import Divergence, ReplayResult

Build = Callable[[np.random.Generator], Any]


FEWER_RELEASES = "the other stream makes fewer releases"


@dataclass(frozen=True, eq=False)
class Difference:
    """A replay that differs from the recorded run.

    Parameters
    ----------
    first, second : the two streams.
    seed : of the coins and the noise.
    tape, forced : what the first run released, and what the second was given.
    actions, played : the outputs of the two runs, as far as they were played.
    reason : what differs, in words.
    own : the 0-based rounds whose outputs are not observed.
    """

    first: Table
    second: Table
    seed: int
    tape: Any
    forced: Any
    actions: list[Any]
    played: list[Any]
    reason: str
    own: set[int]

    @property
    def rounds_alike(self) -> int:
        """The number of rounds before the first output that differs; all that were played if none does."""
        places = differing(self.actions, self.played, self.own)
        return places[0] if places else len(self.played)

    @property
    def is_of_outputs(self) -> bool:
        """Whether the outputs differ, not only what was released."""
        return bool(differing(self.actions, self.played, self.own))


def replay(
    build: Build,
    pairs: list[tuple[Table, Table]],
    seeds: list[int],
    feedback: str,
    contexts: Contexts | None = None,
    seen: Callable[[Table, Table, Any], None] | None = None,
    again: Again | None = None,
) -> ReplayResult:
    """Record a run on the first stream of each pair and replay it on the second with the same releases, for each seed.

    If the policy's actions depend only on its releases and its own coins, the two runs play the same actions; under
    contextual feedback this holds in all rounds except those that differ, whose contexts `select` may read. If the
    actions differ elsewhere, raw data steered the policy. This is a test, not a proof: it covers only the streams and
    seeds that it tries.

    The largest loss is reported and compared with nothing. Under pure DP the loss of a transcript is at most epsilon;
    with Gaussian noise no number bounds it, and under (epsilon, delta)-DP, zCDP or Gaussian DP a transcript whose loss
    exceeds epsilon is no violation: such transcripts only have to be rare. One transcript for each pair cannot show
    how rare they are; an audit, which counts them, can.

    Parameters
    ----------
    build : makes the policy from a Generator, the source of its coins.
    pairs : neighbouring tables, shape (T, K) each, or with further columns for contexts.
    seeds : seeds of the coins and the noise.
    feedback : id of the kind of feedback.
    contexts : what contexts look like, under contextual feedback.
    seen : is given the two streams of each replay and its tape.
    again : plays both runs of replays that differ again.
    """

    def play(table: Table, tape: Recorder, seed: int) -> list[int]:
        with untranslated():
            return drive(build(np.random.default_rng([seed, 0])), table, tape, feedback, contexts)

    def repeated(one: Difference) -> None:
        first, second = (partial(_outputs, play, table, one) for table in (one.first, one.second))
        assert again is not None
        again.look((first, one.actions), (second, one.played))

    differs = None if again is None else repeated
    return replayed(play, pairs, seeds, kind(feedback).hidden, seen=seen, differs=differs)


def _outputs(play: Callable[[Table, Any, int], list[Any]], table: Table, one: Difference) -> list[Any]:
    """Return what is played on a stream with the releases of a replay, as far as the run goes."""
    try:
        return play(table, ForcedTape(one.tape.releases), one.seed)
    except DivergenceError as divergence:
        return divergence.actions


def replayed(
    play: Callable[[Table, Any, int], list[Any]],
    pairs: list[tuple[Table, Table]],
    seeds: list[int],
    hidden: Callable[[list[int]], list[int]],
    record: Callable[[np.random.Generator], Any] = Tape,
    force: Callable[[Any], Any] | None = None,
    seen: Callable[[Table, Table, Any], None] | None = None,
    differs: Callable[[Difference], None] | None = None,
) -> ReplayResult:
    """Record what is played on the first stream of each pair, and replay it on the second.

    Parameters
    ----------
    play : plays a table with a tape and a seed of the coins; returns what can be observed.
    hidden : the rounds, among those that differ, whose symbols are not observed.
    record, force : make a tape from a Generator of noise, and one that returns what such a tape holds.
    seen : is given the two streams of each replay and its tape, after `differs`.
    differs : is given each replay that differs.
    """
    tapes: dict[tuple[bytes, int], tuple[Any, list[Any]]] = {}
    divergences, largest, witness = 0, 0.0, None
    for first, second in pairs:
        for seed in seeds:
            key = (first.tobytes(), seed)
            if key not in tapes:
                tape = record(np.random.default_rng([seed, 1]))
                tapes[key] = tape, play(first, tape, seed)
            tape, actions = tapes[key]
            changed = changed_rounds(first, second)
            own, forced = set(hidden(changed)), ForcedTape(tape.releases) if force is None else force(tape)
            outcome = _forced(lambda: play(second, forced, seed), forced, actions, own)  # noqa: B023  called at once
            if isinstance(outcome, float):
                largest = max(largest, abs(outcome))
            else:
                divergences += 1
                played, reason = outcome
                if differs is not None:
                    differs(Difference(first, second, seed, tape, forced, actions, played, reason, own))
                witness = witness or divergence_of(first, second, actions, played, reason, own)
            if seen is not None:
                seen(first, second, forced)
    return ReplayResult(len(pairs) * len(seeds), divergences, largest, witness)


def changed_rounds(first: Table, second: Table) -> list[int]:
    """Return the 0-based rounds that differ, or the row of the longer table that the other one lacks.

    >>> changed_rounds(np.array([[1.0], [2.0]]), np.array([[1.0]]))
    [1]
    """
    if len(first) != len(second):
        place = removed_row(first, second)
        return [] if place is None else [place]
    return [int(place) for place in np.flatnonzero((first != second).reshape(len(first), -1).any(axis=1))]


def differing(actions: list[Any], played: list[Any], own: set[int]) -> list[int]:
    """Return the 0-based rounds in which two runs play different actions, except rounds that see their own data."""
    both = enumerate(zip(actions, played, strict=False))
    return [t for t, (one, two) in both if one != two and t not in own and not _is_rounding(one, two)]


def _is_rounding(one: Any, two: Any) -> bool:
    """Tell whether two outputs are floats that differ by no more than rounding may make, or are both NaN."""
    if not (isinstance(one, float) and isinstance(two, float)):
        return False
    return math.isclose(one, two, rel_tol=1e-9, abs_tol=1e-12) or (math.isnan(one) and math.isnan(two))


def divergence_of(
    first: Table, second: Table, actions: list[Any], played: list[Any], reason: str, own: set[int]
) -> Divergence:
    """Return the divergence of two runs that play different actions, or of one that stops."""
    found = differing(actions, played, own)
    stop = (found[0] if found else len(played) - 1) + 1
    return Divergence(stop, first, second, tuple(actions[:stop]), tuple(played[:stop]), reason)


def _forced(
    play: Callable[[], list[Any]], forced: Any, actions: list[Any], own: set[int]
) -> float | tuple[list[Any], str]:
    """Return the exact loss of the transcript, or the actions of the diverging run and why it diverges."""
    try:
        played = play()
    except DivergenceError as divergence:
        return divergence.actions, str(divergence)
    if differing(actions, played, own):
        return played, "the actions differ although the coins and all releases are the same"
    if not forced.is_finished:
        return played, FEWER_RELEASES
    return float(forced.log_ratio)
