"""Targets in different folders that import modules of one name: each is played with its own."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import privcheck
from privcheck.sweeps import sweep
from privcheck.targets import load_factory

POLICY = """
{imports}


class Policy:
    def __init__(self, rng, arms=2, epsilon=1.0):
        pass

    def select(self):
        return helper.ARM

    def update(self, action, reward):
        pass
"""
LIB = "import os, sys\nsys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'lib'))\n"

WAYS = {
    "beside": ("helper.py", "import helper"),
    "in a folder": ("parts/helper.py", "from parts import helper"),
    "in a package": ("pack/helper.py", "from pack import helper"),
    "by way of a shared module": ("helper.py", "import shared\nhelper = shared.helper"),
    "beside, as it runs": ("helper.py", "import helper"),
    "in a folder that the file puts first": ("lib/helper.py", f"{LIB}import helper"),
}


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shared = tmp_path / "on_the_path"
    shared.mkdir()
    (shared / "shared.py").write_text("import helper\n")
    monkeypatch.setattr(sys, "path", [str(shared), *sys.path])
    yield
    for name in ("helper", "parts", "parts.helper", "pack", "pack.helper", "shared"):
        sys.modules.pop(name, None)


def write(folder, way, arm):
    place, imports = WAYS[way]
    file = Path(folder, place)
    file.parent.mkdir(parents=True, exist_ok=True)
    if "pack/" in place:
        file.with_name("__init__.py").write_text("")
    file.write_text(f"ARM = {arm}\n")
    text = POLICY.format(imports=imports)
    if "as it runs" in way:
        text = text.replace("return helper", f"{imports}\n        return helper")
    Path(folder, "policy.py").write_text(text)
    return f"{folder}/policy.py:Policy"


@pytest.mark.parametrize("way", WAYS)
def test_each_target_has_the_module_of_its_own_folder(way):
    targets = {folder: write(folder, way, arm) for arm, folder in enumerate(("first", "second"))}
    played = privcheck.simulate(targets, [0.9, 0.1], horizon=10, runs=2, epsilon=1.0)
    assert [row["mean"] for row in played.summary()] == pytest.approx([0.0, 8.0])
    found = privcheck.frontier(
        targets, [0.9, 0.1], epsilons=[1.0], horizon=10, runs=2, audit_runs=0, certificates=False
    )
    assert [point.mean for point in found.points] == pytest.approx([0.0, 8.0])


@pytest.mark.parametrize("way", WAYS)
def test_so_has_each_in_a_sweep(way, tmp_path):
    targets = [write(folder, way, arm) for arm, folder in enumerate(("first", "second"))]
    plan = {"kind": "simulation", "targets": targets, "environments": [[0.9, 0.1]], "horizons": [10]}
    found = sweep(plan | {"options": {"runs": 2}}, tmp_path / "kept")
    assert [cell["mean"] for cell in found.cells] == pytest.approx([0.0, 8.0])


def test_a_module_of_another_target_is_not_found_by_accident():
    """Alone, the second target cannot be imported; after the first it was played with the first one's module."""
    first, second = write("first", "beside", 0), write("second", "beside", 0)
    Path("second/helper.py").unlink()
    load_factory(first)
    with pytest.raises(privcheck.PrivcheckError, match="No module named 'helper'"):
        load_factory(second)


def test_targets_share_a_module_that_both_find():
    """A class that two of them name is one class, so that one knows the outputs of the other."""
    Path("on_the_path/shared.py").write_text("class Output:\n    pass\n")
    loaded = []
    for folder in ("first", "second"):
        Path(folder).mkdir()
        Path(folder, "policy.py").write_text("import shared\n\ndef policy(rng):\n    return shared.Output\n")
        loaded.append(load_factory(f"{folder}/policy.py:policy")[1](None))
    assert loaded[0] is loaded[1]


def test_an_edited_module_in_a_folder_without_init_is_imported_anew():
    write("first", "in a folder", 0)
    arms = []
    for arm in (0, 1):
        Path("first/parts/helper.py").write_text(f"ARM = {arm}\n")
        arms.append(load_factory("first/policy.py:Policy")[1](None).select())
    assert arms == [0, 1]


def test_what_a_policy_imports_as_it_runs_is_still_there():
    write("first", "beside", 1)
    Path("first/policy.py").write_text(
        POLICY.format(imports="import helper").replace("return helper", "import helper\n        return helper")
    )
    Path("second").mkdir()
    Path("second/other.py").write_text("def other(rng):\n    pass\n")
    policy = load_factory("first/policy.py:Policy")[1](None)
    load_factory("second/other.py:other")
    assert policy.select() == 1
