"""Which of forty leaks the search finds that nobody tuned it for, and whether it is silent on their correct twins.

    python benchmarks/hidden_leaks.py --json now.json
    python benchmarks/hidden_leaks.py --json now.json --beside before.json --markdown docs/evidence/fresh-leaks.md
    python benchmarks/hidden_leaks.py NAME ... --json default.json --runs 0 --sides broken

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
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

import privcheck

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "auditing"))

from zoo import fresh

SIDES = ("broken", "correct")

PAGE = """# Leaks that nobody tuned the search for

Forty pairs of twins were written by somebody who had not read the search: bandits, learners with full, contextual,
semi-bandit, batched and delayed feedback, tests that stop, and functions of data. One of each pair leaks more than the
claim of epsilon = 1 allows, and the other differs from it in a line. Each was audited once, with {runs:,} runs per
stream and nothing said about where to look.

{told}

Columns are named by the version of privcheck, the newest first; an empty cell was not run. A bound is a lower bound on
epsilon at confidence 0.95; that of an audit whose verdict is no violation is in brackets. A twin's is above 1 with
probability up to 0.05. CPU s is processor time, on a machine that had much other work to do; the first audit of a
process is slower, since it compiles.

Written by `python benchmarks/hidden_leaks.py --json now.json --beside before.json --markdown
docs/evidence/fresh-leaks.md` (seed {seed}) on {today}. The targets are in `tests/auditing/zoo/fresh`; tests there
confirm each leak, and each twin, on the pair and the event that are known.

{table}
"""

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
    parser.add_argument("--markdown", type=Path, help="the page to write")
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
    head, lines = _lines([pair.name for pair in pairs], every)
    table = Table(*head)
    for line in lines:
        table.add_row(*line)
    Console(width=200).print(table)
    told = [_summary(stem, rows) for stem, rows in every.items()]
    print(*told, sep="\n")
    if arguments.markdown:
        drawn = "\n".join(f"| {' | '.join(line)} |" for line in (head, ["---"] * len(head), *lines))
        listed = "\n".join(f"- {line}" for line in told)
        found = {"table": drawn, "told": listed, "today": datetime.now(tz=UTC).date(), "seed": arguments.seed}
        arguments.markdown.write_text(PAGE.format(**found, runs=arguments.runs), encoding="utf-8")


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


def _lines(names: list[str], every: dict[str, dict[str, Row]]) -> tuple[list[str], list[list[str]]]:
    """Return the heads of the columns and the rows of the table; sides that no file has are left out."""
    shown = [(stem, side) for stem, rows in every.items() for side in SIDES if any(k.startswith(side) for k in rows)]
    words = {"broken": ("bound", "CPU s"), "correct": ("twin", "CPU s")}
    head = ["leak", *(f"{word}, {stem}" for stem, side in shown for word in words[side])]
    return head, [[name, *(cell for stem, side in shown for cell in _cells(every[stem], side, name))] for name in names]


def _cells(rows: dict[str, Row], side: str, name: str) -> list[str]:
    """Return the bound and the processor time of an audit; the bound of one that finds no violation is in brackets."""
    row = rows.get(f"{side}: {name}")
    if row is None:
        return ["", ""]
    bound = f"{row['bound']:.2f}"
    return [bound if row["verdict"] == "violation" else f"({bound})", f"{row['seconds']:.1f}"]


def _summary(stem: str, rows: dict[str, Row]) -> str:
    sides = {side: [row for key, row in rows.items() if key.startswith(side)] for side in SIDES}
    found, accused = (sum(row["verdict"] == "violation" for row in sides[side]) for side in SIDES)
    seconds = ", ".join(f"{sum(row['seconds'] for row in sides[side]):.0f}" for side in SIDES)
    return (
        f"{stem}: {found} of {len(sides['broken'])} leaks found, {accused} of {len(sides['correct'])} correct twins "
        f"accused; CPU s of both: {seconds}"
    )


if __name__ == "__main__":
    main()
