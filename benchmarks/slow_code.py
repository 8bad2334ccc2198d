"""Slow targets with a noisy step, looked at and audited: `python benchmarks/slow_code.py --json FILE [--seeds 20]`.

The targets are those of `tests/auditing/steps/slow_targets.py`, of 2 to 50 ms a run: five with a faulty step, their
mended twins, and three that hide the step; and the forests of `forest_targets.py` there, each on one pair of tables.
For each seed:

- `privcheck.steps` at its defaults: whether the function at fault is named and suspected, and how long it took;
- `privcheck.audit` with `--seconds` by the clock: its verdict and its bound.

The file is written after each target, and what is in it is not done again.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import privcheck

FOLDER = Path(__file__).parents[1] / "tests" / "auditing" / "steps"

FORESTS = {
    "halved_forest": "one_label",
    "raw_forest": "another_split",
    "forest": "one_label",
    "counted_forest": "one_label",
}
"""Forests, and the function that returns the pair of each."""


def module(name: str) -> ModuleType:
    """Import a file of targets."""
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def main() -> None:
    """Parse the command line, do what is not in the file, print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=60.0, help="of each audit")
    parser.add_argument("--only", choices=("steps", "audits"))
    parser.add_argument("--names", nargs="+", help="some of the targets")
    asked = parser.parse_args()
    targets, forests = module("slow_targets"), module("forest_targets")
    names = [*targets.FAULTY, *(f"mended_{name}" for name in targets.FAULTY), *targets.HIDING, *FORESTS]
    if asked.names:
        names = [name for name in names if name in asked.names]
    done = json.loads(asked.json.read_text("utf-8")) if asked.json.exists() else {}
    for seed in range(asked.seeds):
        for name in names:
            options: dict[str, Any] = {"epsilon": targets.CLAIM, "seed": seed}
            target, step = getattr(targets, name, None), targets.STEPS.get(name.removeprefix("mended_"))
            if name in FORESTS:
                target, step = getattr(forests, name), "noisy_counts"
                options["streams"] = getattr(forests, FORESTS[name])()
            if asked.only != "audits" and (key := f"steps {name}: {seed}") not in done:
                begun = time.perf_counter()
                found = privcheck.steps(target, **options)
                named = bool(found.steps) and found.steps[0].function == step
                done[key] = [named, found.suspicion is not None, round(time.perf_counter() - begun, 1)]
            if asked.only != "steps" and (key := f"audit {name}: {seed}") not in done:
                report = privcheck.audit(target, time_budget=asked.seconds, **options)
                done[key] = [report.verdict, report.epsilon_lower, report.suspicion is not None]
            asked.json.write_text(json.dumps(done, indent=1), encoding="utf-8")
    print("target | seeds | step named | suspected | s, longest | audits | violations | suspicions")
    for name in names:
        looks = [row for key, row in done.items() if key.startswith(f"steps {name}:")]
        audits = [row for key, row in done.items() if key.startswith(f"audit {name}:")]
        seconds = max((row[2] for row in looks), default=0.0)
        counts = [sum(row[0] for row in looks), sum(row[1] for row in looks), seconds, len(audits)]
        counts += [sum(row[0] == "violation" for row in audits), sum(row[2] for row in audits)]
        print(" | ".join(map(str, [name, len(looks), *counts])))


if __name__ == "__main__":
    main()
