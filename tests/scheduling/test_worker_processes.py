"""Worker processes load the code that this process would load, wherever they were started."""

from __future__ import annotations

import importlib
import os
import sys
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import privcheck
from privcheck.errors import PrivcheckError
from privcheck.scheduling import Calls, Executor
from privcheck.scheduling import _executor as executor
from privcheck.scheduling import _worker_processes as pool
from privcheck.scheduling._worker_processes import worker_processes
from privcheck.targets import Location, load

POLICY = """
class Policy:
    def __init__(self, rng):
        self.rng, self.last = rng, 0.0

    def select(self):
        return int(self.last + self.rng.laplace(0.0, {scale}) > 0.5)

    def update(self, action, reward):
        self.last = reward
"""
OPTIONS = {"epsilon": 1.0, "arms": 2, "horizon": 3, "runs": 2000, "pairs": 2}


def in_processes(function, arguments, jobs):
    return Executor(jobs).in_order(Calls(function, [*arguments, *arguments][: max(2, len(arguments))], alone=True))


def by_value():
    """Return functions that workers need not import: closures are sent by value."""

    def pid(_):
        return os.getpid()

    def where(_):
        return str(Path.cwd()), sys.path[0]

    def refuse():
        raise ValueError("no such thing")

    class Unreadable:
        def __reduce__(self):
            return refuse, ()

    return pid, where, Unreadable()


pid, where, unreadable = by_value()


@pytest.mark.parametrize("kept", [False, True])
def test_a_file_of_the_same_name_in_another_folder_is_another_target(tmp_path, monkeypatch, kept):
    """The workers of the first audit were started in its folder, where they would find its file, or none."""
    found = []
    for folder, scale in (("one", 0.3), ("two", 9.0)):
        (tmp_path / folder).mkdir()
        monkeypatch.chdir(tmp_path / folder)
        file = tmp_path / folder / "mine.py"
        file.write_text(POLICY.format(scale=scale))
        reports = [privcheck.audit("mine.py:Policy", **OPTIONS, jobs=jobs) for jobs in (1, 2)]
        assert reports[0].epsilon_lower == reports[1].epsilon_lower
        found.append(reports[1].epsilon_lower)
        if not kept:
            file.unlink()
    assert found[0] > 1.0 > found[1]


def test_a_module_on_a_path_that_was_added_later_is_found(tmp_path, monkeypatch):
    assert len(set(in_processes(pid, [(0,), (1,), (2,)], 2))) <= 2
    (tmp_path / "added_later.py").write_text(POLICY.format(scale=0.3))
    monkeypatch.syspath_prepend(tmp_path)
    by_name = privcheck.audit("added_later:Policy", **OPTIONS, jobs=2)
    factory = load("added_later:Policy").factory
    assert by_name.epsilon_lower == privcheck.audit(factory, **OPTIONS, jobs=2).epsilon_lower > 1.0


def test_workers_are_kept_while_they_stand_where_this_process_stands(tmp_path, monkeypatch):
    with worker_processes(2) as first, worker_processes(2) as second:
        assert first is second
    monkeypatch.chdir(tmp_path)
    with worker_processes(2) as other:
        assert other is not first
    assert list(in_processes(where, [(0,)], 2)) == [(str(tmp_path), sys.path[0])] * 2


RARE = """
class Policy:
    def __init__(self, rng):
        self.arm = int(rng.random() < {rate})

    def select(self):
        return self.arm

    def update(self, action, reward):
        pass
"""


def test_workers_do_not_keep_a_module_that_was_edited_and_loaded_again(tmp_path, monkeypatch):
    """What it does now shows in one run of a thousand, and not in those that are played here too."""
    file = tmp_path / "edited_since.py"
    monkeypatch.syspath_prepend(tmp_path)
    found = []
    for number, rate in enumerate((0.0, 0.001)):
        file.write_text(RARE.format(rate=rate))
        os.utime(file, (number, number))
        module = importlib.reload(importlib.import_module("edited_since"))
        found += [
            privcheck.simulate([module.Policy], [0.9, 0.1], horizon=2, runs=1000, seed=3, jobs=jobs) for jobs in (1, 2)
        ]
    old, old_there, new, new_there = (each.rows()[0]["mean"] for each in found)
    assert (old, new) == (old_there, new_there)
    assert old < new
    assert found[-1].remarks == ()


def test_workers_that_may_have_loaded_another_module_are_ended(tmp_path, monkeypatch):
    file = tmp_path / "edited_since.py"
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "edited_since", raising=False)
    file.write_text(RARE.format(rate=0.0))
    policy = importlib.import_module("edited_since").Policy
    with worker_processes(2, [policy]) as first, worker_processes(2, [policy, abs]) as second:
        assert first is second
    file.write_text(RARE.format(rate=0.5))
    with worker_processes(2, [policy]) as other, worker_processes(2) as last:
        assert first is not other is last


