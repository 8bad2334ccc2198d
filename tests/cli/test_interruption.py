"""SIGINT and SIGTERM: an audit reports what it knows, other work says that it has no answer, no worker is left."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import privcheck
from privcheck.cli import _interruption as interruption
from privcheck.cli import main

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")

STOPPED = """
import contextlib, os, signal, time

class Stopped:
    calls = 0

    def __init__(self, rng):
        self.last = 0

    def select(self):
        Stopped.calls += 1
        if Stopped.calls == {after}:
            with contextlib.suppress(FileExistsError):
                os.kill({process}, signal.{name})
                {then}
        return self.last

    def update(self, action, reward):
        self.last = int(reward > 0.5)
"""
AUDIT = ["audit", "stopped.py:Stopped", "--epsilon", "1", "--arms", "2", "--streams", "streams.csv"]
RUNS = ["--runs", "4000", "--json", "result.json"]
EARLY, COUNTED, ONLY_IN_WORKERS = 1900, 18_000, 2500
"""Calls of `select` before any run is counted, when some are, and more than the process itself makes beside workers."""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("streams.csv").write_text("0,1\n0,0\n0,0\n")
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield tmp_path
    assert {number: signal.getsignal(number) for number in before} == before, "the handlers are put back"


def written(name, after, *, process="os.getpid()", then="pass"):
    Path("stopped.py").write_text(STOPPED.format(name=name, after=after, process=process, then=then))


def status(arguments):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    return ended.value.code


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_an_interrupted_audit_reports_the_bound_that_is_valid_at_any_time(name, capsys):
    written(name, COUNTED)
    assert status([*AUDIT, *RUNS]) == 1
    found = json.loads(Path("result.json").read_text())
    assert (found["verdict"], found["e_value"] is not None) == ("violation", True)
    assert found["epsilon_lower"] > 1.0
    assert 0 < found["counted_runs"] < 3600
    assert "cut short after" in capsys.readouterr().out


@pytest.mark.parametrize(("name", "expected"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_an_audit_without_an_answer_says_so_by_its_status(name, expected, capsys):
    written(name, EARLY)
    assert status([*AUDIT, *RUNS]) == expected
    out, err = capsys.readouterr()
    assert "cut short before any run was counted" in out
    assert err == ""
    assert json.loads(Path("result.json").read_text())["epsilon_lower"] is None


@pytest.mark.parametrize(("name", "expected"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_other_work_ends_with_one_line(name, expected, capsys):
    written(name, 5)
    assert (
        status(["certify", "stopped.py:Stopped", "--epsilon", "1", "--arms", "2", "--json", "result.json"]) == expected
    )
    out, err = capsys.readouterr()
    assert (out, err) == ("", "privcheck: interrupted\n")
    assert not Path("result.json").exists()


@pytest.mark.parametrize("ignoring", ["ctypes.CFUNCTYPE(None)({0})()", "type('Gone', (), {{'__del__': {0}}})()"])
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_signal_is_answered_where_exceptions_are_ignored(ignoring, name, capsys):
    """Python ignores those of destructors and of functions that compiled code calls; a compiler calls such ones."""
    written(name, EARLY)
    call = f"os.kill(os.getpid(), signal.{name})"
    source = Path("stopped.py").read_text().replace(call, ignoring.format(f"lambda *_: {call}"))
    Path("stopped.py").write_text(f"import ctypes\n{source}")
    hook = sys.unraisablehook
    status([*AUDIT, "--runs", "100000"])  # the signal comes again a moment later
    out, err = capsys.readouterr()
    assert ("cut short" in out, err) == (True, "")
    assert sys.unraisablehook is hook


def test_other_exceptions_that_are_ignored_are_reported(capsys):
    written("SIGINT", 10**9)
    source = Path("stopped.py").read_text().replace("pass", "")
    Path("stopped.py").write_text(source.replace("Stopped.calls += 1", "type('Gone', (), {'__del__': failing})()"))
    Path("stopped.py").write_text("def failing(_): raise OSError('gone')\n" + Path("stopped.py").read_text())
    seen = []
    before, sys.unraisablehook = sys.unraisablehook, seen.append
    try:
        assert status([*AUDIT, "--runs", "100"]) == 1
    finally:
        sys.unraisablehook = before
    assert {type(each.exc_value) for each in seen} == {OSError}


@pytest.mark.parametrize(("name", "expected"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_a_signal_ends_what_measures_how_long_the_work_would_take(name, expected, capsys):
    """An audit that measures it answers with what it knows: the work itself did not begin then, but went on."""
    written(name, 1000)
    assert status([*AUDIT, "--runs", "2000000", "--json", "result.json"]) == expected
    assert capsys.readouterr() == ("", "privcheck: interrupted\n")
    assert not Path("result.json").exists()


def test_a_signal_that_the_caller_ignores_stays_ignored(capsys):
    """As under nohup, or in the background of a shell script."""
    old = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        written("SIGINT", EARLY)
        assert status([*AUDIT, "--runs", "2000"]) == 1
    finally:
        signal.signal(signal.SIGINT, old)


def test_the_library_installs_no_handlers():
    written("SIGTERM", 10**9)
    before = signal.getsignal(signal.SIGTERM)
    seen = []
    Path("stopped.py").write_text(
        Path("stopped.py").read_text().replace("self.last = 0", "self.last = 0; seen.append(signal.getsignal(15))")
    )
    Path("stopped.py").write_text("seen = []\n" + Path("stopped.py").read_text())
    report = privcheck.audit("stopped.py:Stopped", arms=2, horizon=3, runs=40, epsilon=1.0)
    seen = sys.modules["privcheck_target_stopped"].seen
    assert report.runs == 40
    assert set(seen) == {before}


def test_the_thread_that_waits_for_signals_counts_as_one_that_only_waits():
    """As which forks may do without it, and generators that move are noticed beside it."""
    lines = [
        "import threading",
        "from privcheck.cli import _interruption",
        "from privcheck.scheduling import other_threads",
        "_interruption._watch()",
        "print(threading.active_count(), other_threads())",
        "threading.Thread(target=threading.Event().wait, daemon=True, name='another').start()",
        "print(other_threads())",
    ]
    found = subprocess.run([sys.executable, "-P", "-c", "\n".join(lines)], capture_output=True, text=True, check=True)
    assert found.stdout == "2 set()\n{'another'}\n"


def process(*arguments):
    places = str(Path(privcheck.__file__).parents[1])
    return subprocess.Popen(
        [sys.executable, "-c", "from privcheck.cli import main; main()", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": places},
        start_new_session=True,
    )


def members(session):
    """Return the living processes of a session."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                state, _, _, theirs = (entry / "stat").read_text().rpartition(")")[2].split()[:4]
            except OSError:
                continue
            if int(theirs) == session and state != "Z":
                found.append(int(entry.name))
    return found


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize("twice", [False, True])
def test_workers_end_with_the_process_that_started_them(twice):
    """The signal comes while two workers play; a second one may come before the first is answered."""
    first = "open('sent', 'x') and os.getsid(0)"
    then = "time.sleep(0.05); os.kill(os.getsid(0), signal.SIGTERM)" if twice else "pass"
    written("SIGTERM", ONLY_IN_WORKERS, process=first, then=then)
    started = process(*AUDIT, *RUNS, "--jobs", "2")
    out, err = started.communicate(timeout=120)
    assert started.returncode == 143
    assert Path("sent").exists()
    until = time.monotonic() + 30.0  # a process that was told to end needs a processor to do so; an orphan stays
    while members(started.pid) and time.monotonic() < until:
        time.sleep(0.1)
    assert members(started.pid) == []
    if not twice:
        assert err == ""
        assert "cut short before any run was counted" in out


