"""What is said of a witness: two streams, where they differ, the event that tells them apart, its probabilities."""

from __future__ import annotations

from dataclasses import dataclass

from privcheck.arrays import Table
from privcheck.privacy import relation
from privcheck.reporting._pictures.witness_excerpt import TwoStreams, Words, characters, is_drawn, words_of
from privcheck.reporting._text.audit_sentences import plural
from privcheck.reporting._text.numbers import clean, probability, probability_interval
from privcheck.results import AuditReport, Witness


def mirrored(report: AuditReport) -> str:
    """Return what stands before the second event of a bound that counts two."""
    return f"The bound counts this event and a second one, which is evidence for the other {words_of(report).one}:"


def event_parts(witness: Witness) -> list[str]:
    """Return the alternatives that make up the event.

    >>> from privcheck.results._example_results import VIOLATION
    >>> event_parts(VIOLATION.witness)[-1]
    'one of 4 rarer beginnings'
    """
    return witness.event.split("; or ")


def rounds_text(witness: TwoStreams, row: str = "round") -> str:
    """Return the changed rounds, or rows of data: "round 3", "rounds 3-5" or "rounds 3, 7 and 9"."""
    rounds = witness.rounds
    if len(rounds) == 1:
        return f"{row} {rounds[0]}"
    if rounds == tuple(range(rounds[0], rounds[-1] + 1)):
        return f"{row}s {rounds[0]}-{rounds[-1]}"
    shown = [str(number) for number in rounds]
    return (
        f"{row}s {', '.join(shown[:6])} and {len(shown) - 6} more"
        if len(shown) > 7
        else (f"{row}s {', '.join(shown[:-1])} and {shown[-1]}")
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
    return _told(TwoTables(first, second), rewards, Words(arms=arms))


def witness_streams(report: AuditReport, witness: Witness) -> list[str]:
    """Return the two inputs of a witness, drawn; nothing where they are Python objects, which have no table."""
    return _told(witness, report.rewards, words_of(report)) if is_drawn(witness) else []


def _told(pair: TwoStreams, rewards: tuple[float, float], words: Words) -> list[str]:
    length = plural(len(pair.first), words.row)
    drawn = characters(pair, rewards, words).splitlines()
    return [
        f"Two {words.one}s of {length} that differ in {rounds_text(pair, words.row)}:",
        *(f"  {line}" for line in drawn),
    ]


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
        *(witness_streams(report, witness) or [f"Two inputs: {clean(witness.streams)}"]),
        f"Event: {clean(first)}" + "".join(f"; or {clean(other)}" for other in others),
        f"  probability on the first {words_of(report).one} {one}, on the second {two}",
    ]
