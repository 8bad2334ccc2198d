"""Best-arm identification in the terminal: stopping times and errors of every policy."""

from __future__ import annotations

from rich import box
from rich.table import Table
from rich.text import Text

from privcheck.results.stopping import Identification

TIMES = ("mean", "se", "median", "q05", "q95", "q99")


def identification_table(found: Identification) -> Table:
    """Return a table with one row per policy and delta.

    Examples
    --------
    >>> from privcheck.simulation.identify import identify
    >>> found = identify("dp-exact-tt", [0.9, 0.5], horizon=1e4, delta=[0.1, 0.01], runs=5, epsilon=1.0)
    >>> identification_table(found).row_count
    2
    """
    several = any(len(result.deltas) > 1 and not result.algorithm.reads_delta for result in found.results)
    note = "; one run is scored at every delta, so its rows are dependent" if several else ""
    title = f"rounds until it stops, at most {found.horizon:g}, {found.runs:g} runs{note}"
    table = Table(title=Text(title), title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.caption, table.caption_justify = Text("\n".join(found.notes())) if found.notes() else None, "left"
    for column in ("policy", "delta", *TIMES, "wrong", "95 % interval", "cut", "seconds"):
        table.add_column(column, justify="left" if column == "policy" else "right", overflow="fold")
    for row in found.summary():
        times = ["-" if row[name] is None else f"{row[name]:.5g}" for name in TIMES]
        interval = f"{row['error_low']:.2g} to {row['error_high']:.2g}"
        table.add_row(
            row["policy"], f"{row['delta']:g}", *times, f"{row['error_rate']:.2%}", interval, f"{row['cut']:.2%}",
            f"{row['seconds']:.3g}",
        )  # fmt: skip
    return table
