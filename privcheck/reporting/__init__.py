"""Results shown to people: tables for the terminal, pictures, self-contained pages, and what code hosts read.

What other rooms use of it is here. `details`, `save_page`, `plot`, `notebook` and the other functions of `presented`
take a result of any kind.
"""

import lazy_loader

__getattr__, __dir__, _ = lazy_loader.attach_stub(__name__, __file__)

__all__ = [
    "SARIF",
    "append_summary",
    "as_csv",
    "as_json",
    "audit_details",
    "audit_table",
    "bounds_figure",
    "certificate_details",
    "check_plot",
    "clean",
    "compare_paths",
    "details",
    "divergence_figure",
    "divergence_sentences",
    "evidence",
    "evidence_sentences",
    "explain",
    "explained",
    "failed_claims",
    "is_own",
    "ledger_figure",
    "listed_claims",
    "load",
    "markdown",
    "notebook",
    "page",
    "panels_figure",
    "plot",
    "plural",
    "python_call",
    "read_folder",
    "render_bounds",
    "render_certificate",
    "render_page",
    "render_simulation",
    "replay_sentence",
    "resting_sentence",
    "save_bounds_page",
    "save_certificate_page",
    "save_figure",
    "save_index",
    "save_page",
    "save_png",
    "save_sarif",
    "save_simulation_page",
    "sentence",
    "small_png",
    "streams_told",
    "tests_summary",
    "to_svg",
    "witness_figure",
    "workflow_commands",
]
