"""The simplest witness: shorter streams and one plain event that still refute the claim, on fresh runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace

import numpy as np

from privcheck.arrays import Array, Symbols
from privcheck.auditing._confirmation.evidence import Chosen, Evidence, count, evidence_of, settle
from privcheck.auditing._confirmation.shares_of_runs import taken
from privcheck.auditing._confirmation.tally import Tally
from privcheck.auditing._events.event import Event
from privcheck.auditing._events.event_selection import Candidate
from privcheck.auditing._scoring.prefix import distinct_rows
from privcheck.auditing._scoring.view import SequenceView, View
from privcheck.auditing._scoring.views_of import views_of
from privcheck.errors import PrivcheckError
from privcheck.feedback import FEEDBACKS, kind
from privcheck.inference import conditional_binomial_lower
from privcheck.progress import progress
from privcheck.targets import Claim, Game, Request, Sampler, Sides, StreamPair, Target, all_raised

ATTEMPTS = 30
"""The most simpler pairs that are tried."""

ATTEMPT_SHARE = 0.04
"""Runs per stream of an attempt, as a share of those of the audit: with `ATTEMPTS`, 1.2 times those of the audit."""

LEAST_RUNS = 400
"""Fewest runs per stream of an attempt; an audit with few runs makes fewer attempts instead of smaller ones."""

FINAL_SHARE = 0.5
"""Runs per stream of the final confirmation, as a share of those of the audit."""

RUNS_SHARE = 2.0 * (ATTEMPTS * ATTEMPT_SHARE + FINAL_SHARE)
"""The most runs of the whole simplification, both streams together, as a share of the audit's runs per stream."""

MOST_BEGINNINGS = 2000
"""Distinct beginnings of one length above which that length and longer ones are not tried, to bound the time."""

ERRORS = 3.0
"""Standard errors subtracted from the log-ratio of a beginning when beginnings are compared: the best of many is chosen
partly by luck.
"""


@dataclass(frozen=True)
class Simplest:
    """A simpler pair, the counts of one event, and those of the runs in which it was counted."""

    pair: StreamPair
    evidence: Evidence
    tally: Tally


class Begins:
    """The score that is `sign` (1 or -1) for runs that begin with given symbols, and 0 for the others."""

    def __init__(self, beginning: Symbols, sign: float) -> None:
        self.beginning, self.sign = beginning, sign

    def __call__(self, symbols: Symbols) -> Array:
        """Return the scores, shape (n,)."""
        inside = (symbols[:, : len(self.beginning)] == self.beginning).all(axis=1)
        return np.where(inside, self.sign, 0.0)


def simplest_witness(
    sampler: Sampler,
    pair: StreamPair,
    runs: int,
    claim: Claim,
    game: Game,
    policy: Target,
    *,
    own: bool,
    most: int,
    read: Collection[str],
) -> Simplest | None:
    """Shrink a pair while it still refutes the claim, and confirm the result on fresh runs with one plain event.

    Parameters
    ----------
    sampler : plays the runs; requests are keyed (4, attempt, side).
    pair : the pair that refutes the claim.
    runs : runs per stream of the audit; with few runs, fewer simpler pairs are tried.
    claim, game : what is claimed, and of what.
    policy : the target.
    own : whether the pair is the user's own and therefore left unchanged.
    most : the most runs, both streams together: those that the audit has made.
    read : names of the views that the audit's events are read through. Scores are learned for these, and for sequences
        of symbols, alone: so reading takes no longer than in the audit.

    Returns
    -------
    None if nothing simpler refutes the claim at level `error`.

    Raises
    ------
    StoppedError : the deadline passed, or the user interrupted.

    """
    attempts, attempt, final = planned(runs, most)
    with progress("simplifying the witness", 2 * (attempts * attempt + final)) as advance:
        search = _Shrinking(sampler, attempts, attempt, claim, game, policy, advance, frozenset(read))
        if not own and np.ndim(pair.first):
            pair = search.shrink(pair)
        sides = search.played(pair, final)
    chosen = search.settled(pair, sides, final)
    counted = taken(sides, chosen.folds.counting)
    plain = _plain(pair, sides, chosen, claim, policy)
    for events in _in_turn(plain, chosen):
        in_turn = replace(chosen, events=events)
        tally = in_turn.counter(counted)
        evidence = evidence_of(in_turn, tally, claim.level, claim.delta)
        if search.refutes(evidence):
            return Simplest(pair, evidence, tally)
    return None


def planned(runs: int, most: int) -> tuple[int, int, int]:
    """Return the largest number of simpler pairs, the runs per stream of each, and those of the final confirmation.

    >>> planned(100_000, 400_000), planned(100_000, 200_000), planned(2000, 8000)
    ((30, 4000, 50000), (12, 4000, 50000), (6, 400, 1000))
    """
    attempt = max(LEAST_RUNS, int(ATTEMPT_SHARE * runs))
    final = max(min(LEAST_RUNS, runs), int(FINAL_SHARE * runs))
    room = min(RUNS_SHARE * runs, most) / 2.0 - final
    return max(0, min(ATTEMPTS, int(room / attempt + 1e-9))), attempt, final


