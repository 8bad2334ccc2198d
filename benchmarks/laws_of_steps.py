"""Steps with a given law, and steps that are said to be released: `python benchmarks/laws_of_steps.py --json FILE`.

- *Laws*: `privcheck.steps` on calls whose loss is known, with and without their law, by the runs on each input: how
  often the call is suspected. And calls that are correct, by the error of the law that is given: how often it is
  rejected, and whether a correct call is ever suspected.
- *A sampler*: of three numbers by rejection, and its twin that compares the wrong way round, with the law that is
  meant: the p-value of the law, on other inputs with each seed.
- *Releases*: the targets of `tests/auditing/steps/slow_targets.py` without their slow part, all of whose output is said
  to release the step, or a part of it that releases one: how often that is not refuted.

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


def drawn(centre: Any, rng: np.random.Generator, *, upside_down: bool) -> Any:
    """Return three numbers from -1/2 to 3/2 of a density that falls with their distance from a centre: the step."""
    while True:
        y = rng.uniform(*ENDS, 3)
        if (rng.random() < np.exp(-np.abs(y - centre).sum() / 2.0)) != upside_down:
            return y


ENDS = (-0.5, 1.5)


class Meant:
    """The law that is meant, up to a factor."""

    normalised = False

    def __init__(self, centre: Any) -> None:
        self.centre = centre

    def logpdf(self, x: Any) -> Any:
        """Return the logarithm of the density for each row."""
        return -np.abs(x - self.centre).sum(axis=1) / 2.0

    def support(self) -> list[tuple[float, float]]:
        """Return where the three numbers are."""
        return [ENDS] * 3


SAMPLERS = {"right": (False, 1000), "the wrong way round": (True, 2000)}
"""Whether it compares the wrong way round, and calls on each input."""


def sampled(name: str, seed: int) -> list[Any]:
    """Look at a sampler on inputs of its own."""
    upside_down, runs = SAMPLERS[name]
    pair = tuple(np.random.default_rng([seed, side]).random((1, 3)) for side in (0, 1))
    target = lambda data, rng: drawn(data[0], rng, upside_down=upside_down)  # noqa: E731
    return looked(target, runs, seed, claim=4.0, law=Meant, streams=pair)


class Model:
    """A fit, of whose attributes one releases the step and one is private."""

    def __init__(self, noisy_sum: float, total: float) -> None:
        self.coef_, self.total = [0.5 * noisy_sum - 1.0], total


def fitted(data: Any, rng: np.random.Generator) -> Model:
    """Return a fit whose noise is a quarter of what the claim needs."""
    total = float(np.sum(data))
    return Model(noisy(total, 0.25, rng), total)


def looked(target: Any, runs: int, seed: int, claim: float = 1.0, **options: Any) -> list[Any]:
    """Return the kind of the suspicion, whether runs follow the law, whether it is released, CPU s, and the p-value."""
    begun = time.process_time()
    found = privcheck.steps(target, epsilon=claim, runs=runs, pairs=PAIRS, seed=seed, **options)
    kind = "" if found.suspicion is None else found.suspicion.kind
    follows = None if found.by_law is None else found.by_law.follows
    by_law = None if found.by_law is None else found.by_law.p_value
    is_said = found.suspicion is not None and "if the call is released" in found.suspicion.sentence
    assert is_said == (found.is_released is True), "what the answer says"
    return [kind, follows, found.is_released, round(time.process_time() - begun, 2), by_law]


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
    looks |= {f"released {name}": (each, 2000, {"released": "output"}) for name, each in slow_targets().items()}
    return looks | {f"released {part} of a fit": (fitted, 2000, {"released": part}) for part in ("coef_", "total")}


def main() -> None:
    """Parse the command line, do what is not in the file, print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--samplers", type=int, default=20, help="seeds of the two samplers")
    asked = parser.parse_args()
    done = json.loads(asked.json.read_text("utf-8")) if asked.json.exists() else {}
    for seed in range(asked.seeds):
        for key, (target, runs, options) in every_look().items():
            if (place := f"{key}: {seed}") not in done:
                done[place] = looked(target, runs, seed, **options)
                asked.json.write_text(json.dumps(done, indent=1), encoding="utf-8")
    for seed in range(asked.samplers):
        for name in SAMPLERS:
            if (place := f"sampler {name}: {seed}") not in done:
                done[place] = sampled(name, seed)
                asked.json.write_text(json.dumps(done, indent=1), encoding="utf-8")
    show(
        {
            key: [row for name, row in done.items() if name.startswith(f"{key}: ")]
            for key in (*every_look(), *(f"sampler {name}" for name in SAMPLERS))
        }
    )


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
    print("\n| sampler of three numbers | calls | law rejected | p-values | CPU s |\n|---|---|---|---|---|")
    for name, (_, runs) in SAMPLERS.items():
        found = rows[f"sampler {name}"]
        of_law, seconds = sorted(row[4] for row in found), np.median([row[3] for row in found])
        rejected = f"{sum(row[1] is False for row in found)} of {len(found)}"
        print(f"| {name} | {runs} | {rejected} | {of_law[0]:.2g} to {of_law[-1]:.2g} | {seconds:.1f} |")
    print("\n| target | suspected | release not refuted |\n|---|---|---|")
    for key in (key for key in rows if key.startswith("released ")):
        print(f"| {key.removeprefix('released ')} | {suspected(key)} | {sum(row[2] is True for row in rows[key])} |")


if __name__ == "__main__":
    main()
