"""Two neighbouring streams, round by round."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from privcheck.reporting._pictures.style import CELL, COLOURS, INK, MID, WIDE, add_axes
from privcheck.reporting._pictures.witness_excerpt import TwoStreams, View, aligned, ends_of, levels
from privcheck.reporting._text.witness_sentences import rounds_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

RIGHT = 0.14
MOST_ROUNDS, MOST_ARMS = 240, 24
TOP, HEADING, MARK, BETWEEN, BELOW = 0.06, 0.2, 0.16, 0.12, 0.74
"""Heights in inches: above all, a stream's name, the changed rounds' names, between the streams, their axis and key."""

Played = tuple[tuple[int, ...], tuple[int, ...]]
"""The arms played on the first and on the second stream, from round 1."""


def streams_height(shown: View) -> float:
    """Return the height in inches of both streams, their axis and a row of their key."""
    return TOP + MARK + 2 * (HEADING + _block(shown)) + BETWEEN + BELOW


def key_columns(width: float) -> int:
    """Return how many entries of the key fit into a row."""
    return 3 if width < WIDE - 1 else 5


def _left(shown: View) -> float:
    return 0.2 + 0.06 * max(len(name) for name in (*shown.names, "arm 0"))


def _block(shown: View) -> float:
    return min(0.17, 1.8 / len(shown.arms)) * len(shown.arms)


def draw_streams(
    figure: Figure,
    streams: TwoStreams,
    rewards: tuple[float, float],
    shown: View,
    played: Played | None = None,
) -> None:
    """Draw two streams from the top of a figure, and the arms played on them as dots."""
    block, rewards = _block(shown), ends_of(rewards, streams, shown)
    width, left = float(figure.get_size_inches()[0]), _left(shown)
    for i, (name, table) in enumerate(zip(("first", "second"), aligned(streams), strict=True)):
        top = TOP + MARK + HEADING + i * (HEADING + block + BETWEEN)
        axes = add_axes(figure, left, top, width - left - RIGHT, block)
        _draw_stream(axes, levels(rewards, table, shown), shown, (width - left - RIGHT) / (shown.stop - shown.start))
        _label_stream(axes, name, shown, block, first=i == 0)
        if i == 0:
            _mark_rounds(axes, streams, shown)
        if played is not None:
            _draw_played(axes, played, i, shown)
    _key(figure, rewards, streams_height(shown), shown, played is not None)


def _draw_played(axes: Axes, played: Played, which: int, shown: View) -> None:
    """Draw a dot on the arm of each round, a larger one where the other stream's run plays something else."""
    from itertools import zip_longest

    for t, arms in enumerate(zip_longest(*played)):
        arm = arms[which]
        if shown.start <= t < shown.stop and arm in shown.arms:
            apart = arms[0] != arms[1]
            look: dict[str, Any] = {"color": COLOURS["violation"] if apart else INK, "mec": "#ffffff", "mew": 0.7}
            place = shown.arms.index(arm) + 0.5
            axes.plot(t + 1, place, marker="D" if apart else "o", ms=5.5 if apart else 4.0, zorder=6, **look)


def _draw_stream(axes: Axes, rewards: np.ndarray, shown: View, cell: float) -> None:
    """Draw the rewards, equal ones in a row as one rectangle when single cells would be too small to see."""
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
            if row[start] != row[start]:  # a row that only the other data set has
                continue
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
    above, title = 1.0 + (0.05 + MARK * first) / block, f"{name} {shown.words.one}"
    axes.text(0.0, above, title, transform=axes.transAxes, weight="bold", va="bottom")
    step = max(1, -(-len(shown.arms) * 10 // int(block * 90 + 1)))
    places = range(0, len(shown.arms), step)
    axes.set_yticks([i + 0.5 for i in places], [shown.names[i] for i in places], fontsize=7)
    if first:
        axes.set_xticks([])
        return
    from matplotlib.ticker import MaxNLocator

    ticks = MaxNLocator(nbins=8, integer=True, min_n_ticks=1).tick_values(shown.start + 1, shown.stop)
    inside = [int(t) for t in ticks if shown.start < t <= shown.stop]
    far = not inside or inside[0] - shown.start - 1 > (shown.stop - shown.start) / 20
    axes.set_xticks([shown.start + 1, *inside] if far else inside)
    axes.set_xlabel(shown.words.row)


def _mark_rounds(axes: Axes, witness: TwoStreams, shown: View) -> None:
    """Name the changed rounds above the first of them."""
    if not shown.changed:
        return
    middle = (shown.changed[0] + shown.changed[-1]) / 2 + 1
    share = (middle - shown.start) / (shown.stop - shown.start)
    side = "left" if share < 0.25 else "right" if share > 0.75 else "center"
    place = shown.changed[0] + 0.5 if side == "left" else shown.changed[-1] + 1.5 if side == "right" else middle
    text = f"▾ {rounds_text(witness, shown.words.row)} differ{'s' * (len(witness.rounds) == 1)}"
    axes.annotate(text, (place, 0.0), (0, 2), textcoords="offset points", ha=side, va="bottom", fontsize=7.5)


def _key(figure: Figure, rewards: tuple[float, float], top: float, shown: View, played: bool) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    low, high = rewards
    value = "value" if shown.words.of_data else "reward"
    at_low, at_high = (f", context {end:.3g}" for end in shown.contexts) if shown.contexts else ("", "")
    handles: list[Any] = [
        Patch(facecolor="none", edgecolor=MID, lw=0.6, label=f"{value} {low:g}{at_low}"),
        Patch(facecolor=CELL, edgecolor=MID, lw=0.6, label=f"{value} {high:g}{at_high}"),
        Patch(facecolor="none", edgecolor=INK, lw=1.3, label="differs"),
    ]
    if played:
        handles.append(Line2D([], [], color=INK, marker="o", ms=4, lw=0, label="played"))
        handles.append(Line2D([], [], color=COLOURS["violation"], marker="D", ms=5, lw=0, label="played (differs)"))
    width, height = (float(size) for size in figure.get_size_inches())
    place = (_left(shown) / width, 1.0 - (top - 0.26) / height)
    figure.legend(
        handles=handles, loc="upper left", bbox_to_anchor=place, frameon=False, fontsize=7.5,
        ncols=min(len(handles), key_columns(width)),
        columnspacing=1.4, borderaxespad=0.0, handlelength=1.2, borderpad=0.0,
    )  # fmt: skip
    if shown.omitted:
        figure.text(
            1.0 - RIGHT / width, 1.0 - 0.12 / height, f"shown: {shown.omitted}", ha="right", va="center", fontsize=7
        )
