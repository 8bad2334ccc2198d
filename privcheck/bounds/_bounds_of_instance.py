"""The bounds of an instance as a list: those that apply, the best, the contradictions, and their table."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from privcheck import presenting
from privcheck.bibliography import OWN, cited, cited_in
from privcheck.bounds._failed_conditions import advice, commonest_failures
from privcheck.bounds._instance import Instance
from privcheck.bounds._quantity import QUANTITIES
from privcheck.bounds._theorem import DERIVED, KINDS, UNPROVEN, BoundValue, similar_ids
from privcheck.bounds._theorem_names import statement_name
from privcheck.declared import check
from privcheck.errors import PrivcheckError, words
from privcheck.tables import Result, Row, html_table

SLACK = 1e-9
"""Relative: numeric bounds are enclosed to within 1e-9 for gaps down to 1e-6, so a smaller excess proves nothing."""


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
    [('azize-basu-2022/thm3-tight', 7.708), ('local-privacy/rate', 37.849)]
    """

    latex_columns = ("theorem", "measure", "kind", "bound", "provenance", "cite")

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
        from privcheck.bounds._evaluation import contradictions

        return contradictions(self, self.instance)

    def best(self, kind: str, *, asymptotic: bool = False) -> BestBounds:
        """Return the largest lower or the smallest upper bound of every quantity of this instance.

        Parameters
        ----------
        kind : "lower" or "upper".
        asymptotic : compare the constants of ln T, in place of the values at the horizon.

        Returns
        -------
        A list with one bound for each quantity, in the order of the theorems; of equal ones the later, which is the
        tighter statement. Minimax bounds are about the worst instance of a class, the proof of a bound of provenance
        "unproven" gives less than is printed, and a vacuous bound says nothing: none of them is ever the best.

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
            if known is None or sign * (_amount(bound) - _amount(known)) >= -SLACK * abs(_amount(known)):
                best[bound.quantity] = bound
        others = "" if best else self._others(kind, asymptotic)
        return BestBounds(best.values(), f"{'asymptotic' if asymptotic else 'finite-time'} {kind} bound", others)

    def _others(self, kind: str, asymptotic: bool) -> str:
        """Say what there is, where there is no best bound."""
        same = [bound for bound in self.applicable if bound.kind == kind and bound.asymptotic != asymptotic]
        if not same:
            return ""
        if asymptotic:
            return f"the finite-time bounds are in best({kind!r})"
        return f"the rates, which are no bounds at any T, are in best({kind!r}, asymptotic=True)"

    def vacuous(self, bound: BoundValue) -> float | None:
        """Return the horizon times the largest gap if an upper bound on the regret is not below it; otherwise None.

        >>> from privcheck.bounds import evaluate, named_instance
        >>> found = evaluate(named_instance("c1", epsilon=0.1, horizon=10**5))
        >>> round(found.vacuous(found.of("azize-basu-2022/thm8-explicit")))
        5000
        """
        from privcheck.bounds._evaluation import trivial_bounds

        if bound.kind != "upper" or not bound.applies or bound.value is None:
            return None
        limit = next((of.value for of in trivial_bounds(self.instance, [bound.quantity])), None)
        return None if limit is None or bound.value < (1 - SLACK) * limit else limit

    def _compares(self, bound: BoundValue, kind: str, asymptotic: bool) -> bool:
        quantity = QUANTITIES.get(bound.quantity)
        amount = bound.constant if asymptotic else bound.value
        usable = bound.applies and bound.kind == kind and bound.asymptotic == asymptotic and amount is not None
        ours = usable and not (quantity and quantity.minimax) and bound.provenance != UNPROVEN
        return ours and self.vacuous(bound) is None

    def tables(self) -> dict[str, Callable[[], list[Row]]]:
        """Return "bounds", a row for every theorem, and "applicable", without those that do not apply.

        A bound that does not apply has no number, but the conditions that fail in `asks_for`. "theorem" is the name
        of the statement in its paper, "bound" its number as text: a rate is "7.708 ln T". "measure" is the quantity
        without what all have in common.
        """
        return {"bounds": lambda: list(map(_row, self)), "applicable": lambda: list(map(_row, self.applicable))}

    def citations(self) -> tuple[str, ...]:
        """Return the BibTeX keys of the papers whose theorems apply, and of those that their statements name."""
        return citations_of(self.applicable)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields of the JSON form: "instance", "bounds", "regime" and "contradictions"."""
        from privcheck.bounds._regime import privacy_regime

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
        """Return `to_dict()` as JSON text, `schema_version` first.

        Each bound has "rests_on" besides: the claims on which it rests that failed, by the run that the package keeps.
        """
        return presenting.as_json(self)

    def save_html(self, path: str | Path) -> None:
        """Write a self-contained page with tables and a picture; see `privcheck.reporting.save_bounds_page`.

        Parameters
        ----------
        path : of the file, ending in .html or .htm.

        Raises
        ------
        PrivcheckError : bounds without an instance, matplotlib missing, a path that cannot be written.
        """
        if self.instance is None:
            raise PrivcheckError("instance", None, "bounds that know their instance", "evaluate(instance) returns them")
        presenting.save_page(self, path)

    def __repr__(self) -> str:
        applicable = self.applicable
        rows = [f"  {value!r}" for value in list(applicable)]
        failing = commonest_failures(self.instance, self) if len(rows) < len(self) else []
        asked = [f"  {number} ask for: {text}" for text, number in failing]
        asked = ["of the others", *asked] if rows and asked else asked
        return "\n".join(
            filter(None, [f"{len(rows)} of {len(self)} theorems apply", *rows, *asked, advice(self.instance)])
        )

    def _repr_html_(self) -> str:
        if self.instance is None:
            return html_table(f"{len(self.applicable)} of {len(self)} theorems apply", self.rows("applicable"))
        return presenting.notebook(self)


class BestBounds(list[BoundValue]):
    """The best bounds, one for each quantity, which its text names.

    Parameters
    ----------
    values : the bounds.
    kind : what they are, in words.
    others : what there is if there are none.
    """

    def __init__(self, values: Iterable[BoundValue], kind: str, others: str = "") -> None:
        super().__init__(values)
        self._kind, self._others = kind, others

    def __repr__(self) -> str:
        if not self:
            return f"no {self._kind} on this instance" + (f"; {self._others}" if self._others else "")
        return "\n".join(f"{value!r} on {value.quantity}" for value in self)


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
    shipped = bool(cited(bound.id)) or "docs/evidence/" in bound.source
    own = [OWN] if bound.provenance == DERIVED and shipped else []
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
        "theorem": statement_name(bound.id),
        "bound": bound.number_text.removesuffix(" (rate)"),
        "measure": QUANTITIES[bound.quantity].short if bound.quantity in QUANTITIES else bound.quantity,
    }
