"""DP-UCB with one tree per arm."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from privcheck.arrays import Array
from privcheck.bandits.audit_setting import AuditSetting
from privcheck.bandits.base import Algorithm, arms_parameter, epsilon_parameter, horizon_parameter
from privcheck.bandits.tree_policy import TreePolicy
from privcheck.bandits.tree_sums import next_level, prefix_noise_at
from privcheck.declared import Choice, Real, parameter
from privcheck.inference import radii
from privcheck.kernels import Generator, inlined, step_kernel
from privcheck.mechanisms import BinaryTree, KaryTree, PrefixStream

KEPT = [
    ("sum", np.float64),
    ("pulls", np.int64),
    ("nodes", np.int64),
    ("stack", np.float64, 64),
    ("digits", np.int64, 64),
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
    """Release the prefix sum; `parameters` holds a node's noise scale, the degree, and Lambda for 0, 1, ... nodes."""
    scale, degree = parameters[0], int(parameters[1])
    arm.sum += reward
    arm.pulls += 1
    n = arm.pulls
    level = next_level(arm.digits, degree)
    arm.nodes += 1 - level * (degree - 1)
    noisy = arm.sum + prefix_noise_at(arm.stack, level, noise.laplace(0.0, scale))
    arm.base, arm.width = (noisy + parameters[2 + arm.nodes]) / n, 1.0 / math.sqrt(n)


dp_ucb_kernel = step_kernel(KEPT, select, update)


@dataclass(frozen=True)
class DPUCB(Algorithm):
    r"""DP-UCB: UCB1 on the prefix sums of one tree per arm.

    After t rounds it plays argmax_a  S_a / n_a + sqrt(2 ln t / n_a) + Lambda / n_a, where S_a is the tree's private sum
    of the n_a rewards of arm a. Every tree has the budget b = epsilon / K (budget "split", as published) or epsilon
    ("full"). With the binary tree Lambda is the published ln^2 T ln(K T ln T / gamma) / b. With the k-ary tree, whose
    degree minimises the variance, it follows from the exact law of the noise: S_a then is a sum of j nodes, and Lambda
    is the radius that the noise of j nodes exceeds with probability gamma / (K T). So all K T private sums are within
    Lambda of the true ones with probability 1 - gamma.

    Parameters
    ----------
    arms : K >= 2.
    epsilon : privacy budget, > 0.
    horizon : T, the largest number of rounds, at most 2^25; trees and Lambda depend on it.
    budget : "split" (default, as published) or "full".
    gamma : in (0, 1), the probability of failure in Lambda; 0.1 in the experiments of Azize and Basu.
    tree : "k-ary" (default) or "binary" (as published), with its Lambda.

    Guarantee
    ---------
    epsilon-DP (pure) with the full budget, epsilon / K with the split one, for reward streams in [0, 1] that differ in
    one round, when the actions are released. A reward enters the tree of the arm that was played, hence at most m
    nodes, where m is the number of digits of T in the base of the tree's degree, each with Laplace(m / b) noise drawn
    once: b in total. The number of nodes in S_a, and so Lambda, depends on n_a alone. For fixed actions replacing one
    reward changes one tree (parallel composition), so dividing epsilon by K gains nothing. Azize and Basu print
    Laplace(ln T / epsilon) per node of the binary tree, which is too little. Ties go to the lowest arm.

    Source
    ------
    Mishra and Thakurta 2015, Algorithm 2 (pseudo-code from published implementations); tree: Chan, Shi and Song 2011.

    Examples
    --------
    >>> DPUCB(arms=4, epsilon=1.0, horizon=1000, budget="full").tree_budget, DPUCB(4, 1.0, 1000).tree_budget
    (1.0, 0.25)
    >>> for tree in ("k-ary", "binary"):
    ...     algorithm = DPUCB(arms=4, epsilon=1.0, horizon=1000, budget="full", tree=tree)
    ...     print(algorithm.mechanism.degree, [round(bonus) for bonus in algorithm.privacy_bonuses[1:9]])
    11 [32, 38, 42, 46, 50, 53, 57, 59]
    2 [598, 598, 598, 598, 598, 598, 598, 598]

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
    tree: str = parameter(
        Choice(("k-ary", "binary")), typical=("k-ary", "binary"), default="k-ary", doc="the tree; binary as published"
    )

    id: ClassVar[str] = "dp-ucb"
    source: ClassVar[str] = "Mishra and Thakurta 2015, Algorithm 2; Azize and Basu 2022, Section 6"
    simulation_engine: ClassVar[str] = "step"
    audit_setting: ClassVar[AuditSetting | None] = AuditSetting(runs=400_000, horizon=6)
    kernel = staticmethod(dp_ucb_kernel)

    @property
    def tree_budget(self) -> float:
        """Return the budget of one arm's tree."""
        return self.epsilon / self.arms if self.budget == "split" else self.epsilon

    @property
    def mechanism(self) -> BinaryTree | KaryTree:
        """Return the mechanism that each arm has a stream of."""
        kind = KaryTree if self.tree == "k-ary" else BinaryTree
        return kind(horizon=self.horizon, sensitivity=1.0, epsilon=self.tree_budget)

    @property
    def privacy_bonuses(self) -> list[float]:
        """Return Lambda for sums of 0, 1, 2, ... nodes, as many as a private sum can have."""
        mechanism = self.mechanism
        nodes = mechanism.statistics_per_datum * (mechanism.degree - 1)
        if self.tree == "k-ary":
            failure = self.gamma / (self.arms * self.horizon)
            return [mechanism.scale * radius for radius in radii(nodes, failure)]
        log_horizon = math.log(self.horizon)
        failure = math.log(self.arms * self.horizon * log_horizon / self.gamma)
        return [log_horizon**2 * failure / self.tree_budget] * (nodes + 1)

    def build(self, rng: np.random.Generator, *, noise: np.random.Generator | None = None) -> DPUCBPolicy:
        mechanism = self.mechanism
        return DPUCBPolicy([mechanism.start(noise or rng) for _ in range(self.arms)], self.privacy_bonuses)

    def kernel_parameters(self) -> Array:
        mechanism = self.mechanism
        return np.array([mechanism.scale, mechanism.degree, *self.privacy_bonuses])


class DPUCBPolicy(TreePolicy):
    """The reference of DP-UCB."""

    def __init__(self, trees: list[PrefixStream], privacy_bonuses: list[float]) -> None:
        super().__init__(trees)
        self.privacy_bonuses = privacy_bonuses

    def bonus(self, arm: int) -> float:
        """Return Lambda for the number of nodes in the arm's private sum."""
        return self.privacy_bonuses[self.trees[arm].summed_nodes]
