"""Which claims are meant: by their ids, by the ids of theorems that rest on them, or by a paper."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from privcheck.bounds import THEOREMS
from privcheck.claims._claim import Claim
from privcheck.claims._registry_of_claims import CLAIMS, EXPECTED
from privcheck.errors import PrivcheckError, words


def chosen_claims(ids: str | Claim | Iterable[str | Claim] | None = None, paper: str | None = None) -> list[Claim]:
    """Return the claims that are meant, each once, in the order given.

    Parameters
    ----------
    ids : ids of claims or of theorems that rest on claims, one or several, or claims; None for all.
    paper : only claims of this paper, such as "hu-2021"; None for all papers.

    Raises
    ------
    PrivcheckError : an unknown id or paper.

    Examples
    --------
    >>> [claim.id for claim in chosen_claims("azize-basu-2022/lemma2")]
    ['azize-basu-2022/lem2']
    """
    papers = sorted({claim.paper for claim in CLAIMS.values()})
    if paper is not None and paper not in papers:
        raise PrivcheckError("paper", paper, " or ".join(papers))
    if ids is None:
        given: list[str | Claim] = list(CLAIMS.values())
    elif isinstance(ids, str | Claim):
        given = [ids]
    elif isinstance(ids, Iterable):
        given = list(ids)
    else:
        raise PrivcheckError("id", words(f"an object of type {type(ids).__name__}"), EXPECTED)
    found: dict[str, Claim] = {}
    for each in given:
        if isinstance(each, Claim):
            found[each.id] = each
        else:
            found |= {name: CLAIMS[name] for name in _meant(each)}
    return [claim for claim in found.values() if paper in (None, claim.paper)]


def _meant(name: str) -> Sequence[str]:
    """Return the claims that an id means: itself and those about a theorem, or the one whose id ends with it.

    Those about a theorem are the claims that its entry names, and the parts of the statement of that number.
    """
    own = [name] if name in CLAIMS else []
    if isinstance(name, str) and name in THEOREMS:
        parts = (claim for claim in CLAIMS if claim.startswith(f"{name}-"))
        found = [*dict.fromkeys([*own, *THEOREMS[name].claims, *parts])]
        if found:
            return found
        hint = f"none is declared about this theorem; `privcheck bounds --explain {name}` explains it"
        raise PrivcheckError("id", name, EXPECTED, hint)
    if own:
        return own
    ending = [claim for claim in CLAIMS if claim.endswith(f"/{name}")]
    return ending if len(ending) == 1 else [CLAIMS[name].id]
