"""Bounds that rest on a claim of a paper that failed a test: joined from the run that is kept with the claims.

The theorems name claims, and carry no verdict; the run says what was found about them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from privcheck.bounds import THEOREMS, BoundValue
from privcheck.claims import FAILS, ORDER_REFUTED, REFUTED, UNDER_READING, Finding, kept_findings

_WORDS = {
    REFUTED: "refuted",
    ORDER_REFUTED: "refuted as an order",
    UNDER_READING: "refuted under one reading",
    FAILS: "a step that fails",
}
_SEVERAL = "steps that fail"
MORE = "`privcheck claims ID` says what fails, and what still stands; ID is the theorem's or the claim's."


@lru_cache(maxsize=1)
def kept_run() -> tuple[dict[str, Any], dict[str, Finding]]:
    """Return how the kept run was made, and its findings by id.

    >>> how, findings = kept_run()
    >>> how["command"], findings["azize-basu-2022/lem2"].status
    ('privcheck claims --effort 1m --seed 0', 'refuted')
    """
    kept = kept_findings()
    return dict(kept.run), {finding.id: finding for finding in kept}


def failed_claims(theorem_id: str) -> list[Finding]:
    """Return the claims that a theorem names and that the kept run found to fail, under some reading at least.

    >>> [finding.id for finding in failed_claims("azize-basu-2022/lemma2")]
    ['azize-basu-2022/lem2']
    """
    named = THEOREMS[theorem_id].claims if theorem_id in THEOREMS else ()
    if not named:
        return []
    _, findings = kept_run()
    return [findings[name] for name in named if name in findings and findings[name].wrong]


def resting_sentence(theorem_id: str) -> str:
    """Return one line about the failed claims that a theorem rests on; empty if there are none.

    Claims of the theorem's own paper are called by the second half of their ids.

    >>> resting_sentence("azize-basu-2022/lemma2"), resting_sentence("azize-basu-2022/lemma2-sharp")
    ('azize-basu-2022/lemma2, as printed, rests on lem2 (refuted)', '')
    """
    by_status: dict[str, list[str]] = {}
    for claim in failed_claims(theorem_id):
        same = theorem_id.startswith(f"{claim.paper}/")
        by_status.setdefault(claim.status, []).append(claim.id.partition("/")[2] if same else claim.id)
    listed = " and ".join(
        f"{', '.join(names)} ({_SEVERAL if status == FAILS and len(names) > 1 else _WORDS[status]})"
        for status, names in by_status.items()
    )
    return f"{theorem_id}, as printed, rests on {listed}" if listed else ""


def resting_sentences(values: Sequence[BoundValue]) -> list[str]:
    """Return one line for each bound that applies and rests on a failed claim, and where to read more.

    >>> resting_sentences([])
    []
    """
    found = [line for value in values if value.applies and (line := resting_sentence(value.id))]
    return [*found, MORE] if found else []


def with_failed_claims(value: BoundValue) -> dict[str, Any]:
    """Return a bound's fields for JSON, with the failed claims that it rests on.

    >>> from privcheck.bounds import evaluate, named_instance
    >>> rows = [with_failed_claims(value) for value in evaluate(named_instance("c2", epsilon=1.0, horizon=1e6))]
    >>> [row["rests_on"] for row in rows if row["id"] == "azize-basu-2022/lemma2"]
    [[{'claim': 'azize-basu-2022/lem2', 'place': 'Lemma 2', 'status': 'refuted'}]]
    """
    failed = [{"claim": of.id, "place": of.place, "status": of.status} for of in failed_claims(value.id)]
    return {**value.to_dict(), "rests_on": failed}
