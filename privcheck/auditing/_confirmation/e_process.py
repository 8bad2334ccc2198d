"""Evidence that may be read at any time: an e-process, the wealth of bets on events, one pair of runs at a time."""

from __future__ import annotations

import copy
from dataclasses import dataclass

import numpy as np

from privcheck.arrays import Codes
from privcheck.auditing._confirmation.evidence import Chosen, CountedEvent
from privcheck.auditing._confirmation.shares_of_runs import LEARNING_SHARE, is_easy, taken
from privcheck.auditing._confirmation.tally import Tally, side_by_side
from privcheck.auditing._events.claim_selection import choose_for_claim
from privcheck.auditing._events.event import Event, learned
from privcheck.auditing._events.event_selection import choose
from privcheck.auditing._scoring.view import ViewMaker
from privcheck.errors import PrivcheckError
from privcheck.inference import SequentialTest, mean_wealth
from privcheck.targets import Claim, Sides, StreamPair

EASY_SHARE = 0.2
"""Share of the known runs from which scores are learned before a bet, where there is little to learn; it is the share
of the search's runs otherwise.
"""

TESTED = (0.0, 0.5, 1.0, 2.0, 4.0)
"""Values of epsilon at which a claim in rho or mu is bet against. They are fixed, and the wealths are averaged."""

LEAST_AHEAD = 100
"""Runs per stream that are taken to be ahead, at least: about as many as it takes to refute a gross violation."""


@dataclass(frozen=True)
class Anytime:
    """The evidence from bets on pairs of runs.

    Parameters
    ----------
    pairs : runs per stream that were bet on.
    e_value : a value of at least 1 / error refutes the claim at level `error`; None without a claim.
    lower : lower bound on epsilon at the requested confidence, valid at any time.
    winner : the event with the largest observed log-ratio.

    """

    pairs: int
    e_value: float | None
    lower: float
    winner: CountedEvent

    def verdict(self, claim: Claim) -> str | None:
        """Return "violation" or "inconclusive"; None without a claim."""
        if self.e_value is None:
            return None
        return "violation" if self.e_value >= 1.0 / claim.error else "inconclusive"


class Bets:
    """Bets on events, whose e-values are averaged.

    Parameters
    ----------
    events : events that were chosen before the first pair of runs.
    claim : the claim and the levels of the audit.
    mirrored : whether events have mirror images, or may have some after a change.
    at : the epsilon and the delta that are bet against; by default those of the claim.

    """

    def __init__(
        self,
        events: list[Event],
        claim: Claim,
        *,
        mirrored: bool | None = None,
        at: tuple[float, float] | None = None,
    ) -> None:
        self.events, self.claim = events, claim
        self.shares = [1.0 / len(events)] * len(events)
        two_tailed = any(event.mirror is not None for event in events) if mirrored is None else mirrored
        epsilon, delta = at or (0.0 if claim.epsilon is None else claim.epsilon, claim.delta)
        self.test = SequentialTest(epsilon, delta, len(events), mirrored=two_tailed)

    @classmethod
    def on(cls, chosen: Chosen, claim: Claim, tally: Tally) -> Bets:
        """Return the bets on all runs of a tally, in their order."""
        bets = cls([event for event, _ in chosen.events], claim)
        bets.shares = [share for _, share in chosen.events]
        bets.test.add_blocks(tally.blocks, tally.lengths)
        return bets

    def add(self, sides: Sides) -> None:
        """Bet on further pairs of runs, one on each stream, in their order."""
        self.test.update(*_codes(self.events, sides))

    def changed(self, events: list[Event], known: Sides) -> Bets:
        """Return these bets, to go on with equally many other events that were chosen by `known` runs, or fewer."""
        bets = copy.copy(self)
        bets.events = [events[min(place, len(events) - 1)] for place in range(len(self.events))]
        bets.test = copy.deepcopy(self.test)
        bets.test.change_events(*_codes(bets.events, known))
        return bets

    def extended(self, sides: Sides) -> Bets:
        """Return these bets and bets on further pairs of runs; these stay as they are."""
        bets = copy.copy(self)
        bets.test = copy.deepcopy(self.test)
        bets.add(sides)
        return bets

    def read(self, tally: Tally, level: float) -> Anytime:
        """Return the evidence; `tally` counts the runs since the events were chosen, for the witness."""
        found = zip(self.events, self.shares, tally.counts, tally.sequences, strict=False)
        winner = max(
            (CountedEvent(*each) for each in found), key=lambda c: (c.counts.hits + 0.5) / (c.counts.misses + 0.5)
        )
        e_value = None if self.claim.epsilon is None else self.test.largest_e_value
        return Anytime(self.test.pairs, e_value, self.test.lower_bound(level), winner)


def choose_to_bet(pair: StreamPair, known: Sides, claim: Claim, views: ViewMaker) -> list[Event]:
    """Return events to bet on: those whose bets would have won most.

    Scores are learned on a part of the known runs. The events with the largest expected limits are selected on the
    others, and ranked by the e-values of bets on these.

    Parameters
    ----------
    pair : the two streams.
    known : all runs on each stream so far.
    claim : the claim and the levels of the audit.
    views : how outputs are read.

    Raises
    ------
    PrivcheckError : outputs that have no parts in which they could differ.
    """
    cut = int(len(known[0]) * (EASY_SHARE if is_easy(*known) else LEARNING_SHARE))
    learning, choosing = taken(known, slice(0, cut)), taken(known, slice(cut, None))
    scores = learned(views(pair, learning, thorough=True), *learning)
    ahead = max(LEAST_AHEAD, len(known[0]) // 2)
    found = [candidate.event for candidate in choose(scores, choosing, ahead, claim.error, claim.delta)]
    if claim.profile is not None:
        found.append(choose_for_claim(scores, choosing, ahead, claim.error, claim.profile, claim.error)[0])
    points = tested_points(claim)

    def won(event: Event) -> float:
        logarithms = []
        for point in points:
            bets = Bets([event], claim, at=point)
            bets.add(choosing)
            logarithms.append(np.array(bets.test.log_e_value))
        return float(mean_wealth(logarithms))

    return sorted(found, key=lambda event: -won(event))


def tested_points(claim: Claim) -> tuple[tuple[float, float], ...]:
    """Return each epsilon, with its delta, at which a claim is bet against.

    A claim in rho or mu implies (epsilon, delta(epsilon))-DP for every epsilon >= 0. Those that imply nothing, with a
    delta of 1, are left out.

    >>> tested_points(Claim(epsilon=1.0, delta=0.1)), [round(delta, 3) for _, delta in tested_points(Claim(mu=1.0))]
    (((1.0, 0.1),), [0.383, 0.238, 0.127, 0.021, 0.0])
    """
    if claim.epsilon is not None or claim.profile is None:
        return (((claim.epsilon or 0.0), claim.delta),)
    points = ((epsilon, claim.profile.delta_at(epsilon)) for epsilon in TESTED)
    found = tuple(point for point in points if point[1] < 1.0)
    if not found:
        name = claim.profile.name
        hint = "such a claim allows nearly everything: watch a smaller one"
        raise PrivcheckError(name, claim.profile.claimed_at(0.0), "a claim that implies a delta below 1", hint)
    return found


def _codes(events: list[Event], sides: Sides) -> tuple[Codes, Codes]:
    return side_by_side(events, [[event.codes(side) for side in sides] for event in events])
