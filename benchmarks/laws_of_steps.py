"""Steps with a given law, and steps that are said to be released: `python benchmarks/laws_of_steps.py --json FILE`.

- *Laws*: `privcheck.steps` on calls whose loss is known, with and without their law, by the runs on each input: how
  often the call is suspected. And calls that are correct, by the error of the law that is given: how often it is
  rejected, and whether a correct call is ever suspected.
- *Releases*: the targets of `tests/auditing/steps/slow_targets.py` without their slow part, all of whose output is said
  to release the step: how often that is not refuted.

The claim is epsilon = 1. The file is written after each look, and what is in it is not done again.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

import privcheck

FILE = Path(__file__).parents[1] / "tests" / "auditing" / "steps" / "slow_targets.py"

LOSSES = (1.0, 1.1, 1.25, 1.5)
"""True losses of the calls that are looked at with and without their law."""

RUNS = (400, 4000)

FACTORS = (0.5, 0.8, 0.9, 0.95, 1.0)
"""Scales of the given law, for noise of scale 1."""

PAIRS = 8


def noisy(value: float, scale: float, rng: np.random.Generator) -> float:
    """Return a value with Laplace noise: the step."""
    return float(value + rng.laplace(0.0, scale))


def target_of(loss: float) -> Callable[..., float]:
    """Return a target that adds noise to a sum, with a loss."""
    return lambda data, rng: noisy(float(np.sum(data)), 1.0 / loss, rng)


def law_of(factor: float) -> Callable[..., Any]:
    """Return a law of the step, whose scale is a factor too large."""
    return lambda value, scale: stats.laplace(value, factor * scale)


def looked(target: Any, runs: int, seed: int, **options: Any) -> list[Any]:
    """Return whether a step is suspected, of what kind, whether runs follow the law, and the processor time."""
    begun = time.process_time()
    found = privcheck.steps(target, epsilon=1.0, runs=runs, pairs=PAIRS, seed=seed, **options)
    kind = "" if found.suspicion is None else found.suspicion.kind
    follows = None if found.by_law is None else found.by_law.follows
    return [kind, follows, found.is_released, round(time.process_time() - begun, 2)]


def slow_targets() -> dict[str, Any]:
    """Return the slow targets whose step moves, without what makes them slow."""
    spec = importlib.util.spec_from_file_location("slow_targets", FILE)
    assert spec is not None
    assert spec.loader is not None
    slow = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(slow)
    slow.waste = lambda _: None
    moved = [name for name in slow.FAULTY if name != "objective"]
    return {name: getattr(slow, name) for name in (*moved, *slow.HIDING)}


def every_look() -> dict[str, tuple[Any, int, dict[str, Any]]]:
    """Return what is looked at, by a key: the target, the runs of the call and the options."""
    looks: dict[str, tuple[Any, int, dict[str, Any]]] = {}
    for runs in RUNS:
        for loss in LOSSES:
            looks[f"without {loss} {runs}"] = target_of(loss), runs, {}
            looks[f"law {loss} {runs}"] = target_of(loss), runs, {"law": law_of(1.0)}
        for factor in FACTORS:
            looks[f"factor {factor} {runs}"] = target_of(1.0), runs, {"law": law_of(factor)}
    return looks | {f"released {name}": (each, 2000, {"released": "output"}) for name, each in slow_targets().items()}


def main() -> None:
    """Parse the command line, do what is not in the file, print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=10)
    asked = parser.parse_args()
    done = json.loads(asked.json.read_text("utf-8")) if asked.json.exists() else {}
    for seed in range(asked.seeds):
        for key, (target, runs, options) in every_look().items():
            if (place := f"{key}: {seed}") not in done:
                done[place] = looked(target, runs, seed, **options)
                asked.json.write_text(json.dumps(done, indent=1), encoding="utf-8")
    show({key: [row for name, row in done.items() if name.startswith(f"{key}: ")] for key in every_look()})


def show(rows: dict[str, list[list[Any]]]) -> None:
    """Print the tables."""

    def suspected(key: str) -> int:
        return sum(row[0] != "" for row in rows[key])

    print("| loss | runs | suspected without a law | suspected with its law | its law rejected | CPU s without, with |")
    print("|---|---|---|---|---|---|")
    for loss in LOSSES:
        for runs in RUNS:
            both = [f"{how} {loss} {runs}" for how in ("without", "law")]
            seconds = ", ".join(f"{np.median([row[3] for row in rows[key]]):.1f}" for key in both)
            rejected = sum(row[1] is False for row in rows[both[1]])
            print(f"| {loss} | {runs} | {suspected(both[0])} | {suspected(both[1])} | {rejected} | {seconds} |")
    print("\n| scale of the law | runs | law rejected | correct call suspected |\n|---|---|---|---|")
    for factor in FACTORS:
        for runs in RUNS:
            key = f"factor {factor} {runs}"
            print(f"| {factor} | {runs} | {sum(row[1] is False for row in rows[key])} | {suspected(key)} |")
    print("\n| target | suspected | release not refuted |\n|---|---|---|")
    for name in slow_targets():
        key = f"released {name}"
        print(f"| {name} | {suspected(key)} | {sum(row[2] is True for row in rows[key])} |")


if __name__ == "__main__":
    main()