def _in_turn(plain: Event | None, chosen: Chosen) -> list[list[tuple[Event, float]]]:
    """Return the events that are read first, and those that are read if the first do not refute the claim.

    The same runs are read twice, and the report depends on the first reading. The shares of all events together add up
    to 1, so the level covers both readings.
    """
    if plain is None:
        return [chosen.events]
    return [[(plain, 0.5)], [(event, 0.5 * share) for event, share in chosen.events]]


@dataclass
class _Shrinking:
    sampler: Sampler
    most: int
    runs: int
    claim: Claim
    game: Game
    policy: Target
    advance: Callable[[int], None]
    read: frozenset[str]
    attempts: int = 0

    def shrink(self, pair: StreamPair) -> StreamPair:
        """Return the last of a chain of ever simpler pairs that each refute the claim."""
        while True:
            for simpler in self._simpler(pair):
                if self.attempts >= self.most:
                    return pair
                try:
                    sides = self.played(simpler, self.runs)
                    if any(map(all_raised, sides)):
                        continue
                    chosen = self.settled(simpler, sides, self.runs)
                except PrivcheckError:  # an input that the target does not take, or on which it returns nothing
                    continue
                counted = taken(sides, chosen.folds.counting)
                if self.refutes(count(chosen, counted, self.claim.level, self.claim.delta)):
                    pair = simpler
                    break
            else:
                return pair

    def _simpler(self, pair: StreamPair) -> Iterator[StreamPair]:
        shape = np.shape(pair.first)[1:]
        before, after = (np.reshape(table, (len(table), math.prod(shape))) for table in (pair.first, pair.second))
        try:
            self.game.relation.check(before, after)
        except PrivcheckError:
            return  # inputs of a mechanism with its own neighbour relation
        least = kind(self.policy.feedback).least_rounds(shape[0]) if self.policy.feedback in FEEDBACKS else 1
        for first, second in self.game.relation.shrink(before, after, self.game.contexts):
            if min(len(first), len(second)) >= least:
                one, two = (table.reshape(len(table), *shape) for table in (first, second))
                yield StreamPair(one, two)

    def played(self, pair: StreamPair, runs: int) -> Sides:
        self.attempts += 1
        requests = [Request(pair, side, runs, (4, self.attempts, side)) for side in (0, 1)]
        first, second = self.sampler.play(requests, self.advance)
        return first, second

    def views(self, pair: StreamPair, sides: Sides, *, thorough: bool) -> list[View]:
        """Return the views through which the audit's events are read, and those of sequences; all if there are none."""
        every = views_of(self.policy)(pair, sides, thorough=thorough)
        return [view for view in every if view.name in self.read or isinstance(view, SequenceView)] or every

    def settled(self, pair: StreamPair, sides: Sides, runs: int) -> Chosen:
        chosen = settle(pair, sides, runs, self.claim.error, self.claim.delta, self.views)
        assert chosen is not None
        return chosen

    def refutes(self, evidence: Evidence) -> bool:
        return evidence.lower(self.claim.error)[0] > (self.claim.epsilon or 0.0)


def _plain(pair: StreamPair, sides: Sides, chosen: Chosen, claim: Claim, policy: Target) -> Event | None:
    """Return the event of one beginning with the largest promise, judged on the runs before the counting fold."""
    before = taken(sides, slice(0, chosen.folds.counting.start))
    found: list[Candidate] = []
    for view in views_of(policy)(pair, before, thorough=False):
        if isinstance(view, SequenceView):
            found += _beginnings(view, before, claim.error)
    return max(found, key=lambda candidate: candidate.promise).event if found else None


def _beginnings(view: SequenceView, sides: Sides, level: float) -> Iterator[Candidate]:
    first, second = (view.read(side) for side in sides)
    both = np.concatenate([first, second])
    kind = np.zeros(len(both), np.int64)
    for depth in range(1, both.shape[1] + 1):
        shown, kind = distinct_rows(np.stack([kind, both[:, depth - 1]], axis=1))
        if len(shown) > MOST_BEGINNINGS:
            return
        k = np.bincount(kind[: len(first)], minlength=len(shown))
        l = np.bincount(kind[len(first) :], minlength=len(shown))
        for sign, more, less in ((1.0, k, l), (-1.0, l, k)):
            errors = np.sqrt(1.0 / (more + 0.5) + 1.0 / (less + 0.5))
            best = int(np.argmax(np.log((more + 0.5) / (less + 0.5)) - ERRORS * errors))
            promise = conditional_binomial_lower(int(more[best]), int(less[best]), level)
            yield Candidate(Event(view, Begins(both[shown[best], :depth], sign), sign, sign < 0.0), promise)
