"""The results are those of one process, whatever plays the chunks: threads, processes, Dask, also workers that die."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import privcheck
from privcheck import extras
from privcheck.errors import PolicyError, PrivcheckError
from privcheck.scheduling import Calls, Executor, executor
from privcheck.scheduling._dask_workers import dask_workers
from privcheck.targets._runners import KernelRunner

KERNEL = {"target": "adap-ucb", "epsilon": 1.0, "arms": 2, "horizon": 8, "runs": 120_000, "pairs": 3, "seed": 3}
OWN = {"epsilon": 1.0, "arms": 2, "horizon": 4, "runs": 1700, "pairs": 3, "seed": 3}
PLAYED = {"horizon": 2000, "runs": 600, "seed": 3, "epsilon": 1.0, "checkpoints": 20}


def by_value():
    """Return functions that workers need not import: closures are sent by value."""

    def square(number):
        return number**2

    def slowly(number):
        time.sleep(0.05)
        return number**2

    def refused(number):
        if number == 3:
            raise PolicyError("target", number, "another number")
        return number

    return square, slowly, refused


square, slowly, refused = by_value()


@pytest.mark.parametrize("alone", [False, True])
@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_every_call_is_made_once_and_results_keep_their_order(jobs, alone):
    calls = Calls(square, [(n,) for n in range(20)], alone)
    assert list(Executor(jobs).in_order(calls)) == [n**2 for n in range(20)]
    assert sorted(Executor(jobs).completed(calls)) == [(n, n**2) for n in range(20)]
    assert list(Executor(jobs).completed(Calls(square, []))) == []


@pytest.mark.parametrize("alone", [False, True])
@pytest.mark.parametrize("jobs", [1, 2])
def test_what_a_call_raises_is_raised(jobs, alone):
    with pytest.raises(PolicyError, match="another number"):
        list(Executor(jobs).completed(Calls(refused, [(n,) for n in range(9)], alone)))


def test_few_calls_are_handed_over_at_once():
    """The broken twin would hand over all: a caller that stops at the first result would have played the rest."""
    made, lock = [], threading.Lock()

    def noted(number):
        with lock:
            made.append(number)
        time.sleep(0.01)

    results = Executor(2).completed(Calls(noted, [(n,) for n in range(1000)]))
    next(results)
    results.close()
    assert len(made) < 20


def test_audits_and_simulations_are_equal_on_dask(scheduler, policy, hashed):
    address, _ = scheduler
    place, own = policy(0.4), OWN
    for play in (
        lambda **by: privcheck.audit(**KERNEL, **by),
        lambda **by: privcheck.audit(place, **own, **by),
        lambda **by: privcheck.simulate(["adap-ucb", "ucb", place], "c2", **PLAYED | {"runs": 40}, **by),
    ):
        assert hashed(play()) == hashed(play(jobs=2)) == hashed(play(scheduler=address))


def test_an_audit_whose_workers_are_killed_is_equal(scheduler, workers_started, hashed, monkeypatch):
    """Three workers more join, and are killed by SIGKILL when a tenth, half and nine tenths of the results are there.

    Dask counts in its workers, which are given the events once for all chunks.
    """
    options = KERNEL | {"runs": 8000, "pairs": 3}
    monkeypatch.setattr(KernelRunner, "chunk_runs", 500)
    results, seen, doomed = Executor.in_order, [0], dict[int, subprocess.Popen[bytes]]()

    def counted(workers, calls):
        for result in results(workers, calls):
            seen[0] += 1
            if seen[0] in doomed:
                os.kill(doomed[seen[0]].pid, signal.SIGKILL)
            yield result

    monkeypatch.setattr(Executor, "in_order", counted)
    expected, number = hashed(privcheck.audit(**options)), seen[0]
    with workers_started(scheduler[0], 3) as more, dask_workers(scheduler[0]) as cluster:
        cluster.client.wait_for_workers(5, timeout=120)
        doomed |= {int(number * share): each for share, each in zip((0.1, 0.5, 0.9), more, strict=True)}
        seen[0] = 0
        assert hashed(privcheck.audit(**options, scheduler=scheduler[0])) == expected
        assert [each.wait(timeout=60) for each in more] == [-signal.SIGKILL] * 3


def test_identification_is_equal_on_dask(scheduler):
    options = {"horizon": 1e5, "delta": 0.05, "runs": 70, "epsilon": 1.0}
    here, there = (
        privcheck.identify("dp-exact-tt", [0.9, 0.5], **options, **by) for by in ({}, {"scheduler": scheduler[0]})
    )
    assert np.array_equal(here.results[0].stops, there.results[0].stops)


def test_a_module_that_changed_is_loaded_again_by_workers_that_go_on(scheduler, policy):
    """The broken twin would play the module that the worker had loaded for the first audit."""
    address, _ = scheduler
    found = []
    for scale in (0.3, 9.0):
        place = policy(scale)
        found += [privcheck.audit(place, **OWN, **by).epsilon_lower for by in ({}, {"scheduler": address})]
    assert found[0] == found[1] > 1.0 > found[2] == found[3]


def test_workers_that_are_killed_change_nothing(scheduler, workers_started):
    """Two workers more join, and are killed by SIGKILL at a third and two thirds of the results."""
    address, _ = scheduler
    expected = [n**2 for n in range(60)]
    with workers_started(address, 2) as more, dask_workers(address) as cluster:
        cluster.client.wait_for_workers(4, timeout=120)
        slow = Calls(slowly, [(n,) for n in range(60)])
        found = []
        for result in Executor(4, cluster).in_order(slow):
            found.append(result)
            if len(found) in (20, 40):
                os.kill(more[len(found) // 40].pid, signal.SIGKILL)
    assert found == expected


def test_a_call_that_ends_the_process_it_has_alone_is_told_of(scheduler):
    with executor(1, scheduler[0]) as workers:
        with pytest.raises(PrivcheckError, match="scheduler: got a worker process that ended"):
            list(workers.completed(Calls(os._exit, [(1,)], alone=True)))
        assert list(workers.in_order(Calls(square, [(3,)], alone=True))) == [9]


def test_dask_workers_of_its_own():
    pytest.importorskip("distributed", reason="the extra dask is not installed")
    with executor(1, "local:2") as workers:
        assert workers.jobs == 2
        assert list(workers.in_order(Calls(square, [(n,) for n in range(5)], alone=True))) == [0, 1, 4, 9, 16]
        with pytest.raises(PrivcheckError, match="scheduler: got worker processes that ended"):
            list(workers.completed(Calls(os._exit, [(1,)])))


STARTED = """
import os
from privcheck.scheduling import Calls
from privcheck.scheduling import executor

