"""Which notes on a result say on what it holds."""

from __future__ import annotations

from collections.abc import Iterable

SAYS_SO = ("provided that", "on your word", "neighbours here are")
"""Words of which every note has some that states a condition, or which inputs count as neighbours."""


def conditions(notes: Iterable[str]) -> tuple[str, ...]:
    """Return the notes that state a condition on which a result holds.

    >>> conditions(["30 candidates were left out", "this holds provided that encode reads the output alone"])
    ('this holds provided that encode reads the output alone',)
    """
    return tuple(note for note in notes if any(words in note for words in SAYS_SO))
