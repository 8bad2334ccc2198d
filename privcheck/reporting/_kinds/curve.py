"""Bounds along an axis, shown."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.text import Text

from privcheck.bounds import Curve
from privcheck.files import check_output
from privcheck.reporting._bounds_files import curve_csv as as_csv
from privcheck.reporting._bounds_files import curve_json as as_json
from privcheck.reporting._bounds_files import curve_summary
from privcheck.reporting._pictures.svg import save_figure
from privcheck.reporting._pictures.theory_picture import theory_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["as_csv", "as_json", "details", "plot"]


def details(curve: Curve, *, paths: Sequence[str] = ()) -> Text:
    """Return the axis of a curve and its files."""
    return Text(curve_summary(curve, paths))


def plot(curve: Curve, path: str | Path | None = None, **options: Any) -> Figure:
    """Return the picture of a curve and save it."""
    if path is not None:
        check_output(path, "path", (".svg", ".png"))
    figure = theory_figure(curve, **options)
    if path is not None:
        save_figure(figure, path)
    return figure
