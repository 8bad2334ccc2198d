"""The bounds of an instance as a list: those that apply, the best, the contradictions, and their table."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable
from dataclasses import asdict
from typing import Any

from privcheck.bibliography import OWN, cited, cited_in
from privcheck.bounds.instance import Instance
from privcheck.bounds.quantity import QUANTITIES
from privcheck.bounds.theorem import DERIVED, KINDS, UNPROVEN, BoundValue, similar_ids
from privcheck.declared import check
from privcheck.errors import PrivcheckError, words
from privcheck.serialise import to_json
from privcheck.tables import Result, Row


class Bounds(list[BoundValue], Result):
    """What `evaluate` returns: one `BoundValue` for every theorem; shown are those that apply.

    Parameters
    ----------
    values : the bounds.
    instance : what they were evaluated on; None if it is not known.

    Examples
    --------
    >>> from privcheck.bounds import evaluate, named_instance
    >>> found = evaluate(named_instance("c2", epsilon=1.0, horizon=10**6))
    >>> len(found.applicable) < len(found), found.contradictions
    (True, [])
    >>> [(bound.id, round(bound.constant, 3)) for bound in found.best("lower", asymptotic=True)]
    [('azize-basu-2022/thm3-tight', 7.708)]
    """

    def __init__(self, values: Iterable[BoundValue] = (), instance: Any = None) -> None:
        try:
            super().__init__(values)
        except TypeError:
            got = words(f"an object of type {type(values).__name__}")
            raise PrivcheckError("values", got, "bounds, as `evaluate` returns them") from None
        self.instance = instance

    def of(self, name: str) -> BoundValue:
        """Return the bound of one theorem by its id.

        Raises
        ------
        PrivcheckError : no bound has this id.
        """
        found = next((value for value in self if value.id == name), None)
        if found is None:
            near = similar_ids(name)
            raise PrivcheckError("name", name, "the id of a theorem", f"for example {', '.join(near)}" if near else "")
        return found

    @property
    def applicable(self) -> Bounds:
        """The bounds all of whose conditions hold."""
        return Bounds((value for value in self if value.applies), self.instance)

    @property
    def contradictions(self) -> list[tuple[BoundValue, BoundValue]]:
        """The pairs (lower, upper) on one quantity that cannot both be true: see `privcheck.bounds.contradictions`."""
        from privcheck.bounds.evaluation import contradictions

        return contradictions(self, self.instance)

    def best(self, kind: str, *, asymptotic: bool = False) -> list[BoundValue]:
        """Return the largest lower or the smallest upper bound of every quantity of this instance.

        Parameters
        ----------
        kind : "lower" or "upper".
        asymptotic : compare the constants of ln T, in place of the values at the horizon.

        Returns
        -------
        One bound for each quantity, in the order of the theorems. Minimax bounds are about the worst instance of a
        class, and the proof of a bound of provenance "unproven" gives less than is printed: neither is ever the best.

        Raises
        ------
        PrivcheckError : another kind.
        """
        check("kind", kind, KINDS)
        sign = 1 if kind == "lower" else -1
        best: dict[str, BoundValue] = {}
        for bound in self:
            if not self._compares(bound, kind, asymptotic):
                continue
            known = best.get(bound.quantity)
            if known is None or sign * _amount(bound) > sign * _amount(known):
                best[bound.quantity] = bound
        return list(best.values())

    def _compares(self, bound: BoundValue, kind: str, asymptotic: bool) -> bool:
        quantity = QUANTITIES.get(bound.quantity)
        amount = bound.constant if asymptotic else bound.value
        usable = bound.applies and bound.kind == kind and bound.asymptotic == asymptotic and amount is not None
        return usable and not (quantity and quantity.minimax) and bound.provenance != UNPROVEN

    def tables(self) -> dict[str, Callable[[], list[Row]]]:
        """Return "bounds", a row for every theorem, and "applicable", without those that do not apply.

        A bound that does not apply has no number, but the conditions that fail in `asks_for`.
        """
        return {"bounds": lambda: list(map(_row, self)), "applicable": lambda: list(map(_row, self.applicable))}

    def citations(self) -> tuple[str, ...]:
        """Return the BibTeX keys of the papers whose theorems apply, and of those that their statements name."""
        return citations_of(self.applicable)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields of the JSON form: "instance", "bounds", "regime" and "contradictions"."""
        from privcheck.bounds.regime import privacy_regime

        ordinary = isinstance(self.instance, Instance)
        return {
            "instance": None if self.instance is None else self.instance.to_dict(),
            "bounds": [bound.to_dict() for bound in self],
            "regime": asdict(privacy_regime(self.instance)) if ordinary else None,
            "contradictions": [
                {"quantity": lower.quantity, "lower": lower.to_dict(), "upper": upper.to_dict()}
                for lower, upper in self.contradictions
            ],
        }

    def to_json(self) -> str:
        """Return `to_dict()` as JSON text, `schema_version` first."""
        return to_json(self.to_dict())

    def __repr__(self) -> str:
        applicable = self.applicable
        rows = [f"  {value!r}" for value in list(applicable)]
        return "\n".join([f"{len(rows)} of {len(self)} theorems apply", *rows])

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{name}</th>" for name in ("theorem", "kind", "quantity", "bound", "provenance"))
        rows = [
            (value.id, value.kind, value.quantity, value.number_text, value.provenance) for value in self.applicable
        ]
        body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
        return f"<p>{len(rows)} of {len(self)} theorems apply</p><table><tr>{head}</tr>{body}</table>"


def _amount(bound: BoundValue) -> float:
    amount = bound.constant if bound.asymptotic else bound.value
    assert amount is not None
    return amount


def citations_of(values: Iterable[BoundValue]) -> tuple[str, ...]:
    """Return the keys of the papers that bounds are from, and of those that their sources and statements name."""
    return tuple(dict.fromkeys(key for bound in values for key in _cited(bound) if key != OWN))


def _cited(bound: BoundValue) -> list[str]:
    """Return what a bound rests on: its paper, the others that it names, and privcheck where that derived it.

    A theorem of your own has no entry.
    """
    keys = [key for key in (cited(bound.id), *cited_in(f"{bound.source} {bound.statement}")) if key]
    own = [OWN] if bound.provenance == DERIVED and cited(bound.id) else []
    return list(dict.fromkeys([*keys, *own]))


def _row(bound: BoundValue) -> Row:
    return {
        "id": bound.id,
        "kind": bound.kind,
        "quantity": bound.quantity,
        "value": bound.value,
        "constant": bound.constant,
        "asymptotic": bound.asymptotic,
        "applies": bound.applies,
        "asks_for": "; ".join(condition.text for condition in bound.conditions if not condition.holds),
        "provenance": bound.provenance,
        "source": bound.source,
        "cite": ",".join(_cited(bound)),
    }
