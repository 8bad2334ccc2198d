"""Regret against epsilon, shown."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Group
from rich.table import Table

from privcheck.reporting._pages.page_frontier import render_frontier as page
from privcheck.reporting._pictures.frontier_picture import frontier_figure
from privcheck.reporting._pictures.svg import save_figure
from privcheck.reporting._terminal.simulation_tables import titled_table
from privcheck.reporting._text.numbers import digits_at_least, digits_at_most, given
from privcheck.reporting._text.places import described_place
from privcheck.results import Frontier

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["details", "page", "plot"]

COLUMNS = ("policy", "epsilon", "audited", "certified", "verdict", "mean", "q05", "q95")

INCONCLUSIVE = "inconclusive: not refuted by an audit of few pairs; `privcheck audit` sees more"


def details(frontier: Frontier) -> Group:
    """Return a table of the policies, and one of the theory at their budgets.

    Examples
    --------
    >>> from privcheck.tradeoffs._frontier import frontier
    >>> found = frontier("adap-ucb", [0.9, 0.1], epsilons=[1.0], horizon=1000, runs=5, audit_runs=0)
    >>> [table.row_count for table in details(found).renderables]
    [1, 1]
    """
    place = described_place(frontier.environment, frontier.means, frontier.arms)
    runs = max(point.runs for point in frontier.points)
    delta = max(point.delta for point in frontier.points)
    at = f", delta = {given(delta)}" if delta else ""
    order = ", arms in a random order in every run" if frontier.shuffle_arms else ""
    table = titled_table(f"pseudo-regret after {frontier.horizon:,} rounds on {place}, {runs:,} runs{at}{order}")
    for column in COLUMNS:
        if column == "policy":
            table.add_column(column, overflow="fold")
        else:
            shown = frontier.unit if column == "epsilon" else column
            table.add_column(shown, justify="left" if column == "verdict" else "right", no_wrap=True)
    for p in frontier.points:
        table.add_row(
            p.policy, given(p.budget), digits_at_least(p.lower), digits_at_most(p.upper), p.verdict or "-",
            *(_shown(value) for value in (p.mean, p.q05, p.q95)),
        )  # fmt: skip
    if any(p.verdict == "inconclusive" for p in frontier.points):
        table.caption, table.caption_justify = INCONCLUSIVE, "left"
    return Group(table, *([_theory(frontier)] if frontier.bounds else []))


def _theory(frontier: Frontier) -> Table:
    budgets = {point.epsilon for point in frontier.points}
    table = titled_table("theory: an asymptotic rate c ln T, no bound at T; the best upper bound, or T × largest gap")
    for column in ("epsilon", "rate × ln T", "upper"):
        table.add_column(column, justify="right")
    table.add_column("theorems", overflow="fold")
    for bound in frontier.bounds:
        if bound.epsilon in budgets:
            ids = ", ".join(name for name in (bound.lower_id, bound.upper_id) if name)
            table.add_row(given(bound.epsilon), digits_at_least(bound.lower), digits_at_most(bound.upper), ids)
    return table


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}"


def plot(frontier: Frontier, path: str | Path | None = None) -> Figure:
    """Return the picture of a frontier and save it; see `Frontier.plot`."""
    figure = frontier_figure(frontier)
    if path is not None:
        save_figure(figure, path)
    return figure
