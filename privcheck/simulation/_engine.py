"""Many runs of one algorithm in an environment, in chunks whose results do not depend on scheduling."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from privcheck.arrays import Actions, Array, Integers
from privcheck.bandits import Algorithm, LinearBandit, SemiBanditAlgorithm
from privcheck.environments import Combinatorial, ContextualEnvironment, Environment
from privcheck.errors import PrivcheckError, words
from privcheck.kernels import Laws, generators
from privcheck.scheduling import HERE, Calls, Executor

CHUNK_RUNS = 256
"""The most runs of a chunk: enough to keep the overhead of a chunk small, few enough to share among threads."""

CHUNK_STEPS = 2_000_000
"""Rounds of a chunk of a step engine, which take up to a second; changing them changes the results of a seed."""

_NO_ACTIONS: Actions = np.zeros((0, 0), np.int8)


def log_checkpoints(horizon: int, count: int) -> Integers:
    """Return at most `count` distinct rounds, evenly spaced on a log scale from 1 to `horizon`, which is the last.

    >>> log_checkpoints(1000, 4).tolist()
    [1, 10, 100, 1000]
    >>> log_checkpoints(4, 200).tolist(), log_checkpoints(1000, 1).tolist()
    ([1, 2, 3, 4], [1000])
    """
    spaced = np.rint(np.geomspace(1.0, horizon, count)).astype(np.int64)
    spaced[-1] = horizon
    return np.unique(spaced)


def engine_of(algorithm: Algorithm, environment: Environment) -> str:
    """Return "event" if a run takes a few draws per episode, "step" if every round takes time.

    >>> from privcheck.bandits import ALGORITHMS
    >>> from privcheck.environments import Bernoulli, Beta
    >>> adap_ucb = ALGORITHMS["adap-ucb"](arms=2, epsilon=1.0)
    >>> engine_of(adap_ucb, Bernoulli((0.6, 0.5))), engine_of(adap_ucb, Beta((0.6, 0.5)))
    ('event', 'step')
    """
    return "event" if algorithm.simulation_engine == "event" and environment.sums_at_once else "step"


def chunk_runs(algorithm: Algorithm, environment: Environment, horizon: int) -> int:
    """Return the runs per chunk, which depend on the work alone and never on the number of jobs.

    Event engines take microseconds per run, step engines nanoseconds per round. A chunk takes up to a second, or is a
    single run, so that even a few long runs keep several threads busy.

    >>> from privcheck.bandits import ALGORITHMS
    >>> from privcheck.environments import Bernoulli
    >>> place = Bernoulli((0.6, 0.5))
    >>> chunk_runs(ALGORITHMS["ucb"](arms=2), place, 10**6)
    2
    >>> chunk_runs(ALGORITHMS["adap-ucb"](arms=2, epsilon=1.0), place, 10**7)
    256
    """
    if engine_of(algorithm, environment) == "event":
        return CHUNK_RUNS
    return min(max(CHUNK_STEPS // horizon, 1), CHUNK_RUNS)


def play(
    algorithm: Algorithm,
    environment: Environment,
    *,
    checkpoints: Integers,
    runs: int,
    seed: int,
    key: tuple[int, ...] = (),
    executor: Executor = HERE,
    shuffle: bool = False,
    advance: Callable[[int], None] | None = None,
) -> Array:
    """Return the pseudo-regret of independent runs at some rounds.

    Chunk c uses the Generators of (seed, *key, c), so that no result depends on the executor, and the first runs of
    a longer simulation are those of a shorter one.

    Parameters
    ----------
    algorithm, environment : the algorithm and the environment, with the same number of arms.
    checkpoints : rounds t_1 < ... < t_C, shape (C,); the last is the horizon.
    runs : R.
    seed, key : the source of all randomness, see `generators`.
    executor : the workers; those of this machine are threads, since kernels release the GIL.
    shuffle : whether the arms are put in a random order in every run.
    advance : called with the number of runs that have finished.

    Returns
    -------
    The sum over rounds t <= t_c of the gap of the arm played, shape (R, C).

    Examples
    --------
    >>> from privcheck.bandits import ALGORITHMS
    >>> from privcheck.environments import Bernoulli
    >>> play(ALGORITHMS["ucb"](arms=2), Bernoulli((1.0, 0.5)), checkpoints=np.array([2, 4]), runs=1, seed=0).shape
    (1, 2)
    """
    compile_kernel(algorithm, environment)
    chunks = chunks_of(algorithm, environment, checkpoints, runs, seed, key, executor, shuffle=shuffle)
    return gathered(chunks, runs, len(checkpoints), advance)


def chunks_of(
    algorithm: Algorithm,
    environment: Environment,
    checkpoints: Integers,
    runs: int,
    seed: int,
    key: tuple[int, ...],
    executor: Executor,
    *,
    shuffle: bool = False,
) -> Iterator[Array]:
    """Yield what `play` returns, chunk by chunk."""
    size = chunk_runs(algorithm, environment, int(checkpoints[-1]))
    sizes = [min(size, runs - start) for start in range(0, runs, size)]
    function = play_shuffled if shuffle else play_chunk
    every = [(algorithm, environment, checkpoints, count, seed, (*key, c)) for c, count in enumerate(sizes)]
    code = (algorithm, environment)
    calls = Calls(function, every, code=code, depends=lambda number: every[number][1:], played=algorithm)
    yield from executor.in_order(calls)


def gathered(chunks: Iterator[Array], runs: int, columns: int, advance: Callable[[int], None] | None) -> Array:
    """Return chunks as one array of shape (runs, columns), or those that were finished when a user interrupted.

    Raises
    ------
    KeyboardInterrupt : if there is none.
    """
    regret, done = np.empty((runs, columns)), 0
    try:
        for chunk in chunks:
            regret[done : done + len(chunk)] = chunk
            done += len(chunk)
            if advance is not None:
                advance(len(chunk))
    except KeyboardInterrupt:
        if not done:
            raise
    return regret[:done]


def play_shuffled(
    algorithm: Algorithm, environment: Environment, checkpoints: Integers, runs: int, seed: int, key: tuple[int, ...]
) -> Array:
    """Return what `play_chunk` returns, with the arms in another order in every run.

    An algorithm that breaks ties in favour of the first arm gains if that is the best one; in a random order it
    does not.
    """
    streams, horizon = generators(seed, *key), int(checkpoints[-1])
    source, means = environment.source(), np.array(environment.means)
    regret = np.empty((runs, len(checkpoints)))
    rounds = np.ascontiguousarray(checkpoints, np.int64)
    for run in range(runs):
        order = streams.rewards.permutation(environment.arms)
        if source is None:
            table = checked_table(environment.table(streams.rewards, horizon), environment, horizon)
            moved: Array | Laws = np.ascontiguousarray(table[:, order])
        elif isinstance(source, Laws):
            bounds = source.cumulative[order] if len(source.cumulative) else source.cumulative
            moved = source._replace(parameters=np.ascontiguousarray(source.parameters[order]), cumulative=bounds)
        else:
            moved = np.ascontiguousarray(source[:, order])
        algorithm.kernel(
            algorithm.kernel_parameters(), moved, means[order], *streams, horizon, 1, _NO_ACTIONS, rounds,
            regret[run : run + 1],
        )  # fmt: skip
    return regret


def play_chunk(
    algorithm: Algorithm, environment: Environment, checkpoints: Integers, runs: int, seed: int, key: tuple[int, ...]
) -> Array:
    """Return the regret of one chunk, shape (runs, C), by the algorithm's own engine."""
    if isinstance(algorithm, LinearBandit) and isinstance(environment, ContextualEnvironment):
        return algorithm.regret(environment.place(), generators(seed, *key), runs, checkpoints)
    source = environment.source()
    if source is None:
        return play_steps(algorithm, environment, checkpoints, runs, seed, key)
    return _run_kernel(algorithm, source, environment, checkpoints, runs, generators(seed, *key))


