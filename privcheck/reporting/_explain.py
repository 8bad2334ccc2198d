"""`explain`: a theorem in words, in Python and in notebooks."""

from __future__ import annotations

from typing import Any

from privcheck.bounds import BoundValue
from privcheck.reporting._pages.elements import element, items, text
from privcheck.reporting._text.explained import explained


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
