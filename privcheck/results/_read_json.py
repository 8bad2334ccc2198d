"""Audits, certificates and bounds read back from JSON: by the types of their fields, and what these do not say."""

from __future__ import annotations

import re
from collections.abc import Hashable
from typing import Any, TypeVar

from privcheck.accounting import Approximate, Charge, Concentrated, GaussianDP, Ledger, Notion, Pure, Release
from privcheck.declared import Budget
from privcheck.inference import TradeoffRegion
from privcheck.results._audit_report import AuditReport
from privcheck.results._certificate import UNDER_GUARD, Certificate
from privcheck.results._read_checks import CHECKS, Hook, check_audit, check_certificate
from privcheck.results._verdicts import (
    CONSISTENT,
    ROUNDING,
    VIOLATION,
    check_claims,
    check_counts,
    check_levels,
)
from privcheck.serialise import Hooks, Make, number, read_fields, read_json, well_typed

R = TypeVar("R")

OLDER_COVERAGE = {"all-executions": UNDER_GUARD}
"""What schema version 1 called it, and its name since."""

NOTIONS: dict[tuple[str, ...], Any] = {
    ("epsilon",): Pure,
    ("delta", "epsilon"): Approximate,
    ("rho",): Concentrated,
    ("mu",): GaussianDP,
}
"""The notions of a budget, by the names of their numbers."""

PAIR = re.compile(r"\((-?\d+), (-?\d+)\)")


def read_as(kind: type[R], text: str) -> R:
    """Return the result of a kind whose `to_json` gave this text.

    Raises
    ------
    PrivcheckError : text that is not JSON, or not such a result.

    Examples
    --------
    >>> from privcheck.results._example_results import GRANTED, VIOLATION
    >>> read_as(AuditReport, VIOLATION.to_json()).to_json() == VIOLATION.to_json()
    True
    >>> read_as(Certificate, GRANTED.to_json()).to_json() == GRANTED.to_json()
    True
    """
    return read_json(text, kind, _expected(kind), HOOKS)


def _expected(kind: type) -> str:
    return f"what {kind.__name__}.to_json wrote"


def _report(content: dict[str, Any], make: Make) -> AuditReport:
    own = content["certificate"]
    if own is not None:
        own = read_fields(own, Certificate, _expected(Certificate), HOOKS, make.version)
    found: AuditReport = make(content | {"certificate": own})
    return _borne_out(well_typed(found), make.version)


ROUNDED_APART = 2.0
"""A verdict and a p-value come from one test, at a share of the level where a law was given, and are rounded apart."""


def _borne_out(found: AuditReport, version: int) -> AuditReport:
    """Refuse an audit whose verdict nothing else in it bears out."""
    check_audit(found)
    check_levels(confidence=found.confidence, error=found.error)
    check_counts(counted_runs=found.counted_runs, runs=found.runs)
    check_claims([found.epsilon_claimed, found.rho, found.mu, found.tradeoff_claimed], least=0)
    if not 0.0 <= found.delta < 1.0:
        raise ValueError(f"delta is {found.delta}")
    if found.verdict is not None and found.claimed is None:
        raise ValueError(f"verdict is {found.verdict}, but there is no claim")
    own = found.certificate
    if own is not None and (own.neighbours, own.rewards) != (found.neighbours, found.rewards):
        raise ValueError(f"the certificate is of {own.neighbours} and {own.rewards}")
    p = found.p_value
    if p is not None and not 0.0 <= p <= 1.0:
        raise ValueError(f"p_value is {p}")
    if p is None and found.e_value is not None:  # in reports written before there was such a field
        p = 1.0 / max(1.0, found.e_value)
    acquits = found.verdict == "consistent" and p is not None and ROUNDED_APART * p < found.error
    accuses = found.verdict == "violation" and p is not None and p > ROUNDED_APART * found.error
    if acquits or accuses:
        raise ValueError(f"verdict is {found.verdict}, but p_value is {p} and error {found.error}")
    if found.e_value is None and version >= FIRST_WITH_COMPLETE:
        _check_verdict(found)
    return found


def _check_verdict(found: AuditReport) -> None:
    """Refuse an audit that acquits although its bound is above the claim, its search was cut short, or it could not
    have shown more; or one that accuses with a bound that the claim allows.
    """
    shown, lower = found.resolution, found.lower
    if found.claimed is None or lower is None or shown is None:
        return
    claim = found.claimed[1]
    slack, told = ROUNDING * max(1.0, claim), f"epsilon_lower is {lower} and the resolution {shown.epsilon}"
    blind = found.epsilon_claimed is not None and shown.epsilon < claim
    if found.verdict == CONSISTENT and (lower > claim + slack or blind):
        raise ValueError(f"verdict is {found.verdict} with {claim}, but {told}")
    if found.verdict == CONSISTENT and found.search is not None and not found.search.complete:
        raise ValueError(f"verdict is {found.verdict}, but the search is not complete")
    at_error = found.law is None and found.error <= 1.0 - found.confidence  # where both rest on the same counts
    if found.verdict == VIOLATION and at_error and lower < claim - slack:
        raise ValueError(f"verdict is {found.verdict} with {claim}, but {told}")


