"""Best-arm identification in the terminal: stopping times and errors of every policy."""

from __future__ import annotations

from rich.console import Group
from rich.table import Table
from rich.text import Text

from privcheck.reporting._terminal.simulation_tables import titled_table
from privcheck.reporting._text.numbers import probability_at_least, probability_at_most
from privcheck.results import Identification

TIMES = ("mean", "se", "median", "q05", "q95", "q99")


def details(found: Identification) -> Group:
    """Return two tables with one row per policy and delta: when they stopped, and how often they were wrong.

    Examples
    --------
    >>> from privcheck.simulation._identify import identify
    >>> found = identify("dp-exact-tt", [0.9, 0.5], horizon=1e4, delta=[0.1, 0.01], runs=5, epsilon=1.0)
    >>> [table.row_count for table in details(found).renderables]
    [2, 2]
    """
    several = any(len(result.deltas) > 1 and not result.algorithm.reads_delta for result in found.results)
    note = "; one run is scored at every delta, so its rows are dependent" if several else ""
    title = f"rounds until it stops, at most {found.horizon:,}, {found.runs:,} runs{note}"
    stopped, answered = titled_table(title), titled_table("wrong recommendations, and runs that did not stop")
    _columns(stopped, *TIMES)
    _columns(answered, "wrong", "95 % interval", "cut", "seconds")
    for row in found.summary():
        who = row["policy"], f"{row['delta']:g}"
        stopped.add_row(*who, *("-" if row[name] is None else f"{row[name]:.5g}" for name in TIMES))
        interval = f"{probability_at_least(row['error_low'])} to {probability_at_most(row['error_high'])}"
        answered.add_row(*who, f"{row['error_rate']:.2%}", interval, f"{row['cut']:.2%}", f"{row['seconds']:.3g}")
    return Group(stopped, answered, *map(Text, found.notes()))


def _columns(table: Table, *names: str) -> None:
    table.add_column("policy", overflow="fold")
    for name in ("delta", *names):
        table.add_column(name, justify="right", no_wrap=True)
