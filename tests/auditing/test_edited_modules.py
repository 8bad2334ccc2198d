"""A session sees what was edited since: audits named the old code consistent, and the file on the disk leaks."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

import privcheck
from privcheck.sweeps import sweep

TARGET = (
    "import numpy as np\n{}\n\ndef noisy(data, rng):\n    return float(np.sum(data)) + rng.laplace(scale=helper.S)\n"
)
IMPORT = "import helper"
COMPUTED = "import importlib\nhelper = importlib.import_module('hel' + 'per')"
CHAIN = "import between\nhelper = between"
OPTIONS = {"epsilon": 1.0, "runs": 1000, "horizon": 2, "pairs": 4}


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("between.py").write_text("from helper import S\n")
    yield
    for name in ("helper", "between", "placed"):
        sys.modules.pop(name, None)


def write(file, text, *, at=None):
    Path(file).write_text(text)
    if at is not None:
        os.utime(file, (at, at))


@pytest.mark.parametrize("imports", [IMPORT, COMPUTED, CHAIN])
def test_an_edited_helper_is_played_as_it_is_now(imports):
    write("target.py", TARGET.format(imports))
    found = []
    for scale in ("1.0", "0.02"):
        write("helper.py", f"S = {scale}\n")
        found.append(privcheck.audit("target.py:noisy", **OPTIONS).verdict == "violation")
    assert found == [False, True]


def test_an_edited_module_that_is_named_by_its_path_is_played_as_it_is_now(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(tmp_path)
    found = []
    for scale in ("1.0", "0.02"):
        write("placed.py", TARGET.format("").replace("helper.S", scale))
        found.append(privcheck.audit("placed:noisy", **OPTIONS).verdict == "violation")
    assert found == [False, True]


@pytest.mark.parametrize("file", ["target.py", "helper.py"])
def test_a_file_of_the_same_length_and_second_is_another_one(file):
    """Python takes bytecode for that of a file by its length and the second in which it was written."""
    found = []
    write("helper.py", "S = 1.00\n", at=1e9)
    for scale in ("1.00", "0.02"):
        text = TARGET.format(IMPORT)
        write("target.py", text if file == "helper.py" else text.replace("helper.S", scale), at=1e9)
        if file == "helper.py":
            write("helper.py", f"S = {scale}\n", at=1e9)
        found.append(privcheck.audit("target.py:noisy", **OPTIONS).verdict == "violation")
    assert found == [False, True]


def test_what_its_user_has_imported_and_set_stays(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(tmp_path)
    write("helper.py", "S = 1.0\n")
    write("target.py", TARGET.format(IMPORT))
    import helper

    helper.S = 0.02
    for _ in range(2):
        assert privcheck.audit("target.py:noisy", **OPTIONS).verdict == "violation"


def test_a_sweep_finds_a_helper_that_it_could_not_see(tmp_path):
    """No key has a module that is imported by a computed name; the cell that is played again has to show it."""
    write("target.py", TARGET.format(COMPUTED))
    plan = {"kind": "audit", "targets": ["target.py:noisy"], "epsilons": [1.0], "horizons": [2]}
    found = []
    for scale in ("1.0", "0.02"):
        write("helper.py", f"S = {scale}\n")
        found.append(sweep(plan | {"options": {"runs": 1000}}, tmp_path / "kept"))
    assert [report.cells[0]["verdict"] == "violation" for report in found] == [False, True]
    assert len(found[1].notes) == 1