def pid(_):
    return os.getpid()

with executor(1, "local:1") as workers:
    for alone in (False, True):
        print(*workers.in_order(Calls(pid, [(0,)], alone)), flush=True)
    os.kill(os.getpid(), 9)
"""


def test_the_workers_of_a_client_that_is_killed_end(tmp_path):
    """The broken twin, without what Dask loads into them, would leave a scheduler and its workers behind."""
    pytest.importorskip("distributed", reason="the extra dask is not installed")
    with (tmp_path / "said").open("w") as said:  # a pipe would be held open by processes that are left behind
        subprocess.run([sys.executable, "-P", "-c", STARTED], stdout=said, stderr=subprocess.DEVNULL, timeout=300)
    pids = [int(line) for line in (tmp_path / "said").read_text().split()]
    assert len(set(pids)) == 2
    until = time.monotonic() + 120.0
    while any(map(alive, pids)) and time.monotonic() < until:
        time.sleep(0.2)
    assert not any(map(alive, pids))


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("address", ["local:0", "local", "here:3", "local:x", 7])
def test_where_a_scheduler_is_is_checked(address):
    with pytest.raises(PrivcheckError, match=r"scheduler: got .*expected 'local:N'"):
        privcheck.audit(**KERNEL, scheduler=address)


def test_nobody_at_the_address(monkeypatch):
    pytest.importorskip("distributed", reason="the extra dask is not installed")
    monkeypatch.setattr("privcheck.scheduling._dask_workers.CONNECTING", 0.5)
    with pytest.raises(PrivcheckError, match="expected a Dask scheduler with a worker"):
        privcheck.simulate("ucb", "c2", horizon=100, runs=2, scheduler="tcp://127.0.0.1:1")


def test_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(extras.PACKAGES, "dask", ("no_such_package",))
    with pytest.raises(PrivcheckError, match=r"pip install 'privcheck\[dask\]'"):
        privcheck.simulate("ucb", "c2", horizon=100, runs=2, scheduler="local:2")


def test_a_target_without_seeds_stays_here():
    with pytest.raises(PrivcheckError, match=r"scheduler: got .* expected code in Python"):
        privcheck.audit(privcheck.from_command(["true"]), arms=2, runs=100, scheduler="local:2")
