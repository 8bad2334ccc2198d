"""The two halves of an audit together: the audited lower bound and the certified upper bound."""

from __future__ import annotations

from privcheck.reporting.text.certificate_sentences import reasons
from privcheck.reporting.text.numbers import at_least, at_most, percent, small
from privcheck.results.audit_report import AuditReport
from privcheck.results.certificate import Certificate

SLACK = 1.0 + 1e-9
"""A lower bound contradicts an upper one beyond this ratio only: the slack with which budgets are compared."""


def upper_bound(report: AuditReport) -> float | None:
    """Return the certified upper bound on epsilon; None unless it holds for every guarded execution.

    >>> from privcheck.reporting.example_results import CERTIFIED, VIOLATION
    >>> upper_bound(CERTIFIED), upper_bound(VIOLATION)
    (1.0, None)
    """
    certificate: Certificate | None = report.certificate
    if certificate is None or not certificate.granted or certificate.coverage != "all-executions":
        return None
    return certificate.epsilon_upper


def certified_text(report: AuditReport) -> str | None:
    """Return the upper bound and what it holds for, or why there is none; None without a certificate.

    >>> from privcheck.reporting.example_results import CERTIFIED
    >>> certified_text(CERTIFIED)
    '≤ 1 on every execution of the guarded reference policy'
    """
    if report.certificate is None:
        return None
    upper = upper_bound(report)
    if upper is None:
        return f"none: {reasons(report.certificate)[0]}"
    return f"≤ {small(upper, 6)} on every execution of the guarded reference policy"


def contradiction(report: AuditReport) -> str | None:
    """Return what is wrong when the lower bound lies above the certified upper bound; None when it does not.

    >>> from dataclasses import replace
    >>> from privcheck.reporting.example_results import CERTIFIED
    >>> contradiction(CERTIFIED) is None
    True
    >>> contradiction(replace(CERTIFIED, epsilon_lower=1.5))[:67]
    'CONTRADICTION: epsilon is at least 1.500 (95 % confidence) and cert'
    """
    lower, upper = report.epsilon_lower, upper_bound(report)
    if lower is None or upper is None or lower <= upper * SLACK:
        return None
    return (
        f"CONTRADICTION: epsilon is at least {at_least(lower)} ({percent(report.confidence)} confidence) and certified "
        f"to be at most {at_most(upper)}. These cannot both hold for the same code: either the code that was audited "
        "is not the code that the certificate covers, or one of the two results is wrong, or this lower bound is one "
        f"of the {percent(1.0 - report.confidence)} that are too high. Trust neither until this is explained."
    )


def sandwich(report: AuditReport) -> str | None:
    """Return where the true epsilon lies, in a sentence; None without a certified upper bound.

    >>> from privcheck.reporting.example_results import CERTIFIED
    >>> sandwich(CERTIFIED)
    'The true epsilon lies between 0.959 (95 % confidence) and 1.000 (certified, under the guard).'
    """
    upper = upper_bound(report)
    if upper is None or contradiction(report):
        return None
    if report.epsilon_lower is None:
        return f"The true epsilon is at most {at_most(upper)} (certified, under the guard); there is no lower bound."
    return (
        f"The true epsilon lies between {at_least(report.epsilon_lower)} ({percent(report.confidence)} confidence) and "
        f"{at_most(upper)} (certified, under the guard)."
    )
