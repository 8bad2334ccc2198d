"""The verdicts of audits. Another word is no verdict: results that have one cannot be made, nor read."""

from __future__ import annotations

VIOLATION, CONSISTENT, INCONCLUSIVE = "violation", "consistent", "inconclusive"

NOT_REFUTED = "not refuted"
"""Of a bound from numbers: nothing was searched, so it is never consistent."""

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


def check_refutation(verdict: str | None, epsilon: float | None) -> None:
    """Refuse a word that is no verdict of a bound from numbers, which has one if there is a claim.

    Raises
    ------
    ValueError : it is neither "violation" nor "not refuted", or there is no claim.

    Examples
    --------
    >>> check_refutation("not refuted", 1.0), check_refutation(None, None)
    (None, None)
    """
    if verdict not in ((None,) if epsilon is None else (VIOLATION, NOT_REFUTED)):
        raise ValueError(f"verdict is {verdict!r}")
