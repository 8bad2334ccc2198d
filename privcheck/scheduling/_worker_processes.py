"""Worker processes, kept between calls for as long as a new one would be started with the same paths and variables."""

from __future__ import annotations

import atexit
import os
import signal
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from privcheck.errors import PrivcheckError, words
from privcheck.progress import begin_worker
from privcheck.scheduling._ends_with_client import end_with
from privcheck.scheduling._own_sources import own_sources

THREADS = ("OMP", "OPENBLAS", "MKL", "BLIS", "VECLIB_MAXIMUM", "NUMBA", "NUMEXPR")
"""Libraries with threads of their own, of which a worker has one each: there are as many workers as processors."""

_pool: Any = None
_started_for: tuple[Any, ...] = ()
_sources: dict[str, str] = {}
"""The SHA-256 of each module of a target that the workers may have loaded."""


@contextmanager
def worker_processes(jobs: int, code: Iterable[Any] = ()) -> Iterator[Any]:
    """Yield a pool of worker processes: that of the last call, if its workers were started in the same environment.

    A worker process keeps the working directory, the paths of modules and the variables that it was started with. A
    call names the code of a target by file or module, and a worker that was started elsewhere would load another file
    of that name; one that has loaded it does not load it again. If the block ends early, the processes are killed with
    the calls that they play.

    Parameters
    ----------
    jobs : the number of processes.
    code : objects that are sent, whose modules the workers may have loaded as they were before.

    Raises
    ------
    PrivcheckError : a worker process ended, as the system ends one that needs too much memory.
    """
    from joblib.externals.loky.process_executor import BrokenProcessPool

    try:
        yield kept_pool(jobs, code)
    except BrokenProcessPool as error:
        end_worker_processes()
        raise broken_pool(error, "jobs") from error
    except BaseException:
        end_worker_processes()
        raise


def kept_pool(jobs: int, code: Iterable[Any] = ()) -> Any:
    """Return the pool of worker processes, a new one if the last is broken, was started under other paths or
    environment variables, or may have loaded modules of this code that have changed.
    """
    global _pool, _started_for
    wanted = (jobs, _working_directory(), tuple(sys.path), dict(os.environ))
    if _pool is not None and _pool._pending_work_items:  # at work: variables that were set since change nothing
        wanted = (*wanted[:3], *_started_for[3:])
    sources = own_sources(code)
    changed = any(_sources.get(name, source) != source for name, source in sources.items())
    if _pool is None or changed or wanted != _started_for or _pool._flags.broken or _pool._flags.shutdown:
        from joblib.externals.loky import ProcessPoolExecutor

        if not _started_for:
            atexit.register(end_worker_processes)
        end_worker_processes()
        begun = {"initializer": _begin, "initargs": (os.getpid(),), "timeout": 300}
        _pool = ProcessPoolExecutor(jobs, env=one_thread_each(), **begun)
        _started_for = wanted
        _sources.clear()
    _sources.update(sources)
    return _pool


def _begin(client: int) -> None:
    """Begin the work of a worker process, which ends with its client, however that ends."""
    begin_worker()
    end_with(client)


def one_thread_each() -> dict[str, str]:
    """Return the environment variables of a worker process that the user has not set."""
    names = [f"{library}_NUM_THREADS" for library in THREADS]
    return {name: "1" for name in names if name not in os.environ}


WITHOUT = {
    "jobs": "jobs=1 plays them in this process",
    "scheduler": "fewer workers at a time, as in scheduler='local:1', leave each of them more memory",
}
"""What to do instead, by the argument that asked for worker processes."""


def broken_pool(error: BaseException, parameter: str) -> PrivcheckError:
    """Return what is said of a worker process that ended; `parameter` is the argument that asked for it."""
    raised = str(error.__cause__ or "").strip('\n "').rpartition("\n")[2]
    got = words(f"a worker process that ended{': ' if raised else ''}{raised}")
    hint = f"{WITHOUT[parameter]}; a worker that needs too much memory is ended by the system"
    return PrivcheckError(parameter, got, "worker processes that play their runs to the end", hint)


def end_worker_processes() -> None:
    """Kill the worker processes, whatever they are doing; others are started when they are needed."""
    global _pool
    if _pool is not None:  # which it stays until they have ended: a signal may come in between (`kill_processes`)
        _pool.shutdown(wait=True, kill_workers=True)
        _pool = None


def kill_processes() -> None:
    """Kill the worker processes from a signal handler, which may wait for no lock."""
    for process in list((getattr(_pool, "_processes", None) or {}).values()):
        with suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)  # the processes of loky have no `kill`


def _working_directory() -> str:
    try:
        return str(Path.cwd())
    except OSError:  # it was deleted
        return ""
