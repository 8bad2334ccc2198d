"""Speed of the shipped algorithms: compiled kernels against the plain-Python references, measured in one run.

    python benchmarks/simulate.py [--repeats 5]

Single thread, K = 5, instance C2, epsilon = 1, 200 checkpoints. CPU times, medians over interleaved repeats. Two more
tables show the cost of other laws of rewards, and for two jobs the gain in wall-clock time, which is meaningful only on
an idle machine, and the cost in CPU time: 1 means that sharing the work costs nothing.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from privcheck.bandits import ALGORITHMS
from privcheck.environments import Beta, FiniteSupport, Gaussian, TruncatedGaussian, TwoPoint, environment
from privcheck.simulation import simulate
from privcheck.simulation._engine import compile_kernel, engine_of, log_checkpoints, play_chunk

PLACE = environment("c2")
EVENT_HORIZON, EVENT_RUNS = 10**7, 10_000
STEP_HORIZON, STEP_RUNS = 10**6, 3
REFERENCE_SECONDS = 0.2
"""CPU seconds for which each reference policy is timed in every repeat."""

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
    """Return steps per second of the reference policy, on rewards drawn in advance."""
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


def laws_table(repeats: int) -> Table:
    """Return the cost of a run of AdaP-UCB and of UCB1 for each kind of arm, all with the means of C2."""
    means = PLACE.means
    support = (0.0, 0.5, 1.0)
    places = [
        PLACE, TwoPoint(means, 0.1, 0.9), FiniteSupport(support, tuple((0.9 - m, 0.2, m - 0.1) for m in means)),
        Beta(means), TruncatedGaussian(means), Gaussian(means, outside="clip"),
    ]  # fmt: skip
    table = Table(title=f"AdaP-UCB, T = {STEP_HORIZON:g}, and UCB1: one thread, CPU time, medians of {repeats} repeats")
    for column in ("arms", "engine", "AdaP-UCB per run", "UCB1 M steps/s"):
        table.add_column(column, justify="left" if column in ("arms", "engine") else "right")
    for place in places:
        cells = [place.id, ""]
        for name, runs in (("adap-ucb", 20), ("ucb", 2)):
            algorithm = made(name)
            compile_kernel(algorithm, place)
            rounds = log_checkpoints(STEP_HORIZON, 200)
            work = [timed(lambda: play_chunk(algorithm, place, rounds, runs, 0, ())) / runs for _ in range(repeats)]  # noqa: B023
            seconds = statistics.median(work)
            cells.append(f"{seconds * 1e6:,.0f} us" if name == "adap-ucb" else f"{STEP_HORIZON / seconds / 1e6:.1f}")
            cells[1] = cells[1] or engine_of(algorithm, place)
        table.add_row(*cells)
    return table


def jobs_table(repeats: int) -> Table:
    """Return the wall-clock times with one job and with two, and the cost of two in CPU time."""
    title = (
        f"jobs: wall-clock seconds, medians of {repeats} pairs; {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    )
    table = Table(title=title)
    for column in ("algorithm", "horizon", "runs", "jobs = 1", "jobs = 2", "speed-up", "best", "CPU time, 2 / 1"):
        table.add_column(column, justify="left" if column == "algorithm" else "right")
    for name, horizon, runs in (("ucb", 10**6, 200), ("lazy-dp-ts", 10**6, 20), ("adap-kl-ucb", 10**7, 20_000)):
        algorithm = made(name)
        wall: dict[int, list[float]] = {1: [], 2: []}
        cpu: dict[int, list[float]] = {1: [], 2: []}
        for _ in range(repeats):
            for jobs in wall:
                started = time.process_time()
                result = simulate(algorithm, PLACE, horizon=horizon, runs=runs, jobs=jobs).results[0]
                cpu[jobs].append(time.process_time() - started)
                wall[jobs].append(result.seconds)
        pairs = [one / two for one, two in zip(wall[1], wall[2], strict=True)]
        cost = statistics.median(two / one for one, two in zip(cpu[1], cpu[2], strict=True))
        times = [f"{statistics.median(wall[jobs]):.2f}" for jobs in wall]
        cells = [name, f"{horizon:g}", f"{runs:,}", *times, f"{statistics.median(pairs):.2f}", f"{max(pairs):.2f}"]
        table.add_row(*cells, f"{cost:.2f}")
    return table


def made(name: str) -> Any:
    """Return a shipped algorithm for C2 with epsilon = 1."""
    cls: Any = ALGORITHMS[name]
    values = {"arms": PLACE.arms, "epsilon": 1.0, "horizon": EVENT_HORIZON}
    return cls(**{key: value for key, value in values.items() if cls.declares(key)})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    algorithms = [made(name) for name in ALGORITHMS if ALGORITHMS[name].feedback in ("bandit", "full")]
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
    console = Console(width=130)
    console.print(table)
    console.print(laws_table(repeats))
    console.print(jobs_table(repeats))


if __name__ == "__main__":
    main()
