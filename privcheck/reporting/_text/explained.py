"""One theorem in words: what it says, under which conditions, why, where it stands, and what is wrong with it."""

from __future__ import annotations

import inspect
import re
from typing import Any

from privcheck.bibliography import cited
from privcheck.bounds import ORDER_ONLY, THEOREMS, UNPROVEN, BoundValue, similar_ids
from privcheck.errors import PrivcheckError
from privcheck.reporting._pages.elements import element, items, text
from privcheck.reporting._text.resting_claims import MORE, kept_run, resting_sentence

PROVENANCE = {
    "explicit": "printed in the paper",
    "derived": "derived by this project, see docs/evidence/derivations.md",
    "second-hand": "known through other texts than the paper",
    UNPROVEN: "printed in the paper, whose proof gives less",
    ORDER_ONLY: "printed without constants: no number follows",
}


class Explanation(str):
    """A theorem in words: text that a notebook shows with a heading and lists."""

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        heading, *parts = self.split("\n\n")
        return element("p", element("b", text(heading))) + "".join(map(_part, parts))


def _part(part: str) -> str:
    first, *rest = part.split("\n")
    return element("p", text(first)) + (items([line.lstrip(" -") for line in rest]) if rest else "")


def explain(theorem: str | BoundValue, instance: Any = None) -> Explanation:
    """Return a theorem in words: statement, proof idea, conditions, source, and what was found wrong with it.

    Parameters
    ----------
    theorem : its id, or one of the bounds that `privcheck.bounds.evaluate` returns.
    instance : an instance, such as `privcheck.bounds.Instance`; with it the conditions that hold there are marked, and
        the number is added, and the terms that it is made of where the theorem has some. None for neither.

    Returns
    -------
    Text, which a notebook shows with a heading and lists.

    Raises
    ------
    PrivcheckError : an id that no theorem has.

    Examples
    --------
    >>> from privcheck.bounds import named_instance
    >>> told = explain("azize-basu-2022/thm3-tight", named_instance("c2", epsilon=1.0))
    >>> "On this instance: 7.708 ln T (rate)" in told
    True
    """
    return Explanation(explained(theorem.id if isinstance(theorem, BoundValue) else theorem, instance))


def explained(name: str, instance: Any = None) -> str:
    """Return a theorem in words, with its conditions and its number on an instance.

    Parameters
    ----------
    name : the id of a theorem.
    instance : an `Instance` or an instance of another setting; None to evaluate nothing.

    Raises
    ------
    PrivcheckError : an unknown id.

    Examples
    --------
    >>> from privcheck.bounds import named_instance
    >>> "On this instance: 7.708 ln T" in explained("azize-basu-2022/thm3-tight", named_instance("c2", epsilon=1.0))
    True
    """
    if not isinstance(name, str) or name not in THEOREMS:
        near = similar_ids(name)
        hint = f"for example {', '.join(near)}" if near else "`privcheck list` names them"
        if name in kept_run()[1]:
            hint = f"it is the id of a claim: `privcheck claims {name}`, or claims.examine({name!r})"
        raise PrivcheckError("explain", name, "the id of a theorem", hint)
    theorem = THEOREMS[name]
    parts = [f"{name}: {theorem.kind} bound on {theorem.quantity}", theorem.statement]
    parts += _paragraphs(theorem.evaluation)
    if instance is None:
        parts.append("\n".join(["Conditions:", *(f"  - {condition.text}" for condition in theorem.conditions)]))
    else:
        found = theorem.evaluate(instance)
        checks = [f"  {'✓' if check.holds else '✗'} {check.text}" for check in found.conditions]
        parts += ["\n".join(["Conditions on this instance:", *checks]), f"On this instance: {found.number_text}"]
        if theorem.terms is not None and found.applies:
            parts.append("\n".join(["Its terms on this instance:", *map(_term, theorem.terms(instance))]))
    known = "" if "derivations.md" in theorem.source else f" ({PROVENANCE[theorem.provenance]})"
    if not cited(name):
        known = f" ({theorem.provenance}; declared in {theorem.evaluation.__module__})"
    parts.append(f"Source: {theorem.source}{known}")
    if wrong := resting_sentence(name):
        parts.append(f"✗ {wrong}. {MORE}")
    return "\n\n".join(parts)


def _term(row: dict[str, float | str]) -> str:
    """Return one term of a bound with what it is made of.

    >>> _term({"arm": 1, "gap": 0.25, "active": "privacy", "term": 2.0})
    '  - arm 1, gap 0.25, active privacy, term 2'
    """
    return "  - " + ", ".join(
        f"{name} {value if isinstance(value, str) else f'{value:.4g}'}" for name, value in row.items()
    )


def _paragraphs(evaluation: Any) -> list[str]:
    """Return what the docstring of a theorem says after its statement: "Proof idea: ...", and remarks."""
    parts = re.split(r"\n\s*\n", inspect.getdoc(evaluation) or "")[1:]
    return [" ".join(part.split()) for part in parts if not part.startswith(">>>")]
