"""The pictures of audits."""

from __future__ import annotations

from privcheck.reporting.bounds_picture import bounds_figure
from privcheck.reporting.svg import save_png, to_svg
from privcheck.reporting.witness_picture import witness_figure

__all__ = ["bounds_figure", "save_png", "to_svg", "witness_figure"]
