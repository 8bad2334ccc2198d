"""One way to play chunks of runs: here, in threads, in worker processes, or by the workers of a Dask scheduler."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from privcheck.scheduling.dask_workers import DaskWorkers, dask_workers
from privcheck.scheduling.worker_processes import worker_processes

R = TypeVar("R")
S = TypeVar("S")

AHEAD = 2
"""Calls per worker that are handed over at once: a worker that has ended one finds the next."""


@dataclass(frozen=True)
class Calls(Generic[R]):
    """Calls of one function, each of which plays a chunk.

    Parameters
    ----------
    function, arguments : what is called, and with what, in every call.
    alone : whether a process plays one at a time, as code in Python requires: global generators are seeded for it.
    code : objects whose modules, if nobody has installed them, a worker elsewhere has to load in the same version.
    """

    function: Callable[..., R]
    arguments: Sequence[tuple[Any, ...]]
    alone: bool = False
    code: tuple[Any, ...] = ()


class Workers(Protocol):
    """What plays calls."""

    def submit(self, function: Callable[..., S], /, *arguments: Any) -> Future[S]:
        """Have a function called."""


@dataclass(frozen=True)
class Executor:
    """Plays calls; no result depends on the number of workers, on what they are, or on which ends first.

    Parameters
    ----------
    jobs : the number of workers: of this machine threads, or processes for calls that are played alone; 1 for none.
    cluster : the workers of a Dask scheduler, in place of those of this machine.

    Examples
    --------
    >>> list(Executor(jobs=2).in_order(Calls(divmod, [(7, 2), (9, 4)])))
    [(3, 1), (2, 1)]
    """

    jobs: int = 1
    cluster: DaskWorkers | None = None

    def in_order(self, calls: Calls[R]) -> Generator[R]:
        """Yield the results in the order of the calls, otherwise as `completed`."""
        early, due = dict[int, R](), 0
        with closing(self.completed(calls)) as results:
            for number, result in results:
                early[number] = result
                while due in early:
                    yield early.pop(due)
                    due += 1

    def completed(self, calls: Calls[R]) -> Generator[tuple[int, R]]:
        """Yield the number of each call and its result, as they end. Calls that nobody waits for any more are ended.

        Raises
        ------
        PrivcheckError : a call raises one, or a worker ended, as the system ends one that needs too much memory.
        """
        waiting, running = deque(range(len(calls.arguments))), dict[Future[R], int]()
        with self._workers(calls) as (workers, ahead):
            try:
                while waiting or running:
                    while waiting and len(running) < ahead():
                        number = waiting.popleft()
                        running[workers.submit(calls.function, *calls.arguments[number])] = number
                    for future in wait(running, return_when=FIRST_COMPLETED).done:
                        yield running.pop(future), future.result()
            finally:
                for future in running:
                    future.cancel()

    @contextmanager
    def _workers(self, calls: Calls[R]) -> Iterator[tuple[Workers, Callable[[], int]]]:
        """Yield what plays the calls, and how many it is to have at once."""
        if self.cluster is not None:
            with self.cluster.playing(alone=calls.alone, code=calls.code) as workers:
                yield workers, lambda: AHEAD * workers.number()
        elif self.jobs == 1 or len(calls.arguments) == 1:
            yield _Here(), lambda: 1
        elif calls.alone:
            with worker_processes(self.jobs) as processes:
                yield processes, lambda: AHEAD * self.jobs
        else:
            threads = ThreadPoolExecutor(self.jobs)
            try:
                yield threads, lambda: AHEAD * self.jobs
            finally:
                threads.shutdown(wait=False, cancel_futures=True)


HERE = Executor()
"""Plays one call after the other, in the process that asks for it."""


class _Here:
    """Calls at once, in this thread."""

    def submit(self, function: Callable[..., S], /, *arguments: Any) -> Future[S]:
        future = Future[S]()
        future.set_result(function(*arguments))
        return future


@contextmanager
def executor(jobs: int = 1, scheduler: str | None = None) -> Iterator[Executor]:
    """Yield an executor, which is of use within the block.

    Parameters
    ----------
    jobs : the number of workers on this machine.
    scheduler : "local:N" for a Dask scheduler with N worker processes, which end with the block; the address of one
        that runs, as in "tcp://host:8786"; None for `jobs` workers without Dask.

    Raises
    ------
    PrivcheckError : no Dask, no scheduler at the address, or a worker with other versions than this process.
    """
    if scheduler is None:
        yield Executor(jobs)
    else:
        with dask_workers(scheduler) as cluster:
            yield Executor(cluster.number(), cluster)
