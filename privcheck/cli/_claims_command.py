"""`privcheck claims`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privcheck.cli._delivery import deliver
from privcheck.cli._options import Json, check_html, check_json, whole
from privcheck.cli._statuses import status_of_claims
from privcheck.errors import PrivcheckError, words

if TYPE_CHECKING:
    from privcheck.claims import Claim, Effort, Finding, Findings

POINTS_A_MINUTE, BOXES_A_MINUTE = 3000, 1500
"""Work on each reading for one minute of `--effort`: all claims then take about that long."""


WRONG = "wrong"
"""All statuses that say that the printed form fails."""


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
            "for all that fail."
        ),
    ] = None,
) -> int:
    """Put statements of the papers to the test: search for counterexamples, prove where possible, say what was found.

        privcheck claims hu-2021/fact17b azize-basu-2022/thm2-constant
        privcheck claims hu-2021/fact17b --json claims.json
        privcheck claims --replay claims.json
        privcheck claims --list --status refuted

    A refutation holds in exact rationals, or in intervals of 50 and of 100 digits. Effort is counted in evaluations, so
    that equal runs give equal findings. Needs the extra packages of `pip install 'privcheck[claims]'`.

    Exit status: 0 nothing refuted, 1 a printed form fails, under some reading at least, or a step of a derivation, 2
    bad input.
    """
    check_json(json)
    check_html(html)
    _check_options(ids, paper, replay, markdown, status)
    from privcheck.extras import require_extra

    require_extra("claims", "claims")
    work = _effort(effort, seed)
    if replay is not None:
        return _replayed(replay)
    from privcheck.claims import chosen_claims, examine, kept_findings

    chosen = chosen_claims(ids or None, paper)
    if listed or status is not None:
        kept = {found.id: found for found in kept_findings()}
        chosen = [claim for claim in chosen if status is None or _has(status, kept.get(claim.id))]
        if listed:
            return _listed(chosen, {name: found.status for name, found in kept.items()}, json)
    found = examine(chosen, work)
    how = {"command": f"privcheck claims --effort {effort} --seed {seed}"} | asdict(work)
    _hand_out(found, how, json, html, markdown)
    return status_of_claims(sum(finding.wrong for finding in found))


def _check_options(
    ids: list[str] | None, paper: str | None, replay: str | None, markdown: str | None, status: str | None
) -> None:
    from privcheck.claims import STATUSES
    from privcheck.declared import Choice, check
    from privcheck.files import check_output

    if status is not None:
        check("status", status, Choice((WRONG, *STATUSES)))

    if markdown is not None:
        check_output(markdown, "markdown", (".md",))
        if ids or paper or status:
            raise PrivcheckError("markdown", markdown, "a run of all claims", "leave out the ids, --paper and --status")
    if replay is not None and (ids or paper or status):
        raise PrivcheckError("replay", replay, "no ids, no --paper and no --status", "a file is checked whole")


def _has(status: str, kept: Finding | None) -> bool:
    """Return whether a claim has a status in the run that is kept, or any that says that its printed form fails."""
    return kept is not None and (kept.wrong if status == WRONG else kept.status == status)


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


def _listed(chosen: list[Claim], kept: dict[str, str], json: str | None) -> int:
    from privcheck.reporting import listed_claims
    from privcheck.serialise import to_json

    fields = ("id", "place", "kind", "role", "quote")
    rows = [{name: getattr(claim, name) for name in fields} | {"kept_status": kept.get(claim.id)} for claim in chosen]
    deliver(json, to_json({"declared": rows}), lambda: listed_claims(chosen, kept))
    return 0


def _hand_out(found: Findings, how: dict[str, Any], json: str | None, html: str | None, markdown: str | None) -> None:
    from privcheck.files import write_whole
    from privcheck.reporting import details, save_page
    from privcheck.reporting import markdown as documentation
    from privcheck.serialise import to_json

    files: list[Callable[[], object]] = []
    if html is not None:
        files.append(partial(save_page, found, html))
    if markdown is not None:
        files.append(partial(write_whole, markdown, documentation(found), "markdown"))
    deliver(json, to_json({"run": how, "claims": found}), lambda: details(found), *files)


def _replayed(path: str) -> int:
    from rich import box
    from rich.table import Table

    from privcheck.claims import CLAIMS, findings_from_json
    from privcheck.claims import replay as again
    from privcheck.cli._delivery import show

    confirmations = Table("id", "readings refuted again", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for finding in findings_from_json(path):
        if finding.id not in CLAIMS:
            raise PrivcheckError("replay", finding.id, "claims that are declared", "the file is of another version")
        confirmed = again(finding, CLAIMS[finding.id])
        if not all(confirmed) or (finding.wrong and not confirmed):
            raise PrivcheckError("replay", words(f"evidence for {finding.id} that refutes nothing"), "a counterexample")
        if confirmed:
            confirmations.add_row(finding.id, str(len(confirmed)))
    show(confirmations)
    return status_of_claims(confirmations.row_count)
