"""The confirmation: one pair of streams, fresh runs that are each used once, and one lower limit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from privcheck.accounting.claimed_profile import ClaimedProfile
from privcheck.arrays import Array
from privcheck.auditing.confirmation.folds import LEARNING_SHARE, Folds, folds, is_easy, probe, taken
from privcheck.auditing.events.claim_selection import choose_for_claim
from privcheck.auditing.events.event import Counts, Event, learned, scores_of
from privcheck.auditing.events.event_selection import choose, choose_for_delta
from privcheck.auditing.events.level_allocation import weigh
from privcheck.auditing.scoring.view import ViewMaker
from privcheck.inference.limits import clopper_pearson_lower
from privcheck.inference.tradeoff import TradeoffRegion, declared_thresholds, tradeoff_region
from privcheck.inference.two_tails import two_tails_lower, two_tails_p_value
from privcheck.inference.unconditional import NUISANCE_SHARE, delta_lower, epsilon_lower, p_value
from privcheck.targets.outputs import Outputs, Sides, joined_sides
from privcheck.targets.stream_pair import StreamPair


@dataclass(frozen=True)
class CountedEvent:
    """An event, its share of the level, and its counts in the same number of runs on each stream."""

    event: Event
    share: float
    counts: Counts


@dataclass(frozen=True)
class Evidence:
    """Counts of a few events, which were chosen before any of the counted runs was looked at.

    Each limit has its share of the level, so that all of them are below epsilon with probability at least 1 - level.
    """

    counted: list[CountedEvent]
    runs: int
    delta: float
    tradeoff: TradeoffRegion | None = None
    for_delta: Counts | None = None
    for_claim: Counts | None = None
    at_epsilon: float = 0.0

    def limit(self, counts: Counts, level: float) -> float:
        """Return the lower limit from the counts of an event: conditional binomial, or Berger-Boos for delta > 0."""
        if self.delta > 0.0:
            return epsilon_lower(counts.more, counts.less, self.runs, self.delta, level)
        return two_tails_lower(*counts, level)

    def lower(self, level: float) -> tuple[float, CountedEvent]:
        """Return the largest lower limit on epsilon, and its event."""
        return max(((self.limit(c.counts, level * c.share), c) for c in self.counted), key=lambda pair: pair[0])

    def p_value(self, epsilon: float, error: float) -> float:
        """Return a p-value of the claim: the smallest of the events' own, each divided by its share of the level.

        For delta > 0 it is never below a hundredth of `error`, which the nuisance interval spends, as in the verdict.
        """
        return min(1.0, *(self._p_value(c, epsilon, error) / c.share for c in self.counted))

    def _p_value(self, counted: CountedEvent, epsilon: float, error: float) -> float:
        counts, gamma = counted.counts, NUISANCE_SHARE * error * counted.share
        if self.delta > 0.0:
            return p_value(counts.more, counts.less, self.runs, epsilon, self.delta, gamma)
        return two_tails_p_value(*counts, epsilon)

    def delta_lower(self, epsilon: float, level: float) -> float:
        """Return the lower limit on delta given epsilon, from the event chosen for delta if there is one."""
        if self.for_delta is not None:
            return delta_lower(self.for_delta.more, self.for_delta.less, self.runs, epsilon, level)
        return max(
            delta_lower(k, l, self.runs, epsilon, level * c.share / len(c.event.tails))
            for c in self.counted
            for k, l in _tails(c)
        )

    def claim_lower(self, profile: ClaimedProfile, level: float) -> float:
        """Return the lower limit on mu, on rho, or on delta at `at_epsilon`, from the event chosen for the claim."""
        assert self.for_claim is not None
        more, less = self.for_claim.more, self.for_claim.less
        return profile.amount(self.at_epsilon, delta_lower(more, less, self.runs, self.at_epsilon, level))

    def claim_p_value(self, profile: ClaimedProfile, error: float) -> float:
        """Return a p-value of a claim in mu, in rho or as a curve: of the delta that it allows at `at_epsilon`."""
        assert self.for_claim is not None
        more, less, allowed = self.for_claim.more, self.for_claim.less, profile.delta_at(self.at_epsilon)
        return p_value(more, less, self.runs, self.at_epsilon, allowed, NUISANCE_SHARE * error)

    def largest_claim_lower(self, profile: ClaimedProfile, level: float) -> float:
        """Return that limit for an event that is certain on one stream and never happens on the other."""
        return profile.amount(self.at_epsilon, delta_lower(self.runs, 0, self.runs, self.at_epsilon, level))

    def clopper_pearson_lower(self, counted: CountedEvent, level: float) -> float:
        """Return the lower limit on epsilon from an event's Clopper-Pearson limits, the textbook method."""
        (k, l), *mirrored = _tails(counted)
        tail = mirrored[0] if mirrored else None
        return clopper_pearson_lower(k, l, self.runs, level * counted.share, self.delta, tail)


