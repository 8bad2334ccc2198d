"""The two halves of an audit together: the audited lower bound and the certified upper bound."""

from __future__ import annotations

import math

from privcheck.accounting import Concentrated, GaussianDP
from privcheck.enclosure import digits_up
from privcheck.reporting._text.certificate_facts import data_as_declared
from privcheck.reporting._text.certificate_sentences import reasons
from privcheck.reporting._text.numbers import at_delta, at_least, at_most, percent, signed_infinity
from privcheck.results import AuditReport, Certificate

SLACK = 1.0 + 1e-9
"""A lower bound lies above an upper one beyond this ratio only: the slack with which budgets are compared."""


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
    ends = _ends(report)
    if ends is None:
        return f"none: {reasons(report.certificate)[0]}"
    name, _, upper = ends
    most = signed_infinity(upper) if math.isinf(upper) else digits_up(upper)
    within = f"≤ {most}{at_delta(report.delta)}" if name == "epsilon" else f"{name} ≤ {most}"
    what = "" if report.observe == report.certificate.observe else ", of its actions and of what is charged"
    return f"{within} on every execution of the guarded reference policy{what}"


def of_one_object(report: AuditReport) -> bool:
    """Tell whether both bounds speak of the same policy, the same observer and the same delta.

    The policy is the same if it is the guarded build, or one whose lines all ran: a line that never ran may do what the
    guard refuses, and the audit of the policy without its guard did not see it. A certified bound at a larger delta
    than that of the audit is none at the audit's. Under observe="releases" the audit reads the policy's `released`,
    which may hold more than what was charged.

    >>> from privcheck.results._example_results import CERTIFIED
    >>> of_one_object(CERTIFIED)
    True
    """
    certificate: Certificate | None = report.certificate
    if certificate is not None and (certificate.delta > report.delta or certificate.observe != report.observe):
        return False
    return report.guarded or (certificate is not None and certificate.granted)


def contradiction(report: AuditReport) -> str | None:
    """Return what is wrong when the audit refutes what was certified of the same policy; None when it does not.

    It has to refute the claim, in whatever notion, at the level of its verdict: of the lower bounds at `confidence`,
    so many are above the truth that a certificate would be accused once in a while for nothing.

    >>> from dataclasses import replace
    >>> from privcheck.results._example_results import CERTIFIED
    >>> contradiction(replace(CERTIFIED, epsilon_lower=1.5)) is None
    True
    >>> contradiction(replace(CERTIFIED, epsilon_lower=1.5, verdict="violation"))[:60]
    'CONTRADICTION: epsilon = 1 is refuted at level 0.001, and ce'
    """
    certificate: Certificate | None = report.certificate
    if report.verdict != "violation" or certificate is None:
        return None
    stands = certificate.upper is not None and of_one_object(report)
    if not (stands or certificate.refutation):
        return None
    return (
        f"CONTRADICTION: {report.claim_words} is refuted at level {report.error:g}, and certified of the same policy. "
        "These cannot both hold for the same code: either the code that was audited is not the code that the "
        "certificate covers, or one of the two results is wrong, or this is one of the "
        f"{percent(report.error)} of audits that refute a true claim. The certificate is withdrawn: trust neither "
        "until this is explained."
    )


def sandwich(report: AuditReport) -> str | None:
    r"""Return where the true epsilon lies, in a sentence; None without a certified upper bound.

    >>> from privcheck.results._example_results import CERTIFIED
    >>> print(sandwich(CERTIFIED).replace(", under", ",\n under"))
    The true epsilon lies between 0.959 (95 % confidence) and 1.000 (certified,
     under the guard, provided that rewards lie in [0, 1]).
    """
    ends, certificate = _ends(report), report.certificate
    if ends is None or certificate is None or contradiction(report):
        return None
    name, lower, upper = ends
    name += at_delta(report.delta) if name == "epsilon" else ""
    taken = [data_as_declared(certificate), *filter(None, [certificate.provided.removeprefix("provided that ")])]
    above = f"certified, under the guard, provided that {', and that '.join(taken)}"
    least = None if lower is None else f"{at_least(lower)} ({percent(report.confidence)} confidence)"
    if report.observe != certificate.observe:
        below = "" if least is None else f"Of all that is released, {name} is at least {least}. "
        return (
            f"{below}Of the actions and of what is charged alone, it is at most {at_most(upper)} ({above}): what else "
            "an attribute `released` holds is not certified."
        )
    if not of_one_object(report):
        below = "" if least is None else f"Without its guard, {name} is at least {least}. "
        return (
            f"{below}With it, {name} is at most {at_most(upper)} ({above}). Some lines never ran, so what holds for "
            "one may not hold for the other: audit it with guarded=True, or raise the horizon."
        )
    if lower is None:
        return f"The true {name} is at most {at_most(upper)} ({above}); there is no lower bound."
    if lower <= upper * SLACK:
        return f"The true {name} lies between {least} and {at_most(upper)} ({above})."
    return (
        f"The lower bound {least} on {name} is above {at_most(upper)} ({above}): "
        f"{percent(1.0 - report.confidence)} of such bounds are too high. The claim is not refuted at level "
        f"{report.error:g}: more runs would tell."
    )


def _ends(report: AuditReport) -> tuple[str, float | None, float] | None:
    """Return what both bounds are on, in the notion of the claim, and the two; None without an upper one."""
    certificate: Certificate | None = report.certificate
    match None if certificate is None else certificate.upper:
        case Concentrated(rho):
            return "rho", report.claim_lower, rho
        case GaussianDP(mu):
            return "mu", report.claim_lower, mu
    upper = upper_bound(report)
    return None if upper is None else ("epsilon", report.epsilon_lower, upper)
