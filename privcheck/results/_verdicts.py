"""The verdicts of audits. Another word is no verdict: results that have one cannot be made, nor read."""

from __future__ import annotations

VIOLATION, CONSISTENT, INCONCLUSIVE = "violation", "consistent", "inconclusive"

VERDICTS = (None, VIOLATION, CONSISTENT, INCONCLUSIVE)
"""None is that of an audit without a claim."""


def check_verdict(verdict: str | None) -> None:
    """Refuse a word that is no verdict.

    Raises
    ------
    ValueError : it is none of `VERDICTS`.

    Examples
    --------
    >>> check_verdict("consistent")
    """
    if verdict not in VERDICTS:
        raise ValueError(f"verdict is {verdict!r}")
