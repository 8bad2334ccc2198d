"""The speed of the theory: `python benchmarks/theory.py`."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np
from rich.console import Console
from rich.table import Table

from privcheck import bounds
from privcheck.bounds.jourdan_azize_2025.characteristic_time import _characteristic_time as remembered


def main() -> None:
    """Time each quantity, as the median of several calls, and print a table of CPU and wall-clock times."""
    rng = np.random.default_rng(0)
    law = bounds.FiniteLaw.empirical(0.8 * rng.beta(0.5, 0.5, 100_000))
    unit, gaussian, poisson = bounds.family("bounded"), bounds.family("gaussian"), bounds.family("poisson")
    means = rng.uniform(0, 1, (100_000, 5))
    fig3 = bounds.named_instance("fig3", epsilon=1.0)
    thousand = np.append(rng.uniform(0.1, 0.8, 999), 0.85)
    identify = bounds.named_instance("ja25-mu1", epsilon=1.0, risk=0.01, horizon=10**6)
    normal = bounds.Instance("gaussian", (1.0, 0.8, 0.8, 0.5, 0.0), epsilon=1.0, risk=0.01, horizon=10**6)
    table = Table("what", "CPU ms", "wall ms")
    for name, call in {
        "d_inf on [0, 1], 1e5 atoms, gap 1e-3": lambda: unit.d_inf(law, law.mean + 1e-3),
        "d_inf on [0, 1], 1e5 atoms, gap 1e-6": lambda: unit.d_inf(law, law.mean + 1e-6),
        "d_epsilon_inf on [0, 1], 1e5 atoms": lambda: unit.d_epsilon_inf(law, law.mean + 0.01, 0.1),
        "d_epsilon, Gaussian": lambda: gaussian.d_epsilon(0.0, 1.0, 0.5),
        "d_epsilon, Poisson": lambda: poisson.d_epsilon(3.0, 5.0, 0.5),
        "sweep of 1e5 Bernoulli instances with 5 arms": lambda: bounds.sweep(means, 0.5, horizon=1e6),
        "evaluate everything on one instance": lambda: bounds.evaluate(fig3),
        "T*, 1000 Bernoulli arms": lambda: forgotten(lambda: bounds.characteristic_time("bernoulli", thousand, 0.5)),
        "T*, 1000 Gaussian arms": lambda: forgotten(lambda: bounds.characteristic_time("gaussian", thousand, 0.5)),
        "curve of 61 budgets with T*, 5 Bernoulli arms": lambda: forgotten(lambda: bounds.curve(identify, "epsilon")),
        "curve of 61 budgets with T*, 5 Gaussian arms": lambda: forgotten(lambda: bounds.curve(normal, "epsilon")),
    }.items():
        table.add_row(name, *(f"{duration:.2f}" for duration in median_ms(call)))
    Console().print(table)


def forgotten(call: Callable[[], object]) -> object:
    """Call without the characteristic times cached by earlier calls."""
    remembered.cache_clear()
    return call()


def median_ms(call: Callable[[], object], repetitions: int = 7) -> tuple[float, float]:
    """Return the median duration of a call in milliseconds, in CPU time and in wall-clock time."""
    call()
    clocks = (time.process_time, time.perf_counter)
    durations = []
    for _ in range(repetitions):
        start = [clock() for clock in clocks]
        call()
        durations.append([clock() - then for clock, then in zip(clocks, start, strict=True)])
    cpu, wall = (1e3 * statistics.median(column) for column in zip(*durations, strict=True))
    return cpu, wall


if __name__ == "__main__":
    main()
