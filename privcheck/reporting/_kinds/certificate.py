"""A certificate, shown."""

from __future__ import annotations

from rich.console import Group

from privcheck.reporting._annotations.job_summary import result_summary as markdown
from privcheck.reporting._descriptions.certificate import described
from privcheck.reporting._pages import rendered_parts
from privcheck.reporting._pages.elements import document, element, header
from privcheck.reporting._pages.notebook import certificate_html as notebook
from privcheck.reporting._pictures.plot import CERTIFICATE_PICTURES as PICTURES
from privcheck.reporting._pictures.plot import plot_certificate as plot
from privcheck.reporting._terminal.rendered_parts import rendered
from privcheck.reporting._text.certificate_sentences import certificate_sentence as sentence
from privcheck.reporting._text.certificate_sentences import certificate_word
from privcheck.reporting._text.failure_lines import certificate_evidence as evidence
from privcheck.reporting._text.repeating import repeat_certificate
from privcheck.reporting._text.review_text import certificate_review as review
from privcheck.results import Certificate

__all__ = [
    "PICTURES",
    "details",
    "evidence",
    "markdown",
    "notebook",
    "page",
    "plot",
    "python_call",
    "review",
    "sentence",
]


def details(certificate: Certificate) -> Group:
    """Return everything about a certificate for the terminal."""
    return rendered(described(certificate))


def page(certificate: Certificate, *, title: str = "privcheck certificate") -> str:
    """Return the page; the same certificate gives the same page.

    >>> from privcheck.results._example_results import GRANTED
    >>> "epsilon is at most 1.000" in page(GRANTED)
    True
    """
    parts = rendered_parts.rendered(described(certificate))
    result = element("section", "\n".join(parts), certificate_word(certificate).replace(" ", "-"))
    return document(title, header(title, certificate.target), [result])


def python_call(certificate: Certificate) -> str:
    """Return the call that repeats a certificate."""
    return str(repeat_certificate(certificate).python)
