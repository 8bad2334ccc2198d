"""Best-arm identification, shown."""

from privcheck.reporting._terminal.identification_table import identification_table as details

__all__ = ["details"]
