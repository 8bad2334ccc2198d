"""What a failed test says: the witness, lines at fault, and leaks."""

from __future__ import annotations

from privcheck.reporting._text.certificate_facts import refusals_told
from privcheck.reporting._text.certificate_sentences import divergence_of, place
from privcheck.reporting._text.fault_sentences import fault_text
from privcheck.reporting._text.numbers import clean
from privcheck.reporting._text.witness_sentences import streams_told, witness_told
from privcheck.results import AuditReport, Certificate


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
    """Return all that was found, and the notes."""
    lines = [f"Leak at {place(leak)}: {clean(str(leak))}" for leak in certificate.leaks]
    lines += [f"Refused: {clean(refusal)}" for refusal in refusals_told(certificate)]
    lines += [f"Contradiction: {clean(found)}" for found in certificate.contradictions]
    lines += [f"Moved too far: {clean(use.exceeded_words)}" for use in certificate.primitive_uses if use.exceeds]
    lines += [f"Undeclared randomness: {clean(one)}" for one in certificate.undeclared]
    lines += [f"Note: {clean(note)}" for note in certificate.notes]
    lines += [f"Never ran: {clean(str(line))}" for line in certificate.unreached]
    divergence = certificate.replay.first_divergence
    if divergence is not None:
        arms = certificate.arms if certificate.contexts is not None else None
        lines += streams_told(divergence.first, divergence.second, certificate.rewards, arms)
        lines += divergence_of(certificate, divergence)
    return lines
