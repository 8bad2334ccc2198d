"""A folder of results, shown."""

from privcheck.reporting._pages.page_index import headline as sentence
from privcheck.reporting._terminal.index_table import index_table as details

__all__ = ["details", "sentence"]
