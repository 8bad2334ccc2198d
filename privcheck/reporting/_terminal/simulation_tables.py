"""Simulations in the terminal: the final regret of every policy, and comparisons of policies."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.table import Table
from rich.text import Text

from privcheck.reporting._text.numbers import amount, amounts, p_value, percent
from privcheck.reporting._text.places import place_text
from privcheck.reporting._text.simulation_notes import budgets_words, runs_words
from privcheck.results import Comparison, Difference, Simulation

COLUMNS = ("policy", "mean", "se", "median", "q05", "q95", "q99", "engine", "seconds")


def summary_table(simulation: Simulation) -> Table:
    """Return a table with one row per policy.

    Examples
    --------
    >>> from privcheck.simulation._simulate import simulate
    >>> summary_table(simulate("ucb", [0.75, 0.5], horizon=100, runs=5)).row_count
    1
    """
    where = f" on {place_text(simulation)}" if getattr(simulation.environment, "names", ()) else ""
    counts = [len(result.regret) for result in simulation.results]
    title = f"pseudo-regret after {simulation.horizon:,} rounds{where}, {runs_words(counts)}"
    table = titled_table("; ".join(filter(None, [title, budgets_words(simulation)])))
    ragged = any(count != simulation.runs for count in counts)
    columns = (COLUMNS[0], "runs", *COLUMNS[1:]) if ragged else COLUMNS
    for column in columns:
        table.add_column(column, justify="left" if column in ("policy", "engine") else "right", overflow="fold")
    for row in simulation.summary():
        table.add_row(*(_cell(c, row[c]) for c in columns))
    return table


def comparison_table(comparisons: Sequence[Comparison], confidence: float = 0.95) -> Table:
    """Return a table with five rows per comparison: differences of regret with intervals, and the tests.

    Examples
    --------
    >>> from privcheck.simulation._simulate import simulate
    >>> simulation = simulate(["ucb", "kl-ucb"], [0.75, 0.5], horizon=100, runs=5)
    >>> comparison_table(simulation.compare()).row_count
    5
    """
    table = titled_table("differences in final regret; intervals and p-values are adjusted for all pairs")
    for column in ("pair", "of"):
        table.add_column(column, overflow="fold")
    for column in ("difference", f"{percent(confidence)} interval", "p"):
        table.add_column(column, justify="right", overflow="fold")
    for found in comparisons:
        table.add_row(f"{found.first} -", "means", *_difference(found.mean), p_value(found.p_mean, 2))
        table.add_row(found.second, "medians", *_difference(found.median), "")
        table.add_row("", "95 % quantiles", *_difference(found.q95), "")
        table.add_row("", "99 % quantiles", *_difference(found.q99), "")
        order = f"first is lower in {found.better:.1%}"
        table.add_row("", "order", "", order, p_value(found.p_order, 2), end_section=True)
    return table


def _cell(column: str, value: float | str) -> str:
    """Return a number with four digits, of a time with two: long names of policies need the room."""
    return f"{value:.{2 if column == 'seconds' else 4}g}" if isinstance(value, float) else str(value)


def titled_table(title: str) -> Table:
    """Return an empty table with a title on its left."""
    return Table(title=Text(title), title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))


def _difference(found: Difference) -> tuple[str, str]:
    return amount(found.value), f"\\{amounts(found.low, found.high)}"
