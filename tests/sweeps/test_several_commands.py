"""Commands that work in one folder: each answers with what it would get alone, or tests what another one has got."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from privcheck import sweep
from privcheck.sweeps import _run_sweep as run_sweep
from privcheck.sweeps._cell_store import CellStore

READS = """
import os


class Policy:
    def __init__(self, rng):
        self.rounds = 0

    def select(self):
        self.rounds += 1
        return int(os.environ["OWN_ARM"]) if self.rounds > 5 else 0

    def update(self, action, reward):
        pass
"""
PLAN = {"kind": "simulation", "targets": ["reads.py:Policy"], "environments": [[0.75, 0.5]], "options": {"runs": 2}}


def means(horizons, **options):
    found = sweep(PLAN | {"horizons": horizons} | options, "../store")
    return [cell["mean"] for cell in found.cells if cell["horizon"] in horizons], found.notes


@pytest.fixture(autouse=True)
def checkout(tmp_path, monkeypatch):
    """Work in a checkout beside the folder of the results."""
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "reads.py").write_text(READS)
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("OWN_ARM", "0")


@pytest.fixture
def meanwhile(monkeypatch):
    """Return what has another command work while the first cell is played from now on."""

    def during(work):
        def play(cell, sources):
            if todo:
                with monkeypatch.context() as patched:
                    todo.pop()(patched)
            return real(cell, sources)

        real, todo = run_sweep.play, [work]
        monkeypatch.setattr(run_sweep, "play", play)

    return during


def test_each_command_answers_with_its_own_checkout(meanwhile):
    """Both plan the same, of other sources: the first one answered with what the other one's policy does."""

    def other(patched):
        patched.chdir("../there")
        Path("reads.py").write_text(READS.replace('os.environ["OWN_ARM"]', "1"))
        assert means([20]) == ([15 * 0.25], ())

    meanwhile(other)
    assert means([20]) == ([0.0], ())
    assert means([20]) == ([0.0], ())


def test_what_another_command_finishes_meanwhile_is_tested(meanwhile):
    def other(patched):
        patched.setenv("OWN_ARM", "1")
        assert means([20]) == ([15 * 0.25], ())

    meanwhile(other)
    found, notes = means([10, 20])
    assert found == [0.0, 0.0]
    assert len(notes) == 1
    assert means([10, 20]) == ([0.0, 0.0], ())


def test_what_another_command_finishes_meanwhile_is_believed_if_it_is_the_same(meanwhile, monkeypatch):
    meanwhile(lambda _: means([20]))
    assert means([10, 20]) == ([0.0, 0.0], ())
    monkeypatch.setattr(run_sweep._Client, "_submit", lambda *_: pytest.fail("a finished cell is played"))
    assert means([10, 20]) == ([0.0, 0.0], ())


def test_results_of_every_earlier_command_are_tested(monkeypatch):
    """The cheapest cell is another command's than the one that shows the variable."""
    assert means([7]) == ([0.0], ())
    monkeypatch.setenv("OWN_ARM", "1")
    assert means([20]) == ([15 * 0.25], ())
    monkeypatch.setenv("OWN_ARM", "0")
    monkeypatch.setattr(CellStore, "seconds", by_horizon)
    found, notes = means([7, 20])
    assert found == [0.0, 0.0]
    assert len(notes) == 1


def test_one_cell_of_all_earlier_commands_is_played_again(monkeypatch):
    """Each has tested those before it: ten nights cost one cell, and not ten."""
    for horizon in (6, 7, 8, 9):
        assert means(list(range(6, horizon + 1)))[1] == ()
    played = []
    monkeypatch.setattr(
        run_sweep, "play", lambda cell, sources, real=run_sweep.play: played.append(cell) or real(cell, sources)
    )
    means([6, 7, 8, 9])
    assert len(played) == 1


def test_what_a_clock_cut_short_is_tested_too(monkeypatch):
    """It is played again with as many runs as there were."""
    options = {"options": {"runs": 10**9, "time_budget": 0.01}}
    assert means([20], **options) == ([0.0], ())
    assert means([20], **options) == ([0.0], ())
    monkeypatch.setenv("OWN_ARM", "1")
    found, notes = means([20], **options)
    assert found == [15 * 0.25]
    assert len(notes) == 1


def test_a_command_that_ends_while_results_are_set_aside(monkeypatch):
    """The next one sees what it saw: the result that showed the change is moved last."""
    monkeypatch.setattr(CellStore, "seconds", by_horizon)
    assert means([6, 2, 7, 20], seeds=[0]) == ([0.0] * 4, ())  # round 6 shows it first, and not in all cells
    monkeypatch.setattr(CellStore, "seconds", lambda store: {key: -end for key, end in by_horizon(store).items()})
    monkeypatch.setenv("OWN_ARM", "1")
    real = Path.replace
    moves = []

    def replace(path, target):
        if Path(target).parent.name == "aside":
            moves.append(path)
            if len(moves) == 3:
                raise KeyboardInterrupt
        return real(path, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", replace)
        with pytest.raises(KeyboardInterrupt):
            means([6, 2, 7, 20])
    found, notes = means([6, 2, 7, 20])
    assert sorted(found) == [0.0, 0.25, 0.5, 15 * 0.25]
    assert len(notes) == 1


def by_horizon(store):
    rows = store.database.rows(
        "SELECT finished.key, planned.columns FROM finished JOIN planned ON planned.place = finished.place"
    )
    return {key: float(json.loads(columns)["horizon"]) for key, columns in rows}
