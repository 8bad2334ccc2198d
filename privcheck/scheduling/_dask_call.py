"""A call as it is sent to a Dask worker, and how the worker plays it."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import pickle
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from privcheck.errors import PrivcheckError, words
from privcheck.registry import load_registries
from privcheck.scheduling._ends_with_client import end_with
from privcheck.scheduling._fingerprint import check_same
from privcheck.scheduling._shared import loaded_together
from privcheck.scheduling._worker_processes import broken_pool, one_thread_each

_loading = threading.Lock()
_processes: Any = None
_loaded: dict[str, str] = {}
"""The SHA-256 of the source with which a module was loaded here, by its name."""

_unpickled: dict[str, Any] = {}
MOST_SHARED = 4
"""Shared arguments that a worker keeps: those of a few clients."""


@dataclass(frozen=True)
class Sent:
    """A call for a worker.

    Parameters
    ----------
    call : function and arguments, pickled.
    paths : where the client finds modules.
    sources : SHA-256 of the modules that the call needs and nobody has installed, by name.
    versions : the client's fingerprint.
    """

    call: bytes = field(repr=False)
    paths: tuple[str, ...]
    sources: dict[str, str]
    versions: dict[str, str]


def play(sent: Sent, held: dict[str, bytes], *, alone: bool) -> Any:
    """Return the result of a call; one that is to be played alone has the main thread of a process of the worker.

    There it has a time limit, and global generators in which nobody else draws. `held` is what it shares with others.

    Raises
    ------
    PrivcheckError : this worker has other versions or sources than the client; what the call raises; the process ended.
    """
    if not alone:
        return load_and_call(sent, held)
    with _loading:  # two threads that import joblib at the same time find it half imported
        from joblib.externals.loky.process_executor import BrokenProcessPool

    try:
        return _pool().submit(load_and_call, sent, held).result()
    except BrokenProcessPool as error:
        raise broken_pool(error, "scheduler") from error


def load_and_call(sent: Sent, held: dict[str, bytes]) -> Any:
    """Return the result of a call in this process.

    A worker plays calls in several threads and for many clients. So that all of it is loaded once, it loads one call
    after the other, all registries included; and a module that it has loaded from another version of its source is
    loaded again.
    """
    with _loading:
        check_same(sent.versions, "scheduler", "a client", "start the workers in the client's environment")
        sys.path += [path for path in sent.paths if path not in sys.path]
        for name, wanted in sent.sources.items():
            if _loaded.get(name, wanted) != wanted:
                sys.modules.pop(name, None)
        function, arguments = loaded_together(sent.call, lambda name: _shared(name, held))
        load_registries()
        for name, wanted in sent.sources.items():
            _check_source(name, wanted)
            _loaded[name] = wanted
    return function(*arguments)


def _shared(name: str, held: dict[str, bytes]) -> Any:
    """Return what calls share, unpickled once for those that follow each other."""
    if name not in _unpickled:
        while len(_unpickled) >= MOST_SHARED:
            del _unpickled[next(iter(_unpickled))]
        _unpickled[name] = pickle.loads(held[name])
    return _unpickled[name]


def _pool() -> Any:
    """Return the processes of this worker, as many as it has threads."""
    global _processes
    from distributed import get_worker

    with _loading:
        from joblib.externals.loky import ProcessPoolExecutor

        if _processes is None or _processes._flags.broken or _processes._flags.shutdown:
            # Dask's nanny starts workers as daemons, which Python lets have no processes; these end with the worker.
            multiprocessing.current_process()._config["daemon"] = False  # type: ignore[attr-defined]
            ends = {"initializer": end_with, "initargs": (os.getpid(),), "timeout": 300}
            _processes = ProcessPoolExecutor(get_worker().state.nthreads, env=one_thread_each(), **ends)
        return _processes


def _check_source(name: str, wanted: str) -> None:
    file = getattr(sys.modules.get(name), "__file__", None)
    if file is None:
        return
    if hashlib.sha256(Path(file).read_bytes()).hexdigest() != wanted:
        got = words(f"a worker that reads another version of {name}, {file}")
        hint = "let the workers see the client's files, on a network disk for example"
        raise PrivcheckError("scheduler", got, "the client's version", hint)
