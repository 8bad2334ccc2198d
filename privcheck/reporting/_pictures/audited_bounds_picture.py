"""The bounds of audits on one axis, with their claims."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from privcheck.errors import PrivcheckError
from privcheck.reporting._pictures.style import (
    CERTIFIED,
    COLOURS,
    HATCHES,
    INK,
    MID,
    WIDE,
    add_axes,
    new_figure,
    settings,
)
from privcheck.reporting._text.audit_sentences import (
    audit_mark,
    certificate_is_refused,
    headline,
    verdict_sentence,
    verdict_word,
)
from privcheck.reporting._text.both_bounds import (
    contradiction,
    of_one_object,
    sandwich,
    upper_bound,
)
from privcheck.reporting._text.numbers import at_least, at_most, clean, shorten
from privcheck.results import AuditReport

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ROW = 0.64
TOP, BOTTOM, SIDE = 0.08, 0.82, 0.14


def bounds_figure(reports: Sequence[AuditReport], *, width: float = WIDE) -> Figure:
    """Return a figure with a row per audit: lower bound as a bar from 0, estimate with its interval, claim as a line.

    A certified upper bound closes the row with a bracket, and the interval between the bounds is shaded: the true
    epsilon lies in it. When the bounds contradict each other, the row says so.

    Parameters
    ----------
    reports : what `privcheck.audit` returned, one or more.
    width : in inches.

    Raises
    ------
    PrivcheckError : without reports.

    Examples
    --------
    >>> from privcheck.results._example_results import VIOLATION
    >>> low, high = bounds_figure([VIOLATION]).axes[0].get_xlim()
    >>> bool(low == 0 and 1.76 < high < 2.5)
    True
    """
    if not reports:
        raise PrivcheckError("reports", reports, "at least one report")
    columns = 2 if width < WIDE - 1 else 5
    certified = any(upper_bound(report) is not None for report in reports)
    legend = 0.16 * (columns == 2) + 0.16 * certified
    height = TOP + ROW * len(reports) + BOTTOM + legend
    description = " ".join(_description(report) for report in reports)
    kind = "Bounds" if certified else "Lower bounds"
    with settings():
        figure = new_figure(width, height, f"{kind} on epsilon. {headline(reports)}", description)
        axes = add_axes(figure, SIDE, TOP, width - 2 * SIDE, ROW * len(reports))
        limit, squeezed = _limit(reports)
        axes.set_xlim(0.0, limit)
        if squeezed:
            axes.set_xscale("function", functions=(_root, _square))
            axes.set_xticks([tick for tick in (0, 0.25, 1, 2, 3, 4, 6, 8, 10, 15, 20, 30, 50, 100) if tick <= limit])
            axes.set_xlim(0.0, limit)
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.set_ylim(len(reports), 0.0)
        axes.set_xlabel("epsilon (square-root scale)" if squeezed else "epsilon")
        for row, report in enumerate(reports):
            _draw_row(axes, report, row, limit, width)
        _legend(axes, reports, min(columns, 4) if certified else columns)
    return figure


def _description(report: AuditReport) -> str:
    both = contradiction(report) or sandwich(report)
    return f"{clean(report.target)}: {verdict_sentence(report)}." + (f" {both}" if both else "")


def _root(values: Any) -> Any:
    import numpy as np

    return np.sqrt(np.maximum(values, 0.0))


def _square(values: Any) -> Any:
    return values * abs(values)


def _limit(reports: Sequence[AuditReport]) -> tuple[float, bool]:
    """Return the right end of the axis, and whether its scale is squeezed because the rows differ much."""
    claims = [report.epsilon_claimed for report in reports if report.epsilon_claimed is not None]
    ends = list(claims)
    for report in reports:
        estimate = report.epsilon_estimate
        seen = (report.epsilon_lower, report.epsilon_lower_clopper_pearson, report.exact_loss, upper_bound(report))
        ends += [value for value in seen if value is not None]
        ends += [estimate.value, estimate.low, estimate.high] if estimate else []
    largest = max((value for value in ends if math.isfinite(value)), default=1.0)
    return max(largest, 1e-3) * 1.1, bool(claims) and largest > 4 * max(claims)


def _draw_row(axes: Axes, report: AuditReport, row: int, limit: float, width: float) -> None:
    word = verdict_word(report)
    colour = COLOURS[word]
    result = f"{audit_mark(report)} {word}, {_bounds_text(report)}"
    if width >= WIDE - 1 and word != "violation" and certificate_is_refused(report):
        result += "; certificate refused"
    name = shorten(clean(report.target), int((width - 2 * SIDE - 0.062 * len(result)) / 0.072) - 1)
    across = axes.get_yaxis_transform()
    axes.text(0.0, row + 0.26, name, transform=across, weight="bold", parse_math=False)
    axes.text(1.0, row + 0.26, result, transform=across, ha="right", parse_math=False)
    middle = row + 0.66
    axes.plot([0.0, limit], [middle, middle], color=MID, lw=0.5, alpha=0.6, zorder=0)
    if report.epsilon_lower is not None:
        end = min(report.epsilon_lower, limit)
        hatch = HATCHES[word]
        face = "none" if hatch else colour
        axes.barh(middle, end, height=0.28, facecolor=face, edgecolor=colour, hatch=hatch or None, lw=1.0, zorder=2)
    _draw_upper(axes, report, middle, limit)
    clopper_pearson = report.epsilon_lower_clopper_pearson
    if clopper_pearson is not None and math.isfinite(clopper_pearson):
        axes.plot([clopper_pearson] * 2, [row + 0.75, row + 0.9], color=INK, lw=1.4, zorder=4, solid_capstyle="butt")
    _draw_estimate(axes, report, row + 0.44, limit)
    if report.exact_loss is not None:
        axes.plot(min(report.exact_loss, limit), middle, marker="*", ms=8, color=INK, clip_on=False, zorder=5)
    if report.epsilon_claimed is not None:
        axes.plot([report.epsilon_claimed] * 2, [row + 0.36, row + 0.95], color=INK, lw=1.5, ls=(0, (3, 1.5)), zorder=3)


def _bounds_text(report: AuditReport) -> str:
    upper = upper_bound(report)
    if upper is None:
        return f"epsilon ≥ {at_least(report.epsilon_lower)}" if report.epsilon_lower is not None else "no bound"
    if contradiction(report):
        return f"≥ {at_least(report.epsilon_lower)} and ≤ {at_most(upper)}: CONTRADICTION"
    if not of_one_object(report):
        lower = "" if report.epsilon_lower is None else f"epsilon ≥ {at_least(report.epsilon_lower)}; "
        return f"{lower}under the guard ≤ {at_most(upper)}"
    lower = "" if report.epsilon_lower is None else f"{at_least(report.epsilon_lower)} ≤ "
    return f"{lower}epsilon ≤ {at_most(upper)}"


def _draw_upper(axes: Axes, report: AuditReport, middle: float, limit: float) -> None:
    """Draw a certified upper bound as a bracket, and the interval between the bounds in its colour."""
    upper = upper_bound(report)
    if upper is None:
        return
    end, wrong = min(upper, limit), contradiction(report) is not None
    start = 0.0 if report.epsilon_lower is None else min(max(0.0, report.epsilon_lower), limit)
    if of_one_object(report) and not wrong and start < end:
        axes.barh(middle, end - start, left=start, height=0.28, facecolor=CERTIFIED, alpha=0.4, lw=0, zorder=1)
    colour, tick = (INK if wrong else CERTIFIED), limit * 0.012
    corners = [end - tick, end, end, end - tick], [middle - 0.17, middle - 0.17, middle + 0.17, middle + 0.17]
    axes.plot(*corners, color=colour, lw=2.2, zorder=3.5, solid_joinstyle="miter", clip_on=False)


def _draw_estimate(axes: Axes, report: AuditReport, height: float, limit: float) -> None:
    """Draw the estimate above the bar; one beyond the axis ends in an arrow."""
    estimate = report.epsilon_estimate
    if estimate is None:
        return
    low, high = (min(max(0.0, value), limit) for value in (estimate.low, estimate.high))
    axes.plot([low, high], [height, height], color=INK, lw=1.0, zorder=4, solid_capstyle="butt")
    beyond = estimate.value > limit
    place = limit if beyond else max(0.0, estimate.value)
    shape = ">" if beyond else "o"
    axes.plot(place, height, marker=shape, ms=4, color=INK, clip_on=False, zorder=5)


def _legend(axes: Axes, reports: Sequence[AuditReport], columns: int) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch
    from matplotlib.path import Path

    shades = {COLOURS[verdict_word(report)] for report in reports}
    handles: list[Any] = [
        Patch(facecolor=shades.pop() if len(shades) == 1 else MID, label="lower bound"),
        Line2D([], [], color=INK, marker="o", ms=4, lw=1.0, label="log-ratio of this event"),
        Line2D([], [], color=INK, marker="|", ms=7, mew=1.4, lw=0, label="Clopper-Pearson"),
        Line2D([], [], color=INK, lw=1.5, ls=(0, (3, 1.5)), label="claim"),
    ]
    if any(report.exact_loss is not None for report in reports):
        handles.append(Line2D([], [], color=INK, marker="*", ms=8, lw=0, label="exact loss"))
    if any(upper_bound(report) is not None for report in reports):
        bracket: dict[str, Any] = {"mfc": "none", "mec": CERTIFIED, "mew": 2.0, "ms": 9, "lw": 0}
        shape = Path([(-0.5, 1.0), (0.0, 1.0), (0.0, -1.0), (-0.5, -1.0)])
        handles.append(Line2D([], [], marker=shape, label="certified upper bound", **bracket))
    if any(upper_bound(report) is not None and of_one_object(report) for report in reports):
        handles.append(Patch(facecolor=CERTIFIED, alpha=0.4, lw=0, label="true epsilon lies here"))
    height = ROW * len(reports)
    place = (0.5, -0.42 / height)
    axes.legend(handles=handles, loc="upper center", bbox_to_anchor=place, ncols=columns, frameon=False, fontsize=7.5)
