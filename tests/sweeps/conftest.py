"""Small targets, and sweeps of them, in a folder of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import privcheck

POLICY = """
from helper import OFFSET

class Policy:
    def __init__(self, rng, arms, epsilon=1.0):
        self.rng, self.arms = rng, arms

    def select(self):
        return (int(self.rng.integers(self.arms)) + OFFSET) % self.arms

    def update(self, action, reward):
        pass

class Broken(Policy):
    def select(self):
        raise ValueError("no arm today")
"""

TOML = """
kind = "simulation"
targets = ["policy.py:Policy"]
environments = [[0.75, 0.5]]
horizons = [10, 20]
seeds = [0, 1]
[options]
runs = 4
checkpoints = 3
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sys.modules.pop("helper", None)  # of another folder
    Path("policy.py").write_text(POLICY)
    Path("helper.py").write_text("OFFSET = 0\n")
    Path("sweep.toml").write_text(TOML)
    yield tmp_path
    sys.modules.pop("helper", None)


@pytest.fixture
def start():
    """Return a function that starts the command line in a process; what is left of it ends with the test."""
    started = []

    def begin(*arguments):
        code = "import sys; from privcheck.cli import main; sys.argv[0] = 'privcheck'; main()"
        environment = os.environ | {"PYTHONPATH": str(Path(privcheck.__file__).parents[1])}
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", code, *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
        )  # fmt: skip
        started.append(process)
        return process

    yield begin
    for process in started:
        process.kill()
        process.communicate()
