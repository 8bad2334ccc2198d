"""The workers of a Dask scheduler: calls are sent to them with what they need to load the same code."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from privcheck.errors import PrivcheckError, words
from privcheck.extras import require_extra
from privcheck.scheduling._dask_call import Sent, play
from privcheck.scheduling._dask_cluster import ended, quiet_logs, quiet_processes
from privcheck.scheduling._dask_folder import dask_folder
from privcheck.scheduling._fingerprint import fingerprint
from privcheck.scheduling._own_sources import own_sources
from privcheck.scheduling._shared import pickled_apart

S = TypeVar("S")

FORMS = "'local:N' with a number of workers, or the address of a scheduler such as 'tcp://host:8786'"
CONNECTING = 30.0
"""Seconds within which a scheduler has to answer, and to have a worker."""

WATCH = "privcheck.scheduling._dask_preload"

CONNECTED = "running"
"""The status of a client whose scheduler answers."""

COUNTED = 5.0
"""Seconds after which the workers are counted again: they may come and go."""


@dataclass(frozen=True)
class DaskWorkers:
    """Plays calls by a Dask scheduler; see `Executor`.

    Parameters
    ----------
    client : a `distributed.Client`.
    alone : whether a worker process plays one call at a time.
    code : objects whose modules a worker has to load in the version of this process.
    held : what calls share, pickled, as futures of the client.
    address : of the scheduler.
    """

    client: Any
    alone: bool = False
    code: tuple[Any, ...] = ()
    held: dict[str, Any] = field(default_factory=dict)
    address: str = "the scheduler"

    @contextmanager
    def playing(self, *, alone: bool, code: Sequence[Any]) -> Iterator[DaskWorkers]:
        """Yield the workers for some calls; name what went wrong if one is lost.

        Raises
        ------
        PrivcheckError : a call ended several worker processes, or the scheduler is gone.
        """
        from distributed.client import FutureCancelledError
        from distributed.comm.core import CommClosedError
        from distributed.scheduler import KilledWorker

        self._check()
        try:
            yield replace(self, alone=alone, code=tuple(code), held={})
        except KilledWorker as error:
            hint = "a worker that needs too much memory is ended by the system or by Dask"
            expected = "workers that play their runs to the end"
            raise PrivcheckError("scheduler", words("worker processes that ended"), expected, hint) from error
        except (CommClosedError, FutureCancelledError, CancelledError) as error:
            raise self._lost() from error
        except OSError as error:
            if self.client.status == CONNECTED:  # of what was called here
                raise
            raise self._lost() from error

    def _lost(self) -> PrivcheckError:
        """Return what is said of a scheduler that is gone."""
        got = words(f"no answer from {self.address}")
        return PrivcheckError("scheduler", got, "a scheduler that runs to the end", "start the command again")

    def _check(self) -> None:
        """Refuse to wait for a scheduler that is gone."""
        if self.client.status != CONNECTED:
            raise self._lost()

    def submit(self, function: Callable[..., S], /, *arguments: Any) -> Future[S]:
        """Have a function called by a worker."""
        import cloudpickle

        self._check()
        paths = tuple(path for path in sys.path if path)
        call, apart = pickled_apart((function, arguments))
        for name, shared in apart.items():
            if name not in self.held:  # a task, not data sent once: it is made again if the worker that has it is lost
                self.held[name] = self.client.submit(bytes, cloudpickle.dumps(shared.value), pure=False)
        held = {name: self.held[name] for name in apart}
        sent = Sent(call, paths, own_sources(self.code), fingerprint())
        found: Future[S] = self.client.get_executor(pure=False).submit(play, sent, held, alone=self.alone)
        return found

    def number(self) -> int:
        """Return how many calls the workers play at the same time, at least 1."""
        self._check()
        return max(1, _threads(self.client, int(time.monotonic() / COUNTED)))


def scheduler_form(value: Any) -> str:
    """Return where a scheduler is, or refuse a text of neither form.

    >>> scheduler_form("local:4")
    'local:4'
    """
    local, _, number = value.partition(":") if isinstance(value, str) else ("", "", "")
    if not (local == "local" and number.isdecimal() and int(number) > 0) and "://" not in str(value):
        raise PrivcheckError("scheduler", value, FORMS, "as in 'local:4'")
    return str(value)


_counted: dict[int, tuple[int, int]] = {}


def _threads(client: Any, moment: int) -> int:
    """Return the threads of all workers, asked for once in a moment."""
    if _counted.get(id(client), (None, 0))[0] != moment:
        _counted.clear()
        _counted[id(client)] = moment, sum(client.ncores().values())
    return _counted[id(client)][1]


@contextmanager
def dask_workers(scheduler: str) -> Iterator[DaskWorkers]:
    """Yield the workers of a scheduler; those of "local:N" are started, and end with the block.

    Raises
    ------
    PrivcheckError : no Dask, a text of neither form, nobody at the address, or no worker.

    """
    local, _, number = scheduler_form(scheduler).partition(":")
    require_extra("dask", "scheduler")
    from distributed import Client
    from distributed.deploy.subprocess import SubprocessCluster

    with ExitStack() as opened:
        opened.enter_context(quiet_logs())
        try:
            address: Any = scheduler
            if local == "local":
                folder = str(opened.enter_context(dask_folder()))
                told = [str(os.getpid()), folder]
                worker = {"local_directory": folder, "preload_nanny": WATCH, "preload_nanny_argv": told}
                chief = {"scheduler_file": f"{folder}/scheduler.json", "preload": WATCH, "preload_argv": told}
                chief["local_directory"] = folder
                with quiet_processes():
                    cluster = SubprocessCluster(
                        n_workers=int(number),
                        threads_per_worker=1,
                        worker_kwargs={"dashboard": False} | worker,
                        scheduler_kwargs={"dashboard": False} | chief,
                    )
                address = opened.enter_context(ended(cluster))
            connect: Any = Client
            client = opened.enter_context(connect(address, timeout=CONNECTING, set_as_default=False))
            client.wait_for_workers(int(number) if local == "local" else 1, timeout=CONNECTING)
        except (OSError, TimeoutError, ValueError) as error:
            got = words(f"{scheduler}: {type(error).__name__}: {error}".splitlines()[0])
            raise PrivcheckError("scheduler", got, "a Dask scheduler with a worker", f"give {FORMS}") from error
        yield DaskWorkers(client, address=client.scheduler.address)


@contextmanager
def scheduler_address(scheduler: str | None) -> Iterator[str | None]:
    """Yield the address at which a scheduler stays for several audits or simulations; None without one.

    Raises
    ------
    PrivcheckError : as `dask_workers`.
    """
    if scheduler is None:
        yield None
    else:
        with dask_workers(scheduler) as workers:
            yield workers.client.scheduler.address
