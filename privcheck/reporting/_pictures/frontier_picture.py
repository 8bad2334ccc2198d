"""Regret against epsilon: the claim of every policy, what is known of its true epsilon, and the theory."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from privcheck.bandits import ALGORITHMS
from privcheck.bounds import THEOREMS, theorem_name
from privcheck.reporting._pictures.regret_picture import PALETTE
from privcheck.reporting._pictures.style import INK, MID, NARROW, WIDE, new_figure, settings
from privcheck.reporting._text.bound_marks import bounded_policy
from privcheck.reporting._text.places import described_place, picture_title
from privcheck.results import Frontier, FrontierPoint

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MARKERS = ("o", "s", "D", "^", "v", "P", "X")
MOST_BELOW, SHORT = 30.0, 1.5
"""A lower bound so many times below the claim is no news: it is an arrow this far below the claim."""

LARGEST, SMALLEST = 9.0, 4.0
"""Marker sizes: each policy has smaller ones than that before it, so that none hides another at its budget."""

END: dict[str, Any] = {"marker": "|", "ms": 9, "mew": 1.6}
LESS: dict[str, Any] = {"marker": "<", "ms": 5, "alpha": 0.7}


def frontier_figure(frontier: Frontier, *, width: float = WIDE) -> Figure:
    """Return the figure; see `Frontier.plot`.

    Examples
    --------
    >>> from privcheck.tradeoffs._frontier import frontier
    >>> found = frontier("adap-ucb", [0.9, 0.1], epsilons=[1.0], horizon=1000, runs=5, audit_runs=0)
    >>> frontier_figure(found).axes[0].get_xlabel()
    'epsilon'
    """
    private = list(dict.fromkeys(point.policy for point in frontier.points if point.budget is not None))
    without = [point for point in frontier.points if point.budget is None]
    said = [
        f"{p.policy} with {frontier.unit} {p.budget:g}: mean regret {p.mean:.4g}"
        for p in frontier.points
        if p.budget is not None
    ]
    where = described_place(frontier.environment, frontier.means, frontier.arms)
    title = f"Regret against {frontier.claim} on {where}, {frontier.horizon:,} rounds"
    with settings():
        figure = new_figure(width, 4.6 if width > NARROW else 6.4, title, "; ".join(said))
        figure.set_layout_engine("constrained")
        axes = figure.add_subplot(facecolor="none")
        axes.set_title(picture_title(where, 56 if width > NARROW else 36), loc="left", fontsize=8.5)
        axes.set_xscale("log")
        axes.set_yscale("log")
        budgets = sorted({point.budget for point in frontier.points if point.budget is not None})
        left, right = (budgets[0], budgets[-1]) if budgets else (0.1, 10.0)
        left, right = left / 2, right * 2
        _draw_theory(axes, frontier)
        for place, point in enumerate(without):
            dash = ("-", (0, (4, 2)), (0, (1, 1)))[place % 3]
            label = f"{point.policy}, {_without_budget(frontier.name_of(point.policy))}"
            axes.axhline(point.mean, color=INK, lw=0.9, ls=dash, label=label)
        lows = []
        for place, name in enumerate(private):
            colour, marker = PALETTE[place % 6], MARKERS[place % len(MARKERS)]
            points = [point for point in frontier.points if point.policy == name and point.budget is not None]
            size = max(LARGEST - 1.6 * place, SMALLEST)
            lows += _draw_policy(axes, points, name, colour, marker, size, right)
        floor = min([left, *(low / 1.3 for low in lows)])
        axes.set_xlim(floor, right)
        _axes_in_words(axes, frontier, budgets)
        _legend(figure, axes, frontier, "outside right upper" if width > NARROW else "outside lower left")
    return figure


def _without_budget(policy: str) -> str:
    """Return what is known of a policy that takes no budget: one that is not shipped may be private by itself."""
    name = policy.partition("(")[0]
    return "not private" if name in ALGORITHMS and not ALGORITHMS[name].private else "takes no epsilon"


def _draw_theory(axes: Any, frontier: Frontier) -> None:
    for kind, style in (("lower", (0, (2, 1.5))), ("upper", (0, (6, 2)))):
        known = [(bound.epsilon, getattr(bound, kind), getattr(bound, f"{kind}_id")) for bound in frontier.bounds]
        known = [row for row in known if row[1] is not None]
        if not known:
            continue
        ids = list(dict.fromkeys(str(row[2]) for row in known))
        label = _of_rates(ids) if kind == "lower" else _of_upper_bounds(ids)
        xs, ys = [row[0] for row in known], [row[1] for row in known]
        axes.plot(xs, ys, color=MID, lw=1.3, ls=style, label=label, zorder=1)


def _of_rates(ids: list[str]) -> str:
    names = ",\n".join(theorem_name(each) for each in ids)
    return f"lower bound as T → ∞, c ln T:\nat this T, regret may lie below it\n({names})"


def _of_upper_bounds(ids: list[str]) -> str:
    """Return what the smallest upper bounds hold for: one policy each, or every policy."""
    proven = [f"upper bound of {bounded_policy(each)} only\n({theorem_name(each)})" for each in ids if each in THEOREMS]
    trivial = ["T × largest gap, which\nno regret exceeds"] if len(proven) < len(ids) else []
    return ",\nor ".join(proven + trivial)


def _draw_policy(
    axes: Any, points: list[FrontierPoint], name: str, colour: str, marker: str, size: float, right: float
) -> list[float]:
    """Draw the points of one policy; return the left ends of their intervals."""
    lows: list[float] = []
    for point in points:
        x = float(point.budget or 0.0)
        axes.plot([x, x], [max(point.q05, 1e-9), max(point.q95, 1e-9)], color=colour, lw=0.9, alpha=0.75, zorder=2)
        lows += _draw_interval(axes, point, x, colour, right)
        refuted = point.verdict == "violation"
        axes.plot(
            [x], [point.mean], ls="none", marker=marker, ms=size, color=colour, zorder=4,
            mfc="white" if refuted else colour, mew=1.4,
        )  # fmt: skip
    axes.plot([], [], color=colour, marker=marker, ms=size, ls="none", label=name)
    return lows


def _far_below(point: FrontierPoint) -> bool:
    """Tell whether an audited lower bound is too far below the claim to be drawn at its place."""
    return point.lower is not None and point.lower <= (point.budget or 0.0) / MOST_BELOW


def _draw_interval(axes: Any, point: FrontierPoint, x: float, colour: str, right: float) -> list[float]:
    """Draw what is known of the true epsilon of one point: a bar with ends, open where nothing is known."""
    low, high = point.lower, point.upper
    if low is None and high is None:
        return []
    start = x if low is None else x / SHORT if _far_below(point) else low
    closed = high is not None and math.isfinite(high)
    end = high if closed and high is not None else right
    axes.plot([start, end], [point.mean] * 2, color=colour, lw=3.2, alpha=0.30, solid_capstyle="butt", zorder=1.5)
    if start > x:  # what the claim was, beside what is known
        axes.plot([x, start], [point.mean] * 2, color=colour, lw=1.0, ls=(0, (1, 1.2)), zorder=1.5)
    if low is not None:
        axes.plot([start], [point.mean], color=colour, zorder=3, **(LESS if _far_below(point) else END))
    if closed:
        axes.plot([end], [point.mean], color=colour, zorder=3, **END)
    else:
        axes.plot([end / 1.03], [point.mean], marker=">", ms=5, color=colour, alpha=0.7, zorder=3, clip_on=False)
    return [] if low is None else [start]


def _axes_in_words(axes: Any, frontier: Frontier, budgets: list[float]) -> None:
    axes.set_xticks(budgets, [f"{budget:g}" for budget in budgets])
    axes.xaxis.set_minor_formatter("")
    low, high = axes.get_ylim()
    if high < 100.0 * low:  # a label for each power of ten would leave one or two
        from matplotlib.ticker import LogLocator

        axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.10g}")
    axes.yaxis.set_minor_formatter("")
    axes.spines["left"].set_visible(True)
    axes.tick_params(axis="both", labelcolor=INK, color=MID, which="both")
    axes.grid(color=MID, alpha=0.22, lw=0.5)
    axes.set_xlabel(frontier.claim)
    axes.set_ylabel(f"pseudo-regret after {frontier.horizon:,} rounds")


def _legend(figure: Figure, axes: Any, frontier: Frontier, where: Any) -> None:
    """Add the legend; marks that no point has are left out."""
    handles, labels = axes.get_legend_handles_labels()
    points, unit = frontier.points, frontier.unit
    if any(point.lower is not None or point.upper is not None for point in points):
        handles += axes.plot([], [], color=MID, lw=3.2, alpha=0.45)
        labels.append(f"true {unit}: from audited lower\nto certified upper bound")
    if any(map(_far_below, points)):
        handles += axes.plot([], [], ls="none", color=MID, **LESS)
        labels.append(f"audited lower bound below\n1/{MOST_BELOW:g} of the claim")
    handles += axes.plot([], [], ls="none", marker="|", ms=10, color=INK, mew=0.9)
    labels.append("5 to 95 % of runs")
    if any(point.verdict == "violation" for point in points):
        handles += axes.plot([], [], ls="none", marker="o", mfc="white", mec=INK, mew=1.4, ms=6)
        labels.append("claim refuted by the audit")
    figure.legend(handles, labels, loc=where, frameon=False, fontsize=7.5, labelspacing=0.9)
