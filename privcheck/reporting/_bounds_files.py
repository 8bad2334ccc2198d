"""Bounds and curves as files for other programs: CSV and JSON, and read back."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from privcheck.bounds import Bounds, BoundValue, Curve, describe_contradiction
from privcheck.serialise import plain, revived, to_json, well_typed


@dataclass(frozen=True)
class RestsOn:
    """A claim that failed, as the JSON of a bound names it."""

    claim: str
    place: str
    status: str


def curve_csv(curve: Curve) -> str:
    """Return a line for every point and every theorem that applies there.

    >>> from privcheck.bounds import curve, named_instance
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
    """Return the axis of a curve and its files, after any contradictions."""
    lines = [f"CONTRADICTION: {describe_contradiction(lower, upper)}" for lower, upper in curve.contradictions]
    span = f"{len(curve.values)} points from {curve.axis} = {curve.values[0]:g} to {curve.values[-1]:g}"
    return "\n".join([*lines, f"{span}; files: {', '.join(paths)}"])


def _text(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()


def read_bounds(content: dict[str, Any]) -> Bounds:
    """Return the bounds in the JSON that `privcheck bounds` wrote.

    Raises
    ------
    PrivcheckError, TypeError, KeyError : fields that are missing or wrong.

    """
    values = []
    for bound in content["bounds"]:
        own = {name: value for name, value in bound.items() if name != "rests_on"}
        for failed in bound.get("rests_on", []):  # not kept: pages join the claims anew
            well_typed(revived(failed, RestsOn))
        values.append(well_typed(revived(own, BoundValue)))
    return Bounds(values, read_instance(content["instance"]))


def read_instance(content: dict[str, Any]) -> Any:
    """Return the instance whose `to_dict` gave these fields, of the setting that knows most of them.

    >>> from privcheck.bounds import named_instance
    >>> read_instance(named_instance("c2", epsilon=1.0).to_dict()).arms
    5
    """
    from privcheck.bounds import instance_class

    return revived(content, instance_class(content))
