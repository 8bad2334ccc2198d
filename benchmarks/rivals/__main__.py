"""Auditors side by side: `python benchmarks/rivals [--runs 100000] [--seeds 3] [--large] [--repositories DIR]`.

The whole table takes about an hour, of which the methods that are run with one seed take most. Parts are quicker:
`--tool jax_privacy --mechanism "noisy max" --seeds 20` takes a minute, and `--valid` leaves out methods without a valid
confidence, and those that are run with one seed. Each row is shown as soon as it is there.

Every tool is installed from the package index into its own virtual environment, under --folder, and gets the same
number of runs of the same mechanisms on the same pair of inputs. A tool that is published only as a repository is run
from its checkout in --repositories, a folder of repositories cloned under their names, and only its requirements are
installed. privcheck plays its own runs: given the pair, it learns its score and selects its events on these runs.
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
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from environments import ALONE, DRIVERS, LEVEL, PATIENCE, install, python_of
from mechanisms import Case, cases
from page import cell, page
from tools import TOOLS, Tool

import privcheck


def main() -> None:
    """Install, run, write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=100_000, help="on each input")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--tool", action="append", default=[], help="only tools whose name holds this; may be repeated")
    parser.add_argument("--mechanism", action="append", default=[], help="only mechanisms whose name holds this")
    parser.add_argument("--valid", action="store_true", help="only quick methods with a valid confidence; no seconds")
    parser.add_argument("--folder", type=Path, default=Path("out/rivals"), help="environments and samples")
    parser.add_argument("--large", action="store_true", help="install tools that take gigabytes, too")
    parser.add_argument("--repositories", type=Path, help="folder with checkouts of tools that are on no index")
    parser.add_argument("--out", type=Path, help="write the page there")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    tools, failed = [], {}
    for known in chosen(TOOLS, arguments.tool, arguments.valid):
        tool = versioned(known, arguments.repositories)
        why = missing(tool, arguments.repositories, arguments.large) or install(tool, arguments.folder)
        if why:
            failed[tool.name] = why
        else:
            tools.append(tool)
    results = {}
    for case in (case for case in cases() if is_named(case.name, arguments.mechanism)):
        found: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
        for seed in range(arguments.seeds):
            print(f"{case.name}, seed {seed}", file=sys.stderr)
            found["privcheck", "audit"].append(own(case, arguments.runs, seed))
            samples = arguments.folder / "samples.npz"
            np.savez(samples, **case.samples(arguments.runs, seed))
            for tool in tools:
                for name, result in others(tool, case, samples, seed, arguments).items():
                    found[tool.name, name].append(result)
        results[case] = {key: summary(values) for key, values in found.items()}
        for (tool_name, name), row in results[case].items():
            print(f"  {tool_name}, {name}: {cell(case, row, spread=True)}", file=sys.stderr)
    command = f"python benchmarks/rivals --runs {arguments.runs} --seeds {arguments.seeds}"
    command += "".join(f' --{what} "{name}"' for what in ("tool", "mechanism") for name in getattr(arguments, what))
    command += (
        " --valid" * arguments.valid
        + " --large" * arguments.large
        + " --repositories DIR" * bool(arguments.repositories)
    )
    where = f"{command}` on {dt.datetime.now(dt.UTC).date()}, Python {platform.python_version()}, one core"
    text = page(results, tools, f"`{where}, privcheck {privcheck.__version__}", failed, spread=arguments.valid)
    print(text)
    if arguments.out:
        arguments.out.write_text(text, encoding="utf-8")


def is_named(name: str, parts: list[str]) -> bool:
    """Return whether a name holds one of these parts; every name does if there are none."""
    return not parts or any(part.lower() in name.lower() for part in parts)


def chosen(tools: list[Tool], names: list[str], valid: bool) -> list[Tool]:
    """Return the tools of these names, with `valid` those of their methods that are quick and hold their confidence."""
    named = [tool for tool in tools if is_named(tool.name, names)]
    if not valid:
        return named
    kept = [replace(tool, methods=tuple(m for m in tool.methods if m.valid and not m.slow)) for tool in named]
    return [tool for tool in kept if tool.methods]


def checkout(tool: Tool, repositories: Path) -> Path:
    """Return where the checkout of a repository is expected."""
    return repositories / tool.repository.split("/")[1]


def missing(tool: Tool, repositories: Path | None, large: bool) -> str:
    """Return why a tool cannot be run, or an empty text."""
    if tool.large and not large:
        return "takes gigabytes: --large"
    if tool.repository and not (repositories and checkout(tool, repositories).is_dir()):
        return f"on no package index, and no checkout of {tool.repository} in --repositories"
    return ""


def versioned(tool: Tool, repositories: Path | None) -> Tool:
    """Return the tool with the commit of its checkout in its name, if it has one."""
    if not (tool.repository and repositories):
        return tool
    command = ["git", "-C", str(checkout(tool, repositories)), "rev-parse", "--short=7", "HEAD"]
    commit = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    return replace(tool, name=f"{tool.name} {commit}".strip())


def own(case: Case, runs: int, seed: int) -> dict[str, Any]:
    """Return privcheck's bound; its time includes playing the runs."""
    start = time.perf_counter()
    report = privcheck.audit(
        case.mechanism, epsilon=case.claim, delta=case.delta, streams=case.pair, runs=runs, confidence=1.0 - LEVEL,
        seed=seed,
    )  # fmt: skip
    return {"lower": report.epsilon_lower, "seconds": time.perf_counter() - start, "error": ""}


def others(
    tool: Tool, case: Case, samples: Path, seed: int, arguments: argparse.Namespace
) -> dict[str, dict[str, Any]]:
    """Return the bounds that the methods of a tool compute from the recorded samples."""
    environment = os.environ | ALONE
    if tool.repository:
        environment["PYTHONPATH"] = str((checkout(tool, arguments.repositories) / tool.source).absolute())
    fast = [method.name for method in tool.methods if not method.slow]
    slow = [method.name for method in tool.methods if method.slow and not seed]
    found: dict[str, dict[str, Any]] = {}
    for names in filter(None, [fast, *([name] for name in slow)]):
        command = [python_of(tool, arguments.folder), DRIVERS / tool.driver, samples, str(case.delta), str(LEVEL)]
        try:
            done = subprocess.run(
                [*command, *names], capture_output=True, text=True, timeout=PATIENCE, check=False, env=environment
            )
            said = [json.loads(line) for line in done.stdout.splitlines()]
            error = done.stderr.strip()[-200:] or f"stopped with status {done.returncode}"
        except subprocess.TimeoutExpired:
            said, error = [], f"no answer in {PATIENCE:.0f} s"
        nothing = {"lower": None, "seconds": None, "error": error}
        found |= dict.fromkeys(names, nothing) | {one["method"]: one for one in said}
    return found


def summary(values: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the mean bound, its standard deviation, the median seconds and the first error over several seeds."""
    bounds = [value["lower"] for value in values if value["lower"] is not None]
    return {
        "lower": statistics.mean(bounds) if bounds else None,
        "deviation": statistics.stdev(bounds) if len(bounds) > 1 else None,
        "seconds": statistics.median(value["seconds"] for value in values if value["lower"] is not None)
        if bounds
        else None,
        "seeds": len(values),
        "error": next((value["error"] for value in values if value["error"]), ""),
    }


if __name__ == "__main__":
    main()
