"""The witness of an audit: two streams, round by round, and the event's probabilities on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from privcheck.auditing.report import AuditReport, Witness
from privcheck.errors import PrivcheckError
from privcheck.reporting.numbers import clean
from privcheck.reporting.probability_picture import BARS, draw_probabilities
from privcheck.reporting.sentences import rounds_text, verdict_sentence
from privcheck.reporting.style import CELL, INK, MID, WIDE, add_axes, new_figure, settings
from privcheck.reporting.view import View, levels, view

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LEFT, RIGHT = 0.52, 0.14
MOST_ROUNDS, MOST_ARMS = 240, 24
TOP, HEADING, MARK, BETWEEN, BELOW = 0.06, 0.2, 0.16, 0.12, 0.74
"""Heights in inches: above all, a stream's name, the changed rounds' names, between the streams, their axis and key."""


def witness_figure(report: AuditReport, *, width: float = WIDE) -> Figure:
    """Return a figure of two neighbouring streams, the changed rounds framed, and of the event's probability on each.

    Below the streams stands the probability of the event where it is more likely, and the most that the claim allows
    it given the other: exp(epsilon) times the other, plus delta.

    Parameters
    ----------
    report : an audit with a witness.
    width : in inches.

    Raises
    ------
    PrivcheckError : when the audit ended early and has no witness.

    Examples
    --------
    >>> from privcheck.reporting.examples import VIOLATION
    >>> len(witness_figure(VIOLATION).axes)
    3
    """
    witness = report.witness
    if witness is None:
        raise PrivcheckError(
            "report", f"the report of {report.target}", "an audit with a witness", "it ended early: repeat it"
        )
    shown = view(witness, MOST_ROUNDS, MOST_ARMS)
    row = min(0.17, 1.8 / len(shown.arms))
    block = row * len(shown.arms)
    streams = TOP + MARK + 2 * (HEADING + block) + BETWEEN + BELOW
    bars = BARS if report.epsilon_claimed is not None else BARS * 2 / 3
    title = (
        f"Witness against {clean(report.target)}"
        if report.verdict == "violation"
        else f"Streams for {clean(report.target)}"
    )
    description = f"{clean(witness.streams)}. Event: {clean(witness.event)}. {verdict_sentence(report)}."
    with settings():
        figure = new_figure(width, streams + bars + 0.5, title, description)
        for i, (name, table) in enumerate((("first", witness.first), ("second", witness.second))):
            top = TOP + MARK + HEADING + i * (HEADING + block + BETWEEN)
            axes = add_axes(figure, LEFT, top, width - LEFT - RIGHT, block)
            _draw_stream(axes, levels(report, table, shown), shown, (width - LEFT - RIGHT) / (shown.stop - shown.start))
            _label_stream(axes, name, shown, block, first=i == 0)
            if i == 0:
                _mark_rounds(axes, witness, shown)
        _key(figure, report, streams, shown)
        draw_probabilities(figure, report, witness, streams, bars)
    return figure


def _draw_stream(axes: Axes, rewards: np.ndarray, shown: View, cell: float) -> None:
    """Draw the rewards, equal ones in a row as one rectangle when cells are too small to be told apart."""
    from matplotlib.colors import to_rgba
    from matplotlib.patches import Rectangle

    apart = cell > 0.07
    axes.set_xlim(shown.start + 0.5, shown.stop + 0.5)
    axes.set_ylim(len(rewards), 0.0)
    for arm, row in enumerate(rewards):
        edges = np.flatnonzero(np.diff(row) != 0.0) + 1
        starts = np.arange(len(row)) if apart else np.concatenate([[0], edges])
        ends = np.append(starts[1:], len(row))
        gap = 0.08 if apart else 0.0
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            corner, size = (shown.start + 0.5 + start + gap, arm + 0.08), (end - start - 2 * gap, 0.84)
            edge = MID if apart else "none"
            look: dict[str, Any] = {
                "facecolor": to_rgba(CELL, float(row[start])),
                "edgecolor": edge,
                "lw": 0.4,
                "clip_on": False,
            }
            if apart or row[start] > 0.0:
                axes.add_patch(Rectangle(corner, *size, **look))
        if not apart:
            outline = (shown.start + 0.5, arm + 0.08), len(row), 0.84
            axes.add_patch(Rectangle(*outline, facecolor="none", edgecolor=MID, lw=0.4, clip_on=False))
    for t in shown.changed:
        frame = Rectangle(
            (t + 0.5, 0.0), 1.0, len(rewards), facecolor="none", edgecolor=INK, lw=1.3, clip_on=False, zorder=5
        )
        axes.add_patch(frame)


def _label_stream(axes: Axes, name: str, shown: View, block: float, *, first: bool) -> None:
    axes.spines["bottom"].set_visible(False)
    axes.tick_params(length=0)
    axes.text(
        0.0, 1.0 + (0.05 + MARK * first) / block, f"{name} stream", transform=axes.transAxes, weight="bold", va="bottom"
    )
    step = max(1, -(-len(shown.arms) * 10 // int(block * 90 + 1)))
    places = range(0, len(shown.arms), step)
    axes.set_yticks([i + 0.5 for i in places], [f"arm {shown.arms[i]}" for i in places], fontsize=7)
    if first:
        axes.set_xticks([])
        return
    from matplotlib.ticker import MaxNLocator

    ticks = MaxNLocator(nbins=8, integer=True, min_n_ticks=1).tick_values(shown.start + 1, shown.stop)
    inside = [int(t) for t in ticks if shown.start < t <= shown.stop]
    far = not inside or inside[0] - shown.start - 1 > (shown.stop - shown.start) / 20
    axes.set_xticks([shown.start + 1, *inside] if far else inside)
    axes.set_xlabel("round")


def _mark_rounds(axes: Axes, witness: Witness, shown: View) -> None:
    """Name the changed rounds above the first of them."""
    if not shown.changed:
        return
    middle = (shown.changed[0] + shown.changed[-1]) / 2 + 1
    share = (middle - shown.start) / (shown.stop - shown.start)
    side = "left" if share < 0.25 else "right" if share > 0.75 else "center"
    place = shown.changed[0] + 0.5 if side == "left" else shown.changed[-1] + 1.5 if side == "right" else middle
    text = f"▾ {rounds_text(witness)} differs" if len(witness.rounds) == 1 else f"▾ {rounds_text(witness)} differ"
    axes.annotate(text, (place, 0.0), (0, 2), textcoords="offset points", ha=side, va="bottom", fontsize=7.5)


def _key(figure: Figure, report: AuditReport, top: float, shown: View) -> None:
    from matplotlib.patches import Patch

    low, high = report.rewards
    handles: list[Any] = [
        Patch(facecolor="none", edgecolor=MID, lw=0.6, label=f"reward {low:g}"),
        Patch(facecolor=CELL, edgecolor=MID, lw=0.6, label=f"reward {high:g}"),
        Patch(facecolor="none", edgecolor=INK, lw=1.3, label="differs"),
    ]
    width, height = figure.get_size_inches()
    place = (LEFT / width, 1.0 - (top - 0.26) / height)
    figure.legend(
        handles=handles, loc="upper left", bbox_to_anchor=place, ncols=3, frameon=False, fontsize=7.5,
        borderaxespad=0.0, handlelength=1.2, borderpad=0.0,
    )  # fmt: skip
    if shown.omitted:
        figure.text(
            1.0 - RIGHT / width, 1.0 - 0.12 / height, f"shown: {shown.omitted}", ha="right", va="center", fontsize=7
        )
