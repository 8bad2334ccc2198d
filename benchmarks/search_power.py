"""What the search finds: `python benchmarks/search_power.py [--runs 20000] [--seed 0] [NAME ...]`.

Audits the hidden leaks of tests/auditing/zoo/hidden and their correct twins at default settings, and prints for each
the verdict, the lower bound, the processor time of the audit and of its target alone, and the witness. With names,
only the targets whose name contains one of them.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

import privcheck

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "auditing"))

from zoo import hidden


def main() -> None:
    """Parse the command line, run the audits, print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--runs", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=("broken", "correct"))
    arguments = parser.parse_args()
    chosen = [t for t in hidden.TWINS if not arguments.names or any(name in t.name for name in arguments.names)]
    table = Table("leak", "needs", "verdict", "bound", "CPU s", "twin", "bound", "CPU s", "witness")
    found = silent = 0
    for twins in chosen:
        cells: dict[str, list[str]] = {"broken": ["", "", ""], "correct": ["", "", ""]}
        words = ""
        for side in cells:
            if arguments.only not in (None, side):
                continue
            extra = twins.for_broken if side == "broken" else twins.for_correct
            report, seconds = audited(getattr(twins, side), arguments, twins.options | extra)
            cells[side] = [str(report.verdict), f"{report.epsilon_lower or 0.0:.2f}", f"{seconds:.1f}"]
            if side == "broken":
                found += report.verdict == "violation"
                words = report.witness.event if report.witness and report.verdict == "violation" else ""
            else:
                silent += report.verdict != "violation"
        print(twins.name, *cells["broken"], *cells["correct"], sep="; ", file=sys.stderr, flush=True)
        table.add_row(twins.name, twins.needs, *cells["broken"], *cells["correct"], words[:90])
    console = Console(width=200) if not sys.stdout.isatty() else Console()
    console.print(table)
    console.print(f"found {found} of {len(chosen)}; silent on {silent} of {len(chosen)} correct twins")


def audited(target: Any, arguments: argparse.Namespace, options: dict[str, Any]) -> tuple[Any, float]:
    """Return the report of an audit and its processor time."""
    started = time.process_time()
    report = privcheck.audit(target, epsilon=1.0, runs=arguments.runs, seed=arguments.seed, **options)
    return report, time.process_time() - started


if __name__ == "__main__":
    main()
