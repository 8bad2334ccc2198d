"""Theorems by name, for the legends of pictures: readers of a picture do not know ids."""

from __future__ import annotations

import re

from privcheck.bibliography import PAPERS

TRIVIAL = "trivial/horizon-times-gap"
"""The regret that no policy can exceed; see `privcheck.bounds._evaluation.trivial_bounds`."""

KINDS = {"thm": "Thm.", "prop": "Prop.", "cor": "Cor.", "lemma": "Lemma", "claim": "Claim"}


def theorem_name(theorem_id: str) -> str:
    """Return the paper and the number of a theorem; an id of another form is returned as it is.

    Examples
    --------
    >>> theorem_name("azize-basu-2022/thm3-tight")
    'Azize & Basu 2022, Thm. 3 (tight)'
    >>> theorem_name("mine-2026/main")
    'mine-2026/main'
    """
    if theorem_id == TRIVIAL:
        return "trivial: T × largest gap"
    paper, name = theorem_id.partition("/")[0], statement_name(theorem_id)
    if name == theorem_id:
        return theorem_id
    return f"{PAPERS[paper].cited_as.replace(' and ', ' & ')}, {name}"


def statement_name(theorem_id: str) -> str:
    """Return the number of a theorem in its paper; an id of another form is returned as it is.

    >>> statement_name("azize-basu-2022/thm3-tight"), statement_name("mine-2026/main")
    ('Thm. 3 (tight)', 'mine-2026/main')
    """
    paper, _, statement = theorem_id.partition("/")
    found = re.fullmatch(r"([a-z]+)(\d+[a-z]?)(?:-(.+))?", statement)
    if paper not in PAPERS or found is None or found[1] not in KINDS:
        return theorem_id
    form = f" ({found[3].replace('-', ' ')})" if found[3] else ""
    return f"{KINDS[found[1]]} {found[2]}{form}"