def _certificate(content: dict[str, Any], make: Make) -> Certificate:
    own, stated = dict(content), _budget(content.get("budget"))
    granted = own.pop("granted")
    own["coverage"] = OLDER_COVERAGE.get(own["coverage"], own["coverage"])
    if make.version < FIRST_WITH_COMPLETE:
        spoken_against = any(own.get(name) for name in ("leaks", "refusals", "unreached", "notes"))
        own["complete"] = granted if own["coverage"] == UNDER_GUARD else not (spoken_against or _diverged(own))
    return _coherent(well_typed(make(own | {"budget": stated})), stated, granted)


FIRST_WITH_COMPLETE = 3
"""The schema version with which certificates say whether they are complete."""


def _diverged(content: dict[str, Any]) -> bool:
    return bool(content["replay"]["divergences"])


def _coherent(found: Certificate, stated: Notion | None, granted: Any) -> Certificate:
    """Refuse a certificate that says "granted" or "complete" and also why it is not, or one with two budgets."""
    check_certificate(found)
    if stated not in (None, found.budget) or (found.epsilon_claimed is not None and _in_other_terms(found.budget)):
        raise ValueError(f"budget is {stated}")
    found_out = found.leaks or found.refusals or found.unreached or found.contradictions or found.replay.divergences
    if found.coverage not in (UNDER_GUARD, "explored"):
        raise ValueError(f"coverage is {found.coverage[:40]!r}")
    if type(granted) is not bool:
        raise TypeError(f"granted is {str(granted)[:40]!r}")
    if granted != found.granted:
        raise ValueError(f"granted is {granted}, but coverage and complete say otherwise")
    if found.complete and found_out:
        raise ValueError("complete is True, but what was found contradicts it")
    if found.granted and (found.upper is None or found.upper != found.budget):
        raise ValueError(f"granted is {found.upper}, but the budget is {found.budget}")
    return found


def _in_other_terms(budget: Notion | None) -> bool:
    return isinstance(budget, Concentrated | GaussianDP)


def _budget(content: Any) -> Notion | None:
    """Return the notion with these numbers.

    >>> _budget({"epsilon": 1.0, "delta": 1e-6})
    Approximate(epsilon=1.0, delta=1e-06)
    """
    if content is None:
        return None
    budget: Notion = NOTIONS[tuple(sorted(content))](**content)
    return budget


def _ledger(content: dict[str, Any], make: Make) -> Ledger:
    fields = _charged(content, "paid", "totals", "other_totals")
    found: Ledger = make(fields | {"releases": fields["releases"]})  # which a new ledger may leave out
    return found


def _release(content: dict[str, Any], make: Make) -> Release:
    fields = _charged(content, "charges", "losses", "other_losses")
    found: Release = make(fields | {"sensitivities": _by_datum(fields["sensitivities"])})
    return found


def _charged(content: dict[str, Any], field: str, losses: str, others: str) -> dict[str, Any]:
    """Return the fields with charges, of which JSON has the epsilons, and beside them what these do not imply."""
    kept = {name: value for name, value in content.items() if name not in (losses, others)}
    return dict(**kept, **{field: _charges(content[losses], content.get(others))})


def _charges(losses: dict[str, Any], others: dict[str, dict[str, Any]] | None) -> dict[Hashable, Charge]:
    beside = {_datum(name): numbers for name, numbers in (others or {}).items()}
    found = {}
    for datum, loss in _by_datum(losses).items():
        numbers = {name: Budget().normalise(number(value)) for name, value in beside.pop(datum, {}).items()}
        found[datum] = Charge.total(Budget().normalise(loss), **numbers)
    if beside:
        raise ValueError("other losses of data without a loss")
    return found


def _by_datum(content: dict[str, Any]) -> dict[Hashable, float]:
    return {_datum(name): number(value) for name, value in content.items()}


def _datum(name: str) -> Hashable:
    """Return the datum that a JSON key stands for: a round, or a pair of round and arm.

    >>> _datum("3"), _datum("(3, 1)")
    (3, (3, 1))
    """
    pair = PAIR.fullmatch(name)
    return (int(pair[1]), int(pair[2])) if pair else int(name)


def _region(content: dict[str, Any], make: Make) -> TradeoffRegion:
    found: TradeoffRegion = well_typed(make(content))
    if not len(found.thresholds) == len(found.more) == len(found.less):
        raise ValueError("thresholds and counts have different lengths")
    return found


class _Hooks(dict[type, Hook]):
    """What is read by class, and what is only checked by the name of the class, which other rooms may use, too."""

    def get(self, kind: Any, default: Any = None) -> Any:
        """Return what reads a class."""
        is_of_results = getattr(kind, "__module__", "").startswith("privcheck.results.")
        checked = CHECKS.get(kind.__name__, default) if is_of_results else default
        return super().get(kind, checked)


HOOKS: Hooks = _Hooks(
    {AuditReport: _report, Certificate: _certificate, Ledger: _ledger, Release: _release, TradeoffRegion: _region}
)
