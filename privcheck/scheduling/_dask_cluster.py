"""The end of a scheduler of one's own and of its workers, also if the scheduler is gone, and without their logs.

What goes wrong in a call, or with a process, reaches the client as an exception: logs would tell it a second time.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

LOGGERS = ("distributed", "distributed.client", "tornado", "tornado.application")
"""Those to which Dask gives a handler."""

LEVEL = "DASK_LOGGING__DISTRIBUTED"
"""The variable by which processes of Dask are told what to log."""


@contextmanager
def ended(cluster: Any) -> Iterator[Any]:
    """Yield a cluster that has begun, and end it; its workers are not retired by a scheduler that has ended."""
    from distributed.core import Status

    try:
        yield cluster
    finally:
        process = cluster.scheduler.process
        if process is None or process.returncode is not None:
            cluster.scheduler.status = Status.closed
            cluster.shutdown_scheduler = False
            for worker in list(cluster.workers.values()):
                _end(cluster, worker.process)
        cluster.close()


def _end(cluster: Any, process: Any) -> None:
    """Kill a process of a worker, then those below it: what outlives its resource tracker would complain about that.

    The trackers end by themselves.
    """
    import psutil

    if process is None or process.returncode is not None:
        return
    with suppress(psutil.Error):
        top = psutil.Process(process.pid)
        for each in [top, *top.children(recursive=True)]:
            with suppress(psutil.Error):
                if not any("resource_tracker" in word for word in each.cmdline()):
                    each.kill()
    cluster.sync(process.wait)


@contextmanager
def quiet_processes() -> Iterator[None]:
    """Let processes of Dask that are started in the block log what is critical, unless the user has said otherwise.

    >>> with quiet_processes():
    ...     os.environ[LEVEL]
    'critical'
    """
    if LEVEL in os.environ:
        yield
        return
    os.environ[LEVEL] = "critical"
    try:
        yield
    finally:
        del os.environ[LEVEL]


@contextmanager
def quiet_logs() -> Iterator[None]:
    """Show nothing of what Dask logs in this process."""
    handlers = {handler for name in LOGGERS for handler in logging.getLogger(name).handlers}
    for handler in handlers:
        handler.addFilter(_nothing)
    try:
        yield
    finally:
        for handler in handlers:
            handler.removeFilter(_nothing)


def _nothing(_: logging.LogRecord) -> bool:
    return False
