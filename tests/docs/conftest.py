"""A folder with what the documentation speaks of, and a way to run its commands cheaply in it."""

from __future__ import annotations

import importlib.util
import shlex
import sys
from pathlib import Path

import pytest

from privcheck import guard
from privcheck.bandits import ALGORITHMS
from privcheck.cli import run

REPOSITORY = Path(__file__).parents[2]
CHEAPLY = {
    "audit": ["--runs", "1000", "--pairs", "20", "--jobs", "1"],
    "fix": ["--rounds", "300", "--time-budget", "2"],
    "simulate": ["--runs", "20", "--horizon", "2000"],
    "frontier": ["--runs", "5", "--horizon", "200", "--audit-runs", "0"],
}
"""Options that stand behind those of the documentation; the last one counts."""

FILES = {
    "clicks.csv": "item,click\n" + "a,1\nb,0\na,0\nb,1\n" * 5,
    "contexts.csv": "context_0_0,context_1_0,reward_0,reward_1\n" + "1,0.5,1,-1\n0.5,-1,1,1\n" * 5,
    "mine.toml": 'family = "bernoulli"\nmeans = [0.8, 0.1]\nhorizon = 1000\n',
    "plan.toml": 'delta = 1e-6\n[[release]]\nmechanism = "laplace"\nscale = 10.0\ncount = 100\n',
    "my_mechanism.py": "def noisy_sum(data, rng, runs):\n    return sum(data) + rng.laplace(0, 1, runs)\n",
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return an empty folder with the examples, in which files that were imported by name are forgotten afterwards."""
    (tmp_path / "examples").symlink_to(REPOSITORY / "examples")
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")  # as a reader sees it in a terminal
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if (tmp_path / f"{name}.py").exists():
            del sys.modules[name]


@pytest.fixture
def command(folder):
    """Return a function that runs a line `privcheck ...`, cheaply unless told otherwise, and returns its status."""

    def status(line: str, *, as_written: bool = False) -> int:
        words = shlex.split(line)
        assert words[0] == "privcheck"
        if words[1:2] == ["ledger"]:
            _make_ledger()
        return run(words[1:] + ([] if as_written or len(words) == 1 else CHEAPLY.get(words[1], [])))

    return status


def _make_ledger() -> None:
    """Make the ledger of the page about deployment."""
    keeping = {"ledger": "state/budget.db", "scope": "news", "head": "heads/heads.db"}
    guarded = guard(ALGORITHMS["adap-ucb"](arms=2, epsilon=0.25).build, epsilon=0.25, arms=2, per_user=1.0, **keeping)
    guarded.update(guarded.select(), 1.0, user="u3")


def extension(name: str):
    """Return a module of docs/extensions; it needs nothing that is not installed with privcheck."""
    spec = importlib.util.spec_from_file_location(name, REPOSITORY / "docs" / "extensions" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def plain_docstrings():
    return extension("plain_docstrings")


@pytest.fixture(scope="session")
def generated_parts():
    return extension("generated_parts")
