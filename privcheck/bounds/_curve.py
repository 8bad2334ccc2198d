"""All bounds along one axis: the privacy budget, the horizon, or the gaps."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from privcheck.bounds._bounds_of_instance import Bounds, citations_of
from privcheck.bounds._evaluation import ContradictionWarning, contradictions, evaluate, number
from privcheck.bounds._instance import Instance
from privcheck.bounds._theorem import BoundValue
from privcheck.bounds.families.base import MeanFamily
from privcheck.bounds.settings.concentrated_instance import ConcentratedInstance
from privcheck.declared import Choice, check
from privcheck.errors import PrivcheckError
from privcheck.tables import Result, Row, html_table

AXES = Choice(("epsilon", "rho", "horizon", "gap"))
_POINTS = 61
"""Twenty per decade over the default three decades of a budget, 0.01 to 10 for epsilon."""


@dataclass(frozen=True)
class Curve:
    """Bounds on a series of instances that differ in one thing.

    Parameters
    ----------
    instance : the instance that is varied.
    axis : "epsilon" or "rho", "horizon" or "gap" (the smallest positive gap; all gaps scale with it).
    values : increasing, shape (n,).
    rows : what `evaluate` returns for each value.
    contradictions : the pairs (lower, upper) that contradict each other on the curve, once for each pair of ids.
    """

    instance: Instance | ConcentratedInstance
    axis: str
    values: tuple[float, ...]
    rows: tuple[tuple[BoundValue, ...], ...]
    contradictions: tuple[tuple[BoundValue, BoundValue], ...]

    def __repr__(self) -> str:
        where = f"{len(self.values)} values of {self.axis} from {self.values[0]:g} to {self.values[-1]:g}"
        return f"<Curve of {len(self.rows[0])} theorems at {where}>"

    @property
    def table(self) -> CurveTable:
        """The curve as a table with the methods of all results."""
        return CurveTable(self)

    def to_frame(self, *, library: str | None = None) -> Any:
        """Return a data frame, a row for every value and every theorem that applies there; see `Result.to_frame`."""
        return self.table.to_frame(library=library)

    def to_csv(self) -> str:
        """Return the table as CSV."""
        return self.table.to_csv()

    def to_latex(self, *, columns: Sequence[str] | None = None) -> str:
        """Return the table, or some of its columns, as a LaTeX `tabular`; see `Result.to_latex`."""
        return self.table.to_latex(columns=columns)

    def to_bibtex(self) -> str:
        """Return the BibTeX entries of the papers whose theorems apply, and that of privcheck."""
        return self.table.to_bibtex()

    def save(self, path: str | Path) -> None:
        """Write the table to a .csv, .tex or .bib file; see `Result.save`."""
        self.table.save(path)

    def _repr_html_(self) -> str:
        ends = {f"{self.axis} = {self.values[i]:g}": i for i in (0, -1)}
        shown = [
            {"id": bound.id, "kind": bound.kind} | {name: self.rows[i][place].number_text for name, i in ends.items()}
            for place, bound in enumerate(self.rows[0])
            if any(row[place].applies for row in self.rows)
        ]
        return html_table(repr(self), shown)

    def series(self, name: str) -> tuple[float | None, ...]:
        """Return the value or constant of one theorem along the axis; None where it does not apply."""
        found = [next(bound for bound in row if bound.id == name) for row in self.rows]
        return tuple(number(bound) if bound.applies else None for bound in found)


@dataclass(frozen=True, repr=False)
class CurveTable(Result):
    """A curve as a table.

    Parameters
    ----------
    curve : what `privcheck.bounds.curve` returned.
    """

    curve: Curve

    def __repr__(self) -> str:
        return f"the table of {self.curve!r}"

    def tables(self) -> dict[str, Callable[[], list[Row]]]:
        """Return "curve", a row for every value on the axis and every theorem that applies there."""
        return {"curve": self._rows}

    def _rows(self) -> list[Row]:
        kept = ("id", "kind", "quantity", "value", "constant", "asymptotic", "provenance", "source", "cite")
        found = self.curve
        return [
            {found.axis: place} | {name: line[name] for name in kept}
            for place, row in zip(found.values, found.rows, strict=True)
            for line in Bounds(row, found.instance).rows("applicable")
        ]

    def citations(self) -> tuple[str, ...]:
        """Return the BibTeX keys of the papers whose theorems apply somewhere."""
        return citations_of(bound for row in self.curve.rows for bound in row if bound.applies)


def curve(instance: Instance | ConcentratedInstance, axis: str, values: Sequence[float] | None = None) -> Curve:
    """Evaluate all theorems along one axis.

    Parameters
    ----------
    instance : supplies every field that does not vary.
    axis : "epsilon", of a `ConcentratedInstance` "rho", "horizon" or "gap".
    values : increasing values on the axis; by default 61, geometrically spaced.

    Raises
    ------
    PrivcheckError : an unknown axis, a value at which no instance exists, an instance without gaps for "gap".

    Examples
    --------
    >>> from privcheck.bounds._instances import named_instance
    >>> line = curve(named_instance("fig3", epsilon=1.0), "epsilon", [0.1, 0.3, 1.0, 10.0])
    >>> [round(constant, 3) for constant in line.series("azize-basu-2022/thm3-tight")]
    [40.472, 13.836, 4.631, 2.444]
    """
    check("axis", axis, AXES)
    if not isinstance(instance, Instance | ConcentratedInstance):
        raise PrivcheckError("instance", instance, "a privcheck.bounds.Instance", "a curve needs independent arms")
    budget = "epsilon" if isinstance(instance, Instance) else "rho"
    if axis in ("epsilon", "rho") and axis != budget:
        raise PrivcheckError("axis", axis, f"{budget}, horizon or gap", f"the budget of {instance.setting} is {budget}")
    if axis == "gap":
        _check_gaps(instance)
    places = _default_places(instance, axis) if values is None else tuple(values)
    rows: list[tuple[BoundValue, ...]] = []
    found: dict[tuple[str, str], tuple[BoundValue, BoundValue]] = {}
    for place in places:
        moved = _moved(instance, axis, place)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ContradictionWarning)  # collected below
            row = tuple(evaluate(moved))
        rows.append(row)
        for lower, upper in contradictions(row, moved):
            found.setdefault((lower.id, upper.id), (lower, upper))
    return Curve(instance, axis, tuple(float(place) for place in places), tuple(rows), tuple(found.values()))


def _moved(instance: Instance | ConcentratedInstance, axis: str, place: float) -> Instance | ConcentratedInstance:
    change: dict[str, Any] = {axis: place}
    if axis == "gap":
        stretch = place / min(gap for gap in instance.gaps if gap > 0)
        change = {"means": tuple(instance.best_mean - stretch * gap for gap in instance.gaps)}
    return replace(instance, **change)


def _check_gaps(instance: Instance | ConcentratedInstance) -> None:
    if not instance.suboptimal or not isinstance(instance.law_family, MeanFamily):
        raise PrivcheckError(
            "axis", "gap", "an instance given by means, with a positive gap", "choose epsilon or horizon"
        )


def _default_places(instance: Instance | ConcentratedInstance, axis: str) -> tuple[float, ...]:
    if axis in ("epsilon", "rho"):
        least, most, budget = (
            (0.01, 10.0, instance.epsilon) if isinstance(instance, Instance) else (1e-4, 1.0, instance.rho)
        )
        own = budget if 0 < budget < math.inf else most
        return tuple(np.geomspace(min(least, own), max(most, own), _POINTS).tolist())
    if axis == "horizon":
        last = max(10 * instance.arms, instance.horizon or 10**7)
        return tuple(np.unique(np.round(np.geomspace(instance.arms, last, _POINTS))).tolist())
    smallest, largest = min(gap for gap in instance.gaps if gap > 0), max(instance.gaps)
    low = instance.law_family.domain.low if isinstance(instance.law_family, MeanFamily) else 0.0
    room = (instance.best_mean - max(low, instance.best_mean - 10 * largest)) / largest
    return tuple(np.geomspace(smallest / 100, smallest * max(1.0, room) * (1 - 1e-12), _POINTS).tolist())
