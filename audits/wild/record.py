"""What audits found, by id, in a JSON file that later runs complete."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from audits.wild.implementation import Wild
from privcheck import AuditReport
from privcheck.errors import PrivcheckError
from privcheck.files import write_whole

Record = dict[str, dict[str, Any]]
VERSION = 1


def entry(wild: Wild, report: AuditReport, seconds: float) -> dict[str, Any]:
    """Return what is kept of an audit; the argument of a fault is made again, and kept too."""
    found: dict[str, Any] = {
        "source": wild.project.source,
        "verdict": report.verdict,
        "expected": wild.expected,
        "epsilon": wild.epsilon,
        "delta": wild.delta,
        "epsilon_lower": report.epsilon_lower,
        "confidence": report.confidence,
        "error": report.error,
        "resolution": None if report.resolution is None else report.resolution.epsilon,
        "runs": report.runs,
        "seed": report.seed,
        "cpu_seconds": round(seconds, 1),
        "witness": None if report.witness is None else report.witness.event,
    }
    if wild.fault is not None:
        shown = wild.fault.argument()
        found["argument"] = asdict(shown) | {"least": str(shown.least) if shown.least == float("inf") else shown.least}
    return found


def read(path: Path) -> Record:
    """Return an earlier record; empty if there is none."""
    if not path.exists():
        return {}
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
        if stored["schema_version"] != VERSION or not isinstance(stored["audits"], dict):
            raise ValueError
    except (ValueError, KeyError, TypeError):
        hint = "give another file, or delete this one"
        raise PrivcheckError("--json", str(path), "a file that this command wrote", hint) from None
    return dict(stored["audits"])


def write(path: Path, record: Record) -> None:
    """Write a record, whole or not at all."""
    ordered = {"schema_version": VERSION, "audits": dict(sorted(record.items()))}
    write_whole(path, json.dumps(ordered, indent=1) + "\n")
