"""What is said of a witness: two streams, where they differ, the event that tells them apart, its probabilities."""

from __future__ import annotations

from dataclasses import dataclass

from privcheck.arrays import Table
from privcheck.privacy import relation
from privcheck.reporting._pictures.witness_excerpt import TwoStreams, arms_of, characters
from privcheck.reporting._text.numbers import clean, probability, probability_interval
from privcheck.results import AuditReport, Witness

MIRRORED = "The bound counts this event and a second one, which is evidence for the other stream:"
"""What stands before the second event of a bound that counts two."""


def event_parts(witness: Witness) -> list[str]:
    """Return the alternatives that make up the event.

    >>> from privcheck.results._example_results import VIOLATION
    >>> event_parts(VIOLATION.witness)[-1]
    'one of 4 rarer beginnings'
    """
    return witness.event.split("; or ")


def rounds_text(witness: TwoStreams) -> str:
    """Return the changed rounds: "round 3", "rounds 3-5" or "rounds 3, 7 and 9"."""
    rounds = witness.rounds
    if len(rounds) == 1:
        return f"round {rounds[0]}"
    if rounds == tuple(range(rounds[0], rounds[-1] + 1)):
        return f"rounds {rounds[0]}-{rounds[-1]}"
    shown = [str(number) for number in rounds]
    return (
        f"rounds {', '.join(shown[:6])} and {len(shown) - 6} more"
        if len(shown) > 7
        else (f"rounds {', '.join(shown[:-1])} and {shown[-1]}")
    )


@dataclass(frozen=True)
class TwoTables:
    """Two tables of one shape; `rounds` are those that differ, counted from 1."""

    first: Table
    second: Table

    @property
    def rounds(self) -> tuple[int, ...]:
        """The rounds that differ, counted from 1."""
        return tuple(place + 1 for place in relation("row").changed(self.first, self.second))


def streams_told(first: Table, second: Table, rewards: tuple[float, float], arms: int | None = None) -> list[str]:
    r"""Return two neighbouring streams: which rounds differ, and both drawn; the first `arms` columns are arms.

    >>> import numpy as np
    >>> print("\n".join(streams_told(np.zeros((2, 1)), np.array([[0.0], [1.0]]), (0.0, 1.0))))
    Two streams of 2 rounds that differ in round 2:
                     v round 2
      first   arm 0 ..
      second  arm 0 .#
                    . low (0)  # high (1)
    """
    pair = TwoTables(first, second)
    length = "1 round" if len(first) == 1 else f"{len(first)} rounds"
    drawn = characters(pair, rewards, arms).splitlines()
    return [f"Two streams of {length} that differ in {rounds_text(pair)}:", *(f"  {line}" for line in drawn)]


def witness_told(report: AuditReport) -> list[str]:
    """Return the simplest witness of an audit: the streams, the event, and how likely it is on each.

    >>> from privcheck.results._example_results import VIOLATION
    >>> witness_told(VIOLATION)[0]
    'Two streams of 8 rounds that differ in round 3:'
    """
    witness = report.simplest or report.witness
    if witness is None:
        return ["No witness: the audit ended early."]
    first, *others = event_parts(witness)
    one, two = (
        f"{probability(share.value)} {probability_interval(share)}"
        for share in (witness.probability_first, witness.probability_second)
    )
    return [
        *streams_told(witness.first, witness.second, report.rewards, arms_of(report)),
        f"Event: {clean(first)}" + "".join(f"; or {clean(other)}" for other in others),
        f"  probability on the first stream {one}, on the second {two}",
    ]
