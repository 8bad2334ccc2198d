"""What a target prints, closes, raises or ends does not pass for the command's own output or status."""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from privcheck.cli import run
from privcheck.errors import PolicyError
from privcheck.scheduling import end_worker_processes, kept_pool
from privcheck.targets import limited

TARGETS = """
import logging, os, sys, subprocess

LOG = logging.getLogger("target")

class Base:
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.arms = arms
    def select(self):
        return 0
    def update(self, action, reward):
        pass

class Leaves(Base):
    def select(self):
        os._exit(1)

class LeavesAtPeace(Base):
    def update(self, action, reward):
        os._exit(0)

class RaisesBaseException(Base):
    def select(self):
        raise BaseException("a text")

class RaisesWithoutText(Base):
    class Error(Exception):
        def __str__(self):
            raise RuntimeError
    def select(self):
        raise self.Error

class ClosesOutput(Base):
    def select(self):
        sys.stdout.close()
        return 0

class Prints(Base):
    def __init__(self, rng, arms=2, epsilon=1.0):
        print("PRINTED")
        os.write(1, b"PRINTED")

class Forks(Base):
    def __init__(self, rng, arms=2, epsilon=1.0):
        child = os.fork()
        if child == 0:
            os._exit(7)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7

class Logs(Base):
    def update(self, action, reward):
        LOG.warning("LOGGED %s", self.arms)
        LOG.info("TOO LITTLE")

class LogsRewards(Base):
    def update(self, action, reward):
        LOG.warning("LOGGED")
        if hasattr(reward, "reveal"):
            for number in range(2):
                LOG.warning("LATER %s", reward if number else "nothing")

class Loops(Base):
    def select(self):
        while True:
            pass
"""
COMMANDS = {"audit": ["audit", "{}", "--runs", "60", "--streams", "streams.csv", "--epsilon", "1", "--arms", "2"],
            "certify": ["certify", "{}", "--runs", "1", "--horizon", "2", "--epsilon", "1", "--arms", "2"]}  # fmt: skip


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("targets.py").write_text(TARGETS)
    Path("streams.csv").write_text("0,1\n0,0\n0,0\n")
    before = os._exit
    yield tmp_path
    assert os._exit is before


def arguments(command, name):
    return [part.format(f"targets.py:{name}") for part in COMMANDS[command]]


def as_process(*given):
    return subprocess.run([sys.executable, "-P", "-m", "privcheck", *given], capture_output=True, timeout=120)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("Leaves", "SystemExit: os._exit(1)"),
        ("LeavesAtPeace", "SystemExit: os._exit(0)"),
        ("RaisesBaseException", "BaseException: a text (targets.py"),
        ("RaisesWithoutText", "Error: <an exception whose text raises RuntimeError> (targets.py"),
    ],
)
def test_a_target_that_ends_or_raises_anything_is_bad_input(command, name, told, capsys):
    assert run(arguments(command, name)) == 2
    out, err = capsys.readouterr()
    assert told in err
    assert (out, err.count("\n")) == ("", 1)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_result_is_printed_though_the_target_closes_the_output(command, capsys):
    assert run(arguments(command, "ClosesOutput")) in (0, 3)
    assert "targets.py:ClosesOutput" in capsys.readouterr().out


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_what_a_target_prints_is_not_part_of_the_result(jobs):
    done = as_process(*arguments("audit", "Prints"), "--json", "-", "--jobs", jobs)
    assert json.loads(done.stdout)["target"] == "targets.py:Prints"
    assert b"PRINTED\n" in done.stderr
    done = as_process(*arguments("certify", "Prints"))
    assert b"PRINTED" not in done.stdout
    assert "✓ certified".encode() in done.stdout


def test_the_output_that_a_process_ends_in_a_worker_is_bad_input():
    done = as_process(*arguments("audit", "Leaves"), "--jobs", "2")
    assert (done.returncode, done.stdout) == (2, b"")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_a_forked_child_may_end_as_it_likes(capsys):
    assert run(arguments("certify", "Forks")) == 0


