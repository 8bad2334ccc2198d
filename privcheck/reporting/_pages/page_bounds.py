"""One page about the bounds of an instance: a single HTML file that needs nothing else."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from privcheck.bounds import (
    QUANTITIES,
    BoundValue,
    Curve,
    Instance,
    advice,
    contradictions,
    curve,
    describe_contradiction,
    not_applying,
)
from privcheck.reporting._pages.elements import document, element, header, inline_picture, section, text
from privcheck.reporting._pages.html_table import NUMBER, TEXT, WORD, Cell, below, table
from privcheck.reporting._pictures.theory_picture import LABELS, drawn_bounds, theory_figure
from privcheck.reporting._terminal.bounds_table import describe, regime_sentence
from privcheck.reporting._text.bound_marks import BoundMarks
from privcheck.reporting._text.numbers import NONE
from privcheck.reporting._text.resting_claims import resting_sentence

COLUMNS = [
    ("theorem", TEXT),
    ("kind", WORD),
    ("bound", NUMBER),
    ("coefficient of ln T", NUMBER),
    ("rate × ln T", NUMBER),
    ("provenance", WORD),
    ("source", TEXT),
]


def render_bounds(
    instance: Any, values: Sequence[BoundValue], *, along: Curve | None = None, title: str = "privcheck bounds"
) -> str:
    """Return the page; the same bounds give the same page.

    >>> from privcheck.bounds import evaluate, named_instance
    >>> instance = named_instance("c2", epsilon=1.0)
    >>> "azize-basu-2022/thm3-tight" in render_bounds(instance, evaluate(instance))
    True
    """
    applying = [value for value in values if value.applies]
    marks = BoundMarks(instance, values)
    wrong = [*contradictions(values, instance), *(along.contradictions if along else ())]
    sentences = dict.fromkeys(f"CONTRADICTION: {describe_contradiction(lower, upper)}" for lower, upper in wrong)
    parts = [element("p", element("strong", text(sentence)), "alarm") for sentence in sentences]
    if isinstance(instance, Instance):
        parts.append(element("p", element("b", "Privacy regime.") + " " + text(f"{regime_sentence(instance)}.")))
    parts += _picture(instance, along)
    for number, quantity in enumerate(dict.fromkeys(value.quantity for value in applying), start=1):
        parts.append(_block(quantity, [value for value in applying if value.quantity == quantity], marks, number))
    if not applying:
        parts.append(element("p", "No theorem applies to this instance."))
    parts += [element("p", text(note), "note") for note in [*marks.notes(), *filter(None, [advice(instance)])]]
    parts += _others(instance, values)
    return document(title, header(title, describe(instance)), parts)


def _picture(instance: Any, along: Curve | None) -> list[str]:
    if along is None and not isinstance(instance, Instance):
        return []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = curve(instance, "epsilon") if along is None else along
    if not drawn_bounds(found):
        return []
    caption = (
        f"Bounds against the {LABELS[found.axis]}: lower bounds in blue and green, upper bounds in warm colours; "
        "solid lines hold at finite T; dashed lines are asymptotic rates, which are not bounds at any T."
    )
    return [inline_picture(lambda width: theory_figure(found, width=width), "bounds", caption)]


def _block(quantity: str, values: Sequence[BoundValue], marks: BoundMarks, number: int) -> str:
    measure, _, rest = quantity.partition("; ")
    rows = [_row(value, marks) for value in sorted(values, key=lambda v: v.kind)]
    caption = f"Bounds on the {measure}" + (f": {rest}" if rest else "")
    return section(_heading(quantity), [table(caption, COLUMNS, rows, kind="stack texts")], name=f"quantity-{number}")


def _heading(text_of_quantity: str) -> str:
    """Return a short name of the bounded quantity, distinct from the others on the page."""
    quantity = QUANTITIES.get(text_of_quantity)
    if quantity is None:
        return text_of_quantity
    found = quantity.short
    return found[0].upper() + found[1:]


def _row(value: BoundValue, marks: BoundMarks) -> list[Cell | str]:
    name = f"{marks.sign(value)} {value.id}".strip()
    product = marks.product(value)
    asked = "; ".join(condition.text for condition in value.conditions)
    conditions = below(text(f"Conditions, all of which hold: {asked}.")) if asked else ""
    failed = resting_sentence(value.id)
    conditions += below(element("strong", text(f"{failed}."))) if failed else ""
    return [
        Cell(text(name) + below(text(value.statement)) + conditions, value.id),
        text(value.kind),
        Cell(_number(value, value.value, order_only=not value.asymptotic) + _vacuous(marks, value), value.value),
        Cell(_number(value, value.constant, order_only=value.asymptotic), value.constant),
        NONE if product is None else Cell(value.written(product), product),
        text(value.provenance),
        text(value.source),
    ]


def _vacuous(marks: BoundMarks, value: BoundValue) -> str:
    limit = marks.vacuous(value)
    return "" if limit is None else below(f"vacuous: not below T × largest gap = {limit:.6g}")


def _number(value: BoundValue, number: float | None, *, order_only: bool) -> str:
    if number is None:
        return "order only" if order_only else NONE
    return value.written(number)


def _others(instance: Any, values: Sequence[BoundValue]) -> list[str]:
    asked, elsewhere = not_applying(instance, values)
    counts = [f"Theorems about {setting}: {count} not shown." for setting, count in elsewhere.items()]
    parts = [element("p", text(sentence), "note") for sentence in counts]
    if asked:
        rows: list[list[Cell | str]] = [[text(name), text(why)] for why, names in asked.items() for name in names]
        columns = [("theorem", TEXT), ("condition that fails", TEXT)]
        parts.insert(0, table("The condition that fails for each theorem", columns, rows, kind="stack texts"))
    return [section("Theorems that do not apply", parts, name="others")] if parts else []
