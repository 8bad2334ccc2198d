"""The claims by id, which the modules of the papers declare; they are imported when the first one is asked for."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches

from privcheck.claims._claim import Claim
from privcheck.claims._declared_claims import DECLARED
from privcheck.errors import PrivcheckError

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
        return dict(sorted(DECLARED.items(), key=lambda entry: entry[1].paper))


CLAIMS = Claims()
"""Every claim that is declared, by id."""