@pytest.mark.parametrize(("closed", "shown"), [("2>&-", True), (">&-", False), (">&- 2>&-", False)])
def test_a_closed_stream_is_no_violation(closed, shown):
    command = " ".join([sys.executable, "-P", "-m", "privcheck", *arguments("certify", "Prints"), closed])
    done = subprocess.run(command, shell=True, capture_output=True, timeout=120)
    assert done.returncode == 0
    assert ("✓ certified".encode() in done.stdout) == shown


def test_a_round_without_end_is_not_certified_forever(monkeypatch, capsys):
    monkeypatch.setattr("privcheck.targets._time_limit.limited.__wrapped__.__defaults__", (0.3, 0, None, None))
    assert run(arguments("certify", "Loops")) == 2
    assert "target: got a round that takes longer than 0.3 seconds, expected rounds that end" in capsys.readouterr().err


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no interval timers")
def test_a_timer_that_goes_off_while_it_is_disarmed_is_disarmed_all_the_same(monkeypatch):
    """The process ended later, by its signal or with the status of a violation."""
    disarm, times = signal.setitimer, []

    def goes_off(which, seconds, interval=0.0):
        times.append(seconds)
        if len(times) == 2:
            raise PolicyError("target", "late", "in time")
        return disarm(which, seconds, interval)

    before = signal.getsignal(signal.SIGALRM)
    monkeypatch.setattr(signal, "setitimer", goes_off)
    with pytest.raises(PolicyError), limited(60.0):
        pass
    assert (times[0], signal.getitimer(signal.ITIMER_REAL)) == (60.0, (0.0, 0.0))
    assert signal.getsignal(signal.SIGALRM) is before


def test_a_limit_that_is_over_before_its_error_is_told_is_refused(capsys):
    assert run([*arguments("audit", "Loops"), "--time-limit", "1e-6"]) == 2
    assert "time_limit: got 1e-06, expected a number in [0.001, 1e+09]" in capsys.readouterr().err


def test_a_folder_is_no_target(capsys):
    assert run(["audit", "/:Policy", "--epsilon", "1"]) == 2
    assert "target: got /, which raises" in capsys.readouterr().err


@pytest.mark.parametrize("command", COMMANDS)
def test_a_line_that_logs_is_shown_once(command, capfd, tmp_path):
    """Each of thousands of runs logged it again, which took longer than the runs; a file that is logged to has all."""
    log, handle = logging.getLogger("target"), logging.Handler.handle
    file = logging.FileHandler(tmp_path / "all.log")
    shown = logging.StreamHandler(sys.__stderr__)
    for handler in (file, shown):
        log.addHandler(handler)
    try:
        status = run([part.format("targets.py:Logs") for part in COMMANDS[command]])
    finally:
        for handler in (file, shown):
            log.removeHandler(handler)
        file.close()
    assert status == 0
    told = capfd.readouterr().err
    assert told.count("LOGGED 2") == 1
    written = (tmp_path / "all.log").read_text().count("LOGGED 2")
    assert written > 2
    assert f"privcheck: {written - 1:,} more messages, of 1 line that logs, are not shown" in told
    assert logging.Handler.handle is handle


def test_so_is_one_in_each_worker_process(capfd):
    end_worker_processes()
    try:
        for _ in range(9):
            kept_pool(1).submit(logging.warning, "LOGGED").result()
        assert 1 <= capfd.readouterr().err.count("LOGGED") <= 2, "its process calls from two lines"
    finally:
        end_worker_processes()


def test_a_message_that_is_not_shown_is_read_all_the_same(capfd):
    """The second message of a line has the raw reward: its certificate must not pass because nobody saw it."""
    log, shown = logging.getLogger("target"), logging.StreamHandler(sys.__stderr__)
    log.addHandler(shown)
    try:
        assert run([part.format("targets.py:LogsRewards") for part in COMMANDS["certify"]]) == 1
    finally:
        log.removeHandler(shown)
    told = capfd.readouterr()
    assert told.err.count("LATER") == 1
    assert "a leak at targets.py:" in told.out
