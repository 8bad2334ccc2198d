"""The causes by id, and the cause and the fault of a claim that fails."""

from __future__ import annotations

import importlib
from functools import lru_cache

from privcheck.claims._causes import FAULTS, READING, STATEMENT, STEP, Cause
from privcheck.claims._finding import FAILS, UNDER_READING, WRONG
from privcheck.claims._registry_of_claims import CLAIMS

MODULES = ("azize_basu", "chen", "hu", "shariff_sheffet")


@lru_cache(maxsize=1)
def causes() -> dict[str, Cause]:
    """Return every cause by id, the papers in their order.

    >>> causes()["hu-2021/noisy-maximum"].faults
    {'hu-2021/thm8': 'statement'}
    """
    found: dict[str, Cause] = {}
    for name in MODULES:
        for each in importlib.import_module(f"privcheck.claims._causes_of_papers.{name}").CAUSES:
            unknown = [claim for claim, fault in each.faults.items() if claim not in CLAIMS or fault not in FAULTS]
            if each.id in found or unknown:
                raise ValueError(f"{each.id} is there twice, or speaks of {unknown}")
            found[each.id] = each
    return found


@lru_cache(maxsize=1)
def _by_claim() -> dict[str, Cause]:
    found: dict[str, Cause] = {}
    for each in causes().values():
        for claim in each.faults:
            if claim in found:
                raise ValueError(f"{claim} has two causes")
            found[claim] = each
    return found


def fault_and_cause(claim_id: str, status: str) -> tuple[str, str]:
    """Return the kind of fault of a claim with a status, and the id of its cause; both empty if nothing fails.

    A claim of a user's own has no cause; its fault is read off its status.

    >>> fault_and_cause("hu-2021/thm8", "refuted"), fault_and_cause("hu-2021/thm8", "proven")
    (('statement', 'hu-2021/noisy-maximum'), ('', ''))
    >>> fault_and_cause("mine/step2", "derivation-fails")
    ('step', '')
    """
    if status not in WRONG:
        return "", ""
    known = _by_claim().get(claim_id)
    if known is not None:
        return known.faults[claim_id], known.id
    return {FAILS: STEP, UNDER_READING: READING}.get(status, STATEMENT), ""
