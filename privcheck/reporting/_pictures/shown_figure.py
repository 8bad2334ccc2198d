"""The matplotlib Figure of all pictures: one that a notebook shows, whatever its back end."""

from __future__ import annotations

from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from privcheck.reporting._pictures.svg import rendered

PIXELS_A_DOT = 2
"""For screens of high resolution: a notebook shows the picture at half its width in pixels."""


class ShownFigure(Figure):
    """A Figure that a notebook shows as the value of a cell, once, with `%matplotlib inline` and without it.

    pyplot does not know the figure, so that it neither shows it a second time nor keeps it in memory.

    Parameters
    ----------
    given : those of `matplotlib.figure.Figure`.
    """

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        FigureCanvasAgg(self)

    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        image = rendered(self, "png", facecolor="white", dpi=PIXELS_A_DOT * self.dpi)
        width, height = (round(self.dpi * inches) for inches in self.get_size_inches())
        return image, {"width": width, "height": height}
