"""How a claim is declared: a function for each, whose docstring is the quote and which returns the readings."""

from __future__ import annotations

import inspect
from collections.abc import Callable

from privcheck.claims._claim import Claim, Order, Reading, Relation
from privcheck.claims._variables import Variable

REPAIRED = "repaired: "

DECLARED: dict[str, Claim] = {}
"""What the modules of the papers have declared so far, by id."""


def claim(
    name: str,
    place: str,
    *,
    kind: str = "inequality",
    role: str = "statement",
    consequence: str = "",
    tested_on: str = "",
    derivation: Callable[[], tuple[Reading, ...]] | None = None,
) -> Callable[[Callable[[], Reading | tuple[Reading, ...]]], Callable[[], Reading | tuple[Reading, ...]]]:
    """Register a function as a claim: its docstring is what the paper prints, what it returns are the readings.

    Parameters
    ----------
    name : the id.
    place : where it stands in the paper.
    kind, role, consequence, tested_on : as in `Claim`.
    derivation : what returns the steps of a derivation by hand, if there is one.
    """

    def register(
        function: Callable[[], Reading | tuple[Reading, ...]],
    ) -> Callable[[], Reading | tuple[Reading, ...]]:
        said = function()
        readings = said if isinstance(said, tuple) else (said,)
        printed = tuple(reading for reading in readings if not reading.name.startswith(REPAIRED))
        repairs = [reading for reading in readings if reading.name.startswith(REPAIRED)]
        quote = " ".join((inspect.getdoc(function) or "").split())
        if name in DECLARED or not printed or not quote or len(repairs) > 1:
            raise ValueError(f"{name} is registered twice, or has no quote, no reading or several repairs")
        DECLARED[name] = Claim(
            name, place, quote, kind, printed, role, consequence,
            repairs[0] if repairs else None,
            repairs[0].name.removeprefix(REPAIRED) if repairs else "", tested_on,
            derivation() if derivation else (),
        )  # fmt: skip
        return function

    return register


def repaired(
    text: str,
    *variables: Variable,
    says: Relation | Order,
    assumes: tuple[Relation, ...] = (),
    provable: bool = True,
) -> Reading:
    """Return the corrected form of a claim, which is examined like a reading."""
    return Reading(REPAIRED + text, variables, says, assumes, provable)
