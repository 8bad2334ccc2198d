"""The report about a certificate, in parts."""

from __future__ import annotations

from collections.abc import Iterator

from privcheck.reporting._descriptions.parts import (
    Code,
    Drawn,
    Facts,
    Heading,
    Listed,
    Note,
    OnPage,
    Part,
    Picture,
    Said,
    Title,
    Verdict,
)
from privcheck.reporting._pages import certificate_tables as on_page
from privcheck.reporting._pictures.divergence_picture import divergence_caption, divergence_figure
from privcheck.reporting._pictures.ledger_picture import ledger_caption, ledger_figure
from privcheck.reporting._terminal import certificate_tables as in_terminal
from privcheck.reporting._text.certificate_facts import certificate_rows, refusals_told
from privcheck.reporting._text.certificate_sentences import (
    CERTIFICATE_MARKS,
    CERTIFIED,
    RECORDED,
    REFUSED,
    UNSEEN,
    certificate_sentence,
    certificate_word,
    coverage,
    divergence_of,
    of_data,
)
from privcheck.reporting._text.fix_sentences import fix_command
from privcheck.reporting._text.numbers import clean
from privcheck.reporting._text.repeating import repeat_certificate
from privcheck.results import Certificate

STYLES = {CERTIFIED: "bold green", UNSEEN: "bold yellow", REFUSED: "bold red", RECORDED: "cyan"}


def described(certificate: Certificate) -> Iterator[Part]:
    """Yield verdict, numbers, leaks, refusals, the first divergence, and what a certificate covers.

    >>> from privcheck.results._example_results import GRANTED
    >>> [part.text for part in described(GRANTED) if isinstance(part, Heading)]
    ['What it does and does not cover', 'How to repeat it']
    """
    word = certificate_word(certificate)
    rest = certificate_sentence(certificate).partition(":")[2]
    yield Title(certificate.target)
    yield Verdict(CERTIFICATE_MARKS[word], word, rest, STYLES[word])
    yield from map(Note, certificate.notes)
    yield Facts(certificate_rows(certificate), whole_names=True)
    for section in SECTIONS:
        yield from section(certificate)


def ledger(certificate: Certificate) -> Iterator[Part]:
    """Yield the picture of the ledger."""
    shown: Part = Said("Nothing was released through a mechanism, so there is nothing to draw.")
    if certificate.ledger.releases:
        shown = Picture("ledger", lambda width: ledger_figure(certificate, width=width), ledger_caption(certificate))
    yield OnPage([Heading("Ledger"), shown])


def leaks(certificate: Certificate) -> Iterator[Part]:
    """Yield where the code read data that had not been released."""
    if found := certificate.leaks:
        yield Heading("Leaks")
        yield Drawn(lambda: in_terminal.leak_lines(found), lambda: [on_page.leak_table(found)])


def refusals(certificate: Certificate) -> Iterator[Part]:
    """Yield the releases that were refused."""
    if certificate.refusals:
        yield Heading("Refused releases")
        yield Listed(refusals_told(certificate), most=3)


def repairs(certificate: Certificate) -> Iterator[Part]:
    """Yield the command that looks for a certified patch, if it takes such a target."""
    if command := fix_command(certificate):
        yield Heading("How to look for a patch", "To look for a patch")
        yield Code(command)


def contradictions(certificate: Certificate) -> Iterator[Part]:
    """Yield what was measured and cannot be if the certificate is right."""
    if certificate.contradictions:
        yield Heading("Contradictions")
        yield Listed(certificate.contradictions, most=3)


def unreached(certificate: Certificate) -> Iterator[Part]:
    """Yield the lines that no explored execution ran."""
    if lines := certificate.unreached:
        yield Heading("Lines that never ran")
        yield Drawn(lambda: [in_terminal.unreached_table(lines)], lambda: [on_page.unreached_table(lines)])


def undeclared(certificate: Certificate) -> Iterator[Part]:
    """Yield the random numbers that may explain why replays differ."""
    if certificate.undeclared:
        yield Heading("Undeclared randomness")
        yield Listed([clean(one) for one in certificate.undeclared])
        yield Said(DECLARE if certificate.primitives else DRAW)


def divergence(certificate: Certificate) -> Iterator[Part]:
    """Yield the first divergence in replay, in sentences and drawn."""
    if (first := certificate.replay.first_divergence) is not None:
        yield Heading("First divergence" if of_data(certificate) else f"First divergence, in round {first.round}")
        yield from map(Said, divergence_of(certificate, first))
        yield Drawn(lambda: in_terminal.diverging_streams_drawn(certificate, first))
        caption = divergence_caption(certificate, first)
        yield Picture("divergence", lambda width: divergence_figure(certificate, width=width), caption)


DECLARE = (
    "Replays differ, and these random numbers may be the reason. Declare the function that adds the noise, with "
    "privcheck.primitive, or add the private value to the noise before anything else is done with it."
)


DRAW = (
    "The code does not repeat itself on the same rewards with the same coins and releases. Draw coins from the "
    "Generator that the policy is built with."
)


def covered(certificate: Certificate) -> Iterator[Part]:
    """Yield what the certificate covers and what it does not."""
    yield Heading("What it does and does not cover")
    yield Listed(coverage(certificate))


def repeated(certificate: Certificate) -> Iterator[Part]:
    """Yield the calls that give the same certificate."""
    yield Heading("How to repeat it", "To repeat")
    yield from (Code(call.folded()) for call in repeat_certificate(certificate))


SECTIONS = (ledger, leaks, refusals, repairs, contradictions, unreached, undeclared, divergence, covered, repeated)
"""What follows the numbers, in order: each yields the parts of a section, or none."""
