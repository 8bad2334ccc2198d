"""Results in a notebook: a heading and a list of numbers."""

from __future__ import annotations

from privcheck.reporting._pages.audit_witness import witness
from privcheck.reporting._pages.certificate_tables import leak_table
from privcheck.reporting._pages.elements import element, items, marked_code, text
from privcheck.reporting._text.audit_facts import number_rows
from privcheck.reporting._text.certificate_facts import certificate_rows
from privcheck.reporting._text.certificate_sentences import coverage
from privcheck.reporting._text.fault_sentences import fault_text
from privcheck.reporting._text.repeating import NOT_REPEATABLE, how_to_repeat, repeat_certificate
from privcheck.results import STATISTICS, AuditReport, Certificate, Simulation


def audit_html(report: AuditReport) -> str:
    """Return the verdict and the numbers of an audit.

    >>> from privcheck.results._example_results import VIOLATION
    >>> audit_html(VIOLATION)[:30]
    '<p><b>rnm-ftnl-published(arms='
    """
    faults = "".join(marked_code([(line, False) for line in fault_text(fault)]) for fault in report.faults)
    shown = _heading(str(report)) + _rows(number_rows(report)) + faults
    if report.witness is not None:
        shown += _heading("Witness") + "".join(witness(report, report.witness))
    calls = how_to_repeat(report)
    return shown + _heading("To repeat") + (_code(calls) if calls else element("p", text(NOT_REPEATABLE)))


def certificate_html(certificate: Certificate) -> str:
    """Return what a certificate says, its numbers, what it covers and does not, and the call that repeats it.

    >>> from privcheck.results._example_results import GRANTED
    >>> all(said in certificate_html(GRANTED) for said in ("What it does and does not cover", "privcheck.certify("))
    True
    """
    shown = _heading(str(certificate)) + _rows(certificate_rows(certificate))
    if certificate.leaks:
        shown += _heading("Leaks") + leak_table(certificate.leaks)
    shown += _heading("What it does and does not cover") + items(coverage(certificate))
    return shown + _heading("To repeat") + _code([call.folded() for call in repeat_certificate(certificate)])


def simulation_html(simulation: Simulation) -> str:
    """Return the final pseudo-regret of every policy."""
    names = ("policy", *STATISTICS)
    head = "".join(element("th", text(name)) for name in names)
    rows = [
        [f"{row[n]:.4g}" if isinstance(row[n], float) else str(row[n]) for n in names] for row in simulation.summary()
    ]
    body = "".join(element("tr", "".join(element("td", text(cell)) for cell in row)) for row in rows)
    return _heading(repr(simulation)) + element("table", element("tr", head) + body)


def _heading(said: str) -> str:
    return element("p", element("b", text(said)))


def _code(calls: list[str]) -> str:
    return marked_code([(line, False) for call in calls for line in call.splitlines()])


def _rows(rows: list[tuple[str, str]]) -> str:
    cells = (element("tr", element("th", text(name)) + element("td", text(value))) for name, value in rows)
    return element("table", "".join(cells))