def _tails(counted: CountedEvent) -> list[tuple[int, int]]:
    """Return the counts of each tail, on the stream where it is more likely and on the other one."""
    k, l, mirrored_k, mirrored_l = counted.counts
    return [(k, l), (mirrored_k, mirrored_l)][: len(counted.event.tails)]


@dataclass(frozen=True)
class Chosen:
    """What is fixed before counting: the folds, the scores, and the events with their shares of the level."""

    folds: Folds
    events: list[tuple[Event, float]]
    thresholds: Array
    for_delta: Event | None = None
    for_claim: tuple[Event, float] | None = None


def learns_from(training: Sides | None, runs: int) -> bool:
    """Tell whether the search made enough runs on the pair to learn scores from them alone."""
    return training is not None and len(training[0]) >= folds(runs).learning.stop


def divided(sides: Sides, runs: int, training: Sides | None) -> Folds:
    """Return the folds of the planned runs; of `sides` only the first runs are looked at, those of `probe`."""
    if learns_from(training, runs):
        return folds(runs, searched=True)
    return folds(runs, easy=is_easy(*taken(sides, probe(runs))))


def settle(
    pair: StreamPair,
    sides: Sides,
    runs: int,
    level: float,
    delta: float,
    views: ViewMaker,
    training: Sides | None = None,
    claim: float | None = None,
    profile: ClaimedProfile | None = None,
) -> Chosen | None:
    """Learn scores, select events and divide the level among them, each step on separate runs.

    Parameters
    ----------
    pair : the two streams.
    sides : outputs on each stream, from independent seeds; only those before the counting fold are looked at.
    runs : the planned runs per stream; fewer were played if the audit was cut short.
    level : error probability of the limit for which events are selected.
    delta : the claimed delta.
    views : how outputs are read.
    training : the search's runs on each stream; if there are enough of them, scores are learned from them alone.
    claim : epsilon at which delta is bounded from below, by a separate event.
    profile : a claim in mu, in rho or as a trade-off curve, which another event tests at an epsilon chosen with it.

    Returns
    -------
    None if the runs end before the counting fold.

    Raises
    ------
    PrivcheckError : outputs that have no parts in which they could differ.
    """
    parts = divided(sides, runs, training)
    if min(len(sides[0]), len(sides[1])) < parts.counting.start:
        return None
    learning, choosing, weighing = (taken(sides, part) for part in parts[:3])
    if training is not None:
        searched = learns_from(training, runs)
        cut = int(len(training[0]) * LEARNING_SHARE) if searched else len(training[0])
        learning = joined_sides([learning, taken(training, slice(0, cut))])
        choosing = joined_sides([choosing, taken(training, slice(cut, None))])
    scores = learned(views(pair, learning[0], thorough=True), *learning)
    counting_runs = parts.counting.stop - parts.counting.start
    candidates = choose(scores, choosing, counting_runs, level, delta)
    weighed = weigh(candidates, weighing, counting_runs, level, delta)
    main = max(weighed, key=lambda entry: entry[1])[0]
    thresholds = declared_thresholds(_oriented(main, weighing[0]), _oriented(main, weighing[1]))
    for_delta = None if claim is None else choose_for_delta(scores, choosing, claim)
    for_claim = None
    if profile is not None:
        before = joined_sides([choosing, weighing])
        for_claim = choose_for_claim(scores, before, counting_runs, level, profile)
    return Chosen(parts, weighed, thresholds, for_delta, for_claim)


def count(chosen: Chosen, sides: Sides, level: float, delta: float) -> Evidence:
    """Count the chosen events in the runs of the counting fold, and all thresholds of the main event's score."""
    events = [CountedEvent(event, share, event.counts(*sides)) for event, share in chosen.events]
    main = max(events, key=lambda entry: entry.share).event
    region = tradeoff_region(_oriented(main, sides[0]), _oriented(main, sides[1]), chosen.thresholds, level)
    for_delta = None if chosen.for_delta is None else chosen.for_delta.counts(*sides)
    for_claim, at_epsilon = (None, 0.0) if chosen.for_claim is None else chosen.for_claim
    claimed = None if for_claim is None else for_claim.counts(*sides)
    return Evidence(events, len(sides[0]), delta, region, for_delta, claimed, at_epsilon)


def _oriented(event: Event, outputs: Outputs) -> Array:
    """Return the event's scores; high scores are evidence for the first stream."""
    scores = scores_of(event.view, event.score, outputs)
    return np.nan_to_num(scores, nan=-np.inf, neginf=-np.finfo(float).max, posinf=np.finfo(float).max)
