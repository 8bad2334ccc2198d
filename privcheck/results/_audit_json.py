"""Reports read back from JSON."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from privcheck.errors import PrivcheckError, words
from privcheck.inference import LawFit, TradeoffRegion
from privcheck.privacy import Contexts
from privcheck.results._audit_report import VERDICTS, AuditReport, Estimate, Resolution, Search, Witness
from privcheck.results._certificate_json import read_certificate
from privcheck.results._fault import Fault
from privcheck.results._law_evidence import LawEvent, LawEvidence
from privcheck.results._suspicion import Suspicion
from privcheck.serialise import ILL_TYPED, array, from_json, number, well_typed

EXPECTED = "what AuditReport.to_json wrote"


def read_report(text: str) -> AuditReport:
    """Return the report whose `to_json` gave this text, with its certificate.

    Examples
    --------
    >>> from privcheck.reporting._example_results import VIOLATION
    >>> read_report(VIOLATION.to_json()).to_json() == VIOLATION.to_json()
    True
    """
    content = from_json(text, AuditReport, EXPECTED)
    texts = {field.name for field in fields(AuditReport) if field.type in ("str", "str | None")}
    content = {name: value if name in texts else number(value) for name, value in content.items()}
    try:
        if content["verdict"] not in VERDICTS:
            raise ValueError(f"verdict is {content['verdict']!r}")
        return well_typed(AuditReport(**content | _parts(content)))
    except ILL_TYPED as error:
        raise PrivcheckError("text", words(f"fields of the wrong type: {error}"), EXPECTED) from None


def _parts(content: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that are not plain values."""
    found: dict[str, Any] = {"rewards": tuple(map(number, content["rewards"]))}
    if content["certificate"] is not None:
        found["certificate"] = read_certificate(content["certificate"])
    if content.get("contexts") is not None:
        found["contexts"] = Contexts(**content["contexts"])
    if content.get("tradeoff_claimed") is not None:
        found["tradeoff_claimed"] = tuple((number(a), number(b)) for a, b in content["tradeoff_claimed"])
    if content["epsilon_estimate"] is not None:
        found["epsilon_estimate"] = read_estimate(content["epsilon_estimate"])
    if content["resolution"] is not None:
        found["resolution"] = Resolution(**_numbers(content["resolution"]))
    if content.get("search") is not None:
        search = dict(content["search"])
        names = {name: tuple(search[name]) for name in ("families", "missing") if name in search}
        found["search"] = Search(**search | names)
    if content.get("by_law") is not None:
        found["by_law"] = _law_evidence(**content["by_law"])
    if content.get("suspicion") is not None:
        found["suspicion"] = Suspicion(**content["suspicion"] | {"epsilon": number(content["suspicion"]["epsilon"])})
    found["faults"] = [_fault(**fault) for fault in content.get("faults", [])]
    for place in ("witness", "simplest"):
        if content.get(place) is not None:
            found[place] = _witness(dict(content[place]))
    if content.get("tradeoff") is not None:
        region = content["tradeoff"]
        found["tradeoff"] = read_region(**region)
    return found


def _fault(*, data: Any = (), excerpt: Any = (), **others: Any) -> Fault:
    return Fault(**others, data=tuple(data), excerpt=tuple(excerpt))


def _law_evidence(*, bound: Any, fit: Any, events: Any = (), **others: Any) -> LawEvidence:
    from privcheck.results._bounds_json import law_bound

    where = tuple((number(low), number(high)) for low, high in fit["where"])
    read = tuple(
        LawEvent(**_numbers(event) | {name: tuple(event[name]) for name in ("by_law", "counted")}) for event in events
    )
    return LawEvidence(law_bound(bound), fit=LawFit(**fit | {"where": where}), events=read, **others)


def read_region(*, thresholds: Any, more: Any, less: Any, runs: Any, level: Any) -> TradeoffRegion:
    """Return a region from its plain fields."""
    scores, first, second = array(thresholds), array(more).astype(int), array(less).astype(int)
    if not len(scores) == len(first) == len(second):
        raise ValueError("thresholds and counts have different lengths")
    return TradeoffRegion(scores, first, second, tuple(runs), level)


def _witness(content: dict[str, Any]) -> Witness:
    for name in ("first", "second"):
        content[name] = array(content[name])
        content[f"probability_{name}"] = read_estimate(content[f"probability_{name}"])
    return Witness(**content | {"rounds": tuple(content["rounds"])})


def read_estimate(content: dict[str, Any]) -> Estimate:
    """Return an estimate from its plain fields."""
    return Estimate(**_numbers(content))


def _numbers(content: dict[str, Any]) -> dict[str, Any]:
    return {name: number(value) for name, value in content.items()}
