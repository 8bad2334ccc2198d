"""Modules that a target imports, and that its source does not lead to: results of another one are not believed."""

from __future__ import annotations

import importlib
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from privcheck import PrivcheckError
from privcheck.sweeps import _cell_store, _play_cell, _tested_cells, sweep

TARGET = """
import os, sys
{}


class Policy:
    def __init__(self, rng, arms=2):
        self.rounds = 0

    def select(self):
        self.rounds += 1
        return helper.ARM if self.rounds > 5 else 0

    def update(self, action, reward):
        pass
"""
WAYS = {
    "in a folder that the file adds": "sys.path.insert(0, os.path.dirname(__file__) + '/lib')\nimport helper",
    "by a computed name": "import importlib\nhelper = importlib.import_module('lib.hel' + 'per')",
}
PLAN = {"kind": "simulation", "targets": ["target.py:Policy"], "environments": [[0.9, 0.1]], "options": {"runs": 2}}


def played(horizons, store="kept", **options):
    found = sweep(PLAN | {"horizons": horizons}, store, **options)
    return [cell["mean"] for cell in found.cells], found.notes


@pytest.fixture(params=WAYS)
def helper(request, tmp_path, monkeypatch):
    """Return the file of a module whose constant shows in round 6 alone, and not in the cheapest cell."""
    monkeypatch.chdir(tmp_path)
    Path("target.py").write_text(TARGET.format(WAYS[request.param]))
    Path("lib").mkdir()
    file = Path("lib/helper.py")
    file.write_text("ARM = 0\n")
    monkeypatch.setattr("privcheck.sweeps._cell_store.CellStore.seconds", cheapest_first)
    return file


def cheapest_first(store):
    rows = store.database.rows(
        "SELECT planned.key FROM planned JOIN finished ON finished.key = planned.key ORDER BY planned.rowid"
    )
    return {key: float(place) for place, (key,) in enumerate(rows)}


@pytest.mark.parametrize("jobs", [1, 2])
def test_results_of_an_earlier_module_are_not_believed(helper, jobs):
    assert played([2, 10], jobs=jobs) == ([0.0, 0.0], ())
    assert played([2, 10], jobs=jobs) == ([0.0, 0.0], ())
    helper.write_text("ARM = 1\n")
    means, notes = played([2, 10], jobs=jobs)
    assert means == pytest.approx([0.0, 4.0])
    assert len(notes) == 1
    assert "helper.py changed, which it imports" in notes[0]
    assert played([2, 10], jobs=jobs) == (means, ())


@pytest.mark.parametrize("place", [0, 1], ids=["while a cell is played", "between two cells"])
def test_a_module_that_changes_meanwhile_ends_the_sweep(helper, monkeypatch, place):
    """The longer cell has played the old one, although the file is the new one when it ends."""
    real, played_before = _play_cell._result, []

    def changing(cell):
        if len(played_before) == place == 1:
            helper.write_text("ARM = 1\n")
        played_before.append(cell)
        found = real(cell)
        helper.write_text("ARM = 1\n" if place == 0 else helper.read_text())
        return found

    with monkeypatch.context() as patched:
        patched.setattr(_play_cell, "_result", changing)
        with pytest.raises(
            PrivcheckError, match=r"files that changed meanwhile.*helper\.py: run the same command again"
        ):
            played([10, 2])
    means, notes = played([10, 2])
    assert means == pytest.approx([4.0, 0.0])
    assert "helper.py changed, which it imports" in notes[0]


def test_what_the_user_has_set_in_a_module_is_in_no_result(helper, monkeypatch):
    """A worker process has not got it, and neither has the next command."""
    for folder in (Path.cwd(), helper.parent.absolute()):
        monkeypatch.syspath_prepend(folder)
    for name in ("helper", "lib.helper"):
        monkeypatch.setitem(sys.modules, name, module := importlib.import_module(name))
        monkeypatch.setattr(module, "ARM", 1)
    assert played([10]) == ([0.0], ())
    assert (sys.modules["lib.helper"], module.ARM) == (module, 1)


LAZY = """
import importlib, os, sys

sys.path.insert(0, os.path.dirname(__file__))


class Policy:
    def __init__(self, rng, arms=2):
        self.rounds = 0

    def select(self):
        self.rounds += 1
        return importlib.import_module("late.hel" + "per").ARM if self.rounds > 5 else 0

    def update(self, action, reward):
        pass
"""


@pytest.fixture
def lazy(tmp_path, monkeypatch):
    """Return the file of a module that the longer cell alone imports."""
    for name in ("here", "there"):
        (tmp_path / name / "late").mkdir(parents=True)
        (tmp_path / name / "target.py").write_text(LAZY)
    monkeypatch.chdir(tmp_path / "here")
    Path("late/helper.py").write_text("ARM = 0\n")
    monkeypatch.setattr(_cell_store.CellStore, "seconds", cheapest_first)
    return Path("late/helper.py")


def test_a_result_that_was_not_entered_yet_has_its_modules(lazy, monkeypatch):
    """As after a kill between its file and the manifest."""

    def killed(*arguments, **options):
        real(*arguments, **options)
        raise KeyboardInterrupt

    played([2])
    real = _cell_store.write_whole
    with monkeypatch.context() as patched:
        patched.setattr(_cell_store, "write_whole", killed)
        with pytest.raises(KeyboardInterrupt):
            played([2, 10])
    lazy.write_text("ARM = 1\n")
    assert played([2, 10])[0] == pytest.approx([0.0, 4.0])


def test_a_new_manifest_says_that_it_does_not_know_them(lazy):
    played([2, 10])
    Path("kept/cells.sqlite").unlink()
    means, notes = played([2, 10])
    assert means == [0.0, 0.0]
    assert [note[:38] for note in notes] == ["target.py:Policy: the manifest is new,"]
    assert played([2, 10]) == (means, ())


def test_a_result_has_its_modules_whatever_another_checkout_imports(lazy, monkeypatch):
    assert played([2, 10], "../kept") == ([0.0, 0.0], ())
    with monkeypatch.context() as patched:
        patched.chdir("../there")
        Path("target.py").write_text(LAZY.replace("> 5", "> 50"))
        assert played([2, 10], "../kept") == ([0.0, 0.0], ())
    lazy.write_text("ARM = 1\n")
    assert played([2, 10], "../kept")[0] == pytest.approx([0.0, 4.0])


def test_a_folder_of_the_third_format_keeps_what_modules_were(helper):
    """It had them by target, and not by result."""
    played([2, 10])
    with closing(sqlite3.connect("kept/cells.sqlite")) as database:
        database.executescript(
            "CREATE TABLE imported (target TEXT NOT NULL, file TEXT NOT NULL, digest TEXT NOT NULL, "
            "PRIMARY KEY (target, file)); PRAGMA user_version = 3;"
            "INSERT INTO imported SELECT DISTINCT 'target.py:Policy', file, digest FROM imports; DROP TABLE imports"
        )
    assert played([2, 10]) == ([0.0, 0.0], ())
    helper.write_text("ARM = 1\n")
    assert played([2, 10])[0] == pytest.approx([0.0, 4.0])


def test_the_broken_twin_believes_them(helper, monkeypatch):
    monkeypatch.setattr(_tested_cells.CellStore, "changed_imports", lambda *_: [])
    before = played([2, 10])
    helper.write_text("ARM = 1\n")
    assert played([2, 10]) == before
