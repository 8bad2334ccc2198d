"""Bounds and curves as files for other programs: CSV and JSON."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from bounds.curve import Curve
from bounds.evaluation import describe_contradiction
from bounds.theorem import BoundValue
from privcheck.serialise import plain, to_json


def bounds_csv(values: Sequence[BoundValue]) -> str:
    """Return a line for every theorem; a bound that does not apply has no number and says what it asks for.

    >>> from bounds import evaluate, named_instance
    >>> print(bounds_csv(evaluate(named_instance("c2", epsilon=1.0))).splitlines()[0])
    id,kind,quantity,value,constant,asymptotic,applies,asks_for,provenance,source
    """
    header = "id", "kind", "quantity", "value", "constant", "asymptotic", "applies", "asks_for", "provenance", "source"
    rows = []
    for bound in values:
        failing = "; ".join(condition.text for condition in bound.conditions if not condition.holds)
        numbers = ["" if number is None else repr(number) for number in (bound.value, bound.constant)]
        kind = [bound.id, bound.kind, bound.quantity, *numbers, bound.asymptotic, bound.applies]
        rows.append([*kind, failing, bound.provenance, bound.source])
    return _text(header, rows)


def curve_csv(curve: Curve) -> str:
    """Return a line for every place and every theorem that applies there.

    >>> from bounds import curve, named_instance
    >>> lines = curve_csv(curve(named_instance("c2", epsilon=1.0, horizon=None), "epsilon", [0.5])).splitlines()
    >>> lines[0], lines[1].split(",")[:3]
    ('epsilon,id,kind,value,constant,quantity', ['0.5', 'azize-basu-2022/thm3', 'lower'])
    """
    rows = [
        [repr(place), bound.id, bound.kind, bound.value, bound.constant, bound.quantity]
        for place, row in zip(curve.values, curve.rows, strict=True)
        for bound in row
        if bound.applies
    ]
    return _text((curve.axis, "id", "kind", "value", "constant", "quantity"), rows)


def curve_json(curve: Curve) -> str:
    """Return {"instance", "axis", "values", "curves": [{"id", "kind", "quantity", "asymptotic", "bounds"}], ...}."""
    curves = [
        {
            "id": bound.id,
            "kind": bound.kind,
            "quantity": bound.quantity,
            "asymptotic": bound.asymptotic,
            "bounds": plain(curve.series(bound.id)),
        }
        for bound in curve.rows[0]
        if any(number is not None for number in curve.series(bound.id))
    ]
    head = {"instance": curve.instance.to_dict(), "axis": curve.axis, "values": list(curve.values)}
    found = [describe_contradiction(lower, upper) for lower, upper in curve.contradictions]
    return to_json(head | {"curves": curves, "contradictions": found})


def curve_summary(curve: Curve, paths: Sequence[str]) -> str:
    """Return what was followed and where it was written; a contradiction on the way first."""
    lines = [f"CONTRADICTION: {describe_contradiction(lower, upper)}" for lower, upper in curve.contradictions]
    span = f"{len(curve.values)} places from {curve.axis} = {curve.values[0]:g} to {curve.values[-1]:g}"
    return "\n".join([*lines, f"{span}; written: {', '.join(paths)}"])


def _text(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()
