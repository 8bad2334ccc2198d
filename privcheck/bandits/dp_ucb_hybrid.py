"""DP-UCB with one hybrid tree per arm."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from privcheck.arrays import Array
from privcheck.bandits.audit_setting import AuditSetting
from privcheck.bandits.base import Algorithm, arms_parameter, epsilon_parameter
from privcheck.bandits.tree_policy import TreePolicy
from privcheck.bandits.tree_sums import prefix_noise
from privcheck.kernels import Generator, inlined, step_kernel
from privcheck.mechanisms import NOISE_SLACK, HybridTree, PrefixStream

KEPT = [
    ("sum", np.float64),
    ("pulls", np.int64),
    ("private_sum", np.float64),
    ("total_noise", np.float64),
    ("stack", np.float64, 64),
    ("level", np.int64),
    ("position", np.int64),
]


@inlined
def select(arms: Any, parameters: Array, coins: Generator, t: int, last: int) -> int:
    """Return the arm with the largest index; `parameters` holds epsilon."""
    epsilon = parameters[0]
    log_round = math.log(t)
    best, highest = 0, -math.inf
    for a in range(len(arms)):
        n = arms[a].pulls
        bonus = math.sqrt(8.0) / epsilon * (math.log(4.0) + 4.0 * log_round)
        if n & (n - 1) != 0:
            bonus *= math.log(n) + 1.0
        index = arms[a].private_sum / n + math.sqrt(2.0 * log_round / n) + bonus / n
        if index > highest:
            best, highest = a, index
    return best


@inlined
def update(arm: Any, parameters: Array, coins: Generator, noise: Generator, reward: float) -> None:
    """Release the prefix sum: from the total at the end of an epoch of 2^level rewards, from a tree inside an epoch."""
    scale = 2.0 * (1.0 + NOISE_SLACK) / parameters[0]
    arm.sum += reward
    arm.pulls += 1
    arm.position += 1
    if arm.position == 1 << arm.level:
        arm.total_noise += noise.laplace(0.0, scale)
        arm.private_sum = arm.sum + arm.total_noise
        arm.position = 0
        if arm.pulls > 1:
            arm.level += 1
    else:
        draw = prefix_noise(arm.stack, arm.position, noise.laplace(0.0, arm.level * scale))
        arm.private_sum = arm.sum + arm.total_noise + draw


dp_ucb_hybrid_kernel = step_kernel(KEPT, select, update)


@dataclass(frozen=True)
class DPUCBHybrid(Algorithm):
    r"""DP-UCB with hybrid trees: UCB1 on private sums, without knowing the horizon.

    After t rounds it plays argmax_a  S_a / n_a + sqrt(2 ln t / n_a) + v_a / n_a, where S_a is the hybrid tree's private
    sum of the n_a rewards of arm a and v_a = (sqrt(8) / epsilon) ln(4 t^4), times ln n_a + 1 unless n_a is a power of
    two.

    Parameters
    ----------
    arms : K >= 2.
    epsilon : privacy budget, > 0.

    Guarantee
    ---------
    epsilon-DP (pure) for reward streams in [0, 1] that differ in one round, when the actions are released. A reward
    enters the hybrid tree of the arm that was played, which has the whole budget epsilon: half for the totals of
    epochs, half for the trees inside them. For fixed actions replacing one reward changes one tree: parallel
    composition. Ties go to the lowest arm.

    Source
    ------
    Tossou and Dimitrakakis 2016, DP-UCB-Bound (pseudo-code from published implementations); hybrid mechanism: Chan, Shi
    and Song 2011.

    Examples
    --------
    >>> policy = DPUCBHybrid(arms=2, epsilon=1.0).build(np.random.default_rng(0))
    >>> policy.select()
    0

    """

    arms: int = arms_parameter()
    epsilon: float = epsilon_parameter()

    id: ClassVar[str] = "dp-ucb-hybrid"
    source: ClassVar[str] = "Tossou and Dimitrakakis 2016, DP-UCB-Bound; Chan, Shi and Song 2011"
    simulation_engine: ClassVar[str] = "step"
    audit_setting: ClassVar[AuditSetting | None] = AuditSetting(runs=800_000, horizon=4)
    kernel = staticmethod(dp_ucb_hybrid_kernel)

    def build(self, rng: np.random.Generator, *, noise: np.random.Generator | None = None) -> DPUCBHybridPolicy:
        tree = HybridTree(sensitivity=1.0, epsilon=self.epsilon)
        return DPUCBHybridPolicy([tree.start(noise or rng) for _ in range(self.arms)], self.epsilon)

    def kernel_parameters(self) -> Array:
        return np.array([self.epsilon])


class DPUCBHybridPolicy(TreePolicy):
    """The reference of DP-UCB with hybrid trees."""

    def __init__(self, trees: list[PrefixStream], epsilon: float) -> None:
        super().__init__(trees)
        self.epsilon = epsilon

    def bonus(self, arm: int) -> float:
        """Return v_a."""
        n = self.pulls[arm]
        bonus = math.sqrt(8.0) / self.epsilon * math.log(4.0 * self.rounds**4)
        return bonus * (math.log(n) + 1.0) if n & (n - 1) else bonus
