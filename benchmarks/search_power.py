"""What the search finds: `python benchmarks/search_power.py [--markdown docs/evidence/search-power.md] [NAME ...]`.

Audits the hidden leaks of tests/auditing/zoo/hidden and their correct twins at default settings, and prints for each
the verdict, the lower bound, the processor time of the audit, and the witness. With names, only the targets whose name
contains one of them.
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

PAGE = """# What the search finds

{found} of {all} hidden leaks are found, and {silent} of their {all} correct twins are consistent: audits of a claim of
epsilon = 1 at default settings, with {runs:,} runs per stream and nothing said about where to look. Each leak shows
only on certain streams, or only in a certain function of several parts of the output; its twin does the same with
enough noise.

- *Needs*: a function of several parts (linear), rewards inside their range (interior), rounds that differ from each
  other (alternating), the right contexts or the right rounds.
- *Bound*: the lower bound on epsilon at confidence 0.95. Those near {most:.2f} are of leaks without limit,
  of which more runs would show more. That of a twin, whose epsilon is at most 1, is above 1 with probability up to
  0.05.
- *CPU s*: processor time of the whole audit, on one core of a machine with other work to do.

Written by `python benchmarks/search_power.py --seed {seed} --markdown
docs/evidence/search-power.md`. The targets are in
`tests/auditing/zoo/hidden`; tests of the quick ones are part of the suite.

| leak | why | needs | verdict | bound | CPU s | twin | bound | CPU s |
|---|---|---|---|---|---|---|---|---|
"""


def main() -> None:
    """Parse the command line, run the audits, print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--runs", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--markdown", type=Path, help="the page to write")
    arguments = parser.parse_args()
    if arguments.markdown and arguments.names:
        parser.error("--markdown writes the page of all targets: leave the names out")
    chosen = [t for t in hidden.TWINS if not arguments.names or any(name in t.name for name in arguments.names)]
    table = Table("leak", "needs", "verdict", "bound", "CPU s", "twin", "bound", "CPU s", "witness")
    found = silent = 0
    rows, most = "", 0.0
    audited(chosen[0].correct, argparse.Namespace(runs=1000, seed=0), chosen[0].options)  # imports and compiles
    for twins in chosen:
        broken, seconds = audited(twins.broken, arguments, twins.options | twins.for_broken)
        correct, too = audited(twins.correct, arguments, twins.options | twins.for_correct)
        found += broken.verdict == "violation"
        silent += correct.verdict == "consistent"
        most = max(most, broken.epsilon_lower)
        cells = [*_cells(broken, seconds), *_cells(correct, too)]
        words = broken.witness.event if broken.witness and broken.verdict == "violation" else ""
        print(twins.name, *cells, sep="; ", file=sys.stderr, flush=True)
        table.add_row(twins.name, twins.needs, *cells, words[:90])
        rows += f"| {' | '.join([twins.name, twins.leak, twins.needs, *cells])} |\n"
    console = Console(width=200) if not sys.stdout.isatty() else Console()
    console.print(table)
    console.print(f"found {found} of {len(chosen)}; {silent} of {len(chosen)} correct twins consistent")
    if arguments.markdown:
        told = {"found": found, "silent": silent, "all": len(chosen), "most": most}
        text = PAGE.format(**told, runs=arguments.runs, seed=arguments.seed) + rows
        arguments.markdown.write_text(text, encoding="utf-8")


def _cells(report: Any, seconds: float) -> list[str]:
    return [str(report.verdict), f"{report.epsilon_lower or 0.0:.2f}", f"{seconds:.1f}"]


def audited(target: Any, arguments: argparse.Namespace, options: dict[str, Any]) -> tuple[Any, float]:
    """Return the report of an audit and its processor time."""
    started = time.process_time()
    report = privcheck.audit(target, epsilon=1.0, runs=arguments.runs, seed=arguments.seed, **options)
    return report, time.process_time() - started


if __name__ == "__main__":
    main()
