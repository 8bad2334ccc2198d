"""One page about the watches of a store: a single HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from privcheck.reporting._pages.elements import (
    document,
    element,
    facts,
    header,
    inline_picture,
    items,
    section,
    text,
)
from privcheck.reporting._pages.html_table import NUMBER, TEXT, Cell, table
from privcheck.reporting._pictures.watch_picture import watch_figure
from privcheck.reporting._text.numbers import amount
from privcheck.reporting._text.watch_sentences import (
    alarms_before,
    counted_nights,
    evidence,
    first_part,
    mark,
    meaning,
    next_step,
    past_alarms,
    sentence,
    version_words,
)
from privcheck.results import WatchReport

TITLE = "privcheck watch"

LATEST = 10
"""Nights, and versions, of each watch that the page lists."""


def render_watches(reports: Sequence[WatchReport]) -> str:
    """Return the page; the same reports give the same page.

    >>> from privcheck.results._example_results import WATCHED
    >>> "Evidence after each night" in render_watches([WATCHED])
    True
    """
    alarms, past = (
        sum(report.alarm is not None for report in reports),
        sum(len(alarms_before(each)) for each in reports),
    )
    nights = sum(map(counted_nights, reports))
    said = f"{nights:,} night{'s' * (nights != 1)} of {len(reports)} target{'s' * (len(reports) != 1)}, "
    said += f"{alarms} alarm{'s' * (alarms != 1)}" if alarms else "no alarm stands" if past else "no alarm"
    said += f"; {past:,} raised before" if past else ""
    ordered = sorted(reports, key=lambda report: (report.alarm is None, not report.alarms))
    parts = [part for number, report in enumerate(ordered) for part in _sections(report, f"watch-{number}")]
    return document(TITLE, header(TITLE, said), parts)


def _sections(report: WatchReport, name: str) -> list[str]:
    said = f"{mark(report)} {text(sentence(report))}"
    verdict = element("p", element("strong", said))
    caption = (
        f"Evidence after each night: the wealth of bets against {report.claim}, its share of the level taken off. "
        "Vertical lines: where a version of the code begins."
    )
    picture = inline_picture(lambda width: watch_figure(report, width=width), name, caption)
    more = [*past_alarms(report), *report.notes, *filter(None, [next_step(report)])]
    return [
        section(report.name, [verdict, *([items(more)] if more else []), picture], name=name),
        section(f"Versions of {report.name}", [_versions(report)]),
        section(f"Latest nights of {report.name}", [_nights(report)]),
        section("What is watched", [facts(_setting(report))]),
        section("What this does and does not mean", [items(meaning(report))]),
    ]


def _versions(report: WatchReport) -> str:
    columns = [
        ("version", TEXT),
        ("code", TEXT),
        ("first night", NUMBER),
        ("nights", NUMBER),
        ("ln of wealth since then", NUMBER),
    ]
    rows: list[list[Cell | str]] = [
        [
            Cell(str(each.number), each.number), text(each.code), Cell(f"{each.first_night:,}", each.first_night),
            Cell(f"{each.nights:,}", each.nights), Cell(amount(each.log_e_value), each.log_e_value),
        ]
        for each in reversed(report.versions[-LATEST:])
    ]  # fmt: skip
    caption = (
        "The wealth of the bets that began with each version and go on through all later ones: a large one speaks "
        "against that version or one after it"
    )
    if len(report.versions) > LATEST:
        caption += f"; the newest {LATEST} of {len(report.versions):,} versions"
    return table(caption, columns, rows, kind="stack")


def _nights(report: WatchReport) -> str:
    columns = [("night", TEXT), ("version", NUMBER), ("runs", NUMBER), ("event", TEXT)]
    columns += [("first", NUMBER), ("second", NUMBER), ("evidence", NUMBER)]
    rows: list[list[Cell | str]] = []
    for night in reversed(report.nights[-LATEST:]):
        event = text(first_part(night.event) if night.lost is None else f"lost: {night.lost}")
        version = version_words(report.versions[night.version - 1]).removeprefix("version ")
        shown = [
            Cell(f"{night.number:,}", night.number), Cell(text(version), night.version),
            Cell(f"{night.runs:,}", night.runs),
        ]  # fmt: skip
        counts = [Cell(f"{value:,}", value) for value in (night.first, night.second)]
        rows.append([*shown, event, *counts, Cell(evidence(night.e_value), night.e_value)])
    caption = "Runs on the first and on the second stream that were in the event, and the evidence after the night"
    return table(caption, columns, rows, kind="stack")


def _setting(report: WatchReport) -> list[tuple[str, str]]:
    found = [
        ("target", report.target), ("claim", report.claim), ("neighbour relation", report.neighbours),
        ("observed", report.observe), ("feedback", report.feedback), ("arms", str(report.arms)),
        ("rounds", str(report.horizon)), ("level of an alarm", f"{report.error:g}"),
    ]  # fmt: skip
    if report.nights:
        found.append(("streams of the last night", report.nights[-1].streams or "none"))
        found.append(("last night", report.nights[-1].at))
    return found
