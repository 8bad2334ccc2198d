"""Several audits, shown together."""

from privcheck.reporting._pages.page_audits import render_page as page
from privcheck.reporting._terminal.audit_tables import audit_table as details

__all__ = ["details", "page"]
