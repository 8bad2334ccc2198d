"""Results read back from the JSON files that the commands write."""

from __future__ import annotations

import json
import math
import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from privcheck.errors import PrivcheckError
from privcheck.reporting.bounds_files import read_bounds, read_instance
from privcheck.reporting.pages.page_audits import render_page
from privcheck.reporting.pages.page_bounds import render_bounds
from privcheck.reporting.pages.page_certificate import render_certificate
from privcheck.reporting.pages.page_simulation import described_place
from privcheck.reporting.terminal.bounds_table import describe
from privcheck.reporting.text import numbers
from privcheck.reporting.text.audit_sentences import verdict_word
from privcheck.reporting.text.both_bounds import contradiction, upper_bound
from privcheck.reporting.text.certificate_sentences import certificate_word, found_something, reasons
from privcheck.results.audit_report import AuditReport
from privcheck.results.certificate import Certificate
from privcheck.serialise import ILL_TYPED, SCHEMA_VERSION

EXPECTED = "a result that a privcheck command wrote with --json"

CONTRADICTION, EVALUATED, SIMULATED = "contradiction", "evaluated", "simulated"


@dataclass(frozen=True)
class Result:
    """One result: a row of an index.

    Parameters
    ----------
    path : of its JSON file.
    when : when that file was last changed, in seconds since 1970.
    kind : "audit", "certificate", "bounds", "curve" or "simulation".
    target : what was audited, certified, evaluated or simulated.
    verdict : its word.
    alarm : whether it is a violation, a leak, a refused certificate or a divergence in replay.
    claim, delta, lower, upper, seed : of an audit or a certificate, as far as it has them.
    detail : more, in words.
    page : returns the page about it; None where the JSON holds too little for one.

    """

    path: Path
    when: float
    kind: str
    target: str
    verdict: str
    alarm: bool = False
    claim: float | None = None
    delta: float = 0.0
    lower: float | None = None
    upper: float | None = None
    seed: int | None = None
    detail: str = ""
    page: Callable[[], str] | None = None


@dataclass(frozen=True)
class Source:
    """A JSON file: its text, its content and when it was last changed."""

    path: Path
    when: float
    text: str
    content: dict[str, Any]


def read_result(path: str | Path) -> Result:
    """Return the result in a JSON file.

    Raises
    ------
    PrivcheckError : a file that cannot be read, or holds something else.

    Examples
    --------
    >>> import tempfile
    >>> from privcheck.reporting.example_results import VIOLATION
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "audit.json")
    ...     _ = file.write_text(VIOLATION.to_json())
    ...     result = read_result(file)
    >>> result.kind, result.verdict, result.alarm, result.lower
    ('audit', 'violation', True, 1.7643969)
    """
    file = Path(path)

    def refused(reason: str) -> PrivcheckError:
        return PrivcheckError("file", str(file), EXPECTED, reason)

    try:
        status = file.stat()  # first: what is written while we read makes the page out of date
        if not stat.S_ISREG(status.st_mode):
            raise refused("it is not a regular file")
        text = file.read_text(encoding="utf-8")
        source = Source(file, status.st_mtime, text, json.loads(text))
    except OSError as error:
        raise refused(f"{error.strerror}") from None
    except (ValueError, RecursionError):
        raise refused("it is not JSON") from None
    kind = _kind(source.content)
    if kind is None:
        raise refused("its fields match the output of no privcheck command")
    version = source.content.get("schema_version")
    if version != SCHEMA_VERSION:
        raise refused(f"its schema_version is {str(version)[:20]}, but this privcheck reads {SCHEMA_VERSION}")
    try:
        return READERS[kind](source)
    except PrivcheckError as error:
        raise refused(str(error)) from None
    except ILL_TYPED:
        raise refused("a field is missing or has the wrong type") from None


