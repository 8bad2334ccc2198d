"""The verdicts of audits, of which other words cannot be made or read, and the conditions on which they hold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

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


def check_refutation(verdict: str | None, epsilon: float | None, lower: float, delta: float) -> None:
    """Refuse a word that is no verdict of a bound from numbers, which has one if there is a claim.

    Parameters
    ----------
    verdict, epsilon, lower, delta : of the claim, and the lower bound on epsilon; one at a level of its own has to be
        handed over only if that is no smaller than the level of the verdict.

    Raises
    ------
    ValueError : it is neither "violation" nor "not refuted", there is no claim, a violation has a lower bound that the
        claim allows, or delta is no probability.

    Examples
    --------
    >>> check_refutation("violation", 1.0, 1.5, 0.0), check_refutation(None, None, 1.5, 0.0)
    (None, None)
    """
    if verdict not in ((None,) if epsilon is None else (VIOLATION, NOT_REFUTED)):
        raise ValueError(f"verdict is {verdict!r}")
    if not 0.0 <= delta < 1.0:
        raise ValueError(f"delta is {delta}")
    if verdict == VIOLATION and epsilon is not None and lower < epsilon - ROUNDING * max(1.0, epsilon):
        raise ValueError(f"verdict is {verdict!r}, but epsilon_lower is {lower} and the claim {epsilon}")


ROUNDING = 1e-6
"""By which a bound that was searched for in steps may be below the claim that it refutes."""


def check_levels(**levels: float) -> None:
    """Refuse a confidence or an error that is none.

    >>> check_levels(confidence=0.95, error=0.001)
    """
    for name, level in levels.items():
        if not 0.0 < level < 1.0:
            raise ValueError(f"{name} is {level}")


def check_counts(**counts: int) -> None:
    """Refuse counts of which a part is larger than the whole, given in the order of their size.

    >>> check_counts(correct=96, guesses=102, canaries=200)
    """
    if min(counts.values()) < 0 or sorted(counts.values()) != [*counts.values()]:
        raise ValueError(", ".join(f"{name} is {count}" for name, count in counts.items()))


def check_claims(claims: Sequence[Any], least: int = 1) -> None:
    """Refuse more than one claim, or none where there has to be one.

    >>> check_claims([1.0, None, None])
    """
    if not least <= sum(claim is not None for claim in claims) <= 1:
        raise ValueError(f"claims are {[*claims]}")


SAYS_SO = ("provided that", "on your word", "neighbours here are")
"""Words of which every note has some that states a condition, or which inputs count as neighbours."""


def conditions(notes: Iterable[str]) -> tuple[str, ...]:
    """Return the notes that state a condition on which a result holds.

    >>> conditions(["30 candidates were left out", "this holds provided that encode reads the output alone"])
    ('this holds provided that encode reads the output alone',)
    """
    return tuple(note for note in notes if any(words in note for words in SAYS_SO))
