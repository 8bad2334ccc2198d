"""One way to play chunks of runs: here, in threads, in worker processes, or by the workers of a Dask scheduler."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

from privcheck.errors import PrivcheckError, words
from privcheck.scheduling._chunk_calls import Calls
from privcheck.scheduling._chunk_store import ChunkStore
from privcheck.scheduling._dask_workers import DaskWorkers, dask_workers
from privcheck.scheduling._kept_calls import Kept
from privcheck.scheduling._only_worker import become_worker
from privcheck.scheduling._part_files import same_arrays
from privcheck.scheduling._worker_processes import worker_processes

R = TypeVar("R")
S = TypeVar("S")

POLLED = 0.1
"""Seconds after which chunks that another client has claimed are looked for again."""

LOOKED = 5.0
"""The same while this client has chunks of its own to play."""

AHEAD = 2
"""Calls per worker that are handed over at once: a worker that has ended one finds the next."""

PLAYED_HERE = (
    "all counted runs were played in this process, for a worker process showed something else with the same seed: it "
    "loads the target from its file, without what was set here since, such as a global or an attribute of a class"
)

NOT_COMPARED = (
    "worker processes played the runs: they load the target from its file, without what was set here since, such as a "
    "global; without seeds nobody can tell whether they show the same as this process"
)


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
    store : keeps what has been played.

    Examples
    --------
    >>> list(Executor(jobs=2).in_order(Calls(divmod, [(7, 2), (9, 4)])))
    [(3, 1), (2, 1)]
    """

    jobs: int = 1
    cluster: DaskWorkers | None = None
    store: ChunkStore | None = None
    notes: list[str] = field(default_factory=list, repr=False)
    """What readers of the results have to know: workers, or a store, that were not believed."""

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
        PrivcheckError : a call raises one, a worker ended, as the system ends one that needs too much memory, or one of
            a scheduler shows something else than this process.
        """
        kept = Kept(self.store, calls)
        waiting, running = deque(range(len(calls.arguments))), dict[Future[tuple[float, R]], int]()
        with self._workers(calls) as (workers, ahead):
            doubted = calls.alone and bool(calls.code) and not isinstance(workers, _Here)
            tested_by = _Here() if doubted else workers
            if doubted and calls.depends is None:  # no two calls show the same
                doubted = False
                if NOT_COMPARED not in self.notes:
                    self.notes.append(NOT_COMPARED)
            kept.test(lambda number: tested_by.submit(calls.function, *calls.arguments[number]).result())
            try:
                while waiting or running:
                    held = deque[int]()
                    while waiting and len(running) < ahead():
                        number = waiting.popleft()
                        if (arrays := kept.found(number)) is not None:
                            yield number, calls.form.result(arrays)
                        elif kept.claimed(number):
                            running[workers.submit(timed, calls.function, *calls.arguments[number])] = number
                        else:
                            held.append(number)
                    waiting += held
                    if doubted and running:
                        doubted = False
                        if self._differs(calls, *next(iter(running.items()))):
                            again = sorted(running.values())
                            workers, ahead = _Here(), lambda: 1
                            running = {workers.submit(timed, calls.function, *calls.arguments[n]): n for n in again}
                    if held and not running:
                        time.sleep(POLLED)
                    patience = LOOKED if held else None
                    for future in wait(running, timeout=patience, return_when=FIRST_COMPLETED).done:
                        seconds, result = future.result()
                        number = running.pop(future)
                        kept.keep(number, result, seconds)
                        yield number, result
            finally:
                for future in running:
                    future.cancel()

    def _differs(self, calls: Calls[R], there: Future[tuple[float, R]], number: int) -> bool:
        """Tell whether a worker process shows something else than this process, which makes one of its calls as well.

        It is asked whenever runs are to be played: what a target keeps may have changed in one or the other.

        Raises
        ------
        PrivcheckError : a worker of a scheduler does.
        """
        here = calls.form.arrays(calls.function(*calls.arguments[number]))
        if same_arrays(here, calls.form.arrays(there.result()[1])):
            return False
        if self.cluster is not None:
            got = words("a worker that shows something else than this process, with the same seed")
            hint = "the target depends on what workers do not have: a global that was set, a file, a variable"
            raise PrivcheckError("scheduler", got, "the same runs on every machine", hint)
        self.notes.append(PLAYED_HERE)
        return True

    @contextmanager
    def _workers(self, calls: Calls[R]) -> Iterator[tuple[Workers, Callable[[], int]]]:
        """Yield what plays the calls, and how many it is to have at once."""
        if self.cluster is not None:
            with self.cluster.playing(alone=calls.alone, code=calls.code) as workers:
                yield workers, lambda: AHEAD * workers.number()
        elif len(calls.arguments) == 1 or (calls.alone and (self.jobs == 1 or PLAYED_HERE in self.notes)):
            yield _Here(), lambda: 1
        elif calls.alone:
            with worker_processes(self.jobs, calls.code) as processes:
                yield processes, lambda: AHEAD * self.jobs
        else:  # a thread for one worker, too: in compiled code this one would hear no interrupt until the chunk ends
            threads = ThreadPoolExecutor(self.jobs, initializer=become_worker, initargs=(self.jobs,))
            try:
                yield threads, lambda: AHEAD * self.jobs
            finally:
                threads.shutdown(wait=False, cancel_futures=True)


HERE: Executor = Executor()
"""Plays one call after the other, in the process that asks for it."""


class _Here:
    """Calls at once, in this thread."""

    def submit(self, function: Callable[..., S], /, *arguments: Any) -> Future[S]:
        future = Future[S]()
        future.set_result(function(*arguments))
        return future


def timed(function: Callable[..., S], *arguments: Any) -> tuple[float, S]:
    """Return the seconds that a call took, and its result."""
    started = time.perf_counter()
    result = function(*arguments)
    return time.perf_counter() - started, result


@contextmanager
def executor(jobs: int = 1, scheduler: str | None = None, store: str | Path | None = None) -> Iterator[Executor]:
    """Yield an executor, which is of use within the block.

    Parameters
    ----------
    jobs : the number of workers on this machine.
    scheduler : "local:N" for a Dask scheduler with N worker processes, which end with the block; the address of one
        that runs, as in "tcp://host:8786"; None for `jobs` workers without Dask.
    store : a folder in which finished chunks are kept, and looked for; None to keep nothing.

    Raises
    ------
    PrivcheckError : no Dask, no scheduler at the address, or a store that cannot be written or has other versions.
    """
    with ExitStack() as opened:
        kept = None if store is None else opened.enter_context(closing(ChunkStore(store)))
        cluster = None if scheduler is None else opened.enter_context(dask_workers(scheduler))
        notes = [] if kept is None else kept.notes
        yield Executor(jobs if cluster is None else cluster.number(), cluster, kept, notes)
