"""How many leaky bandits get a patch that is certified and learns, and what it costs.

    python benchmarks/fixing.py --every 1 --json fixing.json
    python benchmarks/fixing.py --every 5 --time-budget 20

Fixed are the leaky bandits of tests/fixing (leaky_*.py), 20 broken twins of tests/certifying (every third of its 60),
which were written before there were edits, and, as a check that nothing is made worse, private programs of
tests/certifying that are certified: of these none may be touched. `--every 5` takes every fifth of each. Printed are a
row for each program and a summary: how many have a recommended patch, one without a universal edit, the regret of the
recommended patch over that of the original where the original learns, CPU seconds, and how many diffs git applies.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np

import privcheck
from privcheck.progress import progress
from privcheck.results import Fix

TESTS = Path(__file__).parents[1] / "tests"

OF_THE_BASE = "from programs_broken_base import Broken\n"

NEEDED = re.compile(r"^(?:import|from) (?!programs_)[^\n(]*(?:\([^)]*\))?", re.MULTILINE)


class Program(NamedTuple):
    """A bandit to fix: where it comes from, its name, and the text of a file that has it."""

    kind: str
    name: str
    text: str


def leaky() -> list[Program]:
    """Return the leaky bandits of tests/fixing, each with the whole file that it is in."""
    found = []
    for file in sorted((TESTS / "fixing").glob("leaky_*.py")):
        text = file.read_text("utf-8")
        found += [Program("leaky", name, text) for name in _bandits(text)]
    return found


def _bandits(text: str) -> list[str]:
    """Return the public classes at the top level that are built with a Generator or have an `update` of their own."""
    return [
        node.name
        for node in ast.parse(text).body
        if isinstance(node, ast.ClassDef)
        and not node.name.startswith("_")
        and {"update", "__init__"} & {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
    ]


def broken() -> list[Program]:
    """Return every third broken twin of tests/certifying, with its base class in the same file."""
    folder = TESTS / "certifying"
    base = (folder / "programs_broken_base.py").read_text("utf-8")
    found = []
    for file in ("broken", "leaking"):
        text = (folder / f"programs_{file}.py").read_text("utf-8")
        head = "\n".join(match[0] for match in NEEDED.finditer(text))
        own = {node.name: node for node in ast.parse(text).body if isinstance(node, ast.ClassDef)}
        found += [
            Program("broken twin", name, f"{base}\n\n{head}\n\n\n{_code(text, node)}\n") for name, node in own.items()
        ]
    return found[::3]


def _code(text: str, node: ast.ClassDef) -> str:
    return (ast.get_source_segment(text, node) or "").replace("  # fault", "")


def certified(most: int) -> list[Program]:
    """Return private programs of tests/certifying with bandit feedback that are certified: nothing to fix."""
    folder, found = TESTS / "certifying", []
    today = (folder / "programs_today.py").read_text("utf-8")
    other = set(re.findall(r'"(\w+)":', today))
    for file in ("patterns", "epochs", "records", "shapes", "choices", "arrays"):
        text = (folder / f"programs_{file}.py").read_text("utf-8")
        names = re.findall(r"^class (\w+)[^\n]*\n    # ", text, re.MULTILINE)
        found += [Program("certified", name, text) for name in names if name not in other and not _in_rho(text, name)]
    return found[:most]


def _in_rho(text: str, name: str) -> bool:
    """Return whether the constructor of a class takes rho in place of epsilon."""
    own = next(node for node in ast.parse(text).body if isinstance(node, ast.ClassDef) and node.name == name)
    return "rho=" in ast.unparse(own).replace(" ", "").partition("def__init__")[2].partition("):")[0]


def row(program: Program, folder: Path, arguments: argparse.Namespace) -> dict[str, object]:
    """Fix a program and return what came out."""
    file = folder / f"{program.name.lower()}.py"
    file.write_text(program.text, encoding="utf-8")
    target = f"{file}:{program.name}"
    options = {"rounds": arguments.rounds, "time_budget": arguments.time_budget, "seed": arguments.seed}
    try:
        found = privcheck.fix(target, epsilon=1.0, arms=2, **options)
    except privcheck.PrivcheckError as error:
        return {"kind": program.kind, "program": program.name, "outcome": f"refused: {error}", "untouched": True}
    patch = found.recommended
    return {
        "kind": program.kind,
        "program": program.name,
        "outcome": found.outcome,
        "edits": "" if patch is None else " + ".join(dict.fromkeys(edit.name for edit in patch.edits)),
        "lines": None if patch is None else list(patch.changed_lines),
        "targeted": any(each.by_targeted_edits for each in found.certified),
        "targeted_learns": any(each.by_targeted_edits and not each.why for each in found.certified),
        "certified": len(found.certified),
        "stop_learning": sum(each.standing == "not recommended" for each in found.patches),
        "withdrawn": [each.why for each in found.patches if not each.is_certified],
        "ratio": None if patch is None else patch.regret_ratio,
        "looks": found.looks,
        "cpu_search_and_judge": round(found.seconds[0], 2),
        "cpu_price": round(found.seconds[1], 2),
        "applies": [_applies(found, each.diff, folder) for each in found.patches],
        "untouched": file.read_text("utf-8") == program.text,
    }


def _applies(found: Fix, diff: str, folder: Path) -> bool:
    """Return whether `git apply --check` takes a diff."""
    done = subprocess.run(["git", "apply", "--check"], cwd=folder, input=diff.encode(), capture_output=True)
    return done.returncode == 0 and bool(found)


def summary(rows: list[dict[str, object]]) -> list[str]:
    """Return the figures of a list of rows."""
    told = []
    for kind in dict.fromkeys(str(each["kind"]) for each in rows):
        own = [each for each in rows if each["kind"] == kind]
        if kind == "certified":
            fine = sum(each["outcome"] == "nothing to fix" and bool(each["untouched"]) for each in own)
            told.append(f"{kind}: {fine} of {len(own)} nothing to fix, file untouched")
            continue
        fixed = [each for each in own if each["outcome"] == "fixed"]
        ratios = [float(each["ratio"]) for each in fixed if each["ratio"] is not None]  # type: ignore[arg-type]
        told.append(f"{kind}: {len(fixed)} of {len(own)} have a patch that is certified and learns")
        told.append(
            f"  by targeted edits: certified {_count(own, 'targeted')}, and learning {_count(own, 'targeted_learns')}"
        )
        if ratios:
            told.append(
                f"  regret over the original's, where that learns ({len(ratios)}): median {median(ratios):.2f}, "
                f"90 % at most {np.quantile(ratios, 0.9):.2f}"
            )
        for name in ("cpu_search_and_judge", "cpu_price"):
            seconds = [float(each[name]) for each in own if name in each]  # type: ignore[arg-type]
            if seconds:
                told.append(f"  {name}: median {median(seconds):.1f} s, at most {max(seconds):.1f} s")
    diffs = [done for each in rows for done in each.get("applies", [])]  # type: ignore[attr-defined]
    told.append(f"git applies {sum(diffs)} of {len(diffs)} diffs")
    return told


def _count(rows: list[dict[str, object]], name: str) -> int:
    return sum(bool(each.get(name)) for each in rows)


def main() -> int:
    parser = argparse.ArgumentParser(description="How many leaky bandits get a certified patch that learns.")
    parser.add_argument("--every", type=int, default=1, help="every so many programs of each kind")
    parser.add_argument("--kinds", default="leaky,broken,certified", help="which kinds, separated by commas")
    parser.add_argument("--rounds", type=int, default=2000, help="rounds by which regret is measured")
    parser.add_argument("--time-budget", type=float, default=60.0, help="CPU seconds for the regret of a program")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path, help="file for the rows")
    arguments = parser.parse_args()
    makers = {"leaky": leaky, "broken": broken, "certified": lambda: certified(40)}
    programs = [each for kind in arguments.kinds.split(",") for each in makers[kind]()[:: arguments.every]]
    rows = []
    with tempfile.TemporaryDirectory() as place, progress("fixing", len(programs), counted=True) as advance:
        shutil.copy(TESTS / "certifying" / "programs_helpers.py", place)
        for program in programs:
            rows.append(row(program, Path(place), arguments))
            advance(1)
            shown = {name: value for name, value in rows[-1].items() if name not in ("applies", "untouched")}
            sys.stdout.write(f"{json.dumps(shown)}\n")
            sys.stdout.flush()
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    sys.stdout.write("\n".join(["", *summary(rows), ""]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
