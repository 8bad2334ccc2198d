"""Running a policy on many tables, in chunks with a seed each, so that results do not depend on the jobs."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from privcheck.auditing.runners import Actions, Runner, Table


class TimeUp(Exception):
    """The time budget ended before the runs that were fixed beforehand."""


@dataclass(frozen=True)
class Request:
    """So many independent runs on one table; `key` makes their randomness independent of every other request's."""

    table: Table
    runs: int
    key: tuple[int, ...]


@dataclass(frozen=True)
class Sampler:
    """Plays requests with one runner.

    Parameters
    ----------
    runner : plays the runs.
    seed : root of all randomness; chunk c of a request draws from SeedSequence(seed, spawn_key=(*key, c)).
    jobs : number of workers, threads for kernels and processes for Python policies.
    deadline : time.monotonic() at which to stop with `TimeUp`; infinite for none.

    """

    runner: Runner
    seed: int
    jobs: int
    deadline: float

    def play(self, requests: list[Request], advance: Callable[[int], None]) -> list[Actions]:
        """Return the actions of each request, shape (runs, T); `advance` is told of every run."""
        parts: list[list[Actions]] = [[] for _ in requests]
        tasks = list(self._tasks(requests))
        with _closing(self._results(tasks)) as results:
            for (number, _, _, _), actions in zip(tasks, results, strict=True):
                parts[number].append(actions)
                advance(len(actions))
                if time.monotonic() > self.deadline:
                    raise TimeUp
        return [np.concatenate(part) for part in parts]

    def _tasks(self, requests: list[Request]) -> Iterator[tuple[int, Table, int, np.random.SeedSequence]]:
        for number, request in enumerate(requests):
            for chunk, start in enumerate(range(0, request.runs, self.runner.chunk_runs)):
                seed = np.random.SeedSequence(self.seed, spawn_key=(*request.key, chunk))
                yield number, request.table, min(self.runner.chunk_runs, request.runs - start), seed

    def _results(self, tasks: list[tuple[int, Table, int, np.random.SeedSequence]]) -> Generator[Actions]:
        if self.jobs == 1 or len(tasks) == 1:
            return (self.runner.play(table, runs, seed) for _, table, runs, seed in tasks)
        from joblib import Parallel, delayed

        parallel = Parallel(n_jobs=self.jobs, return_as="generator", backend=self.runner.joblib_backend)
        results: Generator[Actions] = parallel(
            delayed(self.runner.play)(table, runs, seed) for _, table, runs, seed in tasks
        )
        return results


@contextmanager
def _closing(results: Generator[Actions]) -> Iterator[Generator[Actions]]:
    """Cancel what is left of the tasks when the block ends early, without joblib's advice about it."""
    try:
        yield results
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            results.close()
