"""The progress bar: what it shows of a long description."""

from __future__ import annotations

import io
import re
import sys

import pytest

import privcheck.progress as module
from privcheck.progress import REST, announced, aside, progress


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
