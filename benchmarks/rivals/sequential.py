"""Sequential auditors side by side: `python benchmarks/rivals/sequential.py [--seeds 20] [--out PAGE]`.

Runs per stream until a false claim is refuted, on one pair of inputs, with the seeds 0, 1, ... privcheck plays its own
runs, and all that it plays is counted; the other methods are shown pairs of outputs one after another.
"""

from __future__ import annotations

import argparse
import datetime as dt
import math
import platform
import statistics
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

sys.path.insert(0, str(Path(__file__).parent))
from kernel_bets import stopping

import privcheck
from privcheck.inference import SequentialTest

Array = npt.NDArray[Any]

ERROR, MOST, BLOCK = 0.05, 4000, 16
"""Error probability of the refutation, most runs per stream, and pairs between two looks at the known event."""


@dataclass(frozen=True)
class Case:
    """A mechanism on a pair of inputs: its true loss, a claim, and the event that shows most of it."""

    name: str
    truth: float
    claim: float
    mechanism: Callable[[Array, np.random.Generator, int], Array]
    event: Callable[[Array], Array]
    delta: float = 0.0


def laplace(truth: float) -> Callable[[Array, np.random.Generator, int], Array]:
    """Return the mechanism with Laplace noise of scale 1 / truth."""
    return lambda data, rng, runs: data.sum() + rng.laplace(scale=1.0 / truth, size=runs)


def gaussian(data: Array, rng: np.random.Generator, runs: int) -> Array:
    """Add unit Gaussian noise."""
    return np.asarray(data.sum() + rng.normal(size=runs))


def rare(data: Array, rng: np.random.Generator, runs: int) -> Array:
    """Tell the number with probability .1, and otherwise nothing."""
    return np.asarray((rng.random(runs) < 0.1) * data.sum())


CASES = [
    Case("Laplace", 1.0, 0.1, laplace(1.0), lambda out: out > 1.0),
    Case("Laplace", 2.0, 1.0, laplace(2.0), lambda out: out > 1.0),
    Case("Laplace", 4.0, 1.0, laplace(4.0), lambda out: out > 1.0),
    Case("Gaussian, delta 1e-5", 4.377, 1.0, gaussian, lambda out: out > 1.5, 1e-5),
    Case("rare answer", float("inf"), 1.0, rare, lambda out: out > 0.0),
    Case("Laplace, a true claim", 1.0, 1.0, laplace(1.0), lambda out: out > 1.0),
]
PAIR = np.ones(1), np.zeros(1)
METHODS = {
    "privcheck, `sequential=True`": "learns its events on runs that do not count, then bets; all that it "
    "plays: checks of the target, learning and bets",
    "of these, bets": "the runs on which it bet",
    "kernel bets (Gonzalez et al. 2025)": "learns its witness while it bets; tests total variation alone, so "
    "it sees no loss in rare events",
    "bets on the known event": "privcheck's bets on the event that is given in `sequential.py`: no user knows it",
}


def own(case: Case, seed: int) -> tuple[int | None, int | None]:
    """Return privcheck's runs per stream, all of them and those that it bet on."""
    played = [0]

    def mechanism(data: Array, rng: np.random.Generator, runs: int) -> Array:
        played[0] += runs
        return case.mechanism(data, rng, runs)

    report = privcheck.audit(
        mechanism,
        epsilon=case.claim,
        delta=case.delta,
        streams=PAIR,
        runs=MOST,
        sequential=True,
        error=ERROR,
        seed=seed,
    )
    return (played[0] // 2, report.counted_runs) if report.verdict == "violation" else (None, None)


def known(case: Case, first: Array, second: Array) -> int | None:
    """Return the pairs after which bets on the known event refute the claim."""
    test = SequentialTest(case.claim, case.delta)
    for start in range(0, len(first), BLOCK):
        test.update(case.event(first[start : start + BLOCK]), case.event(second[start : start + BLOCK]))
        if test.p_value <= ERROR:
            return test.pairs
    return None


def main() -> None:
    """Run all cases and print the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--out", type=Path, help="write the page there")
    arguments = parser.parse_args()
    rows = []
    for case in CASES:
        stops: dict[str, list[int | None]] = {name: [] for name in METHODS}
        for seed in range(arguments.seeds):
            rng = np.random.default_rng(seed)
            first, second = (case.mechanism(data, rng, MOST) for data in PAIR)
            found = *own(case, seed), stopping(first, second, case.claim, case.delta, ERROR), known(case, first, second)
            for name, stop in zip(stops, found, strict=True):
                stops[name].append(stop)
        print(case.name, case.claim, stops, file=sys.stderr)
        cells = " | ".join(cell(values) for values in stops.values())
        rows.append(f"| {case.name} | {case.truth:g} | {case.claim:g} | {cells} |")
    command = f"python benchmarks/rivals/sequential.py --seeds {arguments.seeds}"
    where = f"{dt.datetime.now(dt.UTC).date()}, Python {platform.python_version()}, privcheck {privcheck.__version__}"
    lines = [
        "# Sequential auditors side by side\n",
        f"Median runs per stream until a claim is refuted at level {ERROR:g}, and in how many of {arguments.seeds} "
        f"audits it was,\nwith at most {MOST:,} runs to learn and bet. Printed by "
        f"`{command}` on\n{where}; seeds 0, 1, ...\n",
        "| mechanism | truth | claim | " + " | ".join(METHODS) + " |",
        "|---" * (3 + len(METHODS)) + "|",
        *rows,
        "",
        *(f"- {name}: {what}." for name, what in METHODS.items()),
        "- The kernel bets are written from the paper in `benchmarks/rivals/kernel_bets.py`; we found no public code.",
        "- Not compared: Kutta, Dunsche, Wei and Zikas 2026 (arXiv 2602.06518), who audit f-DP sequentially.",
    ]
    text = "\n".join(lines) + "\n"
    print(text)
    if arguments.out:
        arguments.out.write_text(text, encoding="utf-8")


def cell(values: list[int | None]) -> str:
    """Return the median of the stops, and how many there are."""
    stopped = sum(value is not None for value in values)
    middle = statistics.median(math.inf if value is None else value for value in values)
    return f"{middle:,.0f} ({stopped})" if 2 * stopped > len(values) else f"none ({stopped})"


if __name__ == "__main__":
    main()
