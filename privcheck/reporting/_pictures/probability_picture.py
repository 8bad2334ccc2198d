"""The two probabilities of a witness's event, and the most that the claim allows the larger."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from privcheck.reporting._pictures.style import COLOURS, INK, MID, add_axes, power
from privcheck.reporting._pictures.witness_excerpt import words_of
from privcheck.reporting._text.audit_sentences import MARKS, verdict_word
from privcheck.reporting._text.numbers import probability, probability_at_most, small
from privcheck.results import AuditReport, Estimate, Witness

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BARS = 1.35
"""Height of three bars in inches."""

SIDE = 0.14
FAR = 25.0
"""Ratio of the probabilities above which their axis is logarithmic."""


def draw_probabilities(figure: Figure, report: AuditReport, witness: Witness, top: float, height: float) -> None:
    """Draw the bars into a figure, `top` and `height` in inches."""
    first, second = witness.probability_first, witness.probability_second
    more, less = (first, second) if witness.more_likely == "first" else (second, first)
    one, other = words_of(report).one, "second" if witness.more_likely == "first" else "first"
    axes = add_axes(figure, SIDE, top, float(figure.get_size_inches()[0]) - 2 * SIDE, height)
    colour = COLOURS[verdict_word(report)]
    bars: list[tuple[str, Estimate, dict[str, Any]]] = [
        (f"{witness.more_likely} {one}: {_number(more)}", more, {"facecolor": colour, "edgecolor": colour}),
        (f"{other} {one}: {_number(less)}", less, {"facecolor": MID, "edgecolor": MID}),
    ]
    if report.epsilon_claimed is not None:
        most = allowed(report.epsilon_claimed, report.delta, less)
        above = report.epsilon_lower is not None and report.epsilon_lower > report.epsilon_claimed
        bars.insert(
            1, (_allowed_label(report, most), most, {"facecolor": "none", "edgecolor": INK, "ls": (0, (3, 1.5))})
        )
        if above:
            bars[0] = (f"{bars[0][0]}  {MARKS['violation']} above what is allowed", more, bars[0][2])
    _axis(axes, [bar[1] for bar in bars])
    axes.set_ylim(len(bars), 0.0)
    left = axes.get_xlim()[0]
    for row, (label, estimate, look) in enumerate(bars):
        middle = row + 0.66
        value = min(1.0, estimate.value)
        if value > left:
            axes.barh(middle, value - left, left=left, height=0.36, lw=1.0, zorder=2, **look)
        low, high = (min(1.0, max(left, end)) for end in (estimate.low, estimate.high))
        axes.plot([low, high], [middle, middle], color=INK, lw=1.2, marker="|", ms=6, mew=1.2, zorder=4, clip_on=False)
        axes.text(0.0, row + 0.36, label, transform=axes.get_yaxis_transform())
    if report.epsilon_claimed is not None:
        limit = min(1.0, bars[1][1].value)
        if limit > left:
            axes.plot([limit, limit], [0.42, 0.9], color=INK, lw=1.2, ls=(0, (3, 1.5)), zorder=3)


def allowed(epsilon: float, delta: float, less: Estimate) -> Estimate:
    """Return the most that (epsilon, delta) allows an event whose probability on the neighbouring stream is `less`.

    >>> allowed(math.log(2.0), 0.0, Estimate(0.1, 0.05, 0.2)).value
    0.2
    """
    value, low, high = (math.exp(min(epsilon, 700.0)) * p + delta for p in (less.value, less.low, less.high))
    return Estimate(value, low, high)


def _allowed_label(report: AuditReport, most: Estimate) -> str:
    formula = f"exp({report.epsilon_claimed:g}) × other" + (f" + {small(report.delta)}" if report.delta else "")
    if most.value >= 1.0:
        return f"the claim allows {formula}: any probability"
    return f"the claim allows {formula} = {_number(most)}"


def _number(estimate: Estimate) -> str:
    if estimate.value == 0.0:
        return f"0, at most {probability_at_most(estimate.high)}"
    return probability(estimate.value)


def _axis(axes: Axes, estimates: list[Estimate]) -> None:
    """Choose a linear axis from 0, or a logarithmic one where the probabilities are too far apart for it."""
    largest = min(1.0, max(estimate.high for estimate in estimates))
    smallest = min(estimate.value for estimate in estimates)
    if smallest * FAR >= estimates[0].value:
        axes.set_xlim(0.0, min(1.0, 1.05 * largest))
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.set_xlabel("probability of the event")
        return
    ends = [value for estimate in estimates for value in (estimate.value, estimate.low, estimate.high) if value > 0.0]
    axes.set_xscale("log")
    axes.set_xlim(10.0 ** math.floor(math.log10(min(ends)) - 0.3), min(1.0, 1.2 * largest))
    from matplotlib.ticker import LogLocator, NullLocator

    axes.xaxis.set_major_locator(LogLocator(numticks=8))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(power)
    axes.set_xlabel("probability of the event (logarithmic)")
