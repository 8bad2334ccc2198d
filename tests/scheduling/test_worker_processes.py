"""Worker processes load the code that this process would load, wherever they were started."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

import pytest

import privcheck
from privcheck.errors import PrivcheckError
from privcheck.scheduling import Calls, Executor
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
    killed = []

    class Ending:
        _processes: ClassVar = {1: SimpleNamespace(kill=lambda: killed.append(1))}

        def shutdown(self, **_):
            pool.kill_processes()  # as the handler of the signal does

    monkeypatch.setattr(pool, "_pool", Ending())
    pool.end_worker_processes()
    assert killed == [1]
    assert pool._pool is None
