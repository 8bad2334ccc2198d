"""Many runs of a user's policy in an environment, in processes, within a time budget."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from privcheck.arrays import Array, Integers
from privcheck.environments import Combinatorial, ContextualEnvironment, Environment
from privcheck.errors import PolicyError, PrivcheckError
from privcheck.generators import global_generators_seeded
from privcheck.kernels import generators
from privcheck.scheduling import Calls, Executor, digest
from privcheck.simulation._engine import checked_table
from privcheck.simulation._own_policies import LoadedPolicy
from privcheck.targets import RUN_LIMIT, PolicyRunner, code_of, limited, play_rounds, played_by

CHUNK_SECONDS = 0.5
PILOT_RUNS = 3
SLOWER = 20.0
"""A run that takes so many times as long as the pilot is taken to hang."""


def affordable_runs(
    policy: LoadedPolicy, place: Environment, checkpoints: Integers, runs: int, seed: int, key: tuple[int, ...],
    jobs: int, budget: float, shuffle: bool,
) -> tuple[int, float]:  # fmt: skip
    """Return how many runs are played, and the seconds that one takes.

    All of them if they fit into the budget, otherwise the largest power of two that does, or one: so that the speed of
    a machine, which is never twice the same, mostly changes nothing.

    The runs of the pilot are not among the runs of the result, so that their time selects none of these.

    Raises
    ------
    PolicyError : the policy fails, or a single run takes longer than the budget.
    """
    fastest, started = math.inf, time.perf_counter()
    for run in range(PILOT_RUNS):
        before = time.perf_counter()
        with limited(of_a_run=budget if math.isfinite(budget) else 1e6) as clock:
            clock.next_run()
            play_one(policy.runner, place, checkpoints, seed, (*key, 1, run), shuffle)
        fastest = min(fastest, time.perf_counter() - before)
        spent = time.perf_counter() - started
        if spent > budget / 2 or (run and spent > min(0.05 * budget, 5.0)):  # the first run imports and compiles
            break
    if runs * fastest <= budget * jobs:
        return runs, fastest
    return power_of_two(budget * jobs / fastest), fastest


def power_of_two(runs: float) -> int:
    """Return the largest power of two that is no larger, at least 1.

    >>> [power_of_two(runs) for runs in (0.3, 1.0, 82.4, 128.0)]
    [1, 1, 64, 128]
    """
    return 1 << max(math.floor(runs).bit_length() - 1, 0)


def own_chunks(
    policy: LoadedPolicy, place: Environment, checkpoints: Integers, runs: int, seed: int, key: tuple[int, ...],
    executor: Executor, seconds: float, shuffle: bool,
) -> Iterator[Array]:  # fmt: skip
    """Yield the regret of run after run, in arrays of shape (n, C).

    Run r has the Generators of (seed, *key, 0, r): chunks and jobs change no number.

    Parameters
    ----------
    seconds : that a run takes, which decides how many go to a worker at once.

    Raises
    ------
    PolicyError : what a run raises, with the number of the run.
    """
    size = max(1, min(256, int(CHUNK_SECONDS / max(seconds, 1e-9))))
    if executor.store is None:  # one that goes on has the same chunks, with other workers too
        size = min(size, math.ceil(runs / executor.jobs))
    limit = max(RUN_LIMIT, SLOWER * seconds)
    arguments = [
        (policy.runner, place, checkpoints, range(first, min(first + size, runs)), seed, key, limit, shuffle)
        for first in range(0, runs, size)
    ]
    asked = None if executor.store is None else digest((place, checkpoints, seed, key, shuffle))
    code = (*code_of(policy.runner), place)
    depends = lambda number: (asked, arguments[number][3])  # noqa: E731
    calls = Calls(play_runs, arguments, True, code, depends, played=played_by(policy.runner))
    yield from executor.in_order(calls)


def play_runs(
    runner: PolicyRunner, place: Environment, checkpoints: Integers, runs: range, seed: int, key: tuple[int, ...],
    limit: float, shuffle: bool,
) -> Array:  # fmt: skip
    """Return the regret of some runs, shape (len(runs), C)."""
    regret = np.empty((len(runs), len(checkpoints)))
    with limited(of_a_run=limit) as clock:
        for row, run in enumerate(runs):
            clock.next_run()
            try:
                regret[row] = play_one(runner, place, checkpoints, seed, (*key, 0, run), shuffle)
            except PrivcheckError as error:
                place_of = f"run {run + 1}, {error.parameter}"
                raise PolicyError(place_of, error.value, error.expected, error.hint) from None
    return regret


def play_one(
    runner: PolicyRunner, place: Environment, checkpoints: Integers, seed: int, key: tuple[int, ...], shuffle: bool
) -> Array:
    """Return the pseudo-regret of one run at the checkpoints, shape (C,)."""
    streams = generators(seed, *key)
    rounds, lost = _rounds(runner, place, int(checkpoints[-1]), streams.rewards, shuffle)
    with global_generators_seeded(np.random.SeedSequence(seed, spawn_key=key)):
        played = play_rounds(runner.kind, runner.build(streams.coins), rounds, place.arms)
    result: Array = np.cumsum(lost(np.array(played, np.int64)))[checkpoints - 1]
    return result


def _rounds(
    runner: PolicyRunner, place: Environment, horizon: int, rng: np.random.Generator, shuffle: bool
) -> tuple[list[Any], Callable[[Integers], Array]]:
    """Return what each round shows, and the function from what was played to the regret of every round."""
    if isinstance(place, ContextualEnvironment):
        contexts, means, rewards = place.draw(rng, horizon)
        gaps = means.max(axis=1, keepdims=True) - means
        rows = [(context.copy(), row) for context, row in zip(contexts, rewards.tolist(), strict=True)]
        return rows, lambda played: np.take_along_axis(gaps, played[:, None], axis=1)[:, 0]
    table = checked_table(place.table(rng, horizon), place, horizon)
    if isinstance(place, Combinatorial):
        return runner.kind.rounds(table, place.arms, None), lambda played: _lost_by_sets(place, played)
    order = rng.permutation(place.arms) if shuffle else np.arange(place.arms)
    lost = place.gaps()[order]
    return runner.kind.rounds(np.ascontiguousarray(table[:, order]), place.arms, None), lambda played: lost[played]


def _lost_by_sets(place: Combinatorial, played: Integers) -> Array:
    oracle: Any = place.oracle
    target = place.best_reward * getattr(oracle, "alpha", 1.0) * getattr(oracle, "beta", 1.0)
    sets, inverse = np.unique(played, return_inverse=True)
    chosen = [tuple(arm for arm in range(place.arms) if int(each) >> arm & 1) for each in sets]
    return np.array([target - place.reward(each) for each in chosen])[inverse]
