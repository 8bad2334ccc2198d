"""One night: a pair of streams is searched for or kept, events are learned, and pairs of runs are counted.

Everything that is random in a night comes from its seed, for targets that draw from seeds: the same night played again
by the same code has the same counts. The pair of streams and the events depend on earlier nights and on runs of this
night that are not counted; they are fixed before the first run that is.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from privcheck.arrays import Codes
from privcheck.auditing._confirmation.e_process import choose_to_bet, tested_points
from privcheck.auditing._confirmation.evidence import CountedEvent
from privcheck.auditing._confirmation.sequential_audit import EVENTS
from privcheck.auditing._confirmation.tally import Counter, side_by_side, usual_output
from privcheck.auditing._costs import pairs_for
from privcheck.auditing._events.event import Event
from privcheck.auditing._faults.find import find_faults
from privcheck.auditing._harness.checked_runs import check_runs
from privcheck.auditing._harness.earlier_inputs import refuse_earlier_inputs
from privcheck.auditing._harness.law_of_batches import batch_note
from privcheck.auditing._observed_note import taken_of_encode
from privcheck.auditing._own_setting import in_own_setting
from privcheck.auditing._plan import Plan, make_plan
from privcheck.auditing._relation_note import taken_as_neighbours
from privcheck.auditing._scoring.views_of import views_of
from privcheck.auditing._search.left_out import without_failing
from privcheck.auditing._search.successive_halving import Found, screen
from privcheck.auditing._values_note import range_note
from privcheck.auditing._witness import describe
from privcheck.errors import PrivcheckError
from privcheck.generators import global_generators_kept
from privcheck.results import Fault, Witness
from privcheck.scheduling import executor
from privcheck.targets import (
    Request,
    Sampler,
    Settings,
    Sides,
    StoppedError,
    StreamPair,
    closing,
    code_of,
    function_at,
    joined_sides,
    load,
)

LEARNING_RUNS = 200
"""Runs per stream that are known before the first bet, at least: what is missing is played for that."""

MOST_KNOWN = 20_000
"""The latest runs per stream from which events are learned."""

SEARCH, LEARN, COUNT = 1, 2, 3
"""What the runs of a night are for, the first part of the keys of their seeds."""


@dataclass(frozen=True)
class PlayedNight:
    """A night that was played.

    Parameters
    ----------
    counted, known : codes of the counted runs and of those known before, on each stream, shape (pairs, events): 1 for
        the event, -1 for its mirror image, 0 for neither. The first stream is that on which the event is likelier.
    sides : the outputs of the counted runs.
    witness : the event of which more was seen.
    notes : on candidates that were left out, on workers that were not believed, and on what is taken on trust.
    """

    counted: tuple[Codes, Codes]
    known: tuple[Codes, Codes]
    sides: Sides
    witness: Witness
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Chosen:
    """What is fixed before the counted runs: the pair, the events, and the runs that they were learned from."""

    pair: StreamPair
    events: tuple[Event, ...]
    known: Sides
    notes: tuple[str, ...] = ()

    @property
    def seen(self) -> str:
        """A hash of what the events are in the known runs."""
        found = hashlib.sha256()
        for codes in _codes(self.events, self.known):
            found.update(f"{codes.shape}".encode() + codes.astype("i1").tobytes())
        return found.hexdigest()


class NightlyAudit:
    """A target that is played night by night.

    Parameters
    ----------
    target : as for `privcheck.audit`.
    options : those of `privcheck.audit` that say what is played and what is claimed.

    Raises
    ------
    PrivcheckError : bad input.
    """

    def __init__(self, target: Any, **options: Any) -> None:
        options["streams"] = function_at(options.get("streams"))
        loaded = load(target)
        options = {declared.name: declared.default for declared in Settings.options()} | options
        if options["epsilon"] is options["rho"] is options["mu"] is options["streams"] is None:
            options["epsilon"] = loaded.claim
        if options["epsilon"] is options["rho"] is options["mu"] is None:
            raise PrivcheckError("epsilon", None, "a claim to watch", "give epsilon=1.0, say; or rho=0.5, or mu=1.0")
        options, self.notes = in_own_setting(loaded, options)
        self.plan: Plan = make_plan(loaded, Settings.of(**options | {"runs": None}))
        given = self.plan.settings.effort.streams
        game = self.plan.settings.game
        self.given = [name for name, value in (("streams", given), ("encode", game.encode)) if value is not None]
        self.trusted = (
            *taken_as_neighbours(self.plan.policy, game, given, self.plan.candidates),
            *taken_of_encode(game),
            *range_note(self.plan.policy, game, given, self.plan.candidates),
        )

    @property
    def name(self) -> str:
        """The name of the target."""
        return self.plan.policy.name

    @property
    def tested(self) -> tuple[tuple[float, float], ...]:
        """Each epsilon, with its delta, at which the claim is tested."""
        return tested_points(self.plan.settings.claim)

    @property
    def seeded(self) -> bool:
        """Whether the same night played again has the same counts."""
        return self.plan.randomness == "seeded"

    @property
    def code(self) -> tuple[Any, ...]:
        """The objects whose code is played; () for another program."""
        return code_of(self.plan.policy.runner)

    def play(
        self,
        seed: int,
        runs: int,
        search: int,
        before: tuple[StreamPair, Sides | None] | None,
        begin: Callable[[StreamPair, str], None],
        *,
        check: bool = True,
    ) -> PlayedNight:
        """Play a night.

        Parameters
        ----------
        seed : of the night.
        runs : pairs of runs that are counted.
        search : runs that are spent on the search, both streams together; 0 to keep the pair of the night before.
        before : the pair of the night before, and the runs of earlier nights on it; None in the first night.
        begin : called when everything is chosen, before the first counted run, with the pair and with a hash of what
            the events are in all runs that are known.
        check : whether runs are looked at for independence first, as of code that has not been played before.

        Raises
        ------
        PolicyError : a target that raises an error, or whose runs are not independent.
        KeyboardInterrupt : an interrupt.
        """
        policy, by = self.plan.policy, self.plan.settings.execution
        with global_generators_kept(), closing(policy.runner), executor(by.jobs, by.scheduler, None) as workers:
            sampler = Sampler(policy.runner, seed, workers, math.inf)
            try:
                if check or before is None:
                    check_runs(policy.runner, self.plan.candidates, seed, runs)
                chosen = self._chosen(sampler, runs, search, before)
                begin(chosen.pair, chosen.seen)
                first, second = self._sides(sampler, chosen.pair, runs, COUNT)
            except StoppedError:
                raise KeyboardInterrupt from None
            refuse_earlier_inputs(sampler.course)
        notes = (*chosen.notes, *workers.notes, *batch_note(policy.runner))
        return replace(self._read(chosen, (first, second)), notes=notes)

    def faults(self, witness: Witness) -> tuple[list[Fault], str]:
        """Return the lines of the code as it is now that break the claim on the streams of a night, or why none is
        known: those that an audit would name.
        """
        if not self.code:
            return [], "the code of another program is not seen"
        return find_faults(self.plan.unguarded, self.plan.settings.claim, self.plan.settings.game, [witness])

    def _chosen(
        self, sampler: Sampler, runs: int, search: int, before: tuple[StreamPair, Sides | None] | None
    ) -> Chosen:
        policy, claim = self.plan.policy, self.plan.settings.claim
        pair, known = before or (self.plan.candidates[0], None)
        notes: tuple[str, ...] = ()
        if search or before is None:
            found, notes = self._search(sampler, runs, search, pair if before else None)
            if found.pair is not pair:
                pair, known = found.pair, None
            parts = [part for part in (found.training, known) if part is not None]
            known = joined_sides(parts) if parts else None
        missing = LEARNING_RUNS - (0 if known is None else len(known[0]))
        if missing > 0:
            more = self._sides(sampler, pair, missing, LEARN)
            known = more if known is None else joined_sides([known, more])
        assert known is not None
        known = (known[0][-MOST_KNOWN:], known[1][-MOST_KNOWN:])
        events = choose_to_bet(pair, known, claim, views_of(policy))
        return Chosen(pair, tuple(events[min(place, len(events) - 1)] for place in range(EVENTS)), known, notes)

    def _search(
        self, sampler: Sampler, runs: int, search: int, kept: StreamPair | None
    ) -> tuple[Found, tuple[str, ...]]:
        policy, settings = self.plan.policy, self.plan.settings
        candidates = pairs_for(self.plan.candidates, search)
        if kept is not None and all(kept is not pair for pair in candidates):
            candidates = [kept, *candidates]

        def course(pairs: list[StreamPair]) -> Found:
            return screen(
                sampler, pairs, search, max(runs, LEARNING_RUNS), settings.claim.error, settings.claim.delta,
                views_of(policy), lambda _: None, (SEARCH,), settings.game.relation,
            )  # fmt: skip

        return without_failing(candidates, settings.effort, policy.runner, course)

    def _sides(self, sampler: Sampler, pair: StreamPair, runs: int, key: int) -> Sides:
        first, second = sampler.play([Request(pair, side, runs, (key, side)) for side in (0, 1)], lambda _: None)
        return first, second

    def _read(self, chosen: Chosen, sides: Sides) -> PlayedNight:
        events, claim = chosen.events, self.plan.settings.claim
        tally = Counter(events, len(events), events[0], np.zeros(0), usual_output(sides))(sides)
        both = [
            CountedEvent(event, 1.0 / len(events), counts, sequences)
            for event, counts, sequences in zip(events, tally.counts, tally.sequences, strict=True)
        ]
        best = max(both, key=lambda c: (c.counts.hits + 0.5) / (c.counts.misses + 0.5))
        witness = describe(chosen.pair, best, tally, claim.level, anytime=True)
        return PlayedNight(_codes(events, sides), _codes(events, chosen.known), sides, witness, chosen.notes)


def _codes(events: tuple[Event, ...], sides: Sides) -> tuple[Codes, Codes]:
    return side_by_side(events, [[event.codes(side) for side in sides] for event in events])
