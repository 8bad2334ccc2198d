"""The resolution of an audit: the largest lower bound that its counted runs could have shown."""

from __future__ import annotations

import math

from privcheck.accounting import ClaimedProfile
from privcheck.auditing._confirmation.evidence import Evidence
from privcheck.auditing._confirmation.resolution_in_rho import shown_of_gaussian
from privcheck.auditing._events.event import Counts
from privcheck.results import Resolution
from privcheck.targets import Claim


def resolution_of(evidence: Evidence, claim: Claim) -> Resolution:
    """Return the largest lower bound that the counted runs could have shown at the level of the verdict."""
    level = claim.error * max(c.share for c in evidence.counted)
    largest = evidence.limit(Counts(evidence.runs, 0), level)
    if claim.epsilon is None:
        return Resolution(largest, None)
    if largest <= claim.epsilon:
        return Resolution(max(0.0, largest), math.inf)
    few, enough = 0, evidence.runs
    while enough - few > 1:
        middle = (few + enough) // 2
        if evidence.limit(Counts(middle, 0), level) > claim.epsilon:
            enough = middle
        else:
            few = middle
    return Resolution(largest, enough / evidence.runs)


def largest_shown(profile: ClaimedProfile, claimed: float, evidence: Evidence, claim: Claim) -> float:
    """Return what the counted runs could have shown: of a curve, by an event that is certain on one stream alone; in
    rho or mu, of Gaussian noise with 2.2 times the claimed rho, since no mechanism of a small rho has such an event.
    """
    if profile.name == "delta":
        return evidence.largest_claim_lower(profile, claim.error)
    return shown_of_gaussian(profile, claimed, evidence.runs, claim.error)
