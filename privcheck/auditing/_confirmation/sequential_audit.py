"""A sequential audit: stages of growing size, each with its own search and bets on fresh pairs of runs.

The level is divided among the stages by alpha spending: stage r = 1, 2, ... has the weight w_r = 1 / (r (r + 1)). The
wealth E_r of its bets starts at 1. Its pair is searched for on runs that are never bet on. Its events are learned while
betting: before a block of fresh runs, from all runs on this pair that were made before, whether these were bet on or
not. Given these runs, the events and the stakes are fixed and the runs of the block are new and independent, so under
the claim every factor by which a bet multiplies its wealth has an expectation of at most 1, whichever events were
chosen: E_r, a product of such factors, stays a non-negative supermartingale when events change. So the sum of w_r E_r
is an e-process against the claim; by Ville's inequality, the probability that it ever reaches 1 / error is at most
`error` if the claim is true. The lower bounds of the stages are valid at any time at the levels w_r (1 - confidence),
hence all together at `confidence`: events do not depend on the claim that is tested.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from privcheck.auditing._confirmation.e_process import Anytime, Bets, choose_to_bet
from privcheck.auditing._confirmation.shares_of_runs import screening_budget
from privcheck.auditing._confirmation.tally import (
    Counter,
    Tally,
    alike_runs,
    share_with_texts_of_their_own,
    usual_output,
)
from privcheck.auditing._events.event import Event
from privcheck.auditing._scoring.views_of import views_of
from privcheck.auditing._search.successive_halving import Found, Screening, screen
from privcheck.auditing._verdict import ended_early, judge_anytime, unrefuted
from privcheck.feedback import kind
from privcheck.inference import SequentialTest
from privcheck.progress import progress
from privcheck.results import Outcome, Resolution
from privcheck.targets import Claim, Request, Sampler, Settings, Sides, StoppedError, StreamPair, Target, joined_sides

FIRST_RUNS = 500
"""Runs per stream of the first stage."""

GROWTH = 4
"""Factor by which stages grow: the larger it is, the fewer stages there are and the more weight the last one has."""

LEARNING_RUNS = 16
"""Runs per stream that are known before the first bet. Where the search made none on the pair, say because it was
given, they are made for that.
"""

FIRST_BLOCK = 8
"""Pairs of runs after which a stage may first end."""

EVENTS = 2
"""Events that are bet on at a time: the second most promising one costs little and helps where the first is luck."""

NEWS = 2
"""Factor by which the known runs grow until events are chosen anew."""


def stages(runs: int) -> list[int]:
    """Return the runs per stream of every stage, which add up to `runs`.

    >>> stages(10_000)
    [500, 9500]
    """
    plan, left, size = [], runs, FIRST_RUNS
    while left > 0:
        size = left if left < size * (1 + GROWTH) else size
        plan.append(size)
        left, size = left - size, size * GROWTH
    return plan


def search_and_bet(sampler: Sampler, pairs: list[StreamPair], runs: int, settings: Settings, policy: Target) -> Outcome:
    """Search and bet, stage by stage, until the claim is refuted or the runs are used up; return the outcome.

    The parameters are those of `search_and_confirm`; at most `runs` runs per stream are played, besides the search. The
    outcome depends on the runs that were bet on alone, so an audit that is cut short is repeated by `stop_after`.
    """
    plan, stop_after, whole = stages(runs), settings.effort.stop_after, False
    game = _Game(sampler, pairs, settings, policy)
    with progress(f"auditing {policy.name} in {len(plan)} stages", runs) as advance:
        try:
            for stage, size in enumerate(plan, 1):
                if game.play(stage, size, advance) or game.room == 0:
                    break
            else:
                whole = True
        except (StoppedError, KeyboardInterrupt):
            stop_after = game.counted
    try:
        return game.outcome(len(plan), stop_after, whole=whole)
    except KeyboardInterrupt:  # what the runs have shown is not lost
        return game.outcome(len(plan), stop_after, whole=whole)


@dataclass(frozen=True)
class _Stage:
    """A stage, what was spent on its search, its weight, the blocks of runs that it has bet on so far, how many of
    these there were when its events were chosen, and how often it chose events.
    """

    pair: StreamPair
    screening: Screening
    weight: float
    bets: Bets | None = None
    blocks: list[Sides] = field(default_factory=list)
    chosen_after: int = 0
    choices: int = 0

    @property
    def pairs(self) -> int:
        return 0 if self.bets is None else self.bets.test.pairs

    @property
    def worth(self) -> float:
        return self.weight * (1.0 if self.bets is None else self.bets.test.e_value)

    @property
    def sides(self) -> Sides:
        return joined_sides(self.blocks)

    @cached_property
    def tally(self) -> Tally:
        """The counts of the runs since the events were chosen."""
        assert self.bets is not None
        since = joined_sides(self.blocks[min(self.chosen_after, len(self.blocks) - 1) :])
        events = tuple(self.bets.events)
        return Counter(events, len(events), events[0], np.zeros(0), usual_output(since))(since)

    def common(self, hidden: Sequence[int]) -> float:
        """Return the share of the runs with the most common output, if it is more than a half."""
        sides = self.sides
        usual = usual_output(sides)
        return float(np.mean([alike_runs(usual, side, hidden).mean() for side in sides]))

    def with_events(self, events: list[Event], known: Sides, claim: Claim) -> _Stage:
        """Return the stage, to go on with bets on these events."""
        bets = self.bets or Bets(events[:1] * EVENTS, claim, mirrored=True)
        changed = bets.changed(events, known)
        return replace(self, bets=changed, chosen_after=len(self.blocks), choices=self.choices + 1)

    def with_block(self, block: Sides) -> _Stage:
        """Return the stage after bets on a block."""
        assert self.bets is not None
        return replace(self, bets=self.bets.extended(block), blocks=[*self.blocks, block])

    def read(self, level: float) -> Anytime:
        """Return the evidence; the event's probabilities come from the runs since it was chosen."""
        assert self.bets is not None
        return self.bets.read(self.tally, level)


