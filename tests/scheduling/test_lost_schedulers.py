"""A scheduler or a worker that ends in the middle: one true line, within seconds, and nothing of Dask's logs."""

from __future__ import annotations

import errno
import logging
import os
import signal
import threading
import time

import pytest

pytest.importorskip("distributed", reason="needs dask.distributed, which privcheck[dask] installs")

from privcheck.cli import run
from privcheck.errors import PrivcheckError
from privcheck.scheduling import Calls, executor

AT_ONCE = 20.0
"""Seconds: Dask by itself waits for 30 before it gives up a scheduler."""


def slept(seconds):
    time.sleep(seconds)
    return seconds


def ended(process):
    return process is None or process.returncode is not None


@pytest.mark.parametrize("alone", [True, False])
def test_a_scheduler_that_is_killed_is_told_of_at_once(alone, capfd):
    with executor(1, "local:2") as workers:
        cluster = workers.cluster.client.cluster
        processes = [worker.process for worker in cluster.workers.values()]
        assert list(workers.in_order(Calls(slept, [(0.0,)] * 2, alone))) == [0.0] * 2
        started = time.monotonic()
        threading.Timer(1.0, os.kill, (cluster.scheduler.process.pid, signal.SIGKILL)).start()
        with pytest.raises(PrivcheckError, match=r"scheduler: got no answer from tcp://\S+, expected .*start the comm"):
            list(workers.in_order(Calls(slept, [(3.0,)] * 50, alone)))
    assert time.monotonic() - started < AT_ONCE
    assert all(map(ended, processes)), "the workers end with their scheduler"
    assert capfd.readouterr().err.count("Traceback") == 0
    assert not any(handler.filters for handler in logging.getLogger("distributed").handlers), "as it was before"


def test_a_process_of_a_worker_that_is_killed_is_told_of_in_one_line(capfd):
    with executor(1, "local:1") as workers:
        with pytest.raises(PrivcheckError, match="got a worker process that ended") as told:
            list(workers.completed(Calls(os._exit, [(1,)], alone=True)))
        assert list(workers.in_order(Calls(slept, [(0.0,)], alone=True))) == [0.0], "the scheduler goes on"
    assert "jobs" not in str(told.value)
    assert "scheduler='local:1'" in str(told.value)
    assert "Compute Failed" not in capfd.readouterr().err


def test_the_errors_of_a_call_are_no_lost_scheduler():
    def fails():
        raise OSError("of the target")

    with executor(1, "local:1") as workers, pytest.raises(OSError, match="of the target"):
        list(workers.in_order(Calls(fails, [()])))


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (OSError("Timed out trying to connect to tcp://127.0.0.1:1 after 30 s"), 70, "internal error: OSError: Timed"),
        (ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused"), 70, "internal error: ConnectionRefused"),
        (OSError(errno.ENOSPC, "No space left on device"), 2, "output: got No space left on device, expected"),
    ],
)
def test_only_errors_of_writing_are_said_to_be_of_the_output(error, status, said, monkeypatch, capfd):
    def fails(*_, **__):
        raise error

    monkeypatch.setattr("privcheck.simulation.simulate", fails)
    monkeypatch.setattr("privcheck.cli._statuses._unread", lambda: 0)  # it gives up the standard output
    assert run(["simulate", "ucb", "--means", "0.75,0.5", "--horizon", "10", "--runs", "2"]) == status
    assert capfd.readouterr().err.startswith(f"privcheck: {said}")
