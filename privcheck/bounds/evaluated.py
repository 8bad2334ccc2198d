"""The bounds of an instance as a list that shows those which apply."""

from __future__ import annotations

import html

from privcheck.bounds.theorem import BoundValue


class Evaluated(list[BoundValue]):
    """What `evaluate` returns: one `BoundValue` for every theorem; shown are those that apply.

    >>> Evaluated([])
    0 of 0 theorems apply
    """

    def __repr__(self) -> str:
        rows = [f"  {value!r}" for value in self if value.applies]
        return "\n".join([f"{len(rows)} of {len(self)} theorems apply", *rows])

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{name}</th>" for name in ("theorem", "kind", "quantity", "bound", "provenance"))
        rows = [
            (value.id, value.kind, value.quantity, value.number_text, value.provenance)
            for value in self
            if value.applies
        ]
        body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
        return f"<p>{len(rows)} of {len(self)} theorems apply</p><table><tr>{head}</tr>{body}</table>"
