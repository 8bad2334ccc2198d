"""Conditions that several theorems share.

>>> from privcheck.bounds._instance import Instance
>>> ALPHA.checked(Instance("bernoulli", (0.75, 0.5), epsilon=1.0, alpha=3.0)).holds
False
"""

from __future__ import annotations

from privcheck.bounds._theorem import Condition

BETTER_ARM_EXISTS = Condition(
    "a law with a mean above mu* exists in the family: mu* < 1 for Bernoulli rewards",
    lambda instance: instance.better_law_exists,
)
UNIT_REWARDS = Condition("rewards in [0, 1]", lambda instance: instance.unit_rewards)
BERNOULLI = Condition("Bernoulli rewards", lambda instance: instance.family == "bernoulli")
ALPHA = Condition("alpha > 3", lambda instance: instance.alpha > 3)
POSITIVE_GAP = Condition("some arm has a positive gap", lambda instance: bool(instance.suboptimal))
