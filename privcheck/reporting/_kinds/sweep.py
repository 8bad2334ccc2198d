"""A sweep, shown."""

from privcheck.reporting._terminal.sweep_table import sweep_table as details

__all__ = ["details"]