def _kind(content: Any) -> str | None:
    """Return the kind of result that a JSON object holds, judged by its fields; None for none."""
    keys = set(content) if isinstance(content, dict) else set()
    return next((kind for kind, needed in FIELDS.items() if needed <= keys), None)


def _audit(source: Source) -> Result:
    report = AuditReport.from_json(source.text)
    wrong = contradiction(report)
    word = verdict_word(report)
    return Result(
        source.path, source.when, "audit", str(report.target), CONTRADICTION if wrong and word != "violation" else word,
        alarm=word == "violation", claim=_number(report.epsilon_claimed), delta=float(report.delta),
        lower=_number(report.epsilon_lower), upper=_number(upper_bound(report)), seed=int(report.seed),
        detail=wrong or "; ".join(str(note) for note in report.notes),
        page=lambda: render_page([report]),
    )  # fmt: skip


def _certificate(source: Source) -> Result:
    found = Certificate.from_json(source.text)
    refused = found_something(found) or (found.epsilon_claimed is not None and not found.granted)
    return Result(
        source.path, source.when, "certificate", str(found.target), certificate_word(found), alarm=refused,
        claim=_number(found.epsilon_claimed), delta=float(found.delta), seed=int(found.seed),
        upper=_number(found.epsilon_upper) if found.granted else None,
        detail="; ".join(reasons(found, brief=True)) if refused else "",
        page=lambda: render_certificate(found),
    )  # fmt: skip


def _bounds(source: Source) -> Result:
    content = source.content
    instance, values = read_bounds(content)
    applying = sum(value.applies for value in values)
    wrong = len(content["contradictions"])
    return Result(
        source.path, source.when, "bounds", describe(instance), CONTRADICTION if wrong else EVALUATED,
        detail=f"{applying} of {len(values)} theorems apply" + (f", {wrong} contradictions" if wrong else ""),
        page=lambda: render_bounds(instance, values),
    )  # fmt: skip


def _curve(source: Source) -> Result:
    content = source.content
    wrong, places = len(content["contradictions"]), content["values"]
    target = describe(read_instance(content["instance"]))
    return Result(
        source.path, source.when, "curve", target, CONTRADICTION if wrong else EVALUATED,
        detail=f"{len(content['curves'])} bounds at {len(places)} points from {content['axis']} = {places[0]:g} to "
        f"{places[-1]:g}" + (f", {wrong} contradictions" if wrong else ""),
    )  # fmt: skip


def _simulation(source: Source) -> Result:
    content = source.content
    rows, place = content["results"], content.get("environment")
    regrets = ", ".join(f"{row['policy']} {numbers.amount(float(row['mean']))}" for row in rows)
    first = rows[0]
    where = f" on {described_place(str(place['id']), place['means'])}" if place else ""
    return Result(
        source.path, source.when, "simulation", ", ".join(str(row["policy"]) for row in rows), SIMULATED,
        seed=None if content.get("seed") is None else int(content["seed"]),
        detail=f"mean regret {regrets} after {int(first['horizon']):,} rounds{where}, {int(first['runs']):,} runs",
    )  # fmt: skip


FIELDS = {
    "audit": {"target", "verdict", "epsilon_lower"},
    "certificate": {"target", "granted", "coverage"},
    "bounds": {"instance", "bounds"},
    "curve": {"instance", "axis", "curves"},
    "simulation": {"results"},
}
"""The fields that identify a result of each kind."""

READERS: dict[str, Callable[[Source], Result]] = {
    "audit": _audit, "certificate": _certificate, "bounds": _bounds, "curve": _curve, "simulation": _simulation,
}  # fmt: skip


def _number(value: Any) -> float | None:
    if value is None:
        return None
    if math.isnan(found := float(value)):
        raise ValueError("not a number")
    return found


def json_files(folder: Path) -> list[Path]:
    """Return the JSON files in a folder and below, in order, without hidden ones."""
    found = []
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        found += [Path(place, name) for name in sorted(files) if name.endswith(".json") and not name.startswith(".")]
    return found
