"""`privcheck watch`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privcheck.cli._command_options import DECLARED
from privcheck.cli._declared_options import declared_options, taken
from privcheck.cli._delivery import deliver
from privcheck.cli._described.code_findings import Annotate, check_findings, deliver_findings
from privcheck.cli._described.contexts import ContextOptions
from privcheck.cli._described.target import TargetOptions, named_target, with_file
from privcheck.cli._options import Json, check_html, check_json, number
from privcheck.cli._process import contained_target
from privcheck.cli._statuses import status_of_watch

if TYPE_CHECKING:
    from privcheck.results import WatchReport


@declared_options(DECLARED["watch"])
def watch(
    target: Annotated[
        str | None,
        typer.Argument(help="As for `privcheck audit`; without a target all watches of the store are shown."),
    ] = None,
    *,
    store: Annotated[str, typer.Option(help="The SQLite file that keeps the nights.")] = "watch.sqlite",
    name: Annotated[str | None, typer.Option(help="Name of the watch in its store; by default the target's.")] = None,
    code_version: Annotated[
        str | None, typer.Option(help="Name of this version of the code; by default a hash. Services need one.")
    ] = None,
    wait: Annotated[float, number("wait", "Seconds to wait for another process that plays a night.", "SECONDS")] = 0.0,
    json: Json = None,
    html: Annotated[str | None, typer.Option(help="Write a page about the whole store to this .html file.")] = None,
    badge: Annotated[str | None, typer.Option(help="Write a badge about the whole store to this .svg file.")] = None,
    annotate: Annotate = None,
    **options: Any,
) -> int:
    """Play a night of a target, and add its evidence to that of all earlier nights and versions of the code.

    Fresh audits every night accuse correct code sooner or later; a watch has one guarantee for all nights together.
    In CI, play a night on a schedule and keep the store:

        privcheck watch my_bandit.py:MyBandit --epsilon 1 --arms 2
            --store watch.sqlite

    More runs a night for code that is fast, and a page that shows all watches of the store:

        privcheck watch adap-ucb --epsilon 1 --runs 1000 --html watch.html

    What is known, without playing:

        privcheck watch --store watch.sqlite

    A night that was interrupted is finished first; one that is played twice is counted once. Exit status: 0 no alarm,
    1 an alarm, 2 bad input, 3 nothing was counted, 130 or 143 interrupted.
    """
    from privcheck.files import check_output
    from privcheck.reporting import badge_svg, details
    from privcheck.watching import read_watches
    from privcheck.watching import watch as run_watch

    check_json(json)
    check_html(html)
    if badge is not None:
        check_output(badge, "badge", (".svg",))
    check_findings(annotate, None, json)
    described = vars(taken(options, TargetOptions))
    contexts = taken(options, ContextOptions).made()
    if badge is not None:
        badge_svg(read_watches(store) if _has_watches(store) else [], _text_of(badge))
    if target is None and not any(described.values()):
        return _show(read_watches(store), json, html, badge, annotate)
    played = named_target(target, **described)
    with contained_target():
        report = run_watch(
            played, store=store, name=name, version=code_version, wait=wait, **options | {"contexts": contexts}
        )
    files = _pages(_newest(report, read_watches(store)), html, badge)
    files += deliver_findings(report, annotate, None)
    deliver(json, report.to_json(), lambda: with_file(details(report), target), *files)
    return status_of_watch(report, played=options["nights"] > 0)


def _show(
    reports: list[WatchReport], json: str | None, html: str | None, badge: str | None, annotate: str | None
) -> int:
    from rich.console import Group

    from privcheck.reporting import details
    from privcheck.serialise import to_json

    files = _pages(reports, html, badge)
    files += [file for report in reports for file in deliver_findings(report, annotate, None)]
    deliver(json, to_json({"watches": reports}), lambda: Group(*map(details, reports)), *files)
    return max((status_of_watch(report, played=False) for report in reports), default=0)


def _pages(reports: list[WatchReport], html: str | None, badge: str | None) -> list[Callable[[], object]]:
    """Return what writes the page and the badge of a store."""
    from privcheck.files import write_whole
    from privcheck.reporting import badge_svg, render_watches

    files: list[Callable[[], object]] = []
    if html is not None:
        files.append(lambda: write_whole(html, render_watches(reports), "html"))
    if badge is not None:
        files.append(lambda: write_whole(badge, badge_svg(reports, _text_of(badge)), "badge"))
    return files


def _text_of(badge: str) -> str:
    """Return the text of the badge that is there; "" if there is none."""
    file = Path(badge)
    return file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""


def _has_watches(store: str) -> bool:
    return Path(store).is_file() and Path(store).stat().st_size > 0


def _newest(report: WatchReport, reports: list[WatchReport]) -> list[WatchReport]:
    """Return the reports of a store, with the notes of the one that has just been made."""
    return [report if each.name == report.name else each for each in reports]