class _Game:
    """The stages so far, and the largest wealth of all stages together."""

    def __init__(self, sampler: Sampler, pairs: list[StreamPair], settings: Settings, policy: Target) -> None:
        self.sampler, self.pairs, self.settings, self.policy = sampler, pairs, settings, policy
        self.highest = 1.0
        self.stages: list[_Stage] = []

    @property
    def counted(self) -> int:
        """Runs per stream that were bet on."""
        return sum(stage.pairs for stage in self.stages)

    @property
    def room(self) -> int | None:
        """Runs per stream that may still be bet on; None if `stop_after` sets no limit."""
        return (
            None if self.settings.effort.stop_after is None else max(0, self.settings.effort.stop_after - self.counted)
        )

    def play(self, stage: int, runs: int, advance: Callable[[int], None]) -> bool:
        """Play a stage; return whether the claim is refuted."""
        claim, weight = self.settings.claim, 1.0 / (stage * (stage + 1))
        level = claim.level * weight
        spend = screening_budget(runs, self.sampler.runner.engine)
        views, keys = views_of(self.policy), (3, stage)
        found = screen(
            self.sampler, self.pairs, spend, runs, level, claim.delta, views, lambda _: None, (*keys, 0),
            self.settings.game.relation,
        )  # fmt: skip
        present = _Stage(found.pair, found.screening, weight)
        known = self._known(found)
        if known is None or len(known[0]) < LEARNING_RUNS:
            more = self._fresh(found.pair, min(LEARNING_RUNS, runs), (*keys, 1), advance)
            known, runs = joined_sides([*([known] if known else []), more]), runs - len(more[0])
        learned_on = 0
        for number, size in enumerate(_sizes(runs), 2):
            if self._refuted() or self.room == 0:
                break
            if len(known[0]) >= NEWS * learned_on:
                events, learned_on = choose_to_bet(found.pair, known, claim, views), len(known[0])
                present = present.with_events(events, known, claim)
            block = self._fresh(found.pair, size, (*keys, number), advance, self.room)
            present, known = self._with_bet(present, block), joined_sides([known, block])
        return self._refuted()

    def _known(self, found: Found) -> Sides | None:
        """Return the runs on a pair so far, those of the search first; None if there are none."""
        before = [stage.sides for stage in self.stages if stage.pair is found.pair]
        parts = [*([found.training] if found.training else []), *before]
        return joined_sides(parts) if parts else None

    def _with_bet(self, stage: _Stage, block: Sides) -> _Stage:
        """Return the present stage with another block, which counts from here on: it is added as a whole or not."""
        after = stage.with_block(block)
        self.stages = [*(other for other in self.stages if other.weight != stage.weight), after]
        return after

    def _refuted(self) -> bool:
        """Read the evidence: the wealth of the stages so far, plus the stakes of those that have not begun."""
        rest = 1.0 - sum(stage.weight for stage in self.stages)
        self.highest = max(self.highest, rest + sum(stage.worth for stage in self.stages))
        return self.highest >= 1.0 / self.settings.claim.error

    def _fresh(
        self,
        pair: StreamPair,
        runs: int,
        keys: tuple[int, ...],
        advance: Callable[[int], None],
        room: int | None = None,
    ) -> Sides:
        """Return the first `room` of planned runs on a pair."""
        wanted = runs if room is None else min(runs, room)
        first, second = self.sampler.play(
            [Request(pair, side, wanted, (*keys, side), runs) for side in (0, 1)], lambda n: advance(n // 2)
        )
        return first, second

    def outcome(self, planned: int, stop_after: int | None, *, whole: bool) -> Outcome:
        """Return the outcome of all stages together.

        Parameters
        ----------
        planned : the number of stages that there were to be.
        stop_after : the number of counted runs after which the audit stopped or was to stop.
        whole : whether all stages were played to their end.

        """
        claim, game = self.settings.claim, self.settings.game
        most = max((stage.pairs for stage in self.stages), default=0)
        if not most:
            return ended_early(claim)
        screening = replace(self.stages[-1].screening, runs=sum(stage.screening.runs for stage in self.stages))
        large = [stage for stage in self.stages if stage.pairs >= most / GROWTH]  # the others give smaller bounds
        reads = [(stage.read(claim.level * stage.weight), stage) for stage in large]
        read, best = max(reads, key=lambda entry: entry[0].lower)
        could_show = max(_could_show(s.pairs, claim.delta, claim.error * s.weight) for s in large)
        # whichever choice of events is the last: when a stage ends depends on the runs that its witness counts
        level = claim.level * best.weight / (best.choices * (best.choices + 1))
        end = f"stage {len(self.stages)} of {planned}"
        why = (
            ""
            if whole
            else f"cut short in {end}, after {self.counted:,} counted runs per stream, whose evidence is valid"
        )
        if self._refuted():
            why = f"the claim was refuted in {end}, and the audit ended there"
        together = replace(read, e_value=self.highest)
        of_best = judge_anytime(best.pair, screening, together, best.tally, claim, why, level, stop_after)
        resolution = Resolution(could_show, None)
        verdict, notes = "violation", of_best.notes
        if not self._refuted():
            common = best.common(kind(game.feedback).hidden(best.pair.rounds))
            unread = share_with_texts_of_their_own(best.sides)
            judged, lacking = unrefuted(read.lower, resolution, screening, common, claim, game, unread=unread)
            verdict = judged if whole else "inconclusive"
            notes = tuple(dict.fromkeys(notes + lacking))
        return replace(
            of_best,
            verdict=verdict,
            notes=notes,
            resolution=resolution,
            counted_runs=self.counted,
        )


def _sizes(pairs: int) -> list[int]:
    """Return the sizes of blocks of pairs, each a quarter larger than the last; a stage may end after any of them.

    >>> _sizes(50)
    [8, 10, 12, 15, 5]
    """
    sizes, size = [], FIRST_BLOCK
    while pairs > 0:
        sizes.append(min(size, pairs))
        pairs, size = pairs - size, size * 5 // 4
    return sizes


def _could_show(pairs: int, delta: float, level: float) -> float:
    """Return the lower bound from an event that is certain on one stream and never happens on the other, by the bets of
    a stage: the other events that it bets on show nothing, and no mirror image does.
    """
    ideal = SequentialTest(0.0, delta, EVENTS, mirrored=True)
    never = np.zeros((pairs, EVENTS), np.int8)
    certain = never.copy()
    certain[:, 0] = 1
    ideal.update(certain, never)
    return ideal.lower_bound(level)
