"""Write a small result of each kind: `python tests/results/write_examples.py FOLDER`.

The folders in `written` hold what this wrote with the code of each schema version; they are not written again.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np

import privcheck
from privcheck.cli import main

CELL = ["--means", "0.75,0.5", "--horizon", "40"]
COMMANDS = {
    "audit": ["audit", "adap-ucb", "--epsilon", "1", "--arms", "2", "--horizon", "6", "--runs", "2000"],
    "audit_without_claim": ["audit", "ucb", "--arms", "2", "--horizon", "4", "--runs", "2000"],
    "certificate": ["certify", "adap-ucb", "--epsilon", "1", "--arms", "2", "--horizon", "6", "--runs", "2"],
    "certificate_refused": ["certify", "ucb", "--epsilon", "1", "--arms", "2", "--horizon", "6", "--runs", "2"],
    "certificate_inconclusive": ["certify", "dp-se", "--epsilon", "1", "--arms", "2", "--horizon", "6", "--runs", "2"],
    "bounds": ["bounds", "--means", "0.75,0.5", "--epsilon", "1", "--horizon", "1e4"],
    "curve": ["bounds", "--means", "0.75,0.5", "--epsilon", "1", "--horizon", "1e4", "--curve", "epsilon"],
    "simulation": ["simulate", "ucb", "imed", *CELL, "--runs", "3"],
    "frontier": ["frontier", "adap-ucb", *CELL, "--epsilons", "1", "--runs", "3"],
}


def _guessed() -> object:
    rng = np.random.default_rng(0)
    included = rng.random(200) < 0.5
    return privcheck.one_run(rng.normal(included * 2.0), included, epsilon=1.0)


def _sampled() -> object:
    rng = np.random.default_rng(0)
    return privcheck.bound_from_samples(rng.laplace(0, 1, 2000), rng.laplace(1, 1, 2000), epsilon=1.0)


def _claimed() -> object:
    from privcheck.claims import Findings, kept_findings

    return Findings(kept_findings()[:2])


def _from_laws() -> object:
    from scipy import stats

    return privcheck.bound_from_laws(stats.laplace(0, 1), stats.laplace(1, 1), epsilon=1.0)


def _watched() -> object:
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder, "watch.sqlite")
        return privcheck.watch("rnm-ftnl-published", epsilon=1.0, store=store, nights=3)


LEAKY = """
class Greedy:
    def __init__(self, rng, arms, epsilon):
        self.rng, self.epsilon, self.arm = rng, epsilon, 0

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.arm = action if reward > 0.5 else 1 - action
"""


def _fixed() -> object:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "greedy.py")
        file.write_text(LEAKY, encoding="utf-8")
        return privcheck.fix(f"{file}:Greedy", epsilon=1.0, arms=2, rounds=300, time_budget=1.0)


SLOW = """
def add_noise(value, scale, rng):
    return value + rng.laplace(0.0, scale)


def fit(data, rng):
    return add_noise(data.sum(), 0.25, rng)
"""


def _steps() -> object:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "fit.py")
        file.write_text(SLOW, encoding="utf-8")
        return privcheck.steps(f"{file}:fit", epsilon=1.0, runs=2000, pairs=8)


CALLS: dict[str, Callable[[], object]] = {
    "one_run": _guessed,
    "sample_bound": _sampled,
    "law_bound": _from_laws,
    "claims": _claimed,
    "watch": _watched,
    "fix": _fixed,
    "steps": _steps,
}


def write(folder: Path) -> None:
    """Write the files, and say which kinds this version does not have."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, command in COMMANDS.items():
        file = folder / f"{name}.json"
        with suppress(SystemExit):
            main([*command, "--json", str(file)])
    for name, call in CALLS.items():
        try:
            (folder / f"{name}.json").write_text(call().to_json() + "\n", encoding="utf-8")
        except (AttributeError, ImportError) as error:
            print(f"{name}: {error}")  # noqa: T201
    simulation = privcheck.simulate(["ucb"], "c2", horizon=40, runs=2)
    if hasattr(simulation, "save"):
        simulation.save(folder / "simulation.npz")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