def play_steps(
    algorithm: Algorithm, environment: Environment, checkpoints: Integers, runs: int, seed: int, key: tuple[int, ...]
) -> Array:
    """Return what `play_chunk` returns, but draw every single reward: the slow engine that checks the fast one.

    The two agree in law, not draw for draw: an event engine draws the sum of an episode's rewards at once. This engine
    needs memory for T x K rewards.
    """
    streams = generators(seed, *key)
    horizon = int(checkpoints[-1])
    rows = []
    for _ in range(runs):
        table = checked_table(environment.table(streams.rewards, horizon), environment, horizon)
        rows.append(_run_kernel(algorithm, table, environment, checkpoints, 1, streams))
    return np.concatenate(rows)


def checked_table(table: Any, environment: Environment, horizon: int) -> Array:
    """Return a table that kernels may index without bounds checks, or refuse it."""
    rewards = np.ascontiguousarray(table, np.float64)
    if rewards.shape != (horizon, environment.arms):
        got = words(f"shape {rewards.shape} from {type(environment).__name__}")
        raise PrivcheckError(
            "table", got, f"shape {(horizon, environment.arms)}", "one row per round, one column per arm"
        )
    inside = (rewards >= 0.0) & (rewards <= 1.0) if environment.unit_rewards else np.isfinite(rewards)
    if not inside.all():
        expected = "rewards in [0, 1]" if environment.unit_rewards else "finite rewards"
        raise PrivcheckError("table", float(rewards[~inside][0]), expected, "`unit_rewards` declares the range")
    return rewards


def compile_kernel(algorithm: Algorithm, environment: Environment) -> None:
    """Compile the kernel, or load it from numba's cache, before threads share it and before any timing starts."""
    play_chunk(algorithm, environment, np.array([1], np.int64), 1, 0, ())


def _run_kernel(
    algorithm: Algorithm,
    source: Array | Laws,
    environment: Environment,
    checkpoints: Integers,
    runs: int,
    streams: Any,
) -> Array:
    horizon = int(checkpoints[-1])
    if isinstance(algorithm, SemiBanditAlgorithm) and isinstance(environment, Combinatorial):
        means, rounds = np.array(environment.means), np.ascontiguousarray(checkpoints, np.int64)
        return algorithm.regret(source, means, environment.oracle, streams, horizon, runs, rounds)
    regret = np.empty((runs, len(checkpoints)))
    algorithm.kernel(
        algorithm.kernel_parameters(), source, np.array(environment.means), *streams, horizon, runs, _NO_ACTIONS,
        np.ascontiguousarray(checkpoints, np.int64), regret,
    )  # fmt: skip
    return regret
