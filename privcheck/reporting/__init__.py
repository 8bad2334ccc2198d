"""Audits shown to people: tables for the terminal, pictures, and one self-contained page."""

from __future__ import annotations

from privcheck.reporting.page import render_page, save_page
from privcheck.reporting.pictures import bounds_figure, save_png, to_svg, witness_figure
from privcheck.reporting.tables import audit_details, audit_table

__all__ = [
    "audit_details",
    "audit_table",
    "bounds_figure",
    "render_page",
    "save_page",
    "save_png",
    "to_svg",
    "witness_figure",
]
