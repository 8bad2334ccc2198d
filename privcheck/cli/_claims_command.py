"""`privcheck claims`."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privcheck.cli._delivery import deliver, show
from privcheck.cli._options import Json, check_html, check_json, whole
from privcheck.cli._statuses import status_of_claims
from privcheck.errors import PrivcheckError, words

if TYPE_CHECKING:
    from privcheck.claims import Claim, Effort, Finding, Findings

POINTS_A_MINUTE, BOXES_A_MINUTE = 3000, 1500
"""Work on each reading for one minute of `--effort`: all claims then take about that long."""


WRONG, ALL = "wrong", "all"
"""All statuses that say that the printed form fails; all faults."""


def claims(
    ids: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="ID...", help="Claims to put to the test, or theorems that rest on them; all claims by default."
        ),
    ] = None,
    paper: Annotated[str | None, typer.Option(help="Only claims of this paper, such as hu-2021.")] = None,
    effort: Annotated[str, typer.Option(help="About the CPU time of a run of all claims: 1m, 10m or 2h.")] = "1m",
    seed: Annotated[int, whole("seed", "Seed of the random points.")] = 0,
    html: Annotated[str | None, typer.Option(help="Write a page with all findings to this .html file.")] = None,
    markdown: Annotated[str | None, typer.Option(help="Write the page of the documentation to this .md file.")] = None,
    json: Json = None,
    replay: Annotated[
        str | None, typer.Option(help="Check the refutations in a file that --json wrote once more.")
    ] = None,
    listed: Annotated[
        bool, typer.Option("--list", help="List the claims as they are printed, with their kept status, and stop.")
    ] = False,
    status: Annotated[
        str | None,
        typer.Option(
            help="Only claims with this status in the run that is kept in the package: refuted, proven, ...; or wrong, "
            "for false statements and false steps of proofs; with --fault, for all that fails in that way."
        ),
    ] = None,
    fault: Annotated[
        str | None,
        typer.Option(help="Only claims that fail in this way: statement, step, range, misprint, reading; or all."),
    ] = None,
) -> int:
    """Put statements of the papers to the test: search for counterexamples, prove where possible, say what was found.

        privcheck claims hu-2021/fact17b azize-basu-2022/thm2-constant
        privcheck claims hu-2021/fact17b --json claims.json
        privcheck claims --replay claims.json
        privcheck claims --list --status wrong
        privcheck claims --list --fault misprint

    A refutation holds in exact rationals, or in intervals of 50 and of 100 digits. Effort is counted in evaluations, so
    that equal runs give equal findings. Needs the extra packages of `pip install 'privcheck[claims]'`. Each finding is
    printed as soon as it is known. Ctrl-C and SIGTERM end the work with what was found by then.

    Exit status: 0 nothing refuted, 1 a printed form fails, under some reading at least, or a step of a derivation, 2
    bad input, 130 or 143 interrupted.
    """
    check_json(json)
    check_html(html)
    _check_options(bool(ids or paper or status or fault), replay, markdown, status, fault)
    from privcheck.extras import require_extra

    require_extra("claims", "claims")
    work = _effort(effort, seed)
    if replay is not None:
        return _replayed(replay)
    from privcheck.claims import chosen_claims, examine, kept_findings

    chosen = chosen_claims(ids or None, paper)
    if listed or status is not None or fault is not None:
        kept = {found.id: found for found in kept_findings()}
        meant, chosen = chosen, [claim for claim in chosen if _has(status, fault, kept.get(claim.id))]
        if listed:
            failing = sum(kept[claim.id].wrong for claim in meant if claim.id in kept)
            return _listed(chosen, kept, json, failing - len(chosen) if (status, fault) == (WRONG, None) else 0)
    together = json == "-" or len(chosen) == 1
    found = examine(chosen, work, tell=None if together else _Printed(any((json, html, markdown))))
    found.run = _how(effort, seed, work)
    if found.unexamined:
        found.run = {**found.run, "unexamined": found.unexamined}
    _hand_out(found, json, html, None if found.unexamined else markdown, each=together)
    return status_of_claims(sum(finding.wrong for finding in found), found.unexamined)


def _check_options(
    chosen: bool, replay: str | None, markdown: str | None, status: str | None, fault: str | None
) -> None:
    from privcheck.claims import FAULTS, STATUSES
    from privcheck.declared import Choice, check
    from privcheck.files import check_output

    if status is not None:
        check("status", status, Choice((WRONG, *STATUSES)))
    if fault is not None:
        check("fault", fault, Choice((ALL, *FAULTS)))
    if markdown is not None:
        check_output(markdown, "markdown", (".md",))
        if chosen:
            hint = "leave out the ids, --paper, --status and --fault"
            raise PrivcheckError("markdown", markdown, "a run of all claims", hint)
    if replay is not None and chosen:
        expected = "no ids, no --paper, no --status and no --fault"
        raise PrivcheckError("replay", replay, expected, "a file is checked whole")


def _has(status: str | None, fault: str | None, kept: Finding | None) -> bool:
    """Return whether a claim has a status and a fault in the run that is kept.

    "wrong" alone means what is grave: a statement or a step; with a fault it means whatever has that fault.
    """
    if status is None and fault is None:
        return True
    if kept is None:
        return False
    of_fault = kept.wrong if fault == ALL else fault in (None, kept.fault)
    of_status = (kept.grave if fault is None else kept.wrong) if status == WRONG else status in (None, kept.status)
    return of_fault and of_status


def _how(effort: str, seed: int, work: Effort) -> dict[str, Any]:
    from datetime import UTC, datetime

    from privcheck import __version__

    command = {"command": f"privcheck claims --effort {effort} --seed {seed}"}
    return command | asdict(work) | {"date": f"{datetime.now(UTC):%Y-%m-%d}", "privcheck": __version__}


def _effort(text: str, seed: int) -> Effort:
    from privcheck.claims import Effort

    found = re.fullmatch(r"([1-9]\d{0,3})([mh])", text)
    if found is None or seed < 0:
        wrong: tuple[str, Any, str] = (
            ("effort", text, "minutes or hours, such as 1m or 2h") if found is None else ("seed", seed, "0 or more")
        )
        raise PrivcheckError(*wrong)
    minutes = int(found[1]) * (60 if found[2] == "h" else 1)
    return Effort(POINTS_A_MINUTE * minutes, BOXES_A_MINUTE * minutes, seed)


def _listed(chosen: list[Claim], kept: dict[str, Finding], json: str | None, milder: int) -> int:
    from privcheck.reporting import listed_claims
    from privcheck.serialise import to_json

    fields = ("id", "place", "kind", "role", "quote")
    rows = [{name: getattr(claim, name) for name in fields} | _kept(kept.get(claim.id)) for claim in chosen]
    deliver(json, to_json({"declared": rows}), lambda: listed_claims(chosen, kept, milder))
    return 0


def _kept(found: Finding | None) -> dict[str, str | None]:
    """Return what the run that is kept says of a claim."""
    told = (found.status, found.fault, found.cause) if found else (None, None, None)
    return dict(zip(("kept_status", "fault", "cause"), told, strict=True))


class _Printed:
    """Prints what was found about each of several claims; where nobody reads it, only files are worth more work."""

    def __init__(self, kept: bool) -> None:
        self.kept, self.read = kept, True

    def __call__(self, finding: Finding) -> None:
        from privcheck.claims import Findings
        from privcheck.reporting import details

        try:
            if self.read:
                show(details(Findings([finding]), total=False))
                sys.stdout.flush()
        except OSError:
            self.read = False
            if not self.kept:
                raise


def _hand_out(found: Findings, json: str | None, html: str | None, markdown: str | None, *, each: bool) -> None:
    from pathlib import Path

    from privcheck.files import write_whole
    from privcheck.reporting import details, save_page
    from privcheck.reporting import markdown as documentation
    from privcheck.serialise import to_json

    files: list[Callable[[], object]] = []
    if html is not None:
        files.append(partial(save_page, found, html))
    if markdown is not None:
        files.append(partial(write_whole, markdown, documentation(found), "markdown"))
        for paper in dict.fromkeys(finding.paper for finding in found):
            content = documentation(found, paper)
            files.append(partial(write_whole, str(Path(markdown).parent / f"{paper}.md"), content, "markdown"))
    deliver(json, to_json({"run": dict(found.run), "claims": found}), lambda: details(found, each=each), *files)


def _replayed(path: str) -> int:
    from rich import box
    from rich.table import Table

    from privcheck.claims import CLAIMS, findings_from_json
    from privcheck.claims import replay as again

    confirmations = Table("id", "readings refuted again", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    changed = list[str]()
    for finding in findings_from_json(path):
        if finding.id not in CLAIMS:
            raise PrivcheckError("replay", finding.id, "claims that are declared", "the file is of another version")
        confirmed = again(finding, CLAIMS[finding.id])
        if not all(confirmed) or (finding.wrong and not confirmed):
            raise PrivcheckError("replay", words(f"evidence for {finding.id} that refutes nothing"), "a counterexample")
        if confirmed:
            confirmations.add_row(finding.id, str(len(confirmed)))
        if finding.fingerprint not in ("", CLAIMS[finding.id].fingerprint):
            changed.append(finding.id)
    show(confirmations)
    if changed:
        told = "privcheck: entered in other words or formulas when the file was written, and checked as they are now"
        sys.stderr.write(f"{told}: {', '.join(changed)}\n")
    return status_of_claims(confirmations.row_count)
