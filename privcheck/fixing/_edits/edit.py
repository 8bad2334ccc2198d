"""What an edit is: its name and reason, and the text that it makes of a program."""

from __future__ import annotations

from typing import NamedTuple

FAMILIES = {"noise": 2, "structure": 3, "universal": 20}
"""The families of edits, each with the cost of one edit."""


class Edit(NamedTuple):
    """An edit that was made.

    Parameters
    ----------
    name : of the kind of edit.
    family : one of `FAMILIES`.
    argument : why it is right, in one sentence.
    cost : of this edit.
    line : where it was made, in the text that it was made in.
    """

    name: str
    family: str
    argument: str
    cost: int
    line: int


class Proposal(NamedTuple):
    """An edit and what it makes of a program.

    Parameters
    ----------
    edit : which edit.
    text : the whole text after it.
    site : what tells it from other edits of its name: an attribute, or a statement.
    instead : what to try if the program fails after this edit.
    """

    edit: Edit
    text: str
    site: str
    instead: Proposal | None = None


def made(name: str, family: str, argument: str, line: int) -> Edit:
    """Return an edit at the cost of its family."""
    return Edit(name, family, argument, FAMILIES[family], line)
