"""DP-UCB with a hybrid tree per arm."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from privcheck.bandits.base import Algorithm, arms_parameter, epsilon_parameter
from privcheck.bandits.tree_policy import TreePolicy
from privcheck.bandits.tree_sums import prefix_noise
from privcheck.kernels.building_blocks import Actions, Floats, Integers, compiled, record, reward_sum
from privcheck.mechanisms import HybridTree
from privcheck.mechanisms.base import NOISE_SLACK
from privcheck.mechanisms.prefix_tree import PrefixStream


@compiled
def dp_ucb_hybrid_kernel(
    parameters: Floats,
    table: Floats,
    means: Floats,
    rewards: np.random.Generator,
    coins: np.random.Generator,
    noise: np.random.Generator,
    horizon: int,
    runs: int,
    actions: Actions,
    checkpoints: Integers,
    regret: Floats,
) -> None:
    """Run DP-UCB with hybrid trees; `parameters` holds epsilon."""
    epsilon = parameters[0]
    scale = 2.0 * (1.0 + NOISE_SLACK) / epsilon
    arms = means.shape[0]
    best_mean = means.max()
    sums, private_sum, totals = np.zeros(arms), np.zeros(arms), np.zeros(arms)
    stack = np.zeros((arms, 64))
    pulls, size, level = np.zeros(arms, np.int64), np.ones(arms, np.int64), np.zeros(arms, np.int64)
    position = np.zeros(arms, np.int64)
    for run in range(runs):
        sums[:], totals[:] = 0.0, 0.0
        pulls[:], size[:], level[:], position[:] = 0, 1, 0, 0
        cursor, total = 0, 0.0
        for t in range(horizon):
            if t < arms:
                arm = t
            else:
                log_round = math.log(t)
                arm, highest = 0, -math.inf
                for a in range(arms):
                    n = pulls[a]
                    bonus = math.sqrt(8.0) / epsilon * (math.log(4.0) + 4.0 * log_round)
                    if n & (n - 1) != 0:
                        bonus *= math.log(n) + 1.0
                    index = private_sum[a] / n + math.sqrt(2.0 * log_round / n) + bonus / n
                    if index > highest:
                        arm, highest = a, index
            sums[arm] += reward_sum(table, means, rewards, arm, t, t + 1)
            pulls[arm] += 1
            position[arm] += 1
            if position[arm] == size[arm]:
                totals[arm] += noise.laplace(0.0, scale)
                private_sum[arm] = sums[arm] + totals[arm]
                position[arm] = 0
                if pulls[arm] > 1:
                    size[arm] *= 2
                    level[arm] += 1
            else:
                draw = prefix_noise(stack[arm], position[arm], noise.laplace(0.0, level[arm] * scale))
                private_sum[arm] = sums[arm] + totals[arm] + draw
            cursor, total = record(
                actions, run, checkpoints, best_mean - means[arm], regret, cursor, total, arm, t, t + 1
            )


@dataclass(frozen=True)
class DPUCBHybrid(Algorithm):
    r"""DP-UCB with hybrid trees: UCB1 on private sums, without knowing the horizon.

    After t rounds it plays argmax_a  S_a / n_a + sqrt(2 ln t / n_a) + v_a / n_a, with S_a the hybrid tree's private sum
    of the n_a rewards of arm a and v_a = (sqrt(8) / epsilon) ln(4 t^4), times ln n_a + 1 unless n_a is a power of two.

    Parameters
    ----------
    arms : K >= 2.
    epsilon : privacy budget, > 0.

    Guarantee
    ---------
    epsilon-DP (pure) for reward streams in [0, 1] that differ in one round, the actions being released. A reward enters
    the hybrid tree of the arm that was played, which has the whole budget epsilon: half for the totals of epochs, half
    for the trees inside them. For fixed actions replacing one reward changes one tree: parallel composition. Ties are
    broken by the lowest arm.

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
    kernel = staticmethod(dp_ucb_hybrid_kernel)

    def build(self, rng: np.random.Generator, *, noise: np.random.Generator | None = None) -> DPUCBHybridPolicy:
        tree = HybridTree(sensitivity=1.0, epsilon=self.epsilon)
        return DPUCBHybridPolicy([tree.start(noise or rng) for _ in range(self.arms)], self.epsilon)

    def kernel_parameters(self) -> npt.NDArray[np.float64]:
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
