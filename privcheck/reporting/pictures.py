"""The pictures of audits and certificates."""

from __future__ import annotations

from privcheck.reporting.bounds_picture import bounds_figure
from privcheck.reporting.divergence_picture import divergence_figure
from privcheck.reporting.ledger_picture import ledger_figure
from privcheck.reporting.svg import save_png, to_svg
from privcheck.reporting.tradeoff_picture import tradeoff_figure
from privcheck.reporting.witness_picture import witness_figure

__all__ = [
    "bounds_figure",
    "divergence_figure",
    "ledger_figure",
    "save_png",
    "to_svg",
    "tradeoff_figure",
    "witness_figure",
]
