"""A choice that compares raw rewards."""

from __future__ import annotations

import math

from audits.wild.implementation import Shown


def the_third_arm_is_the_better_raw_reward() -> Shown:
    """Compute the indices of two arms after one pull each, as the code does, for two neighbouring streams."""
    t, alpha = 2, 3.1
    bonus = math.sqrt(alpha * math.log(t + 1)) + 2.0 * alpha * math.log(t + 1)
    chosen = []
    for rewards in ([0.0, 0.0], [0.0, 1.0]):
        indices = [reward + bonus for reward in rewards]
        chosen.append(indices.index(max(indices)))
    because = (
        f"both bonuses are {bonus:.3f} after one pull each, so that the third round plays arm {chosen[0]} with "
        f"certainty after rewards (0, 0) and arm {chosen[1]} with certainty after (0, 1)"
    )
    return Shown(1.0, math.inf if chosen[0] != chosen[1] else 0.0, because)
