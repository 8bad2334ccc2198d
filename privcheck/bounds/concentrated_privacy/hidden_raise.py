"""Regret at a horizon under zCDP and Gaussian DP, on an instance or where a suboptimal arm is raised above the best."""

from __future__ import annotations

import math
from collections.abc import Callable

from privcheck.bounds._conditions import BETTER_ARM_EXISTS, POSITIVE_GAP
from privcheck.bounds._quantity import BANDIT, ONE_ARM_RAISED, Quantity
from privcheck.bounds._theorem import HAS_HORIZON, theorem
from privcheck.bounds.concentrated_privacy.concentrated_regret import GDP, POSITIVE_RHO, ZCDP
from privcheck.bounds.concentrated_privacy.first_pulls import FirstPulls, Hidden, first_pulls, under_gdp, under_zcdp
from privcheck.bounds.finite_time.raised_arm import (
    Pulls,
    largest_root,
    pulls_to_tell,
    raises_above,
)
from privcheck.bounds.settings.concentrated_instance import ConcentratedInstance

RAISES = (4.0, 2.0, 1.0, 0.5, 0.25, 0.125)
"""By how much an arm is raised above the best, as multiples of its gap: each is valid, and the best is taken."""

_CONDITIONS = (HAS_HORIZON, BETTER_ARM_EXISTS, POSITIVE_GAP)
_SOURCE = "derived (docs/evidence/concentrated-privacy.md): group privacy of the first n pulls of an arm"


def least_regret(instance: ConcentratedInstance, hidden: Callable[[], Hidden]) -> float:
    """Return the root R of R = sum of Delta_a times the least expected pulls of arm a at a regret of at most R."""
    counts: dict[tuple[float, float], int] = {}
    for arm in instance.suboptimal:
        counts[arm] = counts.get(arm, 0) + 1
    arms = [(count * gap, _pulls(instance, mean, gap, hidden)) for (mean, gap), count in counts.items()]
    return largest_root(arms, instance.rounds * max(instance.gaps))


def _pulls(instance: ConcentratedInstance, mean: float, gap: float, hidden: Callable[[], Hidden]) -> Pulls:
    """Return the larger of what the noise of the rewards asks for, and of what privacy does."""
    family, best = instance.law_family, instance.best_mean
    apart = [(x, float(family.kl(mean, best + x))) for x in raises_above(best, gap, family.highest_mean)]
    noise = pulls_to_tell(gap, apart, instance.rounds)
    found: FirstPulls | None = None
    if math.isfinite(instance.rho):
        raises = raises_above(best, gap, family.highest_mean, RAISES)
        found = first_pulls(family, mean, best, raises, instance.rho, instance.rounds)
    if found is None:
        return noise
    rows, hide = found, hidden()
    return lambda regret: max(noise(regret), rows.least_mean(regret, hide))


@theorem(
    "concentrated-privacy/finite-time",
    kind="lower",
    quantity=Quantity("pseudo-regret", BANDIT, ZCDP, ONE_ARM_RAISED),
    provenance="derived",
    source=_SOURCE,
    conditions=_CONDITIONS,
    about=ConcentratedInstance,
    budget=POSITIVE_RHO,
)
def zcdp_least_regret(instance: ConcentratedInstance) -> float:
    """Rho-zCDP policy: on this instance, or on one in which one arm a is raised to mu* + x, its Reg(T) >= R, where R =
    sum of Delta_a sum_n P_a(n), and P_a(n), a lower bound of the probability of more than n pulls of arm a, is 1 -
    P(more than d of n rewards differ) - P(log-likelihood ratio above c) - exp(-(sqrt(ln(x (T - n)/R) - c) - d
    sqrt(rho))^2).

    Proof idea: Where arm a is raised and pulled at most n times, the regret is at least x (T - n), so that this is
    unlikely. Only the first n rewards of the arm decide whether it happens. Move their law to one in between, at the
    cost of d differing rewards, which a policy hides by group privacy, and from there to the raised one, at the cost of
    a likelihood ratio of e^c.

    Every x, d, c and law in between is valid, and the best of some is taken for each n; so is the bound that holds
    without privacy. For small rho the pulls are about sqrt(ln T/rho) / TV, TV being the distance of the two laws.

    >>> round(zcdp_least_regret(ConcentratedInstance("bernoulli", (0.75, 0.5), rho=1e-4, horizon=10**7)), 1)
    136.2
    """
    return least_regret(instance, lambda: under_zcdp(instance.rho))


@theorem(
    "concentrated-privacy/finite-time-gdp",
    kind="lower",
    quantity=Quantity("pseudo-regret", BANDIT, GDP, ONE_ARM_RAISED),
    provenance="derived",
    source=_SOURCE,
    conditions=_CONDITIONS,
    about=ConcentratedInstance,
    budget=POSITIVE_RHO,
)
def gdp_least_regret(instance: ConcentratedInstance) -> float:
    """Mu-Gaussian-DP policy, mu = sqrt(2 rho): as concentrated-privacy/finite-time, with Phi(Phi^-1(e^c R/(x (T - n)))
    + d mu) in place of the exponential.

    Proof idea: As for concentrated-privacy/finite-time. If d rewards differ, an event of probability q has at most the
    probability Phi(Phi^-1(q) + d mu), which is concave in q, so that it may be averaged over the rewards.

    A mu-GDP policy is rho-zCDP; of the two bounds on it, this one is the larger.

    >>> round(gdp_least_regret(ConcentratedInstance("bernoulli", (0.75, 0.5), rho=1e-4, horizon=10**7)), 1)
    167.0
    """
    return least_regret(instance, lambda: under_gdp(instance.mu))
