"""`identify`: stopping times and errors of policies that identify the best arm."""

from __future__ import annotations

import time
import zlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple
from pathlib import Path

import numpy as np

from privcheck.arrays import Array, Integers
from privcheck.bandits import DELTA, Algorithm, BestArmAlgorithm
from privcheck.declared import Integer, check
from privcheck.environments import Environment
from privcheck.environments import environment as make_environment
from privcheck.errors import PrivcheckError, words
from privcheck.kernels import generators
from privcheck.progress import progress
from privcheck.results import Identification, StoppingResult
from privcheck.scheduling import HERE, Calls, Executor, executor
from privcheck.simulation._engine import checked_table, engine_of
from privcheck.simulation._labels import chosen_algorithm, labels_of, with_labels
from privcheck.simulation._semi_bandits import check_feedback
from privcheck.simulation._simulate import LONGEST, check_rewards
from privcheck.targets import SimulatedBudget, SimulatedEffort, SimulatedExecution

__all__ = ["Identification", "identify"]

CHUNK_RUNS = 32
"""Runs of a chunk, which take about a second; changing it changes the results of a seed."""


def identify(
    policies: str | Algorithm | Sequence[str | Algorithm] | Mapping[str, str | Algorithm],
    environment: str | Environment | Sequence[float],
    *,
    horizon: int,
    delta: float | Sequence[float] | None = None,
    runs: int = 1000,
    seed: int = 0,
    jobs: int = 1,
    epsilon: float | None = None,
    scheduler: str | None = None,
    store: str | Path | None = None,
) -> Identification:
    r"""Let policies identify the best arm many times; return when they stop, and how often they are wrong.

    Parameters
    ----------
    policies : a shipped id ("dp-exact-tt"), a spec, a list of these, or a mapping from labels to these, all for
        best-arm identification.
    environment : the id of a named instance, a sequence of Bernoulli means in [0, 1], or an `Environment`.
    horizon : the number of rounds after which a run that has not stopped is cut; at least all first batches.
    delta : the largest probability of a wrong recommendation, in [1e-9, 0.5), or a list of such: one run is scored
        against each of them, if delta does not decide what is played. None for the policy's own.
    runs : independent runs of each policy, at least 1.
    seed : at least 0. The randomness of a policy depends only on the seed and the policy.
    jobs : chunks that run in parallel; the results do not depend on it.
    epsilon : privacy budget of the policies given by id, > 0.
    scheduler : "local:N" or "tcp://host:port": a Dask scheduler whose workers play, in place of `jobs`.
    store : a folder in which finished chunks are kept; the same call goes on from them.

    Returns
    -------
    Identification, with one result per policy, in the order given.

    Guarantee
    ---------
    No privacy: rewards and noise are fast floating-point draws, for experiments. Event engines draw the sum of a
    batch's rewards as one Binomial, which has the same law as a step-by-step run.

    Raises
    ------
    PrivcheckError : an id of another kind of algorithm, a private id without epsilon, a horizon that ends before the
        first batches do, or a value out of range.

    Examples
    --------
    >>> found = identify("dp-exact-tt", [0.9, 0.5, 0.5], horizon=1e5, delta=0.05, runs=20, epsilon=1.0)
    >>> found.results[0].stops.shape, found.summary()[0]["error_rate"]
    ((20, 1, 2), 0.0)
    """
    place = make_environment(environment)
    horizon = check("horizon", horizon, Integer(place.arms, LONGEST), "the rounds after which a run is cut")
    effort = SimulatedEffort(runs=runs, seed=seed)
    by, budget = SimulatedExecution(jobs=jobs, scheduler=scheduler, store=store), SimulatedBudget(epsilon=epsilon)
    runs, seed = effort.runs, effort.seed
    deltas = _deltas(delta)
    labels, given = with_labels(policies)
    algorithms = [_identifying(chosen_algorithm(policy, place.arms, budget.epsilon, horizon)) for policy in given]
    check_rewards(place, algorithms, horizon)
    check_feedback(place, algorithms, horizon)
    for algorithm in algorithms:
        _check_first_batches(algorithm, deltas, horizon)
    correct = np.array(place.means) == max(place.means)
    results, seen = [], Counter[int]()
    with (
        executor(by.jobs, by.scheduler, by.store) as workers,
        progress("identifying", runs * len(algorithms)) as advance,
    ):
        for label, algorithm in zip(labels or labels_of(list(algorithms)), algorithms, strict=True):
            levels = np.array(deltas or [algorithm.delta])
            identity = zlib.crc32(repr((algorithm.id, *astuple(algorithm))).encode())  # type: ignore[call-overload]
            key = (identity, seen[identity])
            seen[identity] += 1
            _play_chunk(algorithm, place, levels, place.arms, 1, 0, ())  # compiles the kernel
            started = time.perf_counter()
            stops = play_stops(
                algorithm, place, levels, horizon, runs, seed=seed, key=key, workers=workers, advance=advance
            )
            seconds = time.perf_counter() - started
            engine = engine_of(algorithm, place)
            results.append(StoppingResult(label, algorithm, levels, stops, correct, horizon, seconds, engine))
        remarks = tuple(workers.notes)
    return Identification(place, horizon, runs, seed, tuple(results), remarks)


