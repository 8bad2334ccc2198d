"""Regret at a horizon on an instance or on one in which a suboptimal arm is raised above the best."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from privcheck.bounds._conditions import BERNOULLI, BETTER_ARM_EXISTS, POSITIVE_GAP
from privcheck.bounds._instance import Instance
from privcheck.bounds._quantity import BANDIT, ONE_ARM_RAISED, PURE_ONE_REWARD, Quantity
from privcheck.bounds._theorem import HAS_HORIZON, POSITIVE_BUDGET, PURE, theorem
from privcheck.bounds.families.base import MeanFamily
from privcheck.bounds.local_privacy.rates import LOCAL_PRIVACY, report_divergence

PURE_RAISED = Quantity("pseudo-regret", BANDIT, PURE_ONE_REWARD, ONE_ARM_RAISED)
LOCAL_RAISED = Quantity("pseudo-regret", BANDIT, LOCAL_PRIVACY, ONE_ARM_RAISED)

RAISES = tuple(2.0**-power for power in range(-2, 9))
"""By how much an arm is raised above the best, as multiples of its gap: each is valid, and the best is taken."""

_CONDITIONS = (PURE, HAS_HORIZON, BETTER_ARM_EXISTS, POSITIVE_GAP)
_SOURCE = "derived (docs/evidence/derivations.md): decomposition with constant 1 and the Bretagnolle-Huber inequality"

Divergence = Callable[[int, float], float]
"""The most that one pull of an arm adds to the divergence of what a policy shows, if the arm is raised to a mean."""

Pulls = Callable[[float], float]
"""A lower bound of the expected pulls of an arm from the largest regret R. It falls in R."""


def least_regret(instance: Instance, divergence: Divergence) -> float:
    """Return the root R of R = sum of the largest Delta_a / d_a(x) ln(T min(Delta_a, x) / (8 R)) over x, if positive.

    Here arm a is raised to mu* + x, and d_a(x) is the divergence of its two laws.

    >>> instance = Instance("bernoulli", (0.75, 0.5), epsilon=math.inf, horizon=10**6)
    >>> root = least_regret(instance, lambda arm, other: 2.0 * (instance.means[arm] - other) ** 2)
    >>> 5.0 < root < 0.5 / 0.25 * math.log(10**6)
    True
    """
    highest = instance.law_family.highest_mean
    arms: list[tuple[float, Pulls]] = []
    for arm, gap in enumerate(instance.gaps):
        if gap > 0:
            raises = raises_above(instance.best_mean, gap, highest)
            apart = [(x, divergence(arm, instance.best_mean + x)) for x in raises]
            arms.append((gap, pulls_to_tell(gap, apart, instance.rounds)))
    return largest_root(arms, instance.rounds * max(instance.gaps))


def raises_above(best: float, gap: float, highest: float, parts: Sequence[float] | None = None) -> list[float]:
    """Return the x for which an arm with this gap may be raised to mu* + x, at most the highest mean.

    Each is the distance of two floats, so that the mean of the raised arm is not another one than x says.

    >>> raises_above(0.75, 0.5, 1.0)[:2], raises_above(0.99, 0.5, 1.0)[0] < 0.01
    ([0.25, 0.125], True)
    """
    raised = [best + gap * part for part in (RAISES if parts is None else parts)]
    raised = [other for other in raised if best < other <= highest] or [best + (highest - best) / 2.0]
    return [other - best for other in raised]


def pulls_to_tell(gap: float, apart: Sequence[tuple[float, float]], horizon: int) -> Pulls:
    """Return the largest ln(T min(gap, x) / (8 R)) / d over the pairs (x, d) of a raise and a divergence."""
    choices = [(1.0 / d, horizon * min(gap, x) / 8.0) for x, d in apart if 0.0 < d < math.inf and x > 0.0]
    usable = [(pulls, most) for pulls, most in choices if math.isfinite(pulls) and most > 0.0]

    def pulls(regret: float) -> float:
        return max((number * math.log(most / regret) for number, most in usable if most > regret), default=0.0)

    return pulls


def largest_root(arms: Sequence[tuple[float, Pulls]], most: float) -> float:
    """Return the R up to `most` that is the sum of gap times pulls(R): a smaller regret would contradict the pulls.

    >>> round(largest_root([(1.0, lambda regret: 6.0 / regret)], 100.0) ** 2, 9)
    6.0
    """
    low, high = 0.0, most
    while low < (middle := (low + high) / 2.0) < high:
        enough = math.fsum(gap * pulls(middle) for gap, pulls in arms) >= middle
        low, high = (middle, high) if enough else (low, middle)
        if high - low <= 1e-13 * high:
            break
    return low


@theorem(
    "finite-time/pure",
    kind="lower",
    quantity=PURE_RAISED,
    provenance="derived",
    source=_SOURCE,
    conditions=_CONDITIONS,
    budget=POSITIVE_BUDGET,
)
def pure_least_regret(instance: Instance) -> float:
    """Epsilon-DP policy: on this instance, or on one in which the law of one arm a has a mean of mu* + x_a or more, its
    Reg(T) >= R, where R = sum of Delta_a / d_a ln(T min(Delta_a, x_a) / (8 R)) and d_a is the infimum of d_epsilon over
    the laws of the family with a mean above mu* + x_a; d_epsilon(mu_a, mu* + x_a) for Bernoulli rewards.

    Proof idea: If arm a is played more than T/2 times, the regret here is at least Delta_a T/2; if not, it is at least
    x_a T/2 where the arm is raised. By the Bretagnolle-Huber inequality one of the two has a probability of at least
    exp(-KL)/4, and the divergence KL of the actions is at most d_epsilon for each expected pull. So arm a is pulled
    ln(T min(Delta_a, x_a) / (8 R)) / d_epsilon times here, at a cost of Delta_a each.

    Every x_a is valid, and the best of some is taken. Terms with a negative logarithm are left out. As T grows the
    bound is that of azize-basu-2022/thm3-tight, ln T replaced by ln(T/ln T).

    >>> round(pure_least_regret(Instance("bernoulli", (0.75, 0.5), epsilon=0.1, horizon=10**6)), 3)
    42.732
    """
    return least_regret(instance, lambda arm, other: _private_divergence(instance, arm, other))


def _private_divergence(instance: Instance, arm: int, other: float) -> float:
    """Return the least divergence from an arm's law to a law whose mean is `other`, or above it."""
    family, law = instance.law_family, instance.law(arm)
    if isinstance(family, MeanFamily):
        return float(
            family.kl(law, other)
            if math.isinf(instance.epsilon)
            else family.d_epsilon(law, other, instance.epsilon).upper
        )
    if math.isinf(instance.epsilon):
        return family.d_inf(law, other).upper
    return family.d_epsilon_inf(law, other, instance.epsilon).upper


@theorem(
    "finite-time/local",
    kind="lower",
    quantity=LOCAL_RAISED,
    provenance="derived",
    source=_SOURCE,
    conditions=(*_CONDITIONS, BERNOULLI),
    budget=POSITIVE_BUDGET,
)
def local_least_regret(instance: Instance) -> float:
    """Policy that sees an epsilon-locally private report on each Bernoulli reward: on this instance, or on one in which
    one arm a is raised to mu* + x_a, its Reg(T) >= R, where R = sum of Delta_a / kl(q(mu_a), q(mu* + x_a)) ln(T
    min(Delta_a, x_a) / (8 R)) with q(m) = 1/2 + (m - 1/2) tanh(epsilon/2).

    Proof idea: As for finite-time/pure, with another divergence for each pull. A report on a reward of arm a adds at
    most kl(q, q'), because every private report on a bit is randomised response, processed further.

    Every x_a is valid, and the best of some is taken. Terms with a negative logarithm are left out.

    >>> round(local_least_regret(Instance("bernoulli", (0.75, 0.5), epsilon=0.1, horizon=10**6)), 3)
    1035.761
    """
    return least_regret(
        instance, lambda arm, other: report_divergence(instance.means[arm], min(other, 1.0), instance.epsilon)
    )
