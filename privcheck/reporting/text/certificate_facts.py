"""The numbers of a certificate with their names."""

from __future__ import annotations

from privcheck.reporting.text import numbers
from privcheck.reporting.text.audit_sentences import plural
from privcheck.reporting.text.certificate_sentences import JOINT, ledger_sentence, replay_sentence
from privcheck.reporting.text.certified_amounts import accountant_words, upper_row
from privcheck.results.certificate import UNDER_GUARD, Certificate


def certificate_rows(certificate: Certificate) -> list[tuple[str, str]]:
    """Return the names of the numbers of a certificate, and the numbers.

    >>> from privcheck.reporting.example_results import GRANTED
    >>> certificate_rows(GRANTED)[:2]
    [('budget', 'epsilon = 1'), ('certified upper bound', '1.000')]
    """
    explored = plural(certificate.executions, "guarded execution")
    covers = (
        "all executions under the guard" if certificate.coverage == UNDER_GUARD else f"only the {explored} explored"
    )
    rows = [
        ("budget", numbers.budget_text(certificate.budget)),
        ("certified upper bound", upper_row(certificate)),
        ("covers", covers),
        ("ledger", ledger_sentence(certificate)),
        *([("accountant", accountant_words(certificate))] if certificate.shares else []),
        ("mechanisms", numbers.clean(", ".join(map(str, certificate.mechanisms))) or "none"),
        ("replay", replay_sentence(certificate)),
        ("leaks", f"{len(certificate.leaks):,}" if certificate.leaks else "none seen"),
        ("refused releases", f"{len(certificate.refusals):,}" if certificate.refusals else "none"),
        ("lines that never ran", f"{len(certificate.unreached):,}" if certificate.unreached else "none"),
    ]
    setting = (
        f"{explored} of {plural(certificate.horizon, 'round')}, {plural(certificate.arms, 'arm')}, "
        f"{certificate.feedback} feedback; neighbour relation: {certificate.neighbours}"
    )
    notion = [] if certificate.contexts is None else [("notion", JOINT)]
    return [*rows[:2], *notion, *rows[2:], ("explored", setting)]
