"""Regret against epsilon, shown."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from privcheck.reporting._pages.page_frontier import render_frontier as page
from privcheck.reporting._pictures.frontier_picture import frontier_figure
from privcheck.reporting._pictures.svg import save_figure
from privcheck.reporting._terminal.frontier_tables import frontier_tables as details
from privcheck.results import Frontier

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["details", "page", "plot"]


def plot(frontier: Frontier, path: str | Path | None = None) -> Figure:
    """Return the picture of a frontier and save it; see `Frontier.plot`."""
    figure = frontier_figure(frontier)
    if path is not None:
        save_figure(figure, path)
    return figure
