"""Successive halving: the search for the pair of neighbouring streams that an observer can tell apart best."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from privcheck.arrays import Table
from privcheck.auditing._confirmation.shares_of_runs import folds
from privcheck.auditing._scoring.view import ViewMaker
from privcheck.auditing._search.equal_coins import shortlist
from privcheck.auditing._search.mutations import variants
from privcheck.auditing._search.observed import Constancy
from privcheck.auditing._search.palette import key_of, palette
from privcheck.auditing._search.promise import Played, Promise, ranked
from privcheck.errors import PolicyError
from privcheck.privacy import Relation
from privcheck.scheduling import Executor
from privcheck.targets import Request, Sampler, Sides, StreamPair

LEAST_RUNS = 40
"""Fewest runs per stream of every pair: too few to measure a log-ratio, enough to notice a gross leak."""

KEPT = 5
"""Factor by which the number of pairs falls from one round to the next: more than 2, so that the rounds are few."""

PARENTS = 4
"""Pairs whose variants join the next round: enough that each of the three rankings has its best pair among them."""

VARIANTS = 24
"""The most variants that join a round; fewer join if the budget is small."""

FEW = 30
"""Pairs to which the family is reduced before variants join."""

MOST_HELD = 500_000
"""Runs per stream of a round that are held at a time, unless one pair has more; twice as many while others judge."""

WORTH_SENDING = 1_000_000
"""Runs of a search from which worker processes judge pairs that threads play: in fewer, they take as long to start."""

LAST = 5
"""The most pairs in the last round, so few that each gets many runs."""


@dataclass(frozen=True)
class Screening:
    """The extent of the search.

    Parameters
    ----------
    pairs : pairs looked at.
    runs : runs spent on them, both streams together.
    errors : the error of each random pair on which the target raised one.
    constant_within : whether an observer sees the same of all runs of each pair.
    constant : whether an observer sees the same of all runs of all pairs.

    """

    pairs: int
    runs: int
    errors: tuple[str, ...] = ()
    constant_within: bool = False
    constant: bool = False

    @property
    def left_out(self) -> tuple[str, ...]:
        """The note on the random pairs that were left out, with the most frequent error."""
        if not self.errors:
            return ()
        (error, _), *others = Counter(self.errors).most_common()
        more = f", and {len(others)} other error{'s' * (len(others) > 1)}" if others else ""
        return (
            f"the target raised an error on {len(self.errors):,} random pairs ({error}{more}), which were left out: "
            "the audit speaks of rewards like those of the other pairs, mostly extreme ones",
        )


@dataclass(frozen=True)
class Found:
    """The most promising pair, and the runs of the last round on each of its streams."""

    pair: StreamPair
    screening: Screening
    training: Sides | None


@dataclass(frozen=True)
class Round:
    """A round of the search: the pairs that go on to it, the variants that join, and the runs per stream of each."""

    kept: int
    joining: int
    runs: int

    @property
    def cost(self) -> int:
        """Runs, both streams together."""
        return 2 * (self.kept + self.joining) * self.runs


def screening_rounds(pairs: int, budget: int) -> list[Round]:
    """Plan successive halving; variants of the best pairs join in two rounds, and the last round costs twice as much.

    Every pair has at least `LEAST_RUNS` runs per stream in the first round, twice that in the second, and so on, even
    if the budget is too small for it; fewer variants join in that case, or none.

    Parameters
    ----------
    pairs : the number of candidates.
    budget : runs to spend, both streams together.

    Examples
    --------
    >>> [(r.kept, r.joining, r.runs) for r in screening_rounds(128, 50_000)]
    [(128, 0, 40), (25, 24, 102), (9, 22, 161), (5, 0, 2000)]
    """
    if pairs < 2:
        return []
    halvings = max(1, math.ceil(math.log(pairs / FEW, KEPT)))
    rounds = halvings + 3
    share, least, plan, kept = budget // (2 * (rounds + 1)), LEAST_RUNS, [], pairs
    for number in range(rounds):
        most = VARIANTS if halvings <= number < rounds - 1 else 0
        joining = max(0, min(most, share // least - kept))
        plan.append(Round(kept, joining, max(share // (kept + joining), least)))
        if kept + joining <= LAST:
            break
        kept, least = max(2, (kept + joining) // KEPT), 2 * least
        if number == rounds - 2:
            kept = min(kept, LAST)
    plan[-1] = Round(plan[-1].kept, 0, max(2 * share // plan[-1].kept, plan[-1].runs))
    return plan


def screening_cost(pairs: int, budget: int) -> int:
    """Return the most runs, both streams together, that the plan for this budget makes.

    >>> screening_cost(128, 50_000)
    50218
    """
    return sum(planned.cost for planned in screening_rounds(pairs, budget))


def screen(
    sampler: Sampler,
    pairs: list[StreamPair],
    budget: int,
    runs: int,
    level: float,
    delta: float,
    views: ViewMaker,
    advance: Callable[[int], None],
    key: tuple[int, ...] = (1,),
    relation: Relation | None = None,
) -> Found:
    """Return the most promising pair. No run made here is counted: the pair is confirmed on fresh runs.

    Parameters
    ----------
    sampler : plays the runs; requests are keyed (*key, round, pair, side).
    pairs : the candidates, all of which are played.
    budget : runs to spend, both streams together.
    runs, level, delta : those of the confirmation, whose lower limit a pair's promise predicts.
    views : how outputs are read.
    advance : called with the number of runs that have finished.
    key : makes the randomness independent of that of all other requests.
    relation : the neighbour relation, for pairs on a decision boundary; None looks for none.

    """
    counting = folds(runs).counting
    promise = Promise(views, counting.stop - counting.start, level, delta)
    rows = palette(pairs)
    short = shortlist(sampler, pairs, budget, views, advance, key, relation)
    known = {key_of(pair) for pair in (*pairs, *short.looked_at)}
    constancy = Constancy(views)
    for pair, sides in short.outputs:
        constancy.add(pair, sides)
    best: Sides | None = None
    ranking, spent = short.pairs, short.runs
    rounds = screening_rounds(len(ranking), budget - spent)
    game = _Game(sampler, promise, constancy, _judges(sampler, budget), advance)
    for number, planned in enumerate(rounds):
        alive = ranking[: planned.kept]
        alive += _joining(ranking[:PARENTS], rows, planned.joining, known)
        spent += 2 * planned.runs * len(alive)
        alive, promises, best = game.round(alive, planned.runs, (*key, number))
        ranking = [alive[i] for i in ranked(promises)]
    screening = Screening(len(known), spent, short.errors, constancy.within, constancy.overall)
    return Found(ranking[0], screening, best)


def _judges(sampler: Sampler, budget: int) -> Executor | None:
    """Return the workers that judge pairs; None to judge them here, where there is too little to be worth sending."""
    many = sampler.executor.cluster is not None or sampler.executor.jobs > 1
    processes = sampler.runner.joblib_backend == "loky" and sampler.executor.cluster is None
    return sampler.executor if many and (processes or budget >= WORTH_SENDING) else None


@dataclass(frozen=True)
class _Game:
    """What plays the pairs of a round and judges them."""

    sampler: Sampler
    promise: Promise
    constancy: Constancy
    judges: Executor | None
    advance: Callable[[int], None]

    def round(
        self, pairs: list[StreamPair], runs: int, key: tuple[int, ...]
    ) -> tuple[list[StreamPair], list[list[float]], Sides]:
        """Return the pairs on which the target raises no error, their promises, and the runs of the one that the first
        ranking prefers.

        A few pairs are held at a time: their outputs are forgotten when they have been judged.
        """
        alive, promises, kept = list[StreamPair](), list[list[float]](), list[Sides]()
        for played, judged in self._judged_in_turn(pairs, runs, key):
            first = len(promises)
            promises += judged
            alive += [pair for pair, _ in played]
            better = max(range(len(promises)), key=lambda i: promises[i][0])
            if better >= first:
                kept = [played[better - first][1]]
            del played
        return alive, promises, kept[0]

    def _judged_in_turn(
        self, pairs: list[StreamPair], runs: int, key: tuple[int, ...]
    ) -> Iterator[tuple[list[Played], list[list[float]]]]:
        """Yield a few pairs at a time, with their runs and their promises.

        Where threads of this process play and others judge, some pairs are judged while the next are played.
        """
        together = max(1, MOST_HELD // runs)
        few = [(first, pairs[first : first + together]) for first in range(0, len(pairs), together)]
        if self.judges is None or self.judges.cluster is not None or self.sampler.runner.joblib_backend == "loky":
            for first, some in few:
                played = self._played(some, runs, key, first)
                yield played, self._judged(played)
            return
        with ThreadPoolExecutor(1) as aside:
            before: tuple[list[Played], Future[list[list[float]]]] | None = None
            for first, some in few:
                played = self._played(some, runs, key, first)
                if before is not None:
                    yield before[0], before[1].result()
                before = played, aside.submit(self._judged, played)
            if before is not None:
                yield before[0], before[1].result()

    def _played(self, pairs: list[StreamPair], runs: int, key: tuple[int, ...], first: int) -> list[Played]:
        requests = [
            [Request(pair, side, runs, (*key, i, side)) for side in (0, 1)] for i, pair in enumerate(pairs, first)
        ]
        try:
            played = self.sampler.play([request for both in requests for request in both], self.advance)
            every: list[Played] = [(pair, (played[2 * i], played[2 * i + 1])) for i, pair in enumerate(pairs)]
        except PolicyError as error:
            every = self._those_that_play(pairs, requests, error)
        for pair, sides in every:
            self.constancy.add(pair, sides)
        return every

    def _those_that_play(
        self, pairs: list[StreamPair], requests: list[list[Request]], error: PolicyError
    ) -> list[Played]:
        """Return the pairs on which the target raises no error, with their runs; if there are none, raise it."""
        found: list[Played] = []
        for pair, both in zip(pairs, requests, strict=True):
            try:
                one, two = self.sampler.play(both, self.advance)
            except PolicyError:
                continue
            found.append((pair, (one, two)))
        if not found:
            raise error
        return found

    def _judged(self, played: list[Played]) -> list[list[float]]:
        if self.judges is None:
            return [self.promise(*each) for each in played]
        return self.promise.of_each(played, self.judges)


def _joining(parents: list[StreamPair], rows: list[Table], number: int, seen: set[bytes]) -> list[StreamPair]:
    """Return `number` new variants of the parents, in an order that does not depend on outputs."""
    if not number:
        return []
    every = [variant for parent in parents for variant in variants(parent, rows)]
    joined: list[StreamPair] = []
    for i in np.random.Generator(np.random.PCG64(len(seen))).permutation(len(every)):
        key = key_of(every[i])
        if key not in seen:
            seen.add(key)
            joined.append(every[i])
        if len(joined) == number:
            break
    return joined
