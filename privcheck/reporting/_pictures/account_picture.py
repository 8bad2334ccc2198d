"""What a plan costs: epsilon against delta, and against the number of releases, by every accountant."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from privcheck.accounting import Account, Plan
from privcheck.enclosure import as_given, digits_up
from privcheck.reporting._pictures.style import INK, MID, WIDE, new_figure, power, settings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = {"pure": "#cc79a7", "zcdp": "#e69f00", "gdp": "#009e73", "rdp": "#0072b2", "pld": "#d55e00"}
DASHES: dict[str, Any] = {
    "pure": (0, (1.5, 1.5)), "zcdp": (0, (6, 1.5, 1.5, 1.5)), "gdp": (0, (5, 2)), "rdp": (0, (9, 2)), "pld": "-",
}  # fmt: skip
LABELS = {
    "pure": "pure (sum)",
    "zcdp": "zCDP",
    "gdp": "Gaussian DP",
    "rdp": "Rényi DP",
    "pld": "privacy-loss distribution",
}

DELTAS = 25
COUNTS = 20
LOGARITHMIC = 15.0
"""Ratio of the largest and the smallest epsilon from which on their axis is logarithmic."""


def account_figure(plan: Plan, delta: float, *, width: float = WIDE) -> Figure:
    """Return a figure of the epsilon of a plan against delta, and of its first releases against their number.

    Parameters
    ----------
    plan : the plan; one release has no second panel.
    delta : marked on the left, and given on the right.
    width : in inches; the panels stand one below the other on narrow paper.

    Examples
    --------
    >>> from privcheck.accounting import Charge, PlannedRelease
    >>> figure = account_figure(Plan([PlannedRelease(Charge(0.1), 20)]), 1e-6)
    >>> [axes.get_xlabel() for axes in figure.axes]
    ['delta', 'releases']
    """
    found = plan.at_delta(delta)
    low = min(1e-10, delta / 100.0) if delta > 0.0 else 1e-10
    deltas = np.geomspace(low, 1e-1, DELTAS).tolist()
    several = plan.count > 1
    counts = sorted({round(count) for count in np.geomspace(1, plan.count, COUNTS)})
    by_delta = [plan.at_delta(at) for at in deltas]
    by_count = [plan.first(count).at_delta(delta) for count in counts]
    wide = width > WIDE - 1.0
    title = f"Epsilon of {plan.count:,} releases at delta = {as_given(delta)}"
    with settings():
        figure = new_figure(width, 3.1 if wide or not several else 5.6, title, _description(found))
        figure.set_layout_engine("constrained", w_pad=0.08, h_pad=0.06, wspace=0.04)
        shape = ((1, 2) if wide else (2, 1)) if several else (1, 1)
        panels = figure.subplots(*shape, squeeze=False).ravel().tolist()
        _draw(panels[0], deltas, by_delta, least=found.epsilon / 10.0)
        _label(panels[0], "delta", "all releases, against delta" if several else "against delta", logarithmic=True)
        panels[0].set_ylabel("epsilon")
        if several:
            first = f"the first releases, at delta = {as_given(delta)}"
            _draw(panels[1], counts, by_count)
            _label(panels[1], "releases", first, logarithmic=plan.count >= LOGARITHMIC)
        _mark(panels, found, max(delta, low), plan.count)
        drawn = {name: line for axes in panels for line, name in _legend(axes)}
        names = [name for name in LABELS.values() if name in drawn]
        style: dict[str, Any] = {"frameon": False, "handlelength": 2.6, "ncols": 5 if wide else 2}
        figure.legend([drawn[name] for name in names], names, loc="outside upper left", **style)
    return figure


def _draw(axes: Axes, places: Sequence[float], found: Sequence[Account], least: float = 0.0) -> None:
    """Draw the bounds; the axis is logarithmic if they differ much, not counting those below `least`."""
    bounds = np.array([list(account.bounds.values()) for account in found])
    seen = bounds[np.isfinite(bounds) & (bounds > least)]
    for name, column in zip(found[0].bounds, bounds.T, strict=True):
        drawn = np.where(np.isfinite(column), column, np.nan)
        if not np.isnan(drawn).all():
            width, order = (1.9, 4) if name == "pld" else (1.4, 3)
            axes.plot(places, drawn, color=COLOURS[name], ls=DASHES[name], lw=width, zorder=order, label=LABELS[name])
    if seen.size and seen.max() > LOGARITHMIC * max(float(seen.min()), 2.0 * least):
        axes.set_yscale("log")
        axes.set_ylim(bottom=float(seen.min()) / 1.3)
        axes.yaxis.set_major_formatter(power)
    else:
        axes.set_ylim(bottom=0.0)
    axes.set_xlim(places[0], places[-1])
    axes.spines["left"].set_visible(True)
    axes.grid(color=MID, alpha=0.25, lw=0.5)


def _label(axes: Axes, name: str, title: str, *, logarithmic: bool) -> None:
    if logarithmic:
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(power)
    axes.tick_params(which="both", colors=MID, labelcolor=INK)
    axes.set_xlabel(name)
    axes.set_title(title, loc="left", fontsize=8.5)


def _mark(panels: Sequence[Axes], found: Account, delta: float, count: int) -> None:
    """Mark the plan in both panels."""
    panels[0].axvline(delta, color=MID, lw=0.8, ls=(0, (3, 2)), zorder=1)
    if found.epsilon == math.inf:
        return
    for axes, at in zip(panels, (delta, float(count)), strict=False):
        axes.plot([at], [found.epsilon], "o", ms=4.5, color=COLOURS[found.best], zorder=5, clip_on=False)
    place: dict[str, Any] = {"textcoords": "offset points", "ha": "right", "va": "top", "color": INK, "fontsize": 8}
    panels[0].annotate(digits_up(found.epsilon, 4), (delta, found.epsilon), (-5, -5), **place)


def _legend(axes: Axes) -> list[tuple[Any, str]]:
    lines, names = axes.get_legend_handles_labels()
    return list(zip(lines, names, strict=True))


def _description(found: Account) -> str:
    """Return the bounds of the accountants in words."""
    said = [f"{LABELS[name]} {digits_up(bound, 4)}" for name, bound in found.bounds.items() if bound < math.inf]
    what = f"Upper bounds on epsilon at delta = {as_given(found.delta)}"
    return f"{what}: {', '.join(said)}. The best is {LABELS[found.best]}."
