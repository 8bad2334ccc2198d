"""The evidence of a watch over its nights, with the versions of the code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from privcheck.reporting._pictures.style import COLOURS, INK, MID, NARROW, WIDE, new_figure, settings
from privcheck.reporting._text.numbers import clean
from privcheck.reporting._text.watch_sentences import evidence, sentence, version_words
from privcheck.results import WatchReport

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FEWEST, MOST = 1e-3, 1e100
"""Evidence that is drawn: below and above it only says "little" and "much"."""

MOST_LABELS = 12
"""Versions that are named at their first night; of more, only the lines are drawn."""


def watch_figure(report: WatchReport, *, width: float = WIDE) -> Figure:
    """Return the picture: the evidence after each night, what raises an alarm, and where versions begin.

    >>> from privcheck.results._example_results import WATCHED
    >>> watch_figure(WATCHED).axes[0].get_xlabel()
    'night'
    """
    from matplotlib.ticker import MaxNLocator

    title = f"Evidence against {report.claim} of {clean(report.name)} over {len(report.nights)} nights"
    with settings():
        figure = new_figure(width, 2.9 if width > NARROW else 2.6, title, sentence(report))
        figure.set_layout_engine("constrained")
        axes = figure.add_subplot(facecolor="none")
        _draw(axes, report)
        axes.set_yscale("log")
        most = max([min(MOST, night.e_value) for night in report.nights] + [report.needed])
        top = most * max(4.0, (most / FEWEST) ** 0.04)  # the last point lies below the edge
        low = [night.e_value for night in report.nights if night.e_value > 0.0]
        axes.set_ylim(max(FEWEST, min([*low, 1.0]) / 2.0), top)
        axes.set_xlim(0.5, max(2.5, len(report.nights) + 0.5))
        axes.set_xlabel("night")
        axes.set_ylabel("evidence against the claim")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.yaxis.set_major_formatter(lambda value, _: evidence(value))
        axes.yaxis.set_minor_formatter("")
        axes.tick_params(which="minor", left=False)
        axes.spines["left"].set_visible(True)
        axes.tick_params(axis="y", labelcolor=INK, color=MID)
        axes.grid(axis="y", color=MID, alpha=0.25, lw=0.5)
    return figure


def _draw(axes: Any, report: WatchReport) -> None:
    nights = [night.number for night in report.nights]
    values = [min(MOST, max(FEWEST, night.e_value)) for night in report.nights]
    axes.axhline(report.needed, color=COLOURS["violation"], lw=1.0, ls=(0, (5, 2)))
    axes.annotate(
        f"alarm at {evidence(report.needed)}", (1.0, report.needed), xycoords=("axes fraction", "data"),
        xytext=(-3, 3), textcoords="offset points", ha="right", fontsize=7, color=COLOURS["violation"],
    )  # fmt: skip
    few = len(report.versions) <= MOST_LABELS
    for version in report.versions:
        axes.axvline(version.first_night - 0.5, color=MID, lw=0.6, alpha=0.7 if few else 0.3)
        if few and len(report.versions) > 1:
            axes.annotate(
                version_words(version), (version.first_night - 0.5, 0.02), xycoords=("data", "axes fraction"),
                xytext=(2, 0), textcoords="offset points", rotation=90, fontsize=6.5, color=MID, va="bottom",
            )  # fmt: skip
    marker = "o" if len(nights) < 40 else ""
    axes.plot(nights, values, color=COLOURS["consistent"], lw=1.3, marker=marker, ms=3.2)
    for alarm in report.alarms:
        value = min(MOST, alarm.e_value)
        axes.plot([alarm.night], [value], ls="none", marker="X", ms=8, color=COLOURS["violation"], zorder=4)
    lost = [night.number for night in report.nights if night.lost is not None]
    if lost:
        axes.plot(lost, [1.0] * len(lost), ls="none", marker="|", ms=10, color=INK, zorder=4, label="lost night")
        axes.legend(frameon=False, fontsize=7, loc="upper left")
