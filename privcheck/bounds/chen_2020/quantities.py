"""Quantities and conditions of the theorems on private semi-bandits.

>>> str(LOCAL_INSTANCE)
'pseudo-regret; semi-bandit feedback; epsilon-local DP, one outcome vector replaced; this instance'
"""

from __future__ import annotations

from privcheck.bounds._quantity import Quantity
from privcheck.bounds._theorem import Condition

SEMI_BANDIT = "semi-bandit feedback"
LOCAL_DP = "epsilon-local DP, one outcome vector replaced"
CENTRAL_DP = "epsilon-DP, one outcome vector replaced"

LOCAL_INSTANCE = Quantity("pseudo-regret", SEMI_BANDIT, LOCAL_DP)
CENTRAL_INSTANCE = Quantity("pseudo-regret", SEMI_BANDIT, CENTRAL_DP)
LOCAL_WORST_INF = Quantity("pseudo-regret", SEMI_BANDIT, LOCAL_DP, "minimax over B_inf-smooth rewards with this gap")
LOCAL_WORST_ONE = Quantity("pseudo-regret", SEMI_BANDIT, LOCAL_DP, "minimax over B_1-smooth rewards with this gap")
CENTRAL_WORST_ONE = Quantity("pseudo-regret", SEMI_BANDIT, CENTRAL_DP, "minimax over B_1-smooth rewards with this gap")

SMOOTH_INF = Condition("the reward is B_inf-smooth: B_inf is given", lambda instance: instance.smooth_inf is not None)
SMOOTH_ONE = Condition("the reward is B_1-smooth: B_1 is given", lambda instance: instance.smooth_one is not None)
SMALL_GAP_INF = Condition(
    "gap/B_inf < 0.35", lambda instance: instance.smooth_inf is None or instance.gap < 0.35 * instance.smooth_inf
)
SMALL_GAP_ONE = Condition(
    "gap/(B_1 K) < 0.35",
    lambda instance: instance.smooth_one is None or instance.gap < 0.35 * instance.smooth_one * instance.size,
)
EQUAL_PATHS = Condition("m is a multiple of K", lambda instance: instance.arms % instance.size == 0)
SMALL_EPSILON = Condition("epsilon <= 1/2", lambda instance: instance.epsilon <= 0.5)
TWO_SUPER_ARMS = Condition("m >= 2 K", lambda instance: instance.arms >= 2 * instance.size)
