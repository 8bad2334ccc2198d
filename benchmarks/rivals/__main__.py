"""Auditors side by side: `python benchmarks/rivals [--runs 100000] [--seeds 3] [--large] [--out docs/rivals.md]`.

Every tool is installed from the package index into a virtual environment of its own, under --folder, and is given the
same number of runs of the same mechanisms on the same pair of inputs. privcheck plays its own runs; it is given the
pair, and finds its score and its events on the runs themselves.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import platform
import statistics
import subprocess
import sys
import time
import venv
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from mechanisms import Case, cases
from page import page
from tools import TOOLS, Tool

import privcheck

LEVEL = 0.05
PATIENCE = 120.0
"""Seconds after which a driver is stopped."""

DRIVERS = Path(__file__).parent / "drivers"


def main() -> None:
    """Install, run, write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=100_000, help="on each input")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--folder", type=Path, default=Path("out/rivals"), help="environments and samples")
    parser.add_argument("--large", action="store_true", help="install tools that take gigabytes, too")
    parser.add_argument("--out", type=Path, help="write the page there")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    failed = {
        tool.name: why
        for tool in TOOLS
        if (why := "takes gigabytes: --large" if tool.large > arguments.large else install(tool, arguments.folder))
    }
    results = {}
    for case in cases():
        found: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
        for seed in range(arguments.seeds):
            print(f"{case.name}, seed {seed}", file=sys.stderr)
            found["privcheck", "audit"].append(own(case, arguments.runs, seed))
            samples = arguments.folder / "samples.npz"
            np.savez(samples, **case.samples(arguments.runs, seed))
            for tool in TOOLS:
                if tool.name not in failed:
                    for name, result in others(tool, case, samples, seed, arguments.folder).items():
                        found[tool.name, name].append(result)
        results[case] = {key: summary(values) for key, values in found.items()}
    command = f"python benchmarks/rivals --runs {arguments.runs} --seeds {arguments.seeds}"
    command += " --large" * arguments.large
    where = f"{command}` on {dt.datetime.now(dt.UTC).date()}, Python {platform.python_version()}, one core"
    text = page(results, f"`{where}, privcheck {privcheck.__version__}", failed)
    print(text)
    if arguments.out:
        arguments.out.write_text(text, encoding="utf-8")


def install(tool: Tool, folder: Path) -> str:
    """Make the tool's environment unless it is there, and return why that failed, or nothing."""
    home = folder / tool.requirements[0].replace("==", "-")
    if (home / "installed").exists():
        return ""
    venv.create(home, with_pip=True, clear=True)
    command = [home / "bin" / "python", "-m", "pip", "install", "-q", *tool.requirements]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return (done.stderr.strip().splitlines() or ["no reason given"])[-1]
    (home / "installed").touch()
    return ""


def own(case: Case, runs: int, seed: int) -> dict[str, Any]:
    """Return privcheck's bound; its time includes playing the runs."""
    start = time.perf_counter()
    report = privcheck.audit(
        case.mechanism, epsilon=case.claim, delta=case.delta, streams=case.pair, runs=runs, confidence=1.0 - LEVEL,
        seed=seed,
    )  # fmt: skip
    return {"lower": report.epsilon_lower, "seconds": time.perf_counter() - start, "error": ""}


def others(tool: Tool, case: Case, samples: Path, seed: int, folder: Path) -> dict[str, dict[str, Any]]:
    """Return what the methods of a tool say of the recorded samples."""
    python = (folder / tool.requirements[0].replace("==", "-") / "bin" / "python").absolute()
    found = {}
    for method in tool.methods:
        if method.slow and seed:
            continue
        command = [python, DRIVERS / tool.driver, samples, str(case.delta), str(LEVEL), method.name]
        result: dict[str, Any] = {"lower": None, "seconds": None}
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
            result |= json.loads(done.stdout) if done.stdout else {"error": done.stderr.strip()[-200:]}
        except subprocess.TimeoutExpired:
            result["error"] = f"no answer in {PATIENCE:.0f} s"
        found[method.name] = result
    return found


def summary(values: list[dict[str, Any]]) -> dict[str, Any]:
    """Return mean bound, median seconds and the first error of several seeds."""
    bounds = [value["lower"] for value in values if value["lower"] is not None]
    return {
        "lower": statistics.mean(bounds) if bounds else None,
        "seconds": statistics.median(value["seconds"] for value in values if value["lower"] is not None)
        if bounds
        else None,
        "seeds": len(values),
        "error": next((value["error"] for value in values if value["error"]), ""),
    }


if __name__ == "__main__":
    main()
