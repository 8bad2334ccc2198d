"""What a failed test says: two streams drawn as characters, the event that tells them apart, faults and leaks."""

from __future__ import annotations

from dataclasses import dataclass

from privcheck.arrays import Table
from privcheck.privacy import relation
from privcheck.reporting._pictures.witness_excerpt import arms_of, characters
from privcheck.reporting._text.audit_sentences import event_parts, rounds_text
from privcheck.reporting._text.certificate_sentences import divergence_sentences, place
from privcheck.reporting._text.fault_sentences import fault_text
from privcheck.reporting._text.numbers import clean, probability, probability_interval
from privcheck.results import AuditReport, Certificate


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


def faults_told(report: AuditReport) -> list[str]:
    """Return the lines at fault with their source and the usual fix, and an empty line after each.

    >>> from privcheck.results._example_results import VIOLATION
    >>> faults_told(VIOLATION)
    []
    """
    return [line for fault in report.faults for line in (*fault_text(fault), "")]


def audit_evidence(report: AuditReport) -> list[str]:
    """Return the lines at fault, and the simplest witness."""
    return [*faults_told(report), *witness_told(report)]


def certificate_evidence(certificate: Certificate) -> list[str]:
    """Return leaks, refusals, notes, lines that never ran, and the first divergence."""
    lines = [f"Leak at {place(leak)}: {clean(str(leak))}" for leak in certificate.leaks]
    lines += [f"Refused: {clean(refusal)}" for refusal in certificate.refusals]
    lines += [f"Note: {clean(note)}" for note in certificate.notes]
    lines += [f"Never ran: {clean(str(line))}" for line in certificate.unreached]
    divergence = certificate.replay.first_divergence
    if divergence is not None:
        contextual = certificate.contexts is not None
        arms = certificate.arms if contextual else None
        lines += streams_told(divergence.first, divergence.second, certificate.rewards, arms)
        lines += divergence_sentences(divergence, contextual=contextual)
    return lines
