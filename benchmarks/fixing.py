"""How many leaky bandits get a patch that is certified and learns, and what it costs.

    python benchmarks/fixing.py --json fixing.json
    python benchmarks/fixing.py --json few.json --most 10 --time-budget 20

Fixed are the leaky bandits of tests/fixing (leaky_*.py), 20 broken twins of tests/certifying (every third of its 60),
which were written before there were edits, and, as a check that nothing is made worse, private programs of
tests/certifying that are certified: of these none may be touched. They are taken in an order that depends on the seed
alone, so that the first of them are a sample; the file is written after each, and what is in it is not done again.

Printed are a row for each program and a summary: how many have a recommended patch, how many a certified one without a
universal edit, and without blocks of rewards, which fit almost any bandit, too; the regret of the recommended patch
over that of the original where the original learns, CPU seconds, and how many diffs git applies. Two patches of a
program are certified at most.
"""

from __future__ import annotations

import argparse
import ast
import json
import random
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
from privcheck.files import write_whole
from privcheck.progress import progress
from privcheck.results import Fix, FixPatch

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
        "where_found": any(map(_where_found, found.certified)),
        "where_found_learns": any(_where_found(each) and not each.why for each in found.certified),
        "where_found_looked_at": any(_where_found(each) and each.standing != "withdrawn" for each in found.patches),
        "certified": len(found.certified),
        "stop_learning": sum(bool(each.why) and each.why.startswith("it stops") for each in found.patches),
        "stops": patch is not None and bool(patch.why),
        "withdrawn": [each.why for each in found.patches if each.standing == "withdrawn"],
        "ratio": None if patch is None else patch.regret_ratio,
        "looks": found.looks,
        "cpu_search_and_judge": round(found.seconds[0], 2),
        "cpu_price": round(found.seconds[1], 2),
        "applies": [_applies(found, each.diff, folder) for each in found.patches],
        "untouched": file.read_text("utf-8") == program.text,
    }


def _where_found(patch: FixPatch) -> bool:
    """Return whether all edits of a patch are made where something was found, or leave out noise."""
    return patch.by_targeted_edits and not any("released" in edit.name for edit in patch.edits)


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
        told.append(f"  recommended patches that stop learning: {_count(own, 'stops')}")
        told.append(
            f"  by edits that are not universal: certified {_count(own, 'targeted')}, and learning "
            f"{_count(own, 'targeted_learns')}"
        )
        told.append(
            f"  by edits where it was found, without blocks: certified {_count(own, 'where_found')}, and learning "
            f"{_count(own, 'where_found_learns')}; nothing found in guarded runs {_count(own, 'where_found_looked_at')}"
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


def _done(path: Path | None, options: dict[str, object]) -> list[dict[str, object]]:
    """Return the rows of a file that was begun with the same options."""
    if path is None or not path.exists():
        return []
    found = json.loads(path.read_text("utf-8"))
    if found["options"] != options:
        raise SystemExit(f"{path} was begun with other options: {found['options']}")
    rows: list[dict[str, object]] = found["rows"]
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description="How many leaky bandits get a certified patch that learns.")
    parser.add_argument("--kinds", default="leaky,broken,certified", help="which kinds, separated by commas")
    parser.add_argument("--most", type=int, help="programs to take, the first of the order")
    parser.add_argument("--rounds", type=int, default=2000, help="rounds by which regret is measured")
    parser.add_argument("--time-budget", type=float, default=60.0, help="CPU seconds for the regret of a program")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path, help="file for the rows; what is in it is not done again")
    arguments = parser.parse_args()
    makers = {"leaky": leaky, "broken": broken, "certified": lambda: certified(40)}
    programs = [each for kind in arguments.kinds.split(",") for each in makers[kind]()]
    random.Random(arguments.seed).shuffle(programs)
    options = {name: getattr(arguments, name) for name in ("kinds", "rounds", "time_budget", "seed")}
    rows = _done(arguments.json, options)
    done = {(each["kind"], each["program"]) for each in rows}
    left = [each for each in programs[: arguments.most] if (each.kind, each.name) not in done]
    with tempfile.TemporaryDirectory() as place, progress("fixing", len(left), counted=True) as advance:
        shutil.copy(TESTS / "certifying" / "programs_helpers.py", place)
        for program in left:
            rows.append(row(program, Path(place), arguments))
            advance(1)
            shown = {name: value for name, value in rows[-1].items() if name not in ("applies", "untouched")}
            sys.stdout.write(f"{len(rows)} of {len(programs)} {json.dumps(shown)}\n")
            sys.stdout.flush()
            if arguments.json is not None:
                text = json.dumps({"options": options, "programs": len(programs), "rows": rows}, indent=1)
                write_whole(arguments.json, text)
    sys.stdout.write("\n".join(["", f"{len(rows)} of {len(programs)} programs", *summary(rows), ""]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
