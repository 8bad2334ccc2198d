"""A line of a target that no explored execution ran."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class UnreachedLine:
    """A line that touches a private value, makes a release or draws from a Generator, and that no execution reached.

    Parameters
    ----------
    file : the name of the file, without its folder.
    line : counted from 1.
    text : the source of the line.

    Examples
    --------
    >>> print(UnreachedLine("bandit.py", 12, "self.arm = int(reward > 0.5)"))
    bandit.py:12: self.arm = int(reward > 0.5)
    """

    file: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.text}"
