"""What was found about a claim, in sentences: exact, and no stronger than the evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from privcheck.claims import (
    FAULTS,
    NOT_REFUTED,
    ORDER_REFUTED,
    PROVEN,
    REFUTED,
    STATUSES,
    SUSPICIOUS,
    Finding,
    ReadingFinding,
    causes,
    decimal,
)

PAPERS = {
    "azize-basu-2022": "Azize & Basu 2022, When Privacy Meets Partial Information (NeurIPS)",
    "chen-2020": "Chen et al. 2020, (Locally) Differentially Private Combinatorial Semi-Bandits (ICML)",
    "hu-2021": (
        "Hu, Huang, Mehta & Hegde, Near-Optimal Algorithms for Differentially Private Online Learning in a Stochastic "
        "Environment (arXiv 2102.07929, the version after v2)"
    ),
    "shariff-sheffet-2018": "Shariff & Sheffet 2018, Differentially Private Contextual Linear Bandits (NeurIPS)",
    "jourdan-azize-2025": (
        "Jourdan & Azize 2025, Optimal Best Arm Identification under Differential Privacy (NeurIPS); only what its "
        "abstract, reviews and answers quote"
    ),
}
"""The papers whose statements are declared."""


LONGEST_FORMULA = 320


def counts(findings: Sequence[Finding]) -> dict[str, int]:
    """Return how many claims have each status, in the order of `STATUSES`."""
    counted = Counter(finding.status for finding in findings)
    return {status: counted[status] for status in STATUSES if counted[status]}


def headline(findings: Sequence[Finding]) -> str:
    """Return one line that sums up a run.

    >>> headline([])
    '0 claims'
    """
    listed = ", ".join(f"{number} {status}" for status, number in counts(findings).items())
    return f"{len(findings)} claim{'' if len(findings) == 1 else 's'}" + (f": {listed}" if listed else "")


def evidence_sentences(finding: Finding) -> list[str]:
    """Return the evidence about each reading, and the repaired form if there is one."""
    several = len(finding.readings) > 1
    found = [(f"{reading.name}: " if several else "") + evidence(reading) for reading in finding.readings]
    if finding.repair and finding.wrong:
        found.append(f"repaired: {finding.repair} ({finding.repair_status})")
    return found


def side_sentences(finding: Finding) -> list[str]:
    """Return what the two sides of each refutation are: the formulas, and the case that they are about.

    Formulas too long to read are in the JSON.
    """
    several = len(finding.readings) > 1
    found = []
    for reading in finding.readings:
        if reading.status in (REFUTED, ORDER_REFUTED) and "event" not in reading.evidence:
            name = f" ({reading.name})" if several else ""
            formula = reading.says if len(reading.says) <= LONGEST_FORMULA else "see the field `says` in the JSON"
            found.append(f"left and right{name}: {formula}")
    return found + ([finding.tested_on] if finding.tested_on else [])


def fault_sentences(finding: Finding) -> list[str]:
    """Return what kind of fault it is, and what remains true if it is a grave one; nothing if nothing fails."""
    if not finding.fault:
        return []
    told = causes().get(finding.cause)
    found = [f"fault: {finding.fault}, {FAULTS[finding.fault]}"]
    if told is not None:
        found += [f"cause {told.id}: {told.wrong}", *([f"what remains true: {told.remains}"] if told.remains else [])]
    return found


def evidence(reading: ReadingFinding) -> str:
    """Return the evidence about one reading.

    >>> evidence(ReadingFinding("as printed", "", "", "not-checkable", {}))
    'not a formula in finitely many numbers, or one without a value at all points; nothing was tried'
    """
    told = reading.evidence
    if reading.status == REFUTED and "event" in told:
        event = ", ".join(f"{value} for {data}" for data, value in told["event"].items())
        return (
            f"false at {told['case']}, for the event whose probability is {event}: left {_number(told['left'])}, right "
            f"{_number(told['right'])}, by {told['arithmetic']}"
        )
    if reading.status == REFUTED:
        return f"false at {_point(told['point'])}: left {told['left']}, right {told['right']}, by {told['arithmetic']}"
    if reading.status == ORDER_REFUTED:
        path = ", ".join(f"{name} = {value}" for name, value in told["path"].items())
        return f"{told['ratio']} tends to infinity along {path}; it is above 1000 at s = {told['passed']['1000']}"
    if "method" in told:
        return _proof(reading, "" if reading.status == PROVEN else "; the rest of the domain is not proven")
    if reading.status in (NOT_REFUTED, SUSPICIOUS) and "tried" in told:
        closest = max(-float(told["closest"]), 0.0) + 0.0  # no minus zero
        at = f"closest: relative gap {closest:.2g} at {_point(told['where'])}"
        return f"{told['tried']} points{_integers(told)}{_undefined(told)}; {at}"
    if told.get("tried") == 0:
        return f"no point was tried: the search met none of the domain with a value on both sides{_undefined(told)}"
    if reading.status == NOT_REFUTED and "cases" in told:
        return f"holds for the worst mechanisms that linear programmes find in {told['cases']} cases"
    if reading.status == NOT_REFUTED:
        return "no divergence was found along the declared paths"
    return STATUSES[reading.status]


def _integers(told: dict[str, Any]) -> str:
    ranges = [f"{name} from {low:g} to {high:g}" for name, (low, high) in told.get("integers", {}).items()]
    return f" with {' and '.join(ranges)}" if ranges else ""


def _undefined(told: dict[str, Any]) -> str:
    number = told.get("undefined", 0)
    return f", and {number} more without a value (undefined, or too large for floats)" if number else ""


def _point(values: dict[str, Any]) -> str:
    return ", ".join(f"{name} = {_number(value)}" for name, value in values.items()) or "all values"


def _number(value: Any) -> str:
    try:
        return decimal(Fraction(str(value)))
    except ValueError:
        return str(value)


def _proof(reading: ReadingFinding, rest: str) -> str:
    told = reading.evidence
    if told["method"] == "computer algebra":
        return "an identity where both sides are defined, shown by computer algebra"
    region = "; ".join(f"{name} in [{low:g}, {high:g}]" for name, (low, high) in told["region"].items())
    if told["method"] == "enumeration":
        where = "its only point" if told["points"] == 1 else f"all {told['points']} points"
        return f"checked exactly at {where}" + (f" with {region}" if region else "") + rest
    share = f"{reading.percent} of " if reading.percent else ""
    return f"proven by intervals on {share}{region}, {told['boxes']} boxes" + _left_open(told) + rest


def _left_open(told: dict[str, Any]) -> str:
    """Return where the parts are that a proof left open, by the ranges that are not those of the whole region."""
    boxes = []
    for box in told.get("open", ()):
        narrow = {name: ends for name, ends in box.items() if ends != told["region"][name]} or box
        boxes.append(" and ".join(f"{name} in {_range(*ends)}" for name, ends in narrow.items()))
    return f"; left open is a part of: {', or '.join(boxes)}" if boxes else ""


def _range(low: float, high: float) -> str:
    """Return an interval; one that is narrower than six digits show as a number and a width.

    >>> _range(0.25, 0.5), _range(1 - 1e-12, 1.0)
    ('[0.25, 0.5]', '1 +- 1e-12')
    """
    if f"{low:.6g}" == f"{high:.6g}":
        return f"{low:.6g} +- {high - low:.0e}"
    return f"[{low:.6g}, {high:.6g}]"
