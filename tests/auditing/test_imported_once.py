"""A file with a target is imported once: by an audit, by a certificate, by both together, by each worker."""

from __future__ import annotations

import os
import sys

import pytest

from privcheck import PrivcheckError, audit, certify
from privcheck.targets import Location
from privcheck.targets import _target as targets

FILE = """
import os
from pathlib import Path

with (Path(__file__).parent / "imports.txt").open("a") as counter:
    counter.write(f"{os.getpid()}\\n")

from privcheck.mechanisms import Laplace


class Noisy:
    def __init__(self, rng, arms):
        self.rng, self.arms, self.sums, self.round = rng, arms, [0.0] * arms, 0
        self.noise = Laplace(sensitivity=1.0, epsilon=1.0)

    def select(self):
        self.round += 1
        return (self.round - 1) % self.arms if self.round <= self.arms else self.sums.index(max(self.sums))

    def update(self, action, reward):
        self.sums[action] = self.noise.release(reward, self.rng)


def noisy_sum(data, rng):
    return data.sum() + rng.laplace()
"""
PLAYED = {"epsilon": 1.0, "arms": 2, "horizon": 3, "runs": 400}


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "noisy.py"
    path.write_text(FILE, encoding="utf-8")
    return path


def importers(file):
    """Return the processes that imported the file, one for every time."""
    return [int(line) for line in (file.parent / "imports.txt").read_text(encoding="utf-8").split()]


def own_imports(file):
    """Return those of this process: before a certificate is granted, a fresh one imports the file and replays runs."""
    return [process for process in importers(file) if process == os.getpid()]


def audit_with_certificate(file):
    assert audit(f"{file}:Noisy", **PLAYED).certificate is not None


def audit_without_arms(file):
    with pytest.raises(PrivcheckError, match="arms: got None"):
        audit(f"{file}:Noisy", epsilon=1.0)


WAYS = {
    "audit without a claim": lambda file: audit(f"{file}:Noisy", **PLAYED | {"epsilon": None}),
    "audit of a mechanism": lambda file: audit(f"{file}:noisy_sum", epsilon=2.0, runs=400),
    "audit with its certificate": audit_with_certificate,
    "audit that is refused": audit_without_arms,
    "sequential audit": lambda file: audit(f"{file}:Noisy", **PLAYED, sequential=True),
    "audit of releases": lambda file: audit(f"{file}:Noisy", **PLAYED, observe="releases"),
    "certify": lambda file: certify(f"{file}:Noisy", epsilon=1.0, arms=2, horizon=3),
}


@pytest.mark.parametrize("way", WAYS)
def test_the_file_is_imported_once(way, file):
    WAYS[way](file)
    assert own_imports(file) == [os.getpid()]


def test_so_it_is_after_another_target_with_modules_of_its_own(file, tmp_path):
    """They are of no use to this one, and hidden while it is imported."""
    other = tmp_path / "other"
    other.mkdir()
    (other / "helper_of_the_other.py").write_text("ARMS = 2\n", encoding="utf-8")
    (other / "first.py").write_text("import helper_of_the_other\n" + FILE, encoding="utf-8")
    certify(f"{other / 'first.py'}:Noisy", epsilon=1.0, arms=2, horizon=3)
    try:
        certify(f"{file}:Noisy", epsilon=1.0, arms=2, horizon=3)
    finally:
        del sys.modules["helper_of_the_other"]  # or it would be hidden from the targets of other tests, too
    assert own_imports(file) == [os.getpid()]


def test_a_second_import_would_be_counted(file, monkeypatch):
    """The broken twin: a target that is loaded when it is asked for its arms, and again when it is played."""
    monkeypatch.setattr(targets._Factory, "arms", lambda self, _: self.location.load() and 2)
    certify(f"{file}:Noisy", epsilon=1.0, arms=2, horizon=3)
    assert own_imports(file) == [os.getpid()] * 2


def test_a_worker_imports_it_once(file):
    audit(f"{file}:Noisy", **PLAYED | {"runs": 3000}, jobs=2)
    found = importers(file)
    assert found[0] == os.getpid()
    assert len(set(found)) == len(found) <= 4, "this process, two workers, and the one in which replays are made again"


def test_a_file_that_was_changed_is_imported_anew(file):
    """A worker outlives an audit: it must not play what the file held before."""
    before, after = (Location(str(file), "Noisy") for _ in range(2))
    assert before.load_once() is before.load_once()
    assert after.load_once() is after.load_once()
    assert len(importers(file)) == 2