def test_a_place_is_never_taken_for_an_option(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert str(Location("./-mine.py", "Policy")) == "./-mine.py:Policy"
    assert str(Location("./mine.py", "Policy")) == "mine.py:Policy"


def test_a_place_travels_with_its_whole_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert Location("mine.py", "Policy").__getstate__()["module"] == str(tmp_path / "mine.py")
    assert Location("package.mine", "Policy").__getstate__()["module"] == "package.mine"


def test_a_worker_that_ends_is_told_of_and_replaced():
    with pytest.raises(PrivcheckError, match="got a worker process that ended"):
        list(in_processes(os._exit, [(1,)], 2))
    assert list(in_processes(abs, [(-3,), (4,)], 2)) == [3, 4]


def test_what_cannot_be_read_by_a_worker_is_named():
    with pytest.raises(PrivcheckError, match="ended: ValueError: no such thing"):
        list(in_processes(abs, [(unreadable,)], 2))


def test_calls_that_nobody_waits_for_are_ended():
    results = in_processes(pid, [(0,)] * 20, 2)
    first = next(results)
    results.close()
    assert first not in set(in_processes(pid, [(0,)] * 4, 2))


def test_a_signal_finds_the_processes_until_they_have_ended(monkeypatch):
    """One that came while they were being ended left them running, with the streams of the process that ended."""
    with worker_processes(2) as own:
        assert own.submit(abs, -1).result() == 1
        workers, shutdown = list(own._processes.values()), own.shutdown
        assert workers

        def interrupted(**options):
            pool.kill_processes()  # as the handler of the signal does
            for worker in workers:
                worker.join(10)
            assert not any(worker.is_alive() for worker in workers)
            shutdown(**options)

        monkeypatch.setattr(own, "shutdown", interrupted)
    pool.end_worker_processes()
    assert pool._pool is None


STATEFUL = """
import os

import numpy as np

SCALE = 9.0


def variable():
    return float(os.environ.get("PRIVCHECK_TEST_SCALE", "9.0"))


def mechanism(data, rng):
    return float(np.sum(data)) + rng.laplace(0.0, SCALE)


class Policy:
    scale = 9.0
    read = lambda self: type(self).scale

    def __init__(self, rng):
        self.rng, self.last = rng, 0.0

    def select(self):
        return int(self.last + self.rng.laplace(0.0, self.read()) > 0.5)

    def update(self, action, reward):
        self.last = reward
"""


def set_global(module, _):
    module.SCALE, module.Policy.read = 0.1, lambda self: module.SCALE


def set_method(module, _):
    module.Policy.select = lambda self: int(self.last > 0.5)


@pytest.mark.parametrize(
    ("change", "name"),
    [
        (set_global, "Policy"),
        (set_global, "mechanism"),
        (set_method, "Policy"),
    ],
)
def test_workers_that_show_something_else_than_this_process_are_not_believed(tmp_path, monkeypatch, change, name):
    """A worker imports the file, where the noise is as it was written: the leak was called consistent by two jobs."""
    (tmp_path / "stateful.py").write_text(STATEFUL)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "stateful", raising=False)
    import stateful

    options = OPTIONS if name == "Policy" else {key: OPTIONS[key] for key in OPTIONS if key != "arms"}
    change(stateful, monkeypatch)
    one, two = (privcheck.audit(getattr(stateful, name), **options, jobs=jobs) for jobs in (1, 2))
    assert (one.verdict, two.verdict, two.epsilon_lower) == ("violation", "violation", one.epsilon_lower)
    assert executor.PLAYED_HERE in two.notes
    assert executor.PLAYED_HERE not in one.notes


def test_workers_that_show_the_same_play_on(tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(POLICY.format(scale=9.0))
    monkeypatch.chdir(tmp_path)
    assert executor.PLAYED_HERE not in privcheck.audit("mine.py:Policy", **OPTIONS, jobs=2).notes


@pytest.mark.chance(1e-7, "one verdict on a true claim, far below it, at this error")
def test_variables_of_the_environment_that_were_set_since_reach_the_workers(tmp_path, monkeypatch):
    (tmp_path / "stateful.py").write_text(STATEFUL.replace("type(self).scale", "variable()"))
    monkeypatch.chdir(tmp_path)
    found = []
    for scale in ("9.0", "0.1"):
        monkeypatch.setenv("PRIVCHECK_TEST_SCALE", scale)
        found.append(privcheck.audit("stateful.py:Policy", **OPTIONS, jobs=2, error=1e-7))
    assert found[0].verdict != "violation" == found[1].verdict
    assert not any(executor.PLAYED_HERE in report.notes for report in found)


def test_a_worker_of_a_scheduler_that_shows_something_else_ends_the_audit():
    """What many machines play cannot be played here instead."""
    calls = Calls(lambda x: np.full(1, x), [(1,), (2,)], alone=True, code=(pid,), depends=lambda number: number)

    class Elsewhere:
        def submit(self, function, *arguments):
            future = executor.Future()
            future.set_result((0.0, np.zeros(1)))
            return future

        def number(self):
            return 1

        @contextmanager
        def playing(self, **_):
            yield self

    with pytest.raises(PrivcheckError, match="shows something else than this process"):
        list(Executor(2, Elsewhere()).in_order(calls))


def test_workers_of_targets_without_seeds_are_not_compared_and_a_note_says_so(tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(UNSEEDED)
    monkeypatch.chdir(tmp_path)
    one, two = (privcheck.audit("mine.py:Policy", **OPTIONS, randomness="independent", jobs=jobs) for jobs in (1, 2))
    assert (executor.NOT_COMPARED in one.notes, executor.NOT_COMPARED in two.notes) == (False, True)


UNSEEDED = """
import random


class Policy:
    def __init__(self):
        self.last = 0.0

    def select(self):
        return int(random.SystemRandom().random() < 0.5)

    def update(self, action, reward):
        self.last = reward
"""
