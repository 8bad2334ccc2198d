"""The two halves of an audit together: the audited lower bound and the certified upper bound."""

from __future__ import annotations

from privcheck.reporting._text.certificate_sentences import reasons
from privcheck.reporting._text.numbers import at_delta, at_least, at_most, percent, small
from privcheck.results import AuditReport, Certificate

SLACK = 1.0 + 1e-9
"""A lower bound contradicts an upper one beyond this ratio only: the slack with which budgets are compared."""


def upper_bound(report: AuditReport) -> float | None:
    """Return the certified upper bound on epsilon, at the delta of the audit; None unless all guarded runs have it.

    A bound at a smaller delta is converted. One at a larger delta says nothing here.

    >>> from privcheck.results._example_results import CERTIFIED, VIOLATION
    >>> upper_bound(CERTIFIED), upper_bound(VIOLATION)
    (1.0, None)
    """
    certificate: Certificate | None = report.certificate
    return None if certificate is None else certificate.epsilon_at(report.delta)


def certified_text(report: AuditReport) -> str | None:
    """Return the upper bound and what it holds for, or why there is none; None without a certificate.

    >>> from privcheck.results._example_results import CERTIFIED
    >>> certified_text(CERTIFIED)
    '≤ 1 on every execution of the guarded reference policy'
    """
    if report.certificate is None:
        return None
    upper = upper_bound(report)
    if upper is None:
        return f"none: {reasons(report.certificate)[0]}"
    return f"≤ {small(upper, 6)}{at_delta(report.delta)} on every execution of the guarded reference policy"


def of_one_object(report: AuditReport) -> bool:
    """Tell whether both bounds speak of the same policy and the same delta.

    The policy is the same if it is the guarded build, or one whose lines all ran: a line that never ran may do what the
    guard refuses, and the audit of the policy without its guard did not see it. A certified bound at a larger delta
    than that of the audit is none at the audit's.

    >>> from privcheck.results._example_results import CERTIFIED
    >>> of_one_object(CERTIFIED)
    True
    """
    certificate: Certificate | None = report.certificate
    if certificate is not None and certificate.delta > report.delta:
        return False
    return report.guarded or (certificate is not None and certificate.granted)


def contradiction(report: AuditReport) -> str | None:
    """Return what is wrong when the lower bound lies above the certified upper bound; None when it does not.

    >>> from dataclasses import replace
    >>> from privcheck.results._example_results import CERTIFIED
    >>> contradiction(CERTIFIED) is None
    True
    >>> contradiction(replace(CERTIFIED, epsilon_lower=1.5))[:67]
    'CONTRADICTION: epsilon is at least 1.500 (95 % confidence) and cert'
    """
    lower, upper = report.epsilon_lower, upper_bound(report)
    if lower is None or upper is None or lower <= upper * SLACK or not of_one_object(report):
        return None
    return (
        f"CONTRADICTION: {_epsilon(report)} is at least {at_least(lower)} ({percent(report.confidence)} confidence) "
        f"and certified to be at most {at_most(upper)}. These cannot both hold for the same code: either the code that "
        "was audited is not the code that the certificate covers, or one of the two results is wrong, or this lower "
        f"bound is one of the {percent(1.0 - report.confidence)} that are too high. Trust neither until this is "
        "explained."
    )


def sandwich(report: AuditReport) -> str | None:
    """Return where the true epsilon lies, in a sentence; None without a certified upper bound.

    >>> from privcheck.results._example_results import CERTIFIED
    >>> sandwich(CERTIFIED)
    'The true epsilon lies between 0.959 (95 % confidence) and 1.000 (certified, under the guard).'
    """
    upper, certificate = upper_bound(report), report.certificate
    if upper is None or certificate is None or contradiction(report):
        return None
    above = ", ".join(("certified, under the guard", *filter(None, [certificate.provided])))
    if not of_one_object(report):
        epsilon = _epsilon(report)
        below = "" if report.epsilon_lower is None else f"Without its guard, {epsilon} is at least {_least(report)}. "
        return (
            f"{below}With it, {epsilon} is at most {at_most(upper)} ({above}). Some lines never ran, so what holds for "
            "one may not hold for the other: audit it with guarded=True, or raise the horizon."
        )
    if report.epsilon_lower is None:
        return f"The true {_epsilon(report)} is at most {at_most(upper)} ({above}); there is no lower bound."
    return f"The true {_epsilon(report)} lies between {_least(report)} and {at_most(upper)} ({above})."


def _epsilon(report: AuditReport) -> str:
    return f"epsilon{at_delta(report.delta)}"


def _least(report: AuditReport) -> str:
    return f"{at_least(report.epsilon_lower)} ({percent(report.confidence)} confidence)"
