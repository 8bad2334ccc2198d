"""A simulation, shown."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.text import Text

from privcheck.reporting._pages.notebook import simulation_html as notebook
from privcheck.reporting._pages.page_simulation import render_simulation as page
from privcheck.reporting._pictures.regret_picture import check_plot_path, draw, save
from privcheck.reporting._terminal.simulation_tables import comparison_table, summary_table
from privcheck.reporting._text.simulation_notes import UNTESTED, order_note, too_few_runs
from privcheck.results import Simulation

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["details", "notebook", "page", "plot"]


def details(simulation: Simulation, *, compare: bool = False) -> RenderableType:
    """Return the regret of every policy and, if they are compared, every pair with what has to be said beside it."""
    parts: list[RenderableType] = [summary_table(simulation)]
    notes = [order_note(simulation)]
    if compare:
        pairs = simulation.compare()
        parts.append(comparison_table(pairs))
        notes.append(f"{UNTESTED} `privcheck audit` tests one, `privcheck frontier` several.")
        notes.append(too_few_runs(simulation, len(pairs)))
    return Group(*parts, *(Text(f"note: {note}") for note in notes if note))


def plot(
    simulation: Simulation,
    path: str | Path | None = None,
    *,
    lines: Sequence[str] | None = None,
    log_regret: bool = False,
) -> Figure:
    """Return the picture of a simulation and save it; see `Simulation.plot`."""
    target = None if path is None else check_plot_path(path)
    figure = draw(simulation, lines, log_regret)
    if target is not None:
        save(figure, target)
    return figure
