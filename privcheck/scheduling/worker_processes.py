"""Worker processes, kept between calls for as long as a new one would load the same code."""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

from privcheck.errors import PrivcheckError, words

R = TypeVar("R")

THREADS = ("OMP", "OPENBLAS", "MKL", "BLIS", "VECLIB_MAXIMUM", "NUMBA", "NUMEXPR")
"""Libraries with threads of their own, of which a worker has one each: there are as many workers as processors."""

_pool: Any = None
_started_for: tuple[Any, ...] = ()


def worker_processes(jobs: int) -> Any:
    """Return a pool of worker processes: the one of the last call, if its workers were started under the same paths.

    A worker process keeps the working directory and the paths of modules that it was started with. A task names the
    code of a target by file or module, and a worker that was started elsewhere would load another file of that name.

    Parameters
    ----------
    jobs : the number of processes.
    """
    global _pool, _started_for
    wanted = (jobs, _working_directory(), tuple(sys.path))
    if _pool is None or wanted != _started_for or _pool._flags.broken or _pool._flags.shutdown:
        from joblib.externals.loky import ProcessPoolExecutor

        if _pool is None:
            atexit.register(end_worker_processes)
        end_worker_processes()
        one_thread = {f"{library}_NUM_THREADS": "1" for library in THREADS}
        _pool = ProcessPoolExecutor(jobs, timeout=300, env={k: v for k, v in one_thread.items() if k not in os.environ})
        _started_for = wanted
    return _pool


def end_worker_processes() -> None:
    """Kill the worker processes, whatever they are doing; the next call of `worker_processes` starts others."""
    global _pool
    if _pool is not None:
        _pool, ended = None, _pool
        ended.shutdown(wait=True, kill_workers=True)


def kill_processes() -> None:
    """Kill the worker processes from a signal handler, which may wait for no lock."""
    for process in list((getattr(_pool, "_processes", None) or {}).values()):
        process.kill()


def _working_directory() -> str:
    try:
        return str(Path.cwd())
    except OSError:  # it was deleted
        return ""


def in_processes(function: Callable[..., R], arguments: Sequence[tuple[Any, ...]], jobs: int) -> Generator[R]:
    """Yield the results of calls in worker processes, in the order of the arguments.

    Calls that have begun when the caller ends the iteration early are killed with their processes.

    Parameters
    ----------
    function : called with each of the arguments; both are pickled, by value if a worker cannot import them.
    arguments : of each call.
    jobs : the number of processes.

    Raises
    ------
    PrivcheckError : a worker process ended, as the operating system ends one that needs too much memory.
    """
    from joblib.externals.loky.process_executor import BrokenProcessPool

    pool, waiting, ended = worker_processes(jobs), list[Future[R]](), False
    try:
        for each in arguments:
            waiting.append(pool.submit(function, *each))
            if len(waiting) > 2 * jobs:
                yield waiting.pop(0).result()
        for future in waiting:
            yield future.result()
        ended = True
    except BrokenProcessPool as error:
        raised = str(error.__cause__ or "").strip('\n "').rpartition("\n")[2]
        got = words(f"a worker process that ended{': ' if raised else ''}{raised}")
        hint = "jobs=1 plays them in this process; a worker that needs too much memory is ended by the system"
        raise PrivcheckError("jobs", got, "worker processes that play their runs to the end", hint) from error
    finally:
        if not ended:
            end_worker_processes()
