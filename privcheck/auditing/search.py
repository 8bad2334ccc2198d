"""The search for the pair of neighbouring streams that a policy tells apart best."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from privcheck.auditing.events import learn, promising
from privcheck.auditing.outputs import Outputs
from privcheck.auditing.sampling import Request, Sampler
from privcheck.auditing.scoring.view import ViewMaker
from privcheck.auditing.streams import StreamPair

LEAST_RUNS = 40
"""Runs a side that every pair is played at least: too few to measure a log-ratio, enough to notice a gross leak."""

PESSIMISM = 2.0
"""Standard errors taken off a pair's log-ratio: the best of many noisy promises is mostly noise otherwise."""

KEPT = 5
"""One pair in so many goes on to the next round."""


@dataclass(frozen=True)
class Screening:
    """What the search did: pairs looked at, and runs spent on them (both sides)."""

    pairs: int
    runs: int


def screening_rounds(pairs: int, budget: int) -> list[tuple[int, int]]:
    """Plan successive halving: (number of pairs, runs a side of each) per round, all rounds costing about the same.

    Every pair is played at least `LEAST_RUNS` times a side, and a pair that is kept at least twice as often as before,
    also when the budget is too small for that.

    Parameters
    ----------
    pairs : how many candidates there are.
    budget : runs to spend, both sides together.

    Examples
    --------
    >>> screening_rounds(128, 50_000)
    [(128, 65), (25, 333), (5, 1666)]
    """
    if pairs < 2:
        return []
    rounds = max(1, math.ceil(math.log(pairs / 2) / math.log(KEPT)))
    share, least = budget // (2 * rounds), LEAST_RUNS
    plan = []
    for _ in range(rounds):
        runs = max(share // pairs, least)
        plan.append((pairs, runs))
        pairs, least = max(2, pairs // KEPT), 2 * runs
    return plan


def screening_cost(pairs: int, budget: int) -> int:
    """Return the runs, both sides together, that the plan for this budget makes.

    >>> screening_cost(128, 50_000)
    49950
    """
    return sum(2 * alive * runs for alive, runs in screening_rounds(pairs, budget))


def screen(
    sampler: Sampler,
    pairs: list[StreamPair],
    budget: int,
    counting_runs: int,
    level: float,
    delta: float,
    views: ViewMaker,
    advance: Callable[[int], None],
) -> tuple[StreamPair, Screening]:
    """Return the most promising pair. Nothing seen here is used again: the winner is confirmed on fresh runs.

    Parameters
    ----------
    sampler : plays the runs; requests are keyed (1, round, pair, side).
    pairs : candidates; all are played.
    budget : runs to spend, both sides together.
    counting_runs, level, delta : of the confirmation, which a pair's promise anticipates.
    views : how outputs are read.
    advance : told of every run.

    """
    ranking: list[tuple[float, StreamPair]] = [(0.0, pair) for pair in pairs]
    for number, (alive, runs) in enumerate(screening_rounds(len(pairs), budget)):
        kept = [pair for _, pair in ranking[:alive]]
        requests = [
            Request(pair, side, runs, (1, number, index, side)) for index, pair in enumerate(kept) for side in (0, 1)
        ]
        played = sampler.play(requests, advance)
        confirmation = counting_runs, level, delta
        scored = [
            (_promise(views, pair, played[2 * index], played[2 * index + 1], *confirmation), pair)
            for index, pair in enumerate(kept)
        ]
        ranking = sorted(scored, key=lambda entry: -entry[0])
    return ranking[0][1], Screening(len(pairs), screening_cost(len(pairs), budget))


def _promise(
    views: ViewMaker, pair: StreamPair, first: Outputs, second: Outputs, runs: int, level: float, delta: float
) -> float:
    """Return the promise of a pair's best event: learned on the first half of its runs, judged on the other."""
    half = len(first) // 2
    scores = learn(views(pair, first[:half], thorough=False), first[:half], second[:half])
    (judged,) = promising(scores, first[half:], second[half:], runs, level, (PESSIMISM,), delta)
    return max(candidate.promise for candidate in judged)
