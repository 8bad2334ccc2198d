"""The confirmation: one pair of streams, fresh runs that are each used once, and one lower limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from privcheck.accounting import ClaimedProfile
from privcheck.arrays import Array
from privcheck.auditing._confirmation.shares_of_runs import LEARNING_SHARE, Folds, folds, is_easy, probe, taken
from privcheck.auditing._confirmation.tally import (
    Counter,
    Tally,
    oriented,
    share_with_texts_of_their_own,
    usual_output,
)
from privcheck.auditing._events.claim_selection import choose_for_claim
from privcheck.auditing._events.event import Counts, Event, learned
from privcheck.auditing._events.event_selection import choose, choose_for_delta
from privcheck.auditing._events.level_allocation import weigh
from privcheck.auditing._scoring.sequences import Sequences
from privcheck.auditing._scoring.view import ViewMaker
from privcheck.inference import (
    NUISANCE_SHARE,
    TradeoffRegion,
    clopper_pearson_lower,
    declared_thresholds,
    delta_lower,
    epsilon_lower,
    p_value,
    two_tails_lower,
    two_tails_p_value,
)
from privcheck.targets import Outputs, Sides, StreamPair, joined_sides, narrowed


@dataclass(frozen=True)
class CountedEvent:
    """An event, its share of the level, and its counts in the same number of runs on each stream."""

    event: Event
    share: float
    counts: Counts
    sequences: Sequences | None = None

    @property
    def tails(self) -> list[tuple[Event, int, int]]:
        """The event without its mirror image, and the mirror image, each with its runs on the two streams."""
        more, less, mirrored_more, mirrored_less = self.counts
        first, second = (less, more) if self.event.reverse else (more, less)
        both = [(first, second), (mirrored_less, mirrored_more)]
        return [(tail, *counts) for tail, counts in zip(self.event.tails, both, strict=False)]


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
    usual: Outputs
    hidden: tuple[int, ...] = ()
    for_delta: Event | None = None
    for_claim: tuple[Event, float] | None = None
    unread: float = 0.0
    """The share of the runs looked at that put out a text of their own (`share_with_texts_of_their_own`)."""

    @property
    def main(self) -> Event:
        """The event with the largest share of the level."""
        return max(self.events, key=lambda entry: entry[1])[0]

    @property
    def counter(self) -> Counter:
        """What counts runs."""
        others = [*([self.for_delta] if self.for_delta else []), *([self.for_claim[0]] if self.for_claim else [])]
        events = (*(event for event, _ in self.events), *others)
        return Counter(events, len(self.events), self.main, self.thresholds, self.usual, self.hidden)


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
    hidden: Sequence[int] = (),
    error: float = 1.0,
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
    hidden : the rounds that an observer does not see.
    error : that of the verdict on such a claim.

    Returns
    -------
    None if the runs end before the counting fold.

    Raises
    ------
    PrivcheckError : outputs that have no parts in which they could differ.
    """
    parts = divided(sides, runs, training)
    if min(len(sides[0]), len(sides[1])) < settling(parts):
        return None
    before = narrowed(taken(sides, slice(0, settling(parts))))
    learning, choosing, weighing = (taken(before, part) for part in parts[:3])
    if training is not None:
        searched = learns_from(training, runs)
        cut = int(len(training[0]) * LEARNING_SHARE) if searched else len(training[0])
        learning = joined_sides([learning, taken(training, slice(0, cut))])
        choosing = joined_sides([choosing, taken(training, slice(cut, None))])
    scores = learned(views(pair, learning, thorough=True), *learning)
    counting_runs = parts.counting.stop - parts.counting.start
    candidates = choose(scores, choosing, counting_runs, level, delta)
    weighed = weigh(candidates, weighing, counting_runs, level, delta)
    main = max(weighed, key=lambda entry: entry[1])[0]
    thresholds = declared_thresholds(oriented(main, weighing[0]), oriented(main, weighing[1]))
    for_delta = None if claim is None else choose_for_delta(scores, choosing, claim)
    for_claim = None
    if profile is not None:
        deciding = joined_sides([choosing, weighing])
        for_claim = choose_for_claim(scores, deciding, counting_runs, level, profile, error)
    usual = usual_output(before)
    unread = share_with_texts_of_their_own(before if training is None else joined_sides([before, training]))
    return Chosen(parts, weighed, thresholds, usual, tuple(hidden), for_delta, for_claim, unread)


def settling(parts: Folds) -> int:
    """Return how many runs per stream are looked at before runs are counted."""
    return max(int(part.stop) for part in parts[:3])


def counted(chosen: Chosen, tally: Tally) -> list[CountedEvent]:
    """Return the events that share the level, with their counts."""
    found = zip(chosen.events, tally.counts, tally.sequences, strict=False)
    return [CountedEvent(event, share, counts, sequences) for (event, share), counts, sequences in found]


def evidence_of(chosen: Chosen, tally: Tally, level: float, delta: float) -> Evidence:
    """Return the evidence of the runs of the counting fold, and of all thresholds of the main event's score."""
    more, less = tally.at_least
    region = TradeoffRegion(chosen.thresholds, more, less, (tally.runs, tally.runs), level)
    others = iter(tally.counts[len(chosen.events) :])
    for_delta = next(others) if chosen.for_delta else None
    for_claim = next(others) if chosen.for_claim else None
    at_epsilon = chosen.for_claim[1] if chosen.for_claim else 0.0
    return Evidence(counted(chosen, tally), tally.runs, delta, region, for_delta, for_claim, at_epsilon)


def count(chosen: Chosen, sides: Sides, level: float, delta: float) -> Evidence:
    """Return the evidence of runs that are all at hand."""
    return evidence_of(chosen, chosen.counter(sides), level, delta)
