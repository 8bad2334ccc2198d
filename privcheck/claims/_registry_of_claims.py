"""The claims by id: a function for each, whose docstring is the quote and which returns the readings."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches

from privcheck.claims._claim import Claim, Order, Reading, Relation
from privcheck.claims._variables import Variable
from privcheck.errors import PrivcheckError

REPAIRED = "repaired: "

_FOUND: dict[str, Claim] = {}


def claim(
    name: str,
    place: str,
    *,
    kind: str = "inequality",
    role: str = "statement",
    consequence: str = "",
    tested_on: str = "",
) -> Callable[[Callable[[], Reading | tuple[Reading, ...]]], Callable[[], Reading | tuple[Reading, ...]]]:
    """Register a function as a claim: its docstring is what the paper prints, what it returns are the readings.

    Parameters
    ----------
    name : the id.
    place : where it stands in the paper.
    kind, role, consequence, tested_on : as in `Claim`.
    """

    def register(
        function: Callable[[], Reading | tuple[Reading, ...]],
    ) -> Callable[[], Reading | tuple[Reading, ...]]:
        said = function()
        readings = said if isinstance(said, tuple) else (said,)
        printed = tuple(reading for reading in readings if not reading.name.startswith(REPAIRED))
        repairs = [reading for reading in readings if reading.name.startswith(REPAIRED)]
        quote = " ".join((inspect.getdoc(function) or "").split())
        if name in _FOUND or not printed or not quote or len(repairs) > 1:
            raise ValueError(f"{name} is registered twice, or has no quote, no reading or several repairs")
        _FOUND[name] = Claim(
            name, place, quote, kind, printed, role, consequence,
            repairs[0] if repairs else None,
            repairs[0].name.removeprefix(REPAIRED) if repairs else "", tested_on,
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


EXPECTED = "the id of a claim, or of a theorem that rests on claims"


class UnknownClaimError(PrivcheckError, KeyError):
    """An id that no claim has; a KeyError as well, as of any mapping."""


def _hint(name: object, known: Mapping[str, Claim]) -> str:
    """Return the claims of a statement whose number is given without its letters, else the id that is spelled alike."""
    parts = [other for other in known if re.match(re.escape(str(name)) + r"[a-z(-]", other)]
    near = parts[:6] or get_close_matches(str(name), known, 1)
    if not near:
        return "`privcheck claims --list` lists them"
    return f"did you mean {' or '.join(map(repr, near))}?"


class Claims(Mapping[str, Claim]):
    """All claims by id, in the order of the papers; their modules are imported when the first one is asked for."""

    def __getitem__(self, name: str) -> Claim:
        known = self._all()
        if name not in known:
            raise UnknownClaimError("id", name, EXPECTED, _hint(name, known))
        return known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def _all(self) -> dict[str, Claim]:
        importlib.import_module("privcheck.claims.papers")
        return dict(sorted(_FOUND.items(), key=lambda entry: entry[1].paper))


CLAIMS = Claims()
"""Every claim that is declared, by id."""
