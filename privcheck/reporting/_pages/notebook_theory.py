"""Bounds and claims in a notebook: what the commands print, as tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from privcheck.bounds import BoundValue, Instance, advice, contradictions, describe_contradiction, not_applying
from privcheck.claims import Finding
from privcheck.reporting._pages.elements import element, items, text
from privcheck.reporting._terminal.bounds_table import FAILED, describe, regime_sentence
from privcheck.reporting._text.bound_marks import BoundMarks
from privcheck.reporting._text.claim_sentences import evidence_sentences, headline, side_sentences
from privcheck.reporting._text.resting_claims import resting_sentences

ALARM = '<p style="color: white; background: #b00020; padding: 0.3em">{}</p>'
LEFT = ' style="text-align: left"'
"""Notebooks align cells to the right."""


def findings_html(findings: Sequence[Finding]) -> str:
    """Return what was found about claims, with the evidence; of one claim also what is printed and what follows.

    >>> findings_html([])
    '<p><b>0 claims</b></p>'
    """
    rows = [
        [
            element("code", text(of.id)),
            text(of.place),
            text(of.told),
            "<br>".join(map(text, evidence_sentences(of))),
        ]
        for of in findings
    ]
    parts = [element("p", element("b", text(headline(findings))))]
    parts += [plain_table(("claim", "place", "status", "evidence"), rows)] if rows else []
    if len(findings) == 1:
        (only,) = findings
        parts += [items(side_sentences(only))] if only.wrong else []
        parts.append(element("blockquote", text(only.quote)))
        parts += [element("p", text(only.consequence))] if only.wrong and only.consequence else []
    return "".join(parts)


def bounds_html(instance: Any, values: Sequence[BoundValue]) -> str:
    """Return the bounds of an instance as `privcheck bounds` prints them, with the sources.

    >>> from privcheck.bounds import evaluate, named_instance
    >>> found = evaluate(named_instance("c2", epsilon=1.0))
    >>> "regime at epsilon = 1" in bounds_html(found.instance, found)
    True
    """
    marks, applying = BoundMarks(instance, values), [value for value in values if value.applies]
    parts = [element("p", element("b", text(describe(instance))))]
    parts += [element("p", text(regime_sentence(instance)))] if isinstance(instance, Instance) else []
    for lower, upper in contradictions(values, instance):
        parts.append(ALARM.format(text(f"{FAILED} CONTRADICTION: {describe_contradiction(lower, upper)}")))
    parts.append(element("p", f"{len(applying)} of {len(values)} theorems apply"))
    for quantity in dict.fromkeys(value.quantity for value in applying):
        rows = [
            [*map(text, (marks.sign(of), of.id, of.kind, marks.number(of), of.provenance, of.source))]
            for of in sorted(applying, key=lambda value: value.kind)
            if of.quantity == quantity
        ]
        parts += [element("p", element("i", text(quantity)))]
        parts.append(plain_table(("", "theorem", "kind", "bound", "provenance", "source"), rows))
    *failed, more = resting_sentences(values) or [""]
    said = [*marks.notes(), *(f"{FAILED} {line}" for line in failed), more, advice(instance)]
    parts.append(items([line for line in said if line]))
    asked, elsewhere = not_applying(instance, values)
    refused = [f"{condition}: {', '.join(names)}" for condition, names in asked.items()]
    refused += [f"about {setting}: {count} theorems" for setting, count in elsewhere.items()]
    if refused:
        parts.append(element("p", "Theorems that do not apply, by the condition that fails:") + items(refused))
    return "".join(parts)


def plain_table(names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table of cells that are HTML already, aligned to the left."""
    head = "".join(f"<th{LEFT}>{text(name)}</th>" for name in names)
    body = "".join(element("tr", "".join(f"<td{LEFT}>{cell}</td>" for cell in row)) for row in rows)
    return element("table", element("tr", head) + body)
