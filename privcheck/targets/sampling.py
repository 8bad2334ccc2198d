"""Running a target on many tables, in chunks with one seed each, so that results do not depend on `jobs`."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from privcheck.targets.outputs import Outputs, alike
from privcheck.targets.runners import Runner
from privcheck.targets.stream_pair import StreamPair


class StoppedError(Exception):
    """The planned runs were cut short, by the clock or by the user.

    Parameters
    ----------
    parts : the chunks of each request that were played, in order.

    """

    def __init__(self, parts: list[list[Outputs]]) -> None:
        super().__init__("the runs were cut short")
        self.parts = parts

    @property
    def whole(self) -> list[Outputs]:
        """The outputs of each request in the chunks that were played of all of them; empty if there are none.

        They are those of a request for so many runs within the same number of planned runs.
        """
        chunks = min(map(len, self.parts))
        return alike([Outputs.joined(part[:chunks]) for part in self.parts]) if chunks else []


@dataclass(frozen=True)
class Request:
    """A number of independent runs on one side (0 or 1) of a pair.

    Parameters
    ----------
    pair, side : what is played.
    runs : the number of runs.
    key : makes their randomness independent of that of every other request. Two requests with the same key have equal
        coins: their runs must never be counted against each other.
    planned : the number of runs whose first `runs` these are; None if they are all. The randomness of a run depends on
        the chunks into which the planned runs are divided.
    apart : whether every run has a seed of its own, so that its coins do not depend on how many the runs before it
        drew; likelihood ratios are then not computed.

    """

    pair: StreamPair
    side: int
    runs: int
    key: tuple[int, ...]
    planned: int | None = None
    apart: bool = False


@dataclass(frozen=True)
class Sampler:
    """Plays requests with one runner.

    Parameters
    ----------
    runner : plays the runs.
    seed : root of all randomness; chunk c of a request draws from SeedSequence(seed, spawn_key=(*key, c)).
    jobs : number of workers: threads for kernels, processes for Python policies.
    deadline : time.monotonic() at which to stop with `StoppedError`; infinite for no deadline.

    """

    runner: Runner
    seed: int
    jobs: int
    deadline: float

    def play(self, requests: list[Request], advance: Callable[[int], None]) -> list[Outputs]:
        """Return the outputs of each request; `advance` is told the runs played. Requests take turns, chunk by chunk.

        Raises
        ------
        StoppedError : the deadline passed, or the user interrupted; it carries the outputs so far.

        """
        parts: list[list[Outputs]] = [[] for _ in requests]
        tasks = sorted(self._tasks(requests), key=lambda task: task.chunk)
        try:
            with _closing(self._results(tasks)) as results:
                for task, outputs in zip(tasks, results, strict=True):
                    parts[task.number].append(outputs)
                    advance(len(outputs))
                    if time.monotonic() > self.deadline:
                        raise StoppedError(parts)
        except KeyboardInterrupt:
            raise StoppedError(parts) from None
        return alike([Outputs.joined(part)[: request.runs] for part, request in zip(parts, requests, strict=True)])

    def _tasks(self, requests: list[Request]) -> Iterator[_Task]:
        for number, request in enumerate(requests):
            tables = request.pair.first, request.pair.second
            table, other = tables[request.side], tables[1 - request.side]
            planned = request.runs if request.planned is None else request.planned
            for chunk, start in enumerate(range(0, request.runs, self.runner.chunk_runs)):
                seed = np.random.SeedSequence(self.seed, spawn_key=(*request.key, chunk))
                runs = min(self.runner.chunk_runs, planned - start)
                yield _Task(number, chunk, table, other, request.side, runs, seed, request.apart)

    def _results(self, tasks: list[_Task]) -> Generator[Outputs]:
        if self.jobs == 1 or len(tasks) == 1:
            return (_run(self.runner, task) for task in tasks)
        from joblib import Parallel, delayed

        parallel = Parallel(n_jobs=self.jobs, return_as="generator", backend=self.runner.joblib_backend)
        results: Generator[Outputs] = parallel(delayed(_run)(self.runner, task) for task in tasks)
        return results


class _Task(NamedTuple):
    """One chunk of one request."""

    number: int
    chunk: int
    table: Any
    other: Any
    side: int
    runs: int
    seed: np.random.SeedSequence
    apart: bool


def _run(runner: Runner, task: _Task) -> Outputs:
    if task.apart:
        return Outputs.joined([runner.play(task.table, 1, seed) for seed in task.seed.spawn(task.runs)])
    outputs = runner.play(task.table, task.runs, task.seed, task.other)
    if task.side == 0 or outputs.ratios is None:
        return outputs
    return Outputs(outputs.symbols, outputs.numbers, -outputs.ratios)


@contextmanager
def _closing(results: Generator[Outputs]) -> Iterator[Generator[Outputs]]:
    """Cancel the remaining tasks if the block ends early, and suppress joblib's warning about it."""
    try:
        yield results
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            results.close()
