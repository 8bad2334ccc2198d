"""What the pictures share: colours for white and for black paper, signs that work without colour, figures and axes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from privcheck.extras import require_extra
from privcheck.reporting._text.audit_sentences import MEASURED

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK = "#1b1f24"
"""Text and frames; `to_svg` turns it into `currentColor`, so that it follows the page."""

MID = "#8a8f98"
"""Grid, axes and outlines: visible on both."""

CELL = "#5b83b3"
"""Rewards."""

COLOURS = {"violation": "#d55e00", "consistent": "#2f86c5", "inconclusive": "#8a8f98", MEASURED: "#9a6fb0"}
"""Colours of verdicts, distinct for colour-blind readers too; each verdict also has a sign and its word."""

CERTIFIED = "#00916e"
"""Of upper bounds, and of the interval below them."""

HATCHES = {"violation": "", "consistent": "", "inconclusive": "////", MEASURED: "...."}

WIDE, NARROW = 7.2, 3.7
"""Widths in inches: a page's or two columns', and a phone's or one column's."""

SETTINGS: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 8.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "axes.edgecolor": MID,
    "axes.labelcolor": INK,
    "xtick.color": MID,
    "xtick.labelcolor": INK,
    "text.color": INK,
    "text.usetex": False,
    "text.parse_math": False,
    "axes.unicode_minus": True,
    "hatch.linewidth": 0.6,
    "svg.fonttype": "path",
    "svg.hashsalt": "privcheck",
    "savefig.bbox": None,
    "path.sketch": None,
}


@contextmanager
def settings() -> Iterator[None]:
    """Draw with the settings of this file, whatever the user's matplotlib is set to, and leave that as it was."""
    require_extra("plots", "plot")
    from matplotlib import rc_context

    with rc_context(SETTINGS):
        yield


def new_figure(width: float, height: float, title: str, description: str) -> Figure:
    """Return an empty transparent figure; its label holds title and description for those who cannot see it."""
    from privcheck.reporting._pictures.shown_figure import ShownFigure

    figure = ShownFigure(figsize=(width, height), facecolor="none")
    figure.set_label(f"{title}\n{description}")
    return figure


def add_axes(figure: Figure, left: float, top: float, width: float, height: float) -> Axes:
    """Return new axes placed in inches from the left and from the top."""
    full_width, full_height = figure.get_size_inches()
    box = (left / full_width, 1.0 - (top + height) / full_height, width / full_width, height / full_height)
    axes = figure.add_axes(box, facecolor="none")
    axes.set_yticks([])
    return axes


def power(value: float, _: object) -> str:
    """Return the label of a power of ten, without mathematical notation: in an SVG it would stand as its source.

    >>> power(1e-6, None), power(0.1, None), power(1000.0, None)
    ('1e-6', '0.1', '1,000')
    """
    return f"{value:,.10g}" if 0.05 <= value < 1e5 else f"1e{math.log10(value):.0f}"
