"""Stopping times and error rates of docs/evidence/identification-measured.md; `--runs` of each policy, seed 0.

`python benchmarks/identification.py` takes about six minutes on one core, and as long again with `--grid`, which
compares dp-exact-tt with dp-se-bai from very high to hardly any privacy. `--only` names the policies of the tables;
`--instances` and `--budgets` choose cells of the grid.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from privcheck import identify
from privcheck.bandits import ALGORITHMS

INSTANCES = {"mu1": (0.95, 0.9, 0.9, 0.9, 0.5), "mu2": (0.75, 0.7, 0.7, 0.7, 0.7)}
POLICIES: list[tuple[str, dict[str, Any]]] = [
    ("top-two", {}),
    ("dp-se-bai", {}),
    ("dp-tt", {}),
    ("dp-tt", {"exploration": "none"}),
    ("adap-tt", {}),
    ("adap-tt", {"statistic": "bounded"}),
    ("adap-tt", {"threshold": "experimental"}),
    ("dp-exact-tt", {}),
]
ERRORS: list[tuple[str, dict[str, Any], tuple[float, ...], float, float]] = [
    ("top-two", {}, (0.6, 0.5, 0.5), 0.0, 0.1),
    ("dp-exact-tt", {}, (0.6, 0.5, 0.5), 0.3, 0.1),
    ("dp-se-bai", {}, (0.6, 0.5, 0.5), 0.3, 0.1),
    ("dp-tt", {}, (0.6, 0.5, 0.5), 0.3, 0.1),
    ("adap-tt", {}, (0.6, 0.5, 0.5), 0.3, 0.1),
    ("adap-tt", {"statistic": "bounded"}, (0.6, 0.5, 0.5), 0.3, 0.1),
    ("dp-exact-tt", {}, (0.6, 0.4), 0.003, 0.3),
    ("dp-exact-tt", {}, (0.52, 0.48), 4.0, 0.3),
    ("dp-exact-tt", {}, (0.5, 0.4, 0.4, 0.4, 0.4), 0.001, 0.3),
    ("adap-tt", {"threshold": "experimental"}, (0.6, 0.4), 0.001, 0.3),
    ("adap-tt", {"threshold": "experimental", "statistic": "bounded"}, (0.6, 0.4), 0.001, 0.3),
    ("adap-tt", {"statistic": "bounded"}, (0.6, 0.4), 0.001, 0.3),
]
"""(0.6, 0.4) is for a noise that dominates: this is where a threshold has to cover repeated tests."""

GRID: dict[str, tuple[float, ...]] = {
    "(.6, .4)": (0.6, 0.4),
    "(.59, .41)": (0.59, 0.41),
    "(.6, .4 x 4)": (0.6, 0.4, 0.4, 0.4, 0.4),
    "mu1": INSTANCES["mu1"],
}
BUDGETS = (0.001, 0.01, 0.1, 1.0, 10.0)
DELTAS = (0.1, 0.01)
"""On the first three instances most runs of dp-se-bai end after its first epoch, the best that it can do."""


def grid(runs: int, instances: Sequence[str], budgets: Sequence[float]) -> None:
    """Print the mean stopping times of dp-exact-tt and dp-se-bai on these instances and budgets, at every delta."""
    print("| instance | epsilon | delta | dp-exact-tt | dp-se-bai | wrong | ratio |")
    for label in instances:
        means = GRID[label]
        for epsilon in budgets:
            found = []
            for name in ("dp-exact-tt", "dp-se-bai"):
                spec = ALGORITHMS[name](arms=len(means), epsilon=epsilon)
                deltas = [[delta] for delta in DELTAS] if spec.reads_delta else [list(DELTAS)]
                for some in deltas:
                    found += identify(spec, means, horizon=10**10, delta=some, runs=runs).summary()
            for i, delta in enumerate(DELTAS):
                ours, other = found[i], found[i + len(DELTAS)]
                times = " | ".join(f"{f['mean']:.0f} +- {f['se']:.0f}" for f in (ours, other))
                wrong = " and ".join(str(round(f["error_rate"] * runs)) for f in (ours, other))
                ratio = ours["mean"] / other["mean"]
                print(f"| {label} | {epsilon:g} | {delta:g} | {times} | {wrong} | {ratio:.3f} |", flush=True)


def row(name: str, options: dict[str, Any], means: tuple[float, ...], epsilon: float, delta: float, runs: int) -> str:
    values = options | {"epsilon": epsilon} if ALGORITHMS[name].declares("epsilon") else options
    spec = ALGORITHMS[name](arms=len(means), **values)
    (found,) = identify(
        spec, means, horizon=10**8 if "exploration" not in options else 10**6, delta=delta, runs=runs
    ).summary()
    mean = "-" if found["mean"] is None else f"{found['mean']:.0f} +- {found['se']:.0f}"
    choice = "".join(f", {value}" for value in options.values())
    wrong = f"{found['error_rate']:.3%} | {found['error_low']:.2g} to {found['error_high']:.2g}"
    return f"{name}{choice} | {mean} | {found['median']:.0f} | {found['q95']:.0f} | {found['cut']:.1%} | {wrong}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--error-runs", type=int, default=2000)
    parser.add_argument("--grid", action="store_true", help="only compare dp-exact-tt with dp-se-bai on a grid")
    parser.add_argument("--instances", nargs="+", default=list(GRID), choices=list(GRID))
    parser.add_argument("--budgets", nargs="+", type=float, default=list(BUDGETS))
    parser.add_argument("--only", nargs="+", default=sorted({name for name, _ in POLICIES}))
    given = parser.parse_args()
    if given.grid:
        grid(given.runs, given.instances, given.budgets)
        raise SystemExit
    print("| instance | epsilon | policy | mean +- se | median | 95 % | cut | wrong | its 95 % interval |")
    for label, options in POLICIES:
        if label not in given.only:
            continue
        for instance, means in INSTANCES.items():
            for epsilon in (0.1, 1.0) if label != "top-two" else (0.0,):
                print(
                    f"| {instance} | {epsilon:g} | {row(label, options, means, epsilon, 0.01, given.runs)} |",
                    flush=True,
                )
    for label, options, means, epsilon, delta in ERRORS:
        runs = given.error_runs
        if label not in given.only:
            continue
        print(
            f"| {means} delta {delta} | {epsilon:g} | {row(label, options, means, epsilon, delta, runs)} |", flush=True
        )
