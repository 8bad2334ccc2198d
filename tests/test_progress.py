"""The progress bar: what it shows of a long description."""

from __future__ import annotations

import importlib
import io
import re
import sys

import pytest

import privcheck.progress as module
from privcheck.cli import run
from privcheck.errors import PrivcheckError
from privcheck.progress import REST, announced, aside, progress
from privcheck.tradeoffs import frontier


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("columns", [60, 80, 140])
def test_a_long_description_leaves_the_times_their_room(columns, monkeypatch):
    shown = Terminal()
    monkeypatch.setattr("sys.stderr", shown)
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "xterm")
    name = "certifying " + "/a/long/path" * 12 + "/bandit.py:Bandit"
    with progress(name, 10) as advance:
        advance(10)
    text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown.getvalue())
    assert "certifying" in text
    assert "bandit.py:Bandit" in text or columns < REST + 32
    assert "0:00:00 < " in text
    assert "…" not in text


def test_what_is_printed_aside_goes_to_standard_output_and_the_bar_comes_back(monkeypatch, capsys):
    shown = Terminal()
    monkeypatch.setattr("sys.stderr", shown)
    monkeypatch.setenv("TERM", "xterm")
    with progress("examining", 10, counted=True) as advance:
        advance(4)
        with aside():
            sys.stdout.write("found one\n")
            before = shown.getvalue()
        assert "found one" not in before
        advance(3)
    assert capsys.readouterr().out == "found one\n"
    assert "7/10" in shown.getvalue().removeprefix(before)


@pytest.mark.parametrize("shows", [True, False])
def test_work_that_is_announced_says_so_once_and_at_once_where_there_is_no_bar(shows, monkeypatch):
    shown = Terminal() if shows else io.StringIO()
    monkeypatch.setattr("sys.stderr", shown)
    monkeypatch.setenv("TERM", "xterm")
    with announced(), progress("fixing it", 10):
        before = shown.getvalue()
        with progress("certifying it", 10):
            pass
    line = "privcheck: fixing it, which may take minutes\n"
    assert before == line or shows
    assert shown.getvalue() == line or shows
    assert "which may take" not in shown.getvalue() or not shows
    with progress("another", 10):
        pass
    assert "another" not in shown.getvalue() or shows


@pytest.mark.chance(0.0, "nothing in it is random")
def test_work_that_takes_minutes_says_in_lines_how_far_it_is(capsys, monkeypatch):
    """Where standard error is a file, as in CI, there was no sign of life."""
    clock = iter([0.0, 30.0, 60.0, 90.0, 130.0, 200.0])
    monkeypatch.setattr(module.time, "monotonic", lambda: next(clock))
    with module.told_in_lines(), module.progress("certifying Bandit", 10) as advance:
        for _ in range(5):
            advance(2)
    assert capsys.readouterr().err.splitlines() == [
        "privcheck: certifying Bandit: 40% done in 60 s, about 90 s left",
        "privcheck: certifying Bandit: 80% done in 130 s, about 32 s left",
    ]
    monkeypatch.undo()
    with module.progress("certifying Bandit", 10) as advance:
        advance(5)
    assert capsys.readouterr().err == "", "nobody asked for lines"


@pytest.mark.chance(0.0, "nothing in it is random")
def test_work_inside_of_work_gives_it_the_occasion_to_say_how_far_it_is(capsys, monkeypatch):
    """A frontier whose parts take less than a minute each said nothing, and one of few parts said it late."""
    clock = iter([0.0, 30.0, 61.0, 62.0, 100.0, 122.0, 130.0, 0.0, 70.0])
    monkeypatch.setattr(module.time, "monotonic", lambda: next(clock))
    with module.told_in_lines(), module.progress("drawing it", 4) as advance:
        for _ in range(2):
            with module.progress("simulating", 9) as inner:
                inner(3)
                inner(3)
            advance(1)
    assert capsys.readouterr().err.splitlines() == [
        "privcheck: drawing it: 0% done in 61 s",
        "privcheck: drawing it: 25% done in 122 s, about 366 s left",
    ]
    with module.told_in_lines(), module.progress("the next", 2) as advance:
        advance(1)
    assert capsys.readouterr().err == "privcheck: the next: 50% done in 70 s, about 70 s left\n"


@pytest.mark.chance(0.0, "nothing in it is random")
def test_steps_that_take_unlike_times_are_counted_and_promise_no_time(capsys, monkeypatch):
    """The time left of a fix was wrong by a factor: its steps were taken for shares of it."""
    clock = iter([0.0, 61.0, 70.0, 130.0])
    monkeypatch.setattr(module.time, "monotonic", lambda: next(clock))
    with module.told_in_lines(), module.progress("fixing Bandit", 4, steps=True) as advance:
        advance(1)
        with module.progress("certifying", 9) as inner:
            inner(3)
            inner(3)
    assert capsys.readouterr().err.splitlines() == [
        "privcheck: fixing Bandit: 1 of 4 steps done in 61 s",
        "privcheck: fixing Bandit: 1 of 4 steps done in 130 s",
    ]
    monkeypatch.undo()
    shown = Terminal()
    monkeypatch.setattr("sys.stderr", shown)
    monkeypatch.setenv("TERM", "xterm")
    with progress("fixing Bandit", 4, steps=True) as advance:
        advance(2)
    assert "2/4" in shown.getvalue()
    assert "<" not in shown.getvalue()


ASKED = {
    "frontier": ("tradeoffs", "frontier", ["adap-ucb", "--means", "0.9,0.1", "--epsilons", "1", "--horizon", "60"]),
    "simulate": ("simulation", "simulate", ["ucb", "--means", "0.9,0.1", "--horizon", "60"]),
    "fix": ("fixing", "fix", ["bandit.py:Bandit", "--epsilon", "1", "--arms", "2"]),
    "sweep": ("sweeps", "play_sweep", ["sweep.toml", "--store", "kept"]),
}


@pytest.mark.parametrize("command", ASKED)
def test_every_command_that_takes_minutes_says_how_far_it_is(command, capsys, monkeypatch, tmp_path):
    """As if every line were due at once."""
    room, function, arguments = ASKED[command]

    def played(*_, **__):
        with progress("playing", 2) as advance:
            advance(1)
        raise PrivcheckError("test", 1, "no more")

    monkeypatch.chdir(tmp_path)
    (tmp_path / "bandit.py").write_text("class Bandit:\n    def select(self): ...\n    def update(self, a, r): ...\n")
    monkeypatch.setattr(module, "EVERY", 0.0)
    monkeypatch.setattr(importlib.import_module(f"privcheck.{room}"), function, played)
    assert run([command, *arguments]) == 2
    assert "privcheck: playing: 50% done in " in capsys.readouterr().err


def test_a_frontier_counts_its_points(capsys, monkeypatch):
    monkeypatch.setattr(module, "EVERY", 0.0)
    short = {"epsilons": [1.0, 2.0], "horizon": 60, "runs": 2, "audit_runs": 0, "certificates": False}
    with module.told_in_lines():
        frontier(["adap-ucb", "ucb"], [0.9, 0.1], **short)
    said = capsys.readouterr().err
    for share in (0, 33, 67):
        assert f"privcheck: simulating, auditing and certifying: {share}% done" in said
    assert "privcheck: simulating: " not in said
