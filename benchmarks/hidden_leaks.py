"""Which of forty leaks the search finds that nobody tuned it for, and whether it is silent on their correct twins.

    python benchmarks/hidden_leaks.py --json now.json
    python benchmarks/hidden_leaks.py --json now.json --beside before.json
    python benchmarks/hidden_leaks.py --json default.json --runs 0 --sides broken NAME ...

Audited are the pairs of tests/auditing/zoo/fresh, which were written by somebody who had not read the search. The file
is written after each audit, and what is in it is not done again. An older version of privcheck is measured by the
same script, found by PYTHONPATH. With names, only the pairs whose name contains one of them. `--runs 0` leaves the
number of runs to the audit, which then takes its time budget of a minute.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

import privcheck

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "auditing"))

from zoo import fresh

SIDES = ("broken", "correct")

Row = dict[str, Any]


def main() -> None:
    """Parse the command line, run the audits that are not in the file, print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--json", type=Path, required=True, help="the file of results, which is continued")
    parser.add_argument("--beside", type=Path, nargs="*", default=[], help="files of results to print beside it")
    parser.add_argument("--runs", type=int, default=20_000, help="runs per stream; 0 for the default of an audit")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sides", nargs="+", choices=SIDES, default=SIDES)
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    arguments = parser.parse_args()
    options = {"runs": arguments.runs, "seed": arguments.seed}
    done = _read(arguments.json)
    if done and done["options"] != options:
        parser.error(f"{arguments.json} was begun with {done['options']}: name another file")
    rows: dict[str, Row] = done.get("rows", {})
    pairs = [pair for pair in fresh.TWINS if not arguments.names or any(name in pair.name for name in arguments.names)]
    privcheck.audit(fresh.TWINS[-1].correct, epsilon=1.0, horizon=4, runs=1000)  # imports what is imported late
    for side in arguments.sides:
        for pair in pairs:
            if (key := f"{side}: {pair.name}") not in rows:
                rows[key] = _audited(getattr(pair, side), pair.options, options)
                arguments.json.write_text(json.dumps({"options": options, "rows": rows}, indent=1), encoding="utf-8")
                print(key, *rows[key].values(), sep="; ", file=sys.stderr, flush=True)
    every = {arguments.json.stem: rows} | {path.stem: _read(path)["rows"] for path in arguments.beside}
    _print([pair.name for pair in pairs], every, markdown=arguments.markdown)


def _read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return found


def _audited(target: Any, told: dict[str, Any], options: dict[str, int]) -> Row:
    """Return what an audit of a claim of epsilon = 1 says, and its processor time."""
    started = time.process_time()
    try:
        report = privcheck.audit(target, epsilon=1.0, runs=options["runs"] or None, seed=options["seed"], **told)
    except privcheck.PrivcheckError as error:
        return {"verdict": "refused", "bound": 0.0, "seconds": time.process_time() - started, "event": str(error)}
    return {
        "verdict": str(report.verdict),
        "bound": round(report.epsilon_lower or 0.0, 3),
        "seconds": round(time.process_time() - started, 2),
        "event": report.witness.event if report.witness else "",
    }


def _print(names: list[str], every: dict[str, dict[str, Row]], *, markdown: bool) -> None:
    head = ["leak", *(f"{word}, {stem}" for stem in every for word in ("bound", "CPU s", "twin's bound", "CPU s"))]
    lines = [[name, *(cell for rows in every.values() for cell in _cells(name, rows))] for name in names]
    if markdown:
        print(*(f"| {' | '.join(line)} |" for line in (head, ["---"] * len(head), *lines)), sep="\n")
    else:
        table = Table(*head)
        for line in lines:
            table.add_row(*line)
        Console(width=200).print(table)
    for stem, rows in every.items():
        sides = {side: [row for key, row in rows.items() if key.startswith(side)] for side in SIDES}
        found = sum(row["verdict"] == "violation" for row in sides["broken"])
        accused = sum(row["verdict"] == "violation" for row in sides["correct"])
        seconds = sum(row["seconds"] for side in SIDES for row in sides[side])
        print(
            f"{stem}: {found} of {len(sides['broken'])} leaks found, {accused} of {len(sides['correct'])} correct "
            f"twins accused, {seconds:.0f} s of CPU"
        )


def _cells(name: str, rows: dict[str, Row]) -> list[str]:
    """Return the bound and the processor time of a leak and of its twin; a bound in brackets is no violation."""
    cells = []
    for side in SIDES:
        row = rows.get(f"{side}: {name}")
        bound = "" if row is None else f"{row['bound']:.2f}"
        accused = row is not None and row["verdict"] == "violation"
        cells += [bound if accused or not bound else f"({bound})", "" if row is None else f"{row['seconds']:.1f}"]
    return cells


if __name__ == "__main__":
    main()
