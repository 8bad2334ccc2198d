"""A watch, shown."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from privcheck.files import check_output
from privcheck.reporting._pages.elements import element, text
from privcheck.reporting._pages.page_watch import render_watches
from privcheck.reporting._pictures.svg import save_figure
from privcheck.reporting._pictures.watch_picture import watch_figure
from privcheck.reporting._text.numbers import clean
from privcheck.reporting._text.watch_sentences import (
    EVENT_RUNS,
    evidence,
    first_part,
    mark,
    next_step,
    past_alarms,
    sentence,
    trusted,
    version_words,
)
from privcheck.results import WatchReport

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["details", "markdown", "notebook", "page", "plot", "sentence"]

LATEST = 5
"""Nights that the terminal lists."""


def details(report: WatchReport) -> RenderableType:
    """Return what is known, and the latest nights.

    >>> from privcheck.results._example_results import WATCHED
    >>> details(WATCHED).renderables[1].row_count
    2
    """
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for name in ("night", "version", "runs", "first", "second", "evidence"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("event", overflow="fold")
    for night in report.nights[-LATEST:]:
        event = first_part(night.event) if night.lost is None else f"lost: {night.lost}"
        counts = (f"{value:,}" for value in (night.runs, night.first, night.second))
        version = version_words(report.versions[night.version - 1]).removeprefix("version ")
        table.add_row(f"{night.number:,}", Text(version), *counts, evidence(night.e_value), Text(event))
    said = Text(f"{mark(report)} {sentence(report)}", "bold")
    notes = [Text(f"note: {note}", "dim") for note in (*past_alarms(report), *trusted(report))]
    return Group(
        said,
        table,
        Text(f"{EVENT_RUNS}.", "dim"),
        *notes,
        *([Text(next_step(report))] if report.alarm is not None else []),
    )


def notebook(report: WatchReport) -> str:
    """Return the sentence, and the number of nights and versions."""
    said = f"{len(report.nights):,} nights, {len(report.versions):,} versions of the code"
    return element("p", element("b", text(sentence(report)))) + element("p", text(said))


def markdown(report: WatchReport) -> str:
    """Return the sentence for the summary of a job."""
    more = [*trusted(report), next_step(report)] if report.alarm is not None else []
    listed = "".join(f"- {clean(one)}\n" for one in more)
    return f"### privcheck watch\n\n{mark(report)} {sentence(report)}\n" + (f"\n{listed}" if listed else "")


def page(report: WatchReport) -> str:
    """Return the page about one watch."""
    return render_watches([report])


def plot(report: WatchReport, path: str | Path | None = None) -> Figure:
    """Return the picture of the evidence over the nights and save it."""
    if path is not None:
        check_output(path, "path", (".svg", ".png"))
    figure = watch_figure(report)
    if path is not None:
        save_figure(figure, path)
    return figure
