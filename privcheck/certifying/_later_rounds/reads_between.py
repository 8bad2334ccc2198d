"""Lines that read private numbers, whose result was the same for all data in each run, and need not be in others."""

from __future__ import annotations

from collections.abc import Sequence

from privcheck.certifying._session import Session

BETWEEN = (
    "{} reads unreleased data beside numbers that differ from run to run: whatever the data were, the result was the "
    "same in each run that was seen, but for numbers in between it depends on them: release the value before it is read"
)


def reads_between(sessions: Sequence[Session]) -> list[str]:
    """Return a note on each line that other released numbers may lead to depend on data."""
    decided, *others = (session.source.decided for session in sessions)
    return [BETWEEN.format(place) for place in decided.between(*others)]
