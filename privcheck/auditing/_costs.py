"""What an audit costs: a pilot measures it, and it determines how many pairs and runs fit into a time budget."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from privcheck.auditing._confirmation.shares_of_runs import screening_budget
from privcheck.auditing._harness.accepted_inputs import accepted
from privcheck.auditing._scoring.view import ViewMaker
from privcheck.auditing._search.equal_coins import COUPLED_RUNS, looked_at
from privcheck.auditing._search.promise import Promise
from privcheck.auditing._search.stream_families import spread
from privcheck.auditing._search.successive_halving import LEAST_RUNS, Round, screening_rounds
from privcheck.targets import RANDOM, Runner, ServiceRunner, StreamPair

MOST_RUNS = 2_000_000
"""The most runs per stream that a time budget is turned into: their outputs fit into the memory of a small machine."""

FEWEST_RUNS, FEWEST_PAIRS = 20, 2
"""Runs per stream of the final pair, and pairs that are screened, at least."""

PLANNED_SHARE = 0.7
"""Share of a time budget for the search and the confirmation. The witness of a violation is simplified with at most as
many runs again, and the pilot may be wrong by some tens of per cent.
"""

WALL_CAP = 3.0
"""Multiple of a time budget after which an audit ends, whatever it was planned to do."""

PILOT_SECONDS = 0.5
"""Time of each half of the pilot: under 1 % of the default time budget, yet thousands of runs at 10 microseconds per
round.
"""

PILOT_SHARE = 0.02
"""Share of a time budget for each half of the pilot, if that is less."""

WAITING = 4.0
"""A target waits, for a service or a disk, if its wall time is more than this multiple of its processor time and the
process gave up the processor of its own accord in every call. Otherwise other programs on the machine took the time.
"""

MOST_READ = 3000
"""The most runs per stream that the pilot reads: many more than `LEAST_RUNS`, and read within a tenth of a second."""

READING_SHARE = 0.1
"""Largest share of a time budget for the runs that the pilot reads. A run that is too slow for it, of tens of
milliseconds in the default budget, takes hundreds of times as long as it takes to read.
"""

LOOK_SHARE = 0.1
"""Time of the first look at a pair, which all pairs share, as a share of that of a round of the search."""

READINGS = 3
"""Times that outputs are read by the pilot, which keeps the shortest: a busy machine only makes it longer."""


@dataclass(frozen=True)
class Costs:
    """What a target costs, in seconds.

    Parameters
    ----------
    run : one run.
    read : learning from one run, and judging it.
    pair : the same for a pair in one round of the search, whatever its number of runs.

    """

    run: float
    read: float = 0.0
    pair: float = 0.0


class Stopwatch:
    """Measures the time since it was made: of the processor, in this process and the children that it has waited for,
    or wall time if the target waits.
    """

    def __init__(self) -> None:
        self._wall, self._processor, self._pauses = time.perf_counter(), _processor_time(), _pauses()

    def seconds(self, calls: int, *, elsewhere: bool = False) -> float:
        """Return the time that so many calls of the target took; wall time if it is played `elsewhere`."""
        wall, processor = time.perf_counter() - self._wall, _processor_time() - self._processor
        paused = self._pauses is None or (_pauses() or 0) - self._pauses >= calls
        waits = wall > WAITING * processor and paused
        return wall if waits or elsewhere else min(wall, processor)


def _processor_time() -> float:
    children = os.times()
    return time.process_time() + children.children_user + children.children_system


def _pauses() -> int | None:
    """Return how often this process gave up the processor of its own accord; None on systems that do not say."""
    try:
        import resource
    except ImportError:
        return None
    return resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw


def measured_costs(runner: Runner, pairs: list[StreamPair], views: ViewMaker, seed: int, time_budget: float) -> Costs:
    """Return what a target costs, measured on pilot runs that are then discarded.

    Parameters
    ----------
    runner : plays the target.
    pairs : the candidates, some of which are played.
    views : how outputs are read.
    seed : root of the randomness; keys of pilot runs begin with 0.
    time_budget : that of the audit, of which the pilot takes a small part.

    """
    seconds = min(PILOT_SECONDS, PILOT_SHARE * time_budget)
    pairs = accepted(runner, pairs, seed)
    pair = pairs[len(pairs) // 2]

    def read(runs: int) -> float:
        tables = (pair.first, pair.second), (pair.second, pair.first)
        one, two = (
            runner.play(table, runs, np.random.SeedSequence(seed, spawn_key=(0, 3, runs, side)), other)
            for side, (table, other) in enumerate(tables)
        )
        taken = []
        for _ in range(READINGS):
            one.memo.clear()
            two.memo.clear()
            started = time.process_time()
            Promise(views, runs, 0.05, 0.0)(pair, (one, two))
            taken.append(time.process_time() - started)
        return min(taken)

    run = seconds_per_run(runner, pairs, seed, seconds)
    if 6 * LEAST_RUNS * run > READING_SHARE * time_budget:
        return Costs(run)
    many = max(2 * LEAST_RUNS, min(MOST_READ, int(0.5 * seconds / run)))
    few_seconds, many_seconds = read(LEAST_RUNS), read(many)
    per_run = max(0.0, (many_seconds - few_seconds) / (2 * (many - LEAST_RUNS)))
    return Costs(run, per_run, few_seconds)


def seconds_per_run(runner: Runner, pairs: list[StreamPair], seed: int, seconds: float) -> float:
    """Return the time of one run on streams of several pairs, measured for about as long as is said."""
    few = [pairs[i * len(pairs) // 5] for i in range(5)]
    tables = [both for pair in few for both in ((pair.first, pair.second), (pair.second, pair.first))]
    runner.play(tables[0][0], 1, np.random.SeedSequence(seed, spawn_key=(0, 0)), tables[0][1])
    batch, number, begun = 1, 0, time.perf_counter()
    for until in (0.5 * seconds, seconds):  # what counts is the second half, in which the batches are large
        watch, runs, calls = Stopwatch(), 0, 0
        while not runs or time.perf_counter() - begun < until:
            table, other = tables[number % len(tables)]
            runner.play(table, batch, np.random.SeedSequence(seed, spawn_key=(0, 1, number)), other)
            runs, calls, number = runs + batch, calls + 1, number + 1
            batch = min(2 * batch, runner.chunk_runs) if runner.reproducible else 1  # as it will be played
    return max(watch.seconds(calls, elsewhere=isinstance(runner, ServiceRunner)) / runs, 1e-9)


def search_runs(pairs: int, random: int, spend: int) -> int:
    """Return the most runs, both streams together, that a search among so many pairs makes.

    Parameters
    ----------
    pairs, random : candidates, and how many of them are random.
    spend : the runs that the search is given; many pairs take more.

    >>> search_runs(2, 0, 4_000) <= 4_000, search_runs(500, 300, 4_000) > 20_000
    (True, True)
    """
    looks, rounds = _search(pairs, random, spend)
    return 2 * COUPLED_RUNS * looks + sum(planned.cost for planned in rounds)


def _search(pairs: int, random: int, spend: int) -> tuple[int, list[Round]]:
    """Return how many pairs a search looks at first, and its rounds after that."""
    looks, listed = looked_at(pairs, random, spend)
    return looks, screening_rounds(listed, spend - 2 * COUPLED_RUNS * looks)


def pairs_for(pairs: list[StreamPair], spend: int) -> list[StreamPair]:
    """Return candidates, one of each family first, among which a search makes hardly more runs than it is given."""

    def cost(number: int) -> float:
        random = sum(pair.base == RANDOM for pair in spread(pairs, number))
        return search_runs(number, random, spend)

    return spread(pairs, pairs_within(2.5 * spend, len(pairs), cost))


def course_seconds(sizes: list[int], pairs: int, costs: Costs, jobs: int, engine: str, random: int = 0) -> float:
    """Return the time of an audit without the simplification of a witness.

    Parameters
    ----------
    sizes : runs per stream of the final pair, in every stage; there is one stage unless the audit is sequential.
    pairs : candidate pairs.
    costs : what the target costs.
    jobs : workers, of which each after the first counts as 0.8 of a worker.
    engine : the runner's engine, which determines the share of the search.
    random : how many of the pairs are random.

    Examples
    --------
    >>> round(course_seconds([1000], 1, Costs(1e-3), 1, "python"), 3)
    2.0
    """
    runs, read = 2 * sum(sizes), 0.0
    for size in sizes:
        looks, rounds = _search(pairs, random, screening_budget(size, engine))
        runs, read = runs + 2 * COUPLED_RUNS * looks, read + looks * LOOK_SHARE
        for planned in rounds:
            runs, read = runs + planned.cost, read + planned.kept + planned.joining
    return (runs * (costs.run + costs.read) + read * costs.pair) / (1 + 0.8 * (jobs - 1))


def runs_within(seconds: float, course: Callable[[int], float]) -> int:
    """Return the most runs per stream, of two significant digits, whose course takes no longer than is said; at least
    20 and at most `MOST_RUNS`.

    >>> runs_within(1.0, lambda runs: 1e-3 * runs), runs_within(1.0, lambda runs: 1.0 * runs)
    (1000, 20)
    """
    few, many = FEWEST_RUNS, MOST_RUNS + 1
    while many - few > 1:
        middle = (few + many) // 2
        few, many = (middle, many) if course(middle) <= seconds * (1 + 1e-9) else (few, middle)
    digits: int = 10 ** max(0, int(math.log10(few)) - 1)
    return few // digits * digits


def pairs_within(seconds: float, pairs: int, search: Callable[[int], float]) -> int:
    """Return how many candidate pairs of streams can be screened in half of the time, at least 2 if there are so many.

    >>> pairs_within(60.0, 800, lambda pairs: 0.2 * pairs), pairs_within(60.0, 100, lambda pairs: 0.2 * pairs)
    (150, 100)
    """
    few, many = FEWEST_PAIRS, pairs + 1
    while many - few > 1:
        middle = (few + many) // 2
        few, many = (middle, many) if search(middle) <= 0.5 * seconds else (few, middle)
    return min(pairs, few)
