"""Errors of private prefix sums, and the speed of their mechanisms: `python benchmarks/prefix_errors.py [--runs 200]`.

The first table has the root mean square error of the prefix sums 1, ..., T of a stream whose items have sensitivity 1,
from the exact variance and from simulated runs: at epsilon 1 for Laplace noise, at (1, 1e-6) for Gaussian noise. The
second has the CPU time of a draw in batches against OpenDP's vector Laplace mechanism, the third that of a step in
compiled code. Both tables are in Markdown; `--write FILE` writes them to a file.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit
from scipy.optimize import brentq

from privcheck.accounting._gaussian_profile import log_delta
from privcheck.bandits.tree_sums import next_level, prefix_noise_at
from privcheck.mechanisms import BinaryTree, FactorisedStream, GaussianTree, HybridTree, KaryTree, Laplace

HORIZONS = (64, 1024, 16384)
EPSILON, DELTA = 1.0, 1e-6
MU = float(brentq(lambda mu: log_delta(EPSILON, mu) - math.log(DELTA), 0.01, 10.0))

PURE = {"sensitivity": 1.0, "epsilon": EPSILON}
GAUSSIAN = {"sensitivity": 1.0, "mu": MU}
MECHANISMS: dict[str, Callable[[int], Any]] = {
    "binary tree": lambda horizon: BinaryTree(horizon=horizon, **PURE),
    "k-ary tree": lambda horizon: KaryTree(horizon=horizon, **PURE),
    "hybrid tree, unknown horizon": lambda horizon: HybridTree(**PURE),  # noqa: ARG005
    "Gaussian tree, binary": lambda horizon: GaussianTree(horizon=horizon, degree=2, **GAUSSIAN),
    "Gaussian tree, k-ary": lambda horizon: GaussianTree(horizon=horizon, **GAUSSIAN),
    "square root": lambda horizon: FactorisedStream(horizon=horizon, **GAUSSIAN),
    "square root, T / 4 coefficients": lambda horizon: FactorisedStream(
        horizon=horizon, bandwidth=horizon // 4, **GAUSSIAN
    ),
}


def simulated(mechanism: Any, horizon: int, runs: int) -> tuple[float, float]:
    """Return the root mean square error in simulated runs and its standard error."""
    items = np.random.default_rng(0).random(horizon)
    noise = mechanism.release_batch(items, np.random.default_rng(1), runs) - np.cumsum(items)
    squares = np.mean(noise**2, axis=1)
    error = math.sqrt(np.mean(squares))
    return error, float(np.std(squares)) / math.sqrt(runs) / (2.0 * error)


def errors_table(runs: int) -> list[str]:
    head = [f"T = {horizon}: exact | simulated | degree" for horizon in HORIZONS]
    lines = [f"| mechanism | {' | '.join(head)} |", "|---" + "|---:" * (3 * len(HORIZONS)) + "|"]
    for name, build in MECHANISMS.items():
        cells = [name]
        for horizon in HORIZONS:
            mechanism = build(horizon)
            error, uncertainty = simulated(mechanism, horizon, runs)
            exact = math.sqrt(mechanism.variances(horizon).mean())
            degree = getattr(mechanism, "degree", "")
            cells += [f"{exact:.2f}", f"{error:.2f} ± {uncertainty:.2f}", f"{degree}"]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def seconds(work: Callable[[], object], repeats: int) -> float:
    """Return the least CPU time of a few calls, after one that compiles and fills caches."""
    work()
    found = []
    for _ in range(repeats):
        started = time.process_time()
        work()
        found.append(time.process_time() - started)
    return min(found)


def speed_table(repeats: int, draws: int = 400_000) -> list[str]:
    laplace, values = Laplace.with_scale(1.5), np.zeros(2000)
    secure = seconds(lambda: laplace.draw(values, None, secure=True), repeats) / len(values)
    lines = [
        f"OpenDP's vector Laplace mechanism: {secure * 1e6:.1f} us a draw.",
        "",
        "| mechanism | T | ns a draw, in batches | times faster |",
        "|---|---:|---:|---:|",
    ]
    rng = np.random.default_rng(0)
    for name, build in MECHANISMS.items():
        for horizon in HORIZONS[:2]:
            mechanism, items, runs = build(horizon), np.zeros(horizon), draws // horizon
            taken = seconds(lambda: mechanism.release_batch(items, rng, runs), repeats) / (runs * horizon)  # noqa: B023
            lines.append(f"| {name} | {horizon} | {taken * 1e9:.1f} | {secure / taken:.0f} |")
    return lines


@njit(cache=False)  # type: ignore[untyped-decorator]
def _streamed(steps: int, degree: int, scale: float, rng: np.random.Generator) -> float:
    stack, digits, total = np.zeros(64), np.zeros(64, np.int64), 0.0
    for _ in range(steps):
        total += prefix_noise_at(stack, next_level(digits, degree), rng.laplace(0.0, scale))
    return total


def streaming_lines(repeats: int, steps: int = 4_000_000) -> list[str]:
    rng = np.random.default_rng(0)
    return [
        f"One step of a tree of degree {degree} in compiled code: "
        f"{steps / seconds(lambda: _streamed(steps, degree, 1.0, rng), repeats) / 1e6:.0f} M/s"  # noqa: B023
        for degree in (2, 16)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    parts = [errors_table(options.runs), speed_table(options.repeats), streaming_lines(options.repeats)]
    text = "\n\n".join("\n".join(part) for part in parts) + "\n"
    print(text, end="")
    if options.write:
        options.write.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
