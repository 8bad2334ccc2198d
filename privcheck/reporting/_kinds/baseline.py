"""Results beside their baselines, shown."""

from privcheck.reporting._terminal.baseline_table import baseline_summary as markdown
from privcheck.reporting._terminal.baseline_table import baseline_table as details

__all__ = ["details", "markdown"]
