"""The rate of regret under zCDP: that without privacy, whose price is only of the order sqrt(ln T)."""

from __future__ import annotations

import math

from privcheck.bounds._conditions import BETTER_ARM_EXISTS, UNIT_REWARDS
from privcheck.bounds._theorem import theorem
from privcheck.bounds.concentrated_privacy.concentrated_regret import POSITIVE_RHO, ZCDP_REGRET
from privcheck.bounds.settings.concentrated_instance import ConcentratedInstance


def rate_terms(instance: ConcentratedInstance) -> list[dict[str, float | str]]:
    """Return gap / KL(P_a || P*) for every arm with a positive gap."""
    rows: list[dict[str, float | str]] = []
    for arm, (mean, gap) in enumerate(zip(instance.means, instance.gaps, strict=True)):
        if gap > 0:
            found = float(instance.law_family.kl(mean, instance.best_mean))
            rows.append({"arm": arm, "gap": gap, "kl": found, "term": gap / found})
    return rows


@theorem(
    "concentrated-privacy/rate",
    kind="lower",
    quantity=ZCDP_REGRET,
    asymptotic=True,
    provenance="derived",
    source="the bound of Lai and Robbins, which holds for every consistent policy, private or not",
    conditions=(BETTER_ARM_EXISTS,),
    about=ConcentratedInstance,
    budget=POSITIVE_RHO,
    terms=rate_terms,
)
def zcdp_rate(instance: ConcentratedInstance) -> float:
    """Consistent rho-zCDP policy, Bernoulli or Gaussian rewards: liminf Reg/ln T >= sum of Delta_a / KL(P_a || P*), P*
    being the law of the family with mean mu*.

    Proof idea: Raise arm a just above mu*. A consistent policy must then play it almost always, which takes a
    divergence of ln T between the laws of what the policy sees, and each pull of arm a adds at most that of its two
    laws. Privacy is not used: it cannot raise the rate, see concentrated-privacy/rate-attained.

    The sum is over the arms with a positive gap.

    >>> round(zcdp_rate(ConcentratedInstance("bernoulli", (0.75, 0.5), rho=0.01)), 3)
    1.738
    """
    return math.fsum(float(row["term"]) for row in rate_terms(instance))


@theorem(
    "concentrated-privacy/rate-attained",
    kind="upper",
    quantity=ZCDP_REGRET,
    asymptotic=True,
    provenance="derived",
    source="derived here (docs/evidence/concentrated-privacy.md)",
    conditions=(UNIT_REWARDS,),
    about=ConcentratedInstance,
    budget=POSITIVE_RHO,
    terms=rate_terms,
)
def zcdp_rate_attained(instance: ConcentratedInstance) -> float:
    """Gaussian-GLR-IMED, an arm having k^2 pulls after its k-th batch: rho-zCDP, and limsup Reg/ln T <= sum of Delta_a
    / kl(mu_a, mu*).

    Proof idea: The noise of a batch of l rewards moves its mean by the order of 1/l, that of the rewards by that of
    1/sqrt(l). So the likelihood of all releases tells two means apart by kl for each reward, up to lower orders.

    The shipped gaussian-glr-imed has batches of geometric length, and its ratio as a factor. At a horizon the price of
    privacy is of the order sqrt(ln T/rho) for each arm, see concentrated-privacy/finite-time. The sum is over the arms
    with a positive gap.

    >>> round(zcdp_rate_attained(ConcentratedInstance("bernoulli", (0.75, 0.5), rho=0.01)), 3)
    1.738
    """
    return math.fsum(float(row["term"]) for row in rate_terms(instance))
