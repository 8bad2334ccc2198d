"""Reports read back from JSON."""

from __future__ import annotations

import json
import math
from dataclasses import MISSING, fields
from typing import Any

import numpy as np

from privcheck.auditing.inference.tradeoff import TradeoffRegion
from privcheck.auditing.report import AuditReport, Estimate, Resolution, Witness
from privcheck.certifying.reading import read_certificate
from privcheck.errors import PrivcheckError, words
from privcheck.privacy import Contexts
from privcheck.serialise import SCHEMA_VERSION

EXPECTED = "what AuditReport.to_json wrote"


def read_report(text: str) -> AuditReport:
    """Return the report whose `to_json` gave this text, with its certificate.

    Examples
    --------
    >>> from privcheck.reporting.examples import VIOLATION
    >>> read_report(VIOLATION.to_json()).to_json() == VIOLATION.to_json()
    True
    """
    try:
        content = json.loads(text)
    except (TypeError, ValueError):
        raise PrivcheckError("text", words("no JSON"), EXPECTED) from None
    if not isinstance(content, dict) or content.get("schema_version") != SCHEMA_VERSION:
        raise PrivcheckError("text", words("another kind of JSON"), f"{EXPECTED}, schema_version {SCHEMA_VERSION}")
    names = {"target", "verdict", "engine"}  # a target may be called "inf"
    content = {name: value if name in names else _number(value) for name, value in content.items()}
    del content["schema_version"]
    known = {field.name for field in fields(AuditReport)}
    needed = {field.name for field in fields(AuditReport) if field.default is field.default_factory is MISSING}
    wrong = sorted((set(content) - known) | (needed - set(content)))
    if wrong:
        raise PrivcheckError("text", words(f"unknown or missing fields: {', '.join(wrong)}"), EXPECTED)
    try:
        return AuditReport(**content | _parts(content))
    except (TypeError, ValueError, KeyError):
        raise PrivcheckError("text", words("fields of the wrong type"), EXPECTED) from None


def _parts(content: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that are not plain."""
    found: dict[str, Any] = {"rewards": tuple(content["rewards"])}
    if content["certificate"] is not None:
        found["certificate"] = read_certificate(content["certificate"])
    if content.get("contexts") is not None:
        found["contexts"] = Contexts(**content["contexts"])
    if content["epsilon_estimate"] is not None:
        found["epsilon_estimate"] = _estimate(content["epsilon_estimate"])
    if content["resolution"] is not None:
        found["resolution"] = Resolution(**_numbers(content["resolution"]))
    for place in ("witness", "simplest"):
        if content.get(place) is not None:
            found[place] = _witness(dict(content[place]))
    if content.get("tradeoff") is not None:
        region = content["tradeoff"]
        counts = {name: np.array(region[name], int) for name in ("more", "less")}
        thresholds = np.array([_number(value) for value in region["thresholds"]], float)
        found["tradeoff"] = TradeoffRegion(thresholds, **counts, runs=tuple(region["runs"]), level=region["level"])
    return found


def _witness(content: dict[str, Any]) -> Witness:
    for name in ("first", "second"):
        content[name] = np.array(content[name], float)
        content[f"probability_{name}"] = _estimate(content[f"probability_{name}"])
    return Witness(**content | {"rounds": tuple(content["rounds"])})


def _estimate(content: dict[str, Any]) -> Estimate:
    return Estimate(**_numbers(content))


def _numbers(content: dict[str, Any]) -> dict[str, Any]:
    return {name: _number(value) for name, value in content.items()}


def _number(value: Any) -> Any:
    """Turn "inf" and "-inf" back."""
    return {"inf": math.inf, "-inf": -math.inf}.get(value, value) if isinstance(value, str) else value
