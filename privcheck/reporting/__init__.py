"""Results shown to people: tables for the terminal, pictures, and self-contained pages."""

import lazy_loader

__getattr__, __dir__, _ = lazy_loader.attach_stub(__name__, __file__)

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
