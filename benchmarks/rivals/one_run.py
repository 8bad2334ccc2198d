"""Auditors of one run with canaries, side by side: `python benchmarks/rivals/one_run.py [--large] [--out PAGE]`.

Every tool is installed as by `python benchmarks/rivals`, and gets the same scores and coins. The mechanisms and their
true losses are in canaries.py; run number r of a mechanism has the seed r.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from canaries import DELTA, Canaries, mechanisms, noise
from environments import ALONE, DRIVERS, LEVEL, install, python_of
from tools import Method, Tool

import privcheck

SIZES = {1000: 1000, 10_000: 5, 100_000: 3}
"""Numbers of canaries, and how often each mechanism is run with so many."""

FEWER = 5
"""Repetitions of the methods that are slow, with the fewest canaries; with more they are not run."""

SCORES = "scores and coins"
FROM_OUTPUT = "no proof: the number of guesses depends on the output"
ON_COUNTED = "no: the threshold is chosen on the counted canaries"
TOOLS = [
    Tool(
        "jax_privacy 2.0.0",
        ("jax-privacy==2.0.0",),
        "jax_privacy_one_run.py",
        (
            Method("split", SCORES, "yes, for pure epsilon: the threshold is chosen on one half", True),
            Method("many splits", SCORES, "yes, for pure epsilon: a median over 100 splits", True, slow=True),
            Method("Bonferroni", SCORES, "no proof: the divisor counts the thresholds on a hull of the scores", False),
            Method("Gaussian, split", SCORES, f"{FROM_OUTPUT}; Gaussian trade-offs only", False, slow=True),
            Method("Gaussian, Bonferroni", SCORES, "as without Gaussian; Gaussian trade-offs only", False, slow=True),
        ),
    ),
    Tool(
        "opake-auditing 0.16.1",
        ("opake-auditing==0.16.1",),
        "opake_one_run.py",
        (
            Method("order statistics", SCORES, ON_COUNTED, False),
            Method("Gaussian fit", SCORES, f"{ON_COUNTED}; Gaussian trade-offs only", False, slow=True),
        ),
        large=True,
    ),
]
OWN = {
    "one_run": Method("one_run", SCORES, "yes: docs/evidence/one-run-bounds.md has the proofs", True),
    "one_run, if Gaussian": Method("", SCORES, "for Gaussian trade-offs, whatever the dependence", False),
    "one_run, if Gaussian and independent": Method("", SCORES, "for Gaussian trade-offs and independent scores", False),
}
Lowers = dict[tuple[str, str], list[float]]


def main() -> None:
    """Install, run, print the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path("out/rivals"), help="environments and samples")
    parser.add_argument("--large", action="store_true", help="install tools that take gigabytes, too")
    parser.add_argument("--share", type=float, default=1.0, help="of the repetitions, for a quick look")
    parser.add_argument("--sizes", type=int, nargs="*", default=list(SIZES), help="numbers of canaries to run now")
    parser.add_argument("--out", type=Path, help="write the page there")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    tools = [tool for tool in TOOLS if arguments.large or not tool.large]
    for tool in tools:
        why = install(tool, arguments.folder)
        if why:
            sys.exit(f"{tool.name}: {why}")
    compared = [*mechanisms(), noise()]
    for size in arguments.sizes:
        for number, mechanism in enumerate(compared):
            record = arguments.folder / f"one-run-{size}-{number}.json"
            if record.exists():  # what an earlier call has found is not run again
                continue
            print(f"{mechanism.name}, {size} canaries", file=sys.stderr)
            repetitions = max(2, round(SIZES[size] * arguments.share))
            found = bounds(mechanism, size, repetitions, tools, arguments.folder)
            record.write_text(json.dumps([[*key, lowers] for key, lowers in found.items()]), encoding="utf-8")
    results = {
        (size, mechanism.name): {
            (tool, name): lowers
            for tool, name, lowers in json.loads(
                (arguments.folder / f"one-run-{size}-{number}.json").read_text(encoding="utf-8")
            )
        }
        for size in SIZES
        for number, mechanism in enumerate(compared)
        if (arguments.folder / f"one-run-{size}-{number}.json").exists()
    }
    if len(results) < len(SIZES) * len(compared):
        return
    command = "python benchmarks/rivals/one_run.py" + " --large" * arguments.large
    text = page(results, compared, tools, command)
    print(text)
    if arguments.out:
        arguments.out.write_text(text, encoding="utf-8")


