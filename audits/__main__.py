"""Run declared audits: `python audits` for the main ones, `python audits NAME ...` or `python audits --all` for others.

Prints one table, writes one page with `--html`, and exits with status 0 if every verdict is as expected, otherwise 1.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
from pathlib import Path

from privcheck.auditing._declared_audit import DeclaredAudit
from privcheck.errors import PrivcheckError

FOLDER = Path(__file__).parent
MAIN_JOB = ("adap_ucb", "rnm_ftnl_published", "running_mean_example")


def declared_audits() -> dict[str, DeclaredAudit]:
    """Return the audits declared by the files of this folder, by file name."""
    audits = {}
    for file in sorted(FOLDER.glob("*.py")):
        if not file.stem.startswith("_"):
            spec = importlib.util.spec_from_file_location(f"declared_{file.stem}", file)
            if spec is not None and spec.loader is not None:
                module = importlib.util.module_from_spec(spec)
                spec.loader.exec_module(module)
                audits[file.stem] = module.AUDIT
    return audits


def main() -> int:
    """Parse the command line, run the audits, print the table and write the page."""
    available = declared_audits()
    parser = argparse.ArgumentParser(prog="python audits", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(available)}")
    parser.add_argument("--all", action="store_true", help="run every declared audit")
    parser.add_argument("--html", help="write one page for all audits to this file")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    arguments = parser.parse_args()
    asked = tuple(name.replace("-", "_") for name in arguments.names)  # files have underscores, and ids hyphens
    names = tuple(available) if arguments.all else asked or MAIN_JOB
    unknown = [name for name in names if name not in available]
    if unknown:
        parser.error(f"no audit named {unknown[0]!r}; there are {', '.join(available)}")
    from rich.console import Console

    from privcheck.reporting import audit_table, save_page

    chosen = [available[name] for name in names]
    try:
        reports = [declared.run(seed=arguments.seed, jobs=arguments.jobs) for declared in chosen]
        met = [declared.as_expected(report) for declared, report in zip(chosen, reports, strict=True)]
        expected = [declared.expected for declared in chosen]
        console = Console(width=None if sys.stdout.isatty() else 110)
        console.print(audit_table(reports, expected))
        if arguments.html:
            save_page(reports, arguments.html, expected=expected)
            console.print(f"page with pictures: {arguments.html}", highlight=False)
    except PrivcheckError as error:
        sys.stderr.write(f"privcheck: {error}\n")
        return 2
    for declared, report, good in zip(chosen, reports, met, strict=True):
        if not good:
            least = f" with a lower bound of at least {declared.least_lower_bound:g}"
            sys.stderr.write(f"not as expected: {report}; expected {declared.expected}{least}\n")
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
