"""Regret at a horizon on an instance or on one in which a suboptimal arm is raised above the best."""

from __future__ import annotations

import math
from collections.abc import Callable

from privcheck.bounds._conditions import BERNOULLI, BETTER_ARM_EXISTS, POSITIVE_GAP
from privcheck.bounds._instance import Instance
from privcheck.bounds._private_divergence import d_epsilon
from privcheck.bounds._quantity import BANDIT, PURE_ONE_REWARD, Quantity
from privcheck.bounds._theorem import HAS_HORIZON, POSITIVE_BUDGET, PURE, theorem
from privcheck.bounds.local_privacy.rates import LOCAL_PRIVACY, report_divergence

ONE_ARM_RAISED = "minimax over this instance and those with one arm raised above the best"
PURE_RAISED = Quantity("pseudo-regret", BANDIT, PURE_ONE_REWARD, ONE_ARM_RAISED)
LOCAL_RAISED = Quantity("pseudo-regret", BANDIT, LOCAL_PRIVACY, ONE_ARM_RAISED)

RAISES = tuple(2.0**-power for power in range(-2, 9))
"""By how much an arm is raised above the best, as multiples of its gap: each is valid, and the best is taken."""

_CONDITIONS = (PURE, HAS_HORIZON, BERNOULLI, BETTER_ARM_EXISTS, POSITIVE_GAP)
_SOURCE = "derived (docs/derivations.md): decomposition with constant 1 and the Bretagnolle-Huber inequality"

Divergence = Callable[[float, float], float]
"""The most that one pull of an arm adds to the divergence of what a policy shows, for its two means."""


def least_regret(instance: Instance, divergence: Divergence) -> float:
    """Return the root R of R = sum of the largest Delta_a / d_a(x) ln(T min(Delta_a, x) / (8 R)) over x, if positive.

    Here arm a is raised to mu* + x, and d_a(x) is the divergence of its two means. The right-hand side falls in R, so a
    regret below the root would contradict it.

    >>> instance = Instance("bernoulli", (0.75, 0.5), epsilon=math.inf, horizon=10**6)
    >>> root = least_regret(instance, lambda mean, other: 2.0 * (mean - other) ** 2)
    >>> 5.0 < root < 0.5 / 0.25 * math.log(10**6)
    True
    """
    arms = []
    for mean, gap in instance.suboptimal:
        raises = [gap * part for part in RAISES if instance.best_mean + gap * part <= 1.0]
        raises = raises or [(1.0 - instance.best_mean) / 2.0]
        choices = [
            (gap / divergence(mean, instance.best_mean + x), instance.rounds * min(gap, x) / 8.0) for x in raises
        ]
        arms.append([(rate, most) for rate, most in choices if math.isfinite(rate) and most > 0.0])

    def right_side(regret: float) -> float:
        return math.fsum(
            max((rate * math.log(most / regret) for rate, most in choices), default=0.0)
            for choices in arms
            if any(most > regret for _, most in choices)
        )

    low, high = 0.0, max((most for choices in arms for _, most in choices), default=0.0)
    while low < (middle := (low + high) / 2.0) < high:
        low, high = (middle, high) if right_side(middle) >= middle else (low, middle)
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
    """Epsilon-DP policy, Bernoulli rewards: on this instance, or on one in which one arm a is raised to mu* + x_a, its
    Reg(T) >= R, where R = sum of Delta_a / d_epsilon(mu_a, mu* + x_a) ln(T min(Delta_a, x_a) / (8 R)).

    Proof idea: If arm a is played more than T/2 times, the regret here is at least Delta_a T/2; if not, it is at least
    x_a T/2 where the arm is raised. By the Bretagnolle-Huber inequality one of the two has a probability of at least
    exp(-KL)/4, and the divergence KL of the actions is at most d_epsilon for each expected pull. So arm a is pulled
    ln(T min(Delta_a, x_a) / (8 R)) / d_epsilon times here, at a cost of Delta_a each.

    Every x_a is valid, and the best of some is taken. Terms with a negative logarithm are left out. As T grows the
    bound is that of azize-basu-2022/thm3-tight, ln T replaced by ln(T/ln T).

    >>> round(pure_least_regret(Instance("bernoulli", (0.75, 0.5), epsilon=0.1, horizon=10**6)), 3)
    42.732
    """
    if math.isinf(instance.epsilon):
        return least_regret(instance, lambda mean, other: report_divergence(mean, other, math.inf))
    return least_regret(instance, lambda mean, other: float(d_epsilon(mean, min(other, 1.0), instance.epsilon)))


@theorem(
    "finite-time/local",
    kind="lower",
    quantity=LOCAL_RAISED,
    provenance="derived",
    source=_SOURCE,
    conditions=_CONDITIONS,
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
    return least_regret(instance, lambda mean, other: report_divergence(mean, min(other, 1.0), instance.epsilon))
