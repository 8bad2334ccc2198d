"""A plan of releases, shown."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from privcheck.accounting import Plan
from privcheck.files import check_output
from privcheck.reporting._pictures.account_picture import account_figure
from privcheck.reporting._pictures.svg import save_figure
from privcheck.reporting._terminal.account_table import account_table as details

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["details", "plot"]


def plot(plan: Plan, path: str | Path | None = None, **options: Any) -> Figure:
    """Return the picture of what a plan costs and save it."""
    if path is not None:
        check_output(path, "path", (".svg", ".png"))
    figure = account_figure(plan, **options)
    if path is not None:
        save_figure(figure, path)
    return figure
