"""The worst instance of a class of bandits with independent arms under zCDP."""

from __future__ import annotations

import math

from privcheck.bounds._conditions import UNIT_REWARDS
from privcheck.bounds._quantity import BANDIT, Quantity
from privcheck.bounds._theorem import HAS_HORIZON, Condition, theorem
from privcheck.bounds.concentrated_privacy.concentrated_regret import POSITIVE_RHO, ZCDP
from privcheck.bounds.settings.concentrated_instance import ConcentratedInstance

LARGEST_LOSS = 4.0 * math.sqrt(2.0) / (25.0 * math.sqrt(5.0))
"""The largest `y (1 - 1/w - y sqrt(w/2))`, attained at w = 5 and y = (4/5)/sqrt(10): a gap times the probability that
two instances are confused, if arm a is pulled more than w times its mean with probability 1/w at most."""

_BEST_Y = 0.8 / math.sqrt(10.0)

_GAUSSIAN = Condition(
    "Gaussian rewards of variance 1", lambda instance: instance.family == "gaussian" and instance.variance == 1
)
_MEANS_IN_RANGE = Condition(
    "means stay in [0, 1]: T >= sqrt(32/125) (K - 1)/sqrt(rho)",
    lambda instance: (
        instance.horizon is None
        or instance.horizon * math.sqrt(instance.rho) >= 2.0 * _BEST_Y * (instance.arms - 1) * (1.0 - 1e-12)
    ),
)
_ENOUGH_ROUNDS = Condition(
    "at least as many rounds as arms, less one: T >= K - 1",
    lambda instance: instance.horizon is None or instance.horizon >= instance.arms - 1,
)
_SOURCE = "derived here (docs/evidence/concentrated-privacy.md)"


@theorem(
    "concentrated-privacy/minimax-gaussian",
    kind="lower",
    quantity=Quantity("pseudo-regret", BANDIT, ZCDP, "minimax over Gaussian rewards of variance 1"),
    provenance="derived",
    source=_SOURCE,
    conditions=(HAS_HORIZON, _GAUSSIAN, _ENOUGH_ROUNDS),
    about=ConcentratedInstance,
    budget=POSITIVE_RHO,
)
def minimax_gaussian(instance: ConcentratedInstance) -> float:
    """Worst Gaussian instance with K arms, any rho-zCDP policy: Reg(T) >= max(sqrt(T(K-1))/8, (2/25) sqrt(pi/5)
    (K-1)/sqrt(rho)).

    Proof idea: Compare an instance in which one arm is better by Delta with another in which the arm that is played
    least in the first is better by 2 Delta. Change its rewards pull by pull: a changed pull moves the probability of an
    event by at most sqrt(rho p/2), where p is the probability that the arm is pulled so often. The regrets add up to at
    least T Delta (1 - what all changes move), and Delta is the best.

    Says nothing about this instance: only K, T and rho enter. The first term is that without privacy.

    >>> round(minimax_gaussian(ConcentratedInstance("gaussian", (0.0,) * 5, rho=1e-6, horizon=10_000)), 3)
    253.653
    """
    private = LARGEST_LOSS / 2.0 * math.sqrt(math.pi / 2.0) * (instance.arms - 1) / math.sqrt(instance.rho)
    return max(math.sqrt(instance.rounds * (instance.arms - 1)) / 8.0, private)


@theorem(
    "concentrated-privacy/minimax-unit",
    kind="lower",
    quantity=Quantity("pseudo-regret", BANDIT, ZCDP, "minimax over rewards in [0, 1]", 1.0),
    provenance="derived",
    source=_SOURCE,
    conditions=(HAS_HORIZON, UNIT_REWARDS, _MEANS_IN_RANGE),
    about=ConcentratedInstance,
    budget=POSITIVE_RHO,
)
def minimax_unit(instance: ConcentratedInstance) -> float:
    """Worst Bernoulli instance with K arms, any rho-zCDP policy: Reg(T) >= (1/25) sqrt(2/5) (K-1)/sqrt(rho).

    Proof idea: As for concentrated-privacy/minimax-gaussian, with all means 1/2 but for one arm that is better by
    Delta, and another that is raised by 2 Delta. The total variation of its two laws is 2 Delta, and its mean is at
    most 1 if T is large enough.

    Bernoulli laws are laws on [0, 1], so the bound also holds for the worst of those.

    >>> round(minimax_unit(ConcentratedInstance("bernoulli", (0.5,) * 5, rho=1e-4, horizon=10_000)), 3)
    10.119
    """
    return LARGEST_LOSS / 4.0 * (instance.arms - 1) / math.sqrt(instance.rho)
