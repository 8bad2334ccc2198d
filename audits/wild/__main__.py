"""Audit public implementations that others wrote: `python -m audits.wild --repositories DIR`.

Audits those that are installed, and those whose checkout is in DIR under the name of its repository; says how to get
the others. Prints one table. Exits with status 0 if every verdict is as expected, 1 if not, 2 for bad input.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

from audits.wild import page, record
from audits.wild.checkouts import importable
from audits.wild.implementation import Wild
from audits.wild.implementations import everything
from audits.wild.playing import audit
from privcheck.errors import PrivcheckError
from privcheck.files import write_whole
from privcheck.results import AuditReport


def parser(names: Sequence[str]) -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = argparse.ArgumentParser(prog="python -m audits.wild", description=__doc__)
    made.add_argument("names", nargs="*", metavar="ID", help=f"one of {', '.join(names)}; all by default")
    made.add_argument("--repositories", type=Path, metavar="DIR", help="folder with the checkouts")
    made.add_argument(
        "--python",
        action="append",
        default=[],
        metavar="NAME=PATH",
        help="interpreter for what is played apart; may be given several times",
    )
    made.add_argument("--runs", type=int, help="runs on each input, instead of the declared number")
    made.add_argument("--seed", type=int, default=0)
    made.add_argument("--json", type=Path, help="write what was found to this file; what it has of others is kept")
    made.add_argument("--html", type=Path, help="write one page with all audits of this run")
    made.add_argument("--markdown", type=Path, help="write the page of the documentation, from the file of --json")
    made.add_argument("--page-only", action="store_true", help="audit nothing: write --markdown from --json")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    declared = {wild.id: wild for wild in everything()}
    commands = parser(tuple(declared))
    options = commands.parse_args(arguments)
    unknown = [name for name in options.names if name not in declared]
    if unknown:
        commands.error(f"no audit named {unknown[0]!r}; there are {', '.join(declared)}")
    if options.markdown and not options.json:
        commands.error("--markdown needs --json: the page is made from that file")
    if options.repositories and not options.repositories.is_dir():
        commands.error(f"--repositories: no folder {str(options.repositories)!r}")
    try:
        found = record.read(options.json) if options.json else {}
        met = True
        options.python = dict(_pair(text) for text in options.python)
        if not options.page_only:
            chosen = [declared[name] for name in options.names or declared]
            met = _audit_all(chosen, options, found)
        if options.markdown:
            write_whole(options.markdown, page.page(declared, found))
    except PrivcheckError as error:
        sys.stderr.write(f"audits.wild: {error}\n")
        return 2
    return 0 if met else 1


def _audit_all(chosen: Sequence[Wild], options: argparse.Namespace, found: record.Record) -> bool:
    """Audit what can be imported, record each result at once, and tell whether all verdicts are as expected."""
    reports: list[AuditReport] = []
    expected: list[str] = []
    missing: dict[str, list[str]] = {}
    good = True
    for wild in chosen:
        python = options.python.get(wild.project.key)
        lacks = wild.project.lacks(options.repositories, python)
        if lacks:
            missing.setdefault(lacks, []).append(wild.id)
            continue
        before = _processor_seconds()
        try:
            with importable(wild.project, options.repositories), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                report = audit(wild, runs=options.runs, seed=options.seed, python=python)
        except Exception as error:  # one that fails does not end the others
            _say(f"{wild.id}: could not be audited: {type(error).__name__}: {error}")
            good = False
            continue
        found[wild.id] = record.entry(wild, report, _processor_seconds() - before)
        if options.json:
            record.write(options.json, found)
        reports.append(report)
        expected.append(wild.expected)
        good = good and wild.as_expected(report.verdict)
        _say(page.line(wild, found[wild.id]))
    for lacks, names in missing.items():
        _say(f"not audited: {', '.join(names)}\n    {lacks}")
    if options.html and reports:
        from privcheck.reporting import save_page

        save_page(reports, options.html, title="Public implementations, audited", expected=expected)
    return good


def _processor_seconds() -> float:
    """Return the seconds that this process, and those that it started and that have ended, took of a processor."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _pair(text: str) -> tuple[str, str]:
    package, equals, python = text.partition("=")
    if not (package and equals and python):
        raise PrivcheckError("--python", text, "NAME=PATH", "such as tmlt-core=tumult/bin/python")
    return package, python


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
