"""DP-UCB with one binary tree per arm."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from privcheck.arrays import Array
from privcheck.bandits.base import Algorithm, arms_parameter, epsilon_parameter, horizon_parameter
from privcheck.bandits.tree_policy import TreePolicy
from privcheck.bandits.tree_sums import prefix_noise
from privcheck.declared import Choice, Real, parameter
from privcheck.kernels.building_blocks import inlined
from privcheck.kernels.step_kernel import Generator, step_kernel
from privcheck.mechanisms import BinaryTree
from privcheck.mechanisms.base import NOISE_SLACK
from privcheck.mechanisms.prefix_tree import PrefixStream

KEPT = [
    ("sum", np.float64),
    ("pulls", np.int64),
    ("stack", np.float64, 64),
    ("base", np.float64),
    ("width", np.float64),
]


@inlined
def select(arms: Any, parameters: Array, coins: Generator, t: int, last: int) -> int:
    """Return the arm with the largest index; `base` is S_a / n_a + Lambda / n_a."""
    exploration = math.sqrt(2.0 * math.log(t))
    best, highest = 0, -math.inf
    for a in range(len(arms)):
        index = arms[a].base + exploration * arms[a].width
        if index > highest:
            best, highest = a, index
    return best


@inlined
def update(arm: Any, parameters: Array, coins: Generator, noise: Generator, reward: float) -> None:
    """Release the prefix sum; `parameters` holds the noise scale of a node and the privacy bonus Lambda."""
    scale, privacy_bonus = parameters[0], parameters[1]
    arm.sum += reward
    arm.pulls += 1
    n = arm.pulls
    noisy = arm.sum + prefix_noise(arm.stack, n, noise.laplace(0.0, scale))
    arm.base, arm.width = (noisy + privacy_bonus) / n, 1.0 / math.sqrt(n)


dp_ucb_kernel = step_kernel(KEPT, select, update)


@dataclass(frozen=True)
class DPUCB(Algorithm):
    r"""DP-UCB: UCB1 on the prefix sums of one binary tree per arm.

    After t rounds it plays argmax_a  S_a / n_a + sqrt(2 ln t / n_a) + Lambda / n_a, where S_a is the tree's private sum
    of the n_a rewards of arm a. Every tree has the budget b = epsilon / K (budget "split", as published) or epsilon
    ("full"), and Lambda = ln^2 T ln(K T ln T / gamma) / b.

    Parameters
    ----------
    arms : K >= 2.
    epsilon : privacy budget, > 0.
    horizon : T, the largest number of rounds, at most 2^25; trees and Lambda depend on it.
    budget : "split" (default, as published) or "full".
    gamma : in (0, 1), the probability of failure in Lambda; 0.1 in the experiments of Azize and Basu.

    Guarantee
    ---------
    epsilon-DP (pure) with the full budget, epsilon / K with the split one, for reward streams in [0, 1] that differ in
    one round, when the actions are released. A reward enters the tree of the arm that was played, hence at most
    floor(log2 T) + 1 nodes, each with Laplace((floor(log2 T) + 1) / b) noise drawn once: b in total. For fixed actions
    replacing one reward changes one tree (parallel composition), so dividing epsilon by K gains nothing. Azize and Basu
    print Laplace(ln T / epsilon) per node, which is too little noise for these nodes. Ties go to the lowest arm.

    Source
    ------
    Mishra and Thakurta 2015, Algorithm 2 (pseudo-code from published implementations); tree: Chan, Shi and Song 2011.

    Examples
    --------
    >>> DPUCB(arms=4, epsilon=1.0, horizon=1000, budget="full").tree_budget, DPUCB(4, 1.0, 1000).tree_budget
    (1.0, 0.25)

    """

    arms: int = arms_parameter()
    epsilon: float = epsilon_parameter()
    horizon: int = horizon_parameter(2**25)
    budget: str = parameter(
        Choice(("split", "full")), typical=("split", "full"), default="split", doc="share of epsilon in each arm's tree"
    )
    gamma: float = parameter(
        Real(0.0, 1.0, low_open=True, high_open=True), typical=(0.01, 0.5), default=0.1, doc="gamma, chance of failure"
    )

    id: ClassVar[str] = "dp-ucb"
    source: ClassVar[str] = "Mishra and Thakurta 2015, Algorithm 2; Azize and Basu 2022, Section 6"
    simulation_engine: ClassVar[str] = "step"
    kernel = staticmethod(dp_ucb_kernel)

    @property
    def tree_budget(self) -> float:
        """Return the budget of one arm's tree."""
        return self.epsilon / self.arms if self.budget == "split" else self.epsilon

    @property
    def privacy_bonus(self) -> float:
        """Return Lambda."""
        log_horizon = math.log(self.horizon)
        failure = math.log(self.arms * self.horizon * log_horizon / self.gamma)
        return log_horizon**2 * failure / self.tree_budget

    def build(self, rng: np.random.Generator, *, noise: np.random.Generator | None = None) -> DPUCBPolicy:
        tree = BinaryTree(horizon=self.horizon, sensitivity=1.0, epsilon=self.tree_budget)
        return DPUCBPolicy([tree.start(noise or rng) for _ in range(self.arms)], self.privacy_bonus)

    def kernel_parameters(self) -> Array:
        levels = self.horizon.bit_length()
        return np.array([levels * (1.0 + NOISE_SLACK) / self.tree_budget, self.privacy_bonus])


class DPUCBPolicy(TreePolicy):
    """The reference of DP-UCB."""

    def __init__(self, trees: list[PrefixStream], privacy_bonus: float) -> None:
        super().__init__(trees)
        self.privacy_bonus = privacy_bonus

    def bonus(self, arm: int) -> float:
        """Return Lambda, the same for every arm."""
        return self.privacy_bonus
