"""Modules that a target imports, and that its source does not lead to: results of another one are not believed."""

from __future__ import annotations

from pathlib import Path

import pytest

from privcheck.sweeps import _tested_cells, sweep

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


def test_the_broken_twin_believes_them(helper, monkeypatch):
    monkeypatch.setattr(_tested_cells.CellStore, "changed_imports", lambda *_: [])
    before = played([2, 10])
    helper.write_text("ARM = 1\n")
    assert played([2, 10]) == before