def test_a_second_signal_ends_the_process_at_once():
    """Here it comes while the first is being answered: the policy swallows the first and goes on for ever."""
    written("SIGTERM", EARLY)
    text = (
        Path("stopped.py")
        .read_text()
        .replace(
            "with contextlib.suppress(FileExistsError):\n                os.kill",
            "while True:\n              with contextlib.suppress(KeyboardInterrupt):\n                os.kill",
        )
    )
    Path("stopped.py").write_text(text)
    started = process(*AUDIT, *RUNS)
    out, err = started.communicate(timeout=60)
    assert (started.returncode, out, err) == (143, "", "")


def test_without_a_signal_there_is_no_status_of_one():
    with interruption.answering_signals():
        assert interruption.interrupted_status() is None


WITHIN_EXEC = """
import os, signal
from privcheck.cli import _application as application, main, run

run(["audit", "none.py:None"])  # imports what tells of an error

def interrupted(*arguments, **options):
    exec("os.kill(os.getpid(), signal.SIGINT)", globals())

application.app = interrupted
main(["list"])
"""


def test_an_interruption_of_code_that_is_text_ends_with_the_status(folder):
    """Python remembers such a KeyboardInterrupt, and without help ends itself by SIGINT, which has no status."""
    Path("started.py").write_text(WITHIN_EXEC)
    command = [sys.executable, "-m", "started"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr.splitlines()[-1]) == (130, "privcheck: interrupted")


AT_THE_END = """
import atexit, os, signal, sys
from privcheck.cli import _application as application, main

class Late:
    def __del__(self):  # when the process is all but gone, after the functions of atexit
        os.kill(os.getpid(), signal.SIGINT)

def interrupted(*arguments, **options):
    sys.late = Late()
    os.kill(os.getpid(), signal.SIGINT)

application.app = interrupted
sys.argv[1:] = ["list"]
main()
"""


@pytest.mark.parametrize("late", ["sys.late = Late()", "atexit.register(Late().__del__)"])
def test_a_second_signal_at_the_very_end_does_not_change_the_status(late, folder):
    """After the message, while Python ends: a process killed by SIGINT has a negative return code here."""
    Path("started.py").write_text(AT_THE_END.replace("sys.late = Late()", late))
    ended = subprocess.run([sys.executable, "-m", "started"], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (130, "privcheck: interrupted\n")