def bounds(mechanism: Canaries, size: int, repetitions: int, tools: list[Tool], folder: Path) -> Lowers:
    """Return the bounds of every method on the same runs."""
    runs = mechanism.runs(size, repetitions)
    found: Lowers = {("privcheck", name): [] for name in OWN}
    for number, (scores, included) in enumerate(zip(runs["scores"], runs["included"], strict=True)):
        one = privcheck.one_run(scores, included, delta=DELTA, confidence=1.0 - LEVEL)
        found["privcheck", "one_run"].append(one.epsilon_lower)
        if number < FEWER:
            alone = privcheck.one_run(scores, included, delta=DELTA, confidence=1.0 - LEVEL, independent=True)
            found["privcheck", "one_run, if Gaussian"].append(one.epsilon_if_gaussian or 0.0)
            found["privcheck", "one_run, if Gaussian and independent"].append(alone.epsilon_if_gaussian or 0.0)
    for slow in (False, True)[: 1 + (size == min(SIZES))]:
        samples = folder / f"canaries-{size}-{slow}.npz"
        np.savez(samples, **{name: values[:FEWER] if slow else values for name, values in runs.items()})
        for tool in tools:
            names = [method.name for method in tool.methods if method.slow == slow]
            command: list[Any] = [python_of(tool, folder), DRIVERS / tool.driver, samples, str(DELTA), str(LEVEL)]
            started = time.monotonic()
            done = subprocess.run(
                [*command, *names], capture_output=True, text=True, check=False, env=os.environ | ALONE
            )
            for line in done.stdout.splitlines():
                said = json.loads(line)
                if said["error"]:
                    sys.exit(f"{tool.name}, {said['method']}: {said['error']}")
                found[tool.name, said["method"]] = said["lower"]
            print(f"  {tool.name}: {time.monotonic() - started:.0f} s", file=sys.stderr)
    return found


def page(results: dict[tuple[int, str], Lowers], compared: list[Canaries], tools: list[Tool], command: str) -> str:
    """Return the page, in Markdown."""
    methods = {("privcheck", name): method for name, method in OWN.items()}
    methods |= {(tool.name, method.name): method for tool in tools for method in tool.methods}
    where = f"{dt.datetime.now(dt.UTC).date()}, Python {platform.python_version()}, privcheck {privcheck.__version__}"
    lines = [
        "# Auditors of one run, side by side\n",
        f"Lower bounds on epsilon at delta {DELTA:g} and confidence 0.95 from one run with canaries, by "
        "[`privcheck.one_run`](../numbers.md#one-run-with-canaries)\nand by other published tools, all given the same "
        "scores and coins of the same runs. Printed by\n"
        f"`{command}` on {where}; repetition r has the seed r.\n",
        "- A method is *valid* if its bound holds with this confidence for every mechanism, whatever the dependence "
        "between scores.\n- Slow methods were run on the first "
        f"{FEWER} repetitions with {min(SIZES):,} canaries only; the others on all.\n"
        "- An asterisk marks a mean above the truth.\n",
    ]
    shown = [mechanism for mechanism in compared if mechanism.truth > 0.0]
    for size in SIZES:
        repetitions = {len(results[size, m.name]["privcheck", "one_run"]) for m in shown}
        lines += [f"## {size:,} canaries: means over {' or '.join(map(str, sorted(repetitions)))} runs\n"]
        lines += ["| method | " + " | ".join(f"{m.name} (truth {m.truth:.2f})" for m in shown) + " | valid |"]
        lines += ["|---" * (len(shown) + 2) + "|"]
        for (tool, name), method in methods.items():
            if any((tool, name) not in results[size, m.name] for m in shown):
                continue
            means = [(statistics.mean(results[size, m.name][tool, name]), m.truth) for m in shown]
            cells = " | ".join(f"{mean:.2f}{'*' if mean > truth else ''}" for mean, truth in means)
            lines.append(f"| {tool}, {name} | {cells} | {'yes' if method.valid else 'no'} |")
        lines += ["", *behind(size, results, shown, methods), ""]
    size = min(SIZES)
    lines += [f"## How often a bound is above the truth: {size:,} canaries\n"]
    lines += ['At confidence 0.95 this should be at most 5 % of the runs. "noise" has scores that tell nothing.\n']
    lines += ["| method | " + " | ".join(m.name for m in compared) + " |", "|---" * (len(compared) + 1) + "|"]
    for tool, name in methods:
        columns = [(results[size, m.name][tool, name], m.truth) for m in compared]
        over = (f"{sum(lower > truth + 1e-9 for lower in lowers)} of {len(lowers)}" for lowers, truth in columns)
        lines.append(f"| {tool}, {name} | {' | '.join(over)} |")
    lines += ["", "## What the methods assume\n"]
    lines += [f"- {tool}, {name}: {method.covers}." for (tool, name), method in methods.items()]
    return "\n".join(lines) + "\n"


def behind(
    size: int, results: dict[tuple[int, str], Lowers], shown: list[Canaries], methods: dict[tuple[str, str], Method]
) -> list[str]:
    """Return where another valid method has a larger mean than `privcheck.one_run`."""
    lines = []
    for mechanism in shown:
        found = {key: statistics.mean(lowers) for key, lowers in results[size, mechanism.name].items()}
        own = found["privcheck", "one_run"]
        for key, mean in found.items():
            if key[0] != "privcheck" and methods[key].valid and mean > own:
                lines.append(f"- {mechanism.name}: {', '.join(key)}, has {mean:.3f} against {own:.3f}.")
    return lines or ["No other valid method has a larger mean than `privcheck.one_run` here."]


if __name__ == "__main__":
    main()
