"""Putting a claim to the test: every reading is proven where that is possible, and searched for a counterexample."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any, overload

from privcheck.claims._chosen_claims import chosen_claims
from privcheck.claims._claim import Claim, Order, Reading, Relation
from privcheck.claims._confirmation import exact_point, refuted_at
from privcheck.claims._finding import (
    NOT_CHECKABLE,
    NOT_REFUTED,
    ON_REGION,
    ORDER_REFUTED,
    PROVEN,
    REFUTED,
    SUSPICIOUS,
    Finding,
    Findings,
    ReadingFinding,
    status_of,
    version_of_claim,
)
from privcheck.claims._mechanisms import EveryMechanism, exceeds_again, worst_event
from privcheck.claims._orders import divergence
from privcheck.claims._prove.bisection import described_rest, prove
from privcheck.claims._prove.enumeration import enumerated
from privcheck.claims._prove.symbolic import vanishes
from privcheck.claims._registry_of_causes import fault_and_cause
from privcheck.claims._search.hunt import Search, hunt
from privcheck.declared import Integer, check
from privcheck.errors import PrivcheckError
from privcheck.extras import require_extra
from privcheck.progress import aside, progress

LEAST_SHARE = 0.9
"""A proof on a smaller share of the region is not reported as one."""


@dataclass(frozen=True)
class Effort:
    """How much work one reading gets, counted in evaluations so that a run repeats.

    Parameters
    ----------
    points : evaluations of the search.
    boxes : parts that a proof may look at.
    seed : of the random points.

    Raises
    ------
    PrivcheckError : what is no whole number, or one below 0.

    """

    points: int = 3000
    boxes: int = 1500
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("points", "boxes", "seed"):
            object.__setattr__(self, name, check(name, getattr(self, name), Integer(0)))


@overload
def examine(claims: Claim, effort: Effort | None = None) -> Finding: ...


@overload
def examine(
    claims: str | Iterable[str | Claim] | None = None,
    effort: Effort | None = None,
    *,
    paper: str | None = None,
    tell: Callable[[Finding], object] | None = None,
) -> Findings: ...


def examine(
    claims: Claim | str | Iterable[str | Claim] | None = None,
    effort: Effort | None = None,
    *,
    paper: str | None = None,
    tell: Callable[[Finding], object] | None = None,
) -> Finding | Findings:
    """Search the domains of claims for counterexamples, prove them where that is possible, and say what was found.

    Guarantee
    ---------
    A status that says "refuted" rests on a counterexample that holds in exact rationals or in intervals of 50 and of
    100 digits, under every reading for "refuted", under the named one for "refuted-under-reading"; about mechanisms on
    one whose probabilities are rational and private, exactly. A proof rests on
    outward rounding, or on an identity that computer algebra shows.

    Parameters
    ----------
    claims : a `Claim`; or ids of claims or of theorems that rest on claims, one or several; None for all claims.
    effort : of the search and the proof of each reading; None for the usual one, about a minute for all claims.
    paper : only claims of this paper, such as "hu-2021".
    tell : is called with each finding of several as soon as it is known.

    Returns
    -------
    A `Finding` for a `Claim`, `Findings` for anything else; after Ctrl-C those that were examined by then.

    Raises
    ------
    PrivcheckError : an unknown id or paper, or packages that are missing.

    Examples
    --------
    >>> from privcheck.claims import CLAIMS
    >>> examine(CLAIMS["hu-2021/fact17b"]).status
    'refuted'
    >>> examine(["hu-2021/fact17b", "azize-basu-2022/thm2-constant"])
    2 claims: 1 refuted, 1 proven
      hu-2021/fact17b: refuted
      azize-basu-2022/thm2-constant: proven
    """
    require_extra("claims", "claims")
    effort = Effort() if effort is None else effort
    if not isinstance(effort, Effort):
        raise PrivcheckError("effort", effort, "an Effort or None", "as in Effort(points=3000, boxes=1500)")
    if isinstance(claims, Claim) and paper is None:
        return _examine_one(claims, effort)
    chosen = chosen_claims(claims, paper)
    found = Findings()
    try:
        with progress("examining claims", len(chosen), counted=True) as advance:
            for claim in chosen:
                found.append(_examine_one(claim, effort))
                if tell is not None:
                    with aside():
                        tell(found[-1])
                advance(1)
    except KeyboardInterrupt:  # what was found is not lost
        if not found:
            raise
        found.unexamined = len(chosen) - len(found)
    return found


def _examine_one(claim: Claim, effort: Effort) -> Finding:
    started = time.process_time()
    readings = tuple(examine_reading(reading, effort) for reading in claim.readings)
    repair = examine_reading(claim.repair, effort) if claim.repair else None
    derivation = tuple(examine_reading(step, effort) for step in claim.derivation)
    status = status_of(claim.role, readings, derivation)
    fault, cause = fault_and_cause(claim.id, status)
    return Finding(
        id=claim.id,
        paper=claim.paper,
        place=claim.place,
        quote=claim.quote,
        kind=claim.kind,
        role=claim.role,
        status=status,
        readings=readings,
        consequence=claim.consequence,
        repair=claim.repair_text,
        repair_status=repair.status if repair else "",
        seed=effort.seed,
        seconds=round(time.process_time() - started, 3),
        tested_on=claim.tested_on,
        fault=fault,
        cause=cause,
        derivation=derivation,
        version=version_of_claim(claim.id, claim.fingerprint),
        fingerprint=claim.fingerprint,
    )


def examine_reading(reading: Reading, effort: Effort) -> ReadingFinding:
    """Return what is found about one reading."""
    status: str = NOT_CHECKABLE
    evidence: dict[str, Any] = {}
    if isinstance(reading.says, Order):
        status, evidence = _order(reading.says)
    elif isinstance(reading.says, EveryMechanism):
        status, evidence = _every_mechanism(reading.says)
    elif isinstance(reading.says, Relation):
        status, evidence = _relation(reading, effort)
    return ReadingFinding(reading.name, reading.domain, str(reading.says or ""), status, evidence)


def _order(says: Order) -> tuple[str, dict[str, Any]]:
    found = divergence(says)
    if found is not None:
        return ORDER_REFUTED, asdict(found)
    return NOT_REFUTED, {"paths": [{name: str(value) for name, value in path.items()} for path in says.paths]}


def _every_mechanism(says: EveryMechanism) -> tuple[str, dict[str, Any]]:
    found = [worst_event(case) for case in says.cases]
    worst = next((event for event in found if event.exceeds), None)
    if worst is not None:
        told = {name: value for name, value in asdict(worst).items() if name != "exceeds"}
        return REFUTED, told | {"arithmetic": "exact rationals"}
    return NOT_REFUTED, {"cases": len(found)}


def _relation(reading: Reading, effort: Effort) -> tuple[str, dict[str, Any]]:
    says = reading.says
    assert isinstance(says, Relation)
    if says.sense == "==" and vanishes(says.gap, reading.variables):
        return PROVEN, {"method": "computer algebra"}
    search = hunt(reading, effort.points, effort.seed)
    if search.found is not None:
        return REFUTED, asdict(search.found)
    if search.unconfirmed:
        return SUSPICIOUS, _searched(search, reading)
    points = enumerated(reading)
    if points:
        everywhere = all(of.whole_domain for of in reading.variables)
        return (PROVEN if everywhere else ON_REGION), {
            "method": "enumeration",
            "region": _region(reading),
            "share": 1.0,
            "points": points,
        }
    if reading.provable and says.sense != "==":
        proof = prove(reading, effort.boxes)
        if proof.share >= LEAST_SHARE:
            whole = proof.share == 1.0 and all(of.whole_domain for of in reading.variables)
            found = {"method": "intervals", "region": _region(reading), "share": proof.share, "boxes": proof.boxes}
            if proof.left_open:
                found["open"] = described_rest(proof.left_open, {of.name: of.proved for of in reading.variables})
            return (PROVEN if whole else ON_REGION), found
    return (NOT_REFUTED if search.tried else NOT_CHECKABLE), _searched(search, reading)


def _searched(search: Search, reading: Reading) -> dict[str, Any]:
    """Return what a search did, and between which numbers it took integers of which the text has more."""
    cut = {of.name: list(of.searched) for of in reading.variables if of.integer and of.region and not of.whole_domain}
    integers = {"integers": cut} if cut and search.tried else {}
    undefined = {"undefined": search.undefined} if search.undefined else {}
    closest = {"closest": search.closest, "where": search.where} if search.tried else {}
    return {"tried": search.tried} | integers | undefined | closest


def _region(reading: Reading) -> dict[str, list[float]]:
    return {of.name: [float(end) for end in of.proved] for of in reading.variables}


def replay(finding: Finding, claim: Claim) -> list[bool]:
    """Return, for each reading of a finding that was refuted, whether the recorded evidence still refutes it.

    The claim is the one in the code, so that a file cannot change what a paper says.
    """
    by_name = {reading.name: reading for reading in claim.readings}
    confirmed = []
    for found in finding.readings:
        reading = by_name.get(found.name)
        if found.status == REFUTED:
            confirmed.append(reading is not None and _again(reading, found.evidence))
        elif found.status == ORDER_REFUTED:
            again = reading is not None and isinstance(reading.says, Order) and divergence(reading.says)
            confirmed.append(bool(again) and asdict(again) == found.evidence)  # type: ignore[arg-type]
    return confirmed


def _again(reading: Reading, evidence: dict[str, Any]) -> bool:
    if isinstance(reading.says, EveryMechanism):
        event = evidence.get("event")
        return isinstance(event, dict) and exceeds_again(reading.says, str(evidence.get("case")), event)
    try:
        return refuted_at(reading, exact_point(reading, dict(evidence["point"]))) is not None
    except (KeyError, TypeError, ValueError, PrivcheckError):
        return False
