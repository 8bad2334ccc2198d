"""One page about a certificate: a single HTML file that needs nothing else."""

from __future__ import annotations

from pathlib import Path

from privcheck.files import check_output, write_whole
from privcheck.private_values import KINDS, Leak, describe_data
from privcheck.reporting._pages.elements import (
    code_block,
    document,
    element,
    facts,
    header,
    inline_picture,
    items,
    text,
)
from privcheck.reporting._pages.html_table import TEXT, Cell, below, table
from privcheck.reporting._pages.page_audits import SUFFIXES
from privcheck.reporting._pictures.divergence_picture import divergence_figure, diverging_streams
from privcheck.reporting._pictures.ledger_picture import ledger_figure
from privcheck.reporting._text.audit_sentences import rounds_text
from privcheck.reporting._text.certificate_facts import certificate_rows
from privcheck.reporting._text.certificate_sentences import (
    CERTIFICATE_MARKS,
    certificate_sentence,
    certificate_word,
    coverage,
    divergence_sentences,
    place,
)
from privcheck.reporting._text.numbers import clean
from privcheck.reporting._text.repeating import repeat_certificate
from privcheck.results import Certificate, Divergence, UnreachedLine


def save_certificate_page(certificate: Certificate, path: str | Path, *, title: str = "privcheck certificate") -> None:
    """Write one self-contained page about a certificate: verdict, numbers, ledger, leaks, divergence, what it covers.

    The file is written whole or not at all; its folder is made when it does not exist.

    Parameters
    ----------
    certificate : what `privcheck.certify` returned.
    path : of the file, ending in .html or .htm.
    title : heading of the page.

    Raises
    ------
    PrivcheckError : when the path is no HTML file, is a folder, or cannot be written.

    Examples
    --------
    >>> from privcheck.reporting._example_results import GRANTED
    >>> save_certificate_page(GRANTED, "certificate.txt")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    privcheck.errors.PrivcheckError: path: got 'certificate.txt', expected a file that ends in .html or .htm; ...
    """
    target = check_output(path, "path", SUFFIXES)
    write_whole(target, render_certificate(certificate, title=title))


def render_certificate(certificate: Certificate, *, title: str = "privcheck certificate") -> str:
    """Return the page that `save_certificate_page` writes; the same certificate gives the same page.

    >>> from privcheck.reporting._example_results import GRANTED
    >>> "epsilon is at most 1.000" in render_certificate(GRANTED)
    True
    """
    word = certificate_word(certificate)
    _, _, sentence = certificate_sentence(certificate).partition(":")
    verdict = f"<b>{CERTIFICATE_MARKS[word]} {word}:</b>{text(':' + sentence)[1:]}"
    parts = [
        element("p", verdict, "verdict"),
        *(element("p", text(note), "note") for note in certificate.notes),
        facts(certificate_rows(certificate)),
        *_ledger(certificate),
        *_leaks(certificate.leaks),
    ]
    if certificate.refusals:
        parts += [element("h2", "Refused releases"), items(certificate.refusals)]
    parts += _unreached(certificate.unreached)
    if certificate.replay.first_divergence is not None:
        parts += _divergence(certificate, certificate.replay.first_divergence)
    parts += [
        element("h2", "What it does and does not cover"),
        items(coverage(certificate)),
        element("h2", "How to repeat it"),
        *(code_block(call.folded()) for call in repeat_certificate(certificate)),
    ]
    result = element("section", "\n".join(parts), word.replace(" ", "-"))
    return document(title, header(title, certificate.target), [result])


def _ledger(certificate: Certificate) -> list[str]:
    heading = element("h2", "Ledger")
    if not certificate.ledger.releases:
        return [heading, element("p", "Nothing was released through a mechanism, so there is nothing to draw.")]
    total = (
        "the total loss of each reward"
        if any(isinstance(d, tuple) for d in certificate.ledger.paid)
        else "the total loss of each round"
    )
    which = "explored execution"
    if certificate.primitives:
        which = "replay"
        total = (
            "the total loss of the round in which its two streams differ; other rounds were charged in other replays"
        )
    caption = (
        f"The {which} with the largest loss. Top: the rounds that each release charges, in a stronger colour "
        f"for a larger loss, and the round of the release. Middle: the scale of its noise. Bottom: {total}"
        + (", compared with the budget." if certificate.budget is not None else ".")
    )
    return [heading, inline_picture(lambda width: ledger_figure(certificate, width=width), "ledger", caption)]


def _leaks(leaks: list[Leak]) -> list[str]:
    if not leaks:
        return []
    rows: list[list[Cell | str]] = [
        [
            Cell(text(place(leak)) + below(f"in {text(leak.function)}; {text(leak.file)}"), clean(place(leak))),
            element("code", text(leak.code))
            + below(f"{text(leak.operation)}: {text(KINDS.get(leak.kind, leak.kind))}"),
            text(describe_data(leak.data)),
            text(leak.hint),
        ]
        for leak in leaks
    ]
    columns = [(name, TEXT) for name in ("where", "code", "data", "what to do")]
    caption = "Where the code read data that had not been released"
    return [element("h2", "Leaks"), table(caption, columns, rows, kind="stack leaks")]


def _unreached(lines: list[UnreachedLine]) -> list[str]:
    if not lines:
        return []
    rows: list[list[Cell | str]] = [
        [Cell(text(place(line)), clean(place(line))), element("code", text(line.text))] for line in lines
    ]
    caption = "What touches a private value, makes a release or draws random numbers, and ran in no explored execution"
    columns = [(name, TEXT) for name in ("where", "code")]
    return [element("h2", "Lines that never ran"), table(caption, columns, rows, kind="stack leaks")]


def _divergence(certificate: Certificate, divergence: Divergence) -> list[str]:
    contextual = certificate.contexts is not None
    sentences = divergence_sentences(divergence, contextual=contextual)
    said = "".join(element("p", text(sentence)) for sentence in sentences)
    streams = diverging_streams(divergence, certificate.arms)
    differ = f"differ in {rounds_text(streams)}" if streams.rounds else "do not differ"
    caption = (
        f"Two neighbouring streams, which {differ}, and the arms played on them up to round "
        f"{divergence.round} with the same coins and the same releases."
    )
    return [
        element("h2", f"First divergence, in round {divergence.round}"),
        said,
        inline_picture(lambda width: divergence_figure(certificate, width=width), "divergence", caption),
    ]
