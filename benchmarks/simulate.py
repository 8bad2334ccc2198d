"""Speed of the shipped algorithms: compiled kernels against the plain-Python references, measured in one run.

    python benchmarks/simulate.py [--repeats 5]

Single thread, K = 5, instance C2, epsilon = 1, 200 checkpoints. CPU times, medians over interleaved repeats.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from privcheck.bandits import ALGORITHMS
from privcheck.environments import environment
from privcheck.simulation.engine import compile_kernel, log_checkpoints, play_chunk

PLACE = environment("c2")
EVENT_HORIZON, EVENT_RUNS = 10**7, 10_000
STEP_HORIZON, STEP_RUNS = 10**6, 3
REFERENCE_SECONDS = 0.2

TARGETS = {
    "adap-ucb": "0.5 s", "adap-kl-ucb": "2 s", "dp-se": "0.1 s", "ucb": "15 M/s", "kl-ucb": "3 M/s", "dp-ucb": "10 M/s",
    "lazy-dp-ts": "2 M/s",
}  # fmt: skip


def timed(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def kernel_seconds(algorithm: Any) -> float:
    """Return seconds per run at the engine's horizon."""
    event = algorithm.simulation_engine == "event"
    horizon, runs = (EVENT_HORIZON, EVENT_RUNS) if event else (STEP_HORIZON, STEP_RUNS)
    return timed(lambda: play_chunk(algorithm, PLACE, log_checkpoints(horizon, 200), runs, 0, ())) / runs


def reference_rate(algorithm: Any) -> float:
    """Return steps per second of the reference policy, rewards being drawn beforehand."""
    rng = np.random.default_rng(0)
    table = PLACE.table(rng, 200_000)
    rows: list[Any] = list(table) if algorithm.feedback == "full" else table.tolist()
    policy: Any = algorithm.build(rng)
    steps, started = 0, time.process_time()
    while (elapsed := time.process_time() - started) < REFERENCE_SECONDS:
        start = steps % len(rows)
        for row in rows[start : start + 500]:
            arm = policy.select()
            policy.update(arm, row if algorithm.feedback == "full" else row[arm])
        steps += 500
    return steps / elapsed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    algorithms: list[Any] = []
    for name in ALGORITHMS:
        cls: Any = ALGORITHMS[name]
        values = {"arms": PLACE.arms, "epsilon": 1.0, "horizon": EVENT_HORIZON}
        algorithms.append(cls(**{name: value for name, value in values.items() if cls.declares(name)}))
    for algorithm in algorithms:
        compile_kernel(algorithm, PLACE)
    seconds: dict[str, list[float]] = {algorithm.id: [] for algorithm in algorithms}
    rates: dict[str, list[float]] = {algorithm.id: [] for algorithm in algorithms}
    for _ in range(repeats):
        for algorithm in algorithms:
            seconds[algorithm.id].append(kernel_seconds(algorithm))
            rates[algorithm.id].append(reference_rate(algorithm))

    table = Table(title=f"C2 (K = 5), epsilon = 1, one thread, CPU time, medians of {repeats} repeats")
    for column in (
        "algorithm",
        "engine",
        "horizon",
        "per run",
        "10,000 runs",
        "M steps/s",
        "reference M steps/s",
        "ratio",
    ):
        table.add_column(column, justify="left" if column in ("algorithm", "engine") else "right")
    table.add_column("target")
    for algorithm in algorithms:
        event = algorithm.simulation_engine == "event"
        horizon = EVENT_HORIZON if event else STEP_HORIZON
        run, reference = statistics.median(seconds[algorithm.id]), statistics.median(rates[algorithm.id])
        per_run = f"{run * 1e6:.1f} us" if event else f"{run * 1e3:.0f} ms"
        batch = f"{run * 1e4:.2f} s" if event else ""
        speed = horizon / run
        table.add_row(
            algorithm.id, algorithm.simulation_engine, f"{horizon:.0e}".replace("e+0", "e"), per_run, batch,
            f"{speed / 1e6:,.1f}", f"{reference / 1e6:.4f}", f"{speed / reference:,.0f}", TARGETS.get(algorithm.id, ""),
        )  # fmt: skip
    Console(width=130).print(table)


if __name__ == "__main__":
    main()
