"""Results shown to people: tables for the terminal, pictures, and self-contained pages."""

from __future__ import annotations

from privcheck.reporting.pages.page_audits import render_page, save_page
from privcheck.reporting.pages.page_bounds import render_bounds, save_bounds_page
from privcheck.reporting.pages.page_certificate import render_certificate, save_certificate_page
from privcheck.reporting.pages.page_index import read_folder, save_index
from privcheck.reporting.pages.page_simulation import render_simulation, save_simulation_page
from privcheck.reporting.pictures.plot import (
    bounds_figure,
    divergence_figure,
    ledger_figure,
    save_figure,
    save_png,
    to_svg,
    witness_figure,
)
from privcheck.reporting.pictures.simulation_pictures import panels_figure, small_png
from privcheck.reporting.terminal.audit_tables import audit_details, audit_table
from privcheck.reporting.terminal.certificate_tables import certificate_details
from privcheck.reporting.text.claim_sentences import evidence_sentences
from privcheck.reporting.text.explained import explained
from privcheck.reporting.text.resting_claims import failed_claims, resting_sentence

__all__ = [
    "audit_details",
    "audit_table",
    "bounds_figure",
    "certificate_details",
    "divergence_figure",
    "evidence_sentences",
    "explained",
    "failed_claims",
    "ledger_figure",
    "panels_figure",
    "read_folder",
    "render_bounds",
    "render_certificate",
    "render_page",
    "render_simulation",
    "resting_sentence",
    "save_bounds_page",
    "save_certificate_page",
    "save_figure",
    "save_index",
    "save_page",
    "save_png",
    "save_simulation_page",
    "small_png",
    "to_svg",
    "witness_figure",
]
