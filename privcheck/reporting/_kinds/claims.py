"""What was found about claims of papers, shown."""

from __future__ import annotations

from collections.abc import Sequence

from privcheck.claims import Finding
from privcheck.reporting._pages.notebook_theory import findings_html as notebook
from privcheck.reporting._pages.page_claims import render_claims as page
from privcheck.reporting._terminal.claims_table import claims_table as details
from privcheck.reporting._text.claims_markdown import claims_page

__all__ = ["details", "markdown", "notebook", "page"]


def markdown(findings: Sequence[Finding]) -> str:
    """Return the page of the documentation, which accounts for every numbered statement of the papers."""
    from privcheck.claims import ACCOUNTS

    return claims_page(findings, ACCOUNTS)