def play_stops(
    algorithm: BestArmAlgorithm,
    environment: Environment,
    deltas: Array,
    horizon: int,
    runs: int,
    *,
    seed: int,
    key: tuple[int, ...] = (),
    workers: Executor = HERE,
    advance: Callable[[int], None] | None = None,
) -> Integers:
    """Return stopping times and recommendations, shape (runs, D, 2); chunk c draws from (seed, *key, c)."""
    sizes = [min(CHUNK_RUNS, runs - start) for start in range(0, runs, CHUNK_RUNS)]
    arguments = [(algorithm, environment, deltas, horizon, n, seed, (*key, c)) for c, n in enumerate(sizes)]
    parts = []
    code = (algorithm, environment)
    calls = Calls(_play_chunk, arguments, code=code, depends=lambda number: arguments[number][1:], played=algorithm)
    for part in workers.in_order(calls):
        parts.append(part)
        if advance is not None:
            advance(len(part))
    return np.concatenate(parts)


def _play_chunk(
    algorithm: BestArmAlgorithm,
    environment: Environment,
    deltas: Array,
    horizon: int,
    runs: int,
    seed: int,
    key: tuple[int, ...],
) -> Integers:
    """Return the stops of one chunk; an algorithm that reads delta plays its own runs for each."""
    if algorithm.reads_delta:
        played = [
            _stops(algorithm.at(float(delta)), environment, deltas[d : d + 1], horizon, runs, seed, (*key, d))
            for d, delta in enumerate(deltas)
        ]
        return np.concatenate(played, axis=1)
    return _stops(algorithm, environment, deltas, horizon, runs, seed, key)


def _stops(
    algorithm: BestArmAlgorithm,
    environment: Environment,
    deltas: Array,
    horizon: int,
    runs: int,
    seed: int,
    key: tuple[int, ...],
) -> Integers:
    streams, source, means = generators(seed, *key), environment.source(), np.array(environment.means)
    if source is not None:
        return algorithm.stops(source, means, streams, horizon, runs, deltas)
    found = []
    for _ in range(runs):
        table = checked_table(environment.table(streams.rewards, horizon), environment, horizon)
        found.append(algorithm.stops(table, means, streams, horizon, 1, deltas))
    return np.concatenate(found)


def _identifying(algorithm: Algorithm) -> BestArmAlgorithm:
    if not isinstance(algorithm, BestArmAlgorithm):
        hint = "policies of both kinds cannot be simulated in one call"
        raise PrivcheckError("policies", words(algorithm.id), "algorithms that identify the best arm", hint)
    return algorithm


def _check_first_batches(algorithm: BestArmAlgorithm, deltas: list[float], horizon: int) -> None:
    """Refuse a horizon within which no run can stop."""
    played = [algorithm.at(delta) for delta in deltas] if algorithm.reads_delta and deltas else [algorithm]
    if horizon < (least := max(spec.warm_up() for spec in played)):
        hint = f"{algorithm.id} has released nothing about some arm before: every run would be cut"
        raise PrivcheckError("horizon", horizon, f"{least} rounds or more", hint)


def _deltas(given: float | Sequence[float] | None) -> list[float]:
    """Return the deltas, [] for None: distinct numbers in the domain of delta."""
    if given is None:
        return []
    several = list(given) if isinstance(given, list | tuple | np.ndarray) else [given]
    deltas = [check("delta", each, DELTA, "a probability of a wrong recommendation") for each in several]
    if not deltas or len(set(deltas)) < len(deltas):
        raise PrivcheckError("delta", given, "distinct probabilities of error", "for example 0.01 or [0.1, 0.01]")
    return deltas
