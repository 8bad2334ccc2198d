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

LOSSES = (1.0, 1.1, 1.25, 1.5, 2.0)
"""True losses of the calls that are looked at with and without their law."""

RUNS = (400, 2000, 20_000)

FACTORS = (0.5, 0.8, 0.9, 0.95, 0.98, 1.0)
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


def main() -> None:
    """Parse the command line, do what is not in the file, print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=20)
    asked = parser.parse_args()
    done = json.loads(asked.json.read_text("utf-8")) if asked.json.exists() else {}
    spec = importlib.util.spec_from_file_location("slow_targets", FILE)
    assert spec is not None
    assert spec.loader is not None
    slow = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(slow)
    slow.waste = lambda _: None
    moved = [name for name in slow.FAULTY if name != "objective"]
    names = [*moved, *slow.HIDING]

    def once(key: str, target: Any, runs: int, seed: int, **options: Any) -> None:
        if f"{key}: {seed}" not in done:
            done[f"{key}: {seed}"] = looked(target, runs, seed, **options)
            asked.json.write_text(json.dumps(done, indent=1), encoding="utf-8")

    for seed in range(asked.seeds):
        for runs in RUNS:
            for loss in LOSSES:
                once(f"without {loss} {runs}", target_of(loss), runs, seed)
                once(f"law {loss} {runs}", target_of(loss), runs, seed, law=law_of(1.0))
            for factor in FACTORS:
                once(f"factor {factor} {runs}", target_of(1.0), runs, seed, law=law_of(factor))
        for name in names:
            once(f"released {name}", getattr(slow, name), 2000, seed, released="output")

    def rows(key: str) -> list[list[Any]]:
        return [row for name, row in done.items() if name.startswith(f"{key}: ")]

    def suspected(key: str) -> int:
        return sum(row[0] != "" for row in rows(key))

    print("loss | runs | suspected without a law | suspected with its law | its law rejected | CPU s without, with")
    for loss in LOSSES:
        for runs in RUNS:
            both = [f"{how} {loss} {runs}" for how in ("without", "law")]
            seconds = ", ".join(f"{np.median([row[3] for row in rows(key)]):.1f}" for key in both)
            rejected = sum(row[1] is False for row in rows(both[1]))
            print(loss, runs, *map(suspected, both), rejected, seconds, sep=" | ")
    print("\nscale of the law | rejected, " + ", ".join(map(str, RUNS)) + " runs | suspected")
    for factor in FACTORS:
        keys = [f"factor {factor} {runs}" for runs in RUNS]
        rejected = [sum(row[1] is False for row in rows(key)) for key in keys]
        print(factor, *rejected, [suspected(key) for key in keys], sep=" | ")
    print("\ntarget | suspected | release not refuted")
    for name in names:
        key = f"released {name}"
        print(name, suspected(key), sum(row[2] is True for row in rows(key)), sep=" | ")


if __name__ == "__main__":
    main()
