"""CUCB-DP: one tree over time, whose items are the vectors of outcomes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from privcheck.arrays import Array, Integers
from privcheck.bandits.audit_setting import AuditSetting
from privcheck.bandits.base import epsilon_parameter, horizon_parameter
from privcheck.bandits.combinatorial import (
    SemiBanditAlgorithm,
    SuperArmPolicy,
    base_arms_parameter,
    size_parameter,
    ties_parameter,
)
from privcheck.bandits.cucb_ldp1 import fallback_parameter, known_indices
from privcheck.bandits.super_arm_kernel import SHARED, Generator, super_arm_kernel
from privcheck.bandits.tree_sums import trailing_zeros
from privcheck.declared import Choice, parameter
from privcheck.kernels import inlined
from privcheck.mechanisms import BinaryTree, PrefixStream
from privcheck.oracles import SuperArmOracle

KEPT = [
    ("sum", np.float64),
    ("pulls", np.int64),
    ("index", np.float64),
    ("width", np.float64),
    ("share", np.float64),
    ("stack", np.float64, 26),
]

CALIBRATIONS = ("calibrated", "published")


@inlined
def update(
    arms: Any, parameters: Array, noise: Generator, t: int, chosen: Integers, count: int, outcomes: Array
) -> None:
    """Release the prefix sums of all base arms; `parameters` holds the noise scale and the two parts of the bonus."""
    scale, sampling, privacy = parameters[SHARED], parameters[SHARED + 1], parameters[SHARED + 2]
    for j in range(count):
        arm = arms[chosen[j]]
        arm.sum += outcomes[j]
        arm.pulls += 1
        arm.share = 1.0 / arm.pulls
        arm.width = sampling * math.sqrt(arm.share) + privacy * arm.share
    level, before = trailing_zeros(t), t & (t - 1)
    earlier = trailing_zeros(before) if before > 0 else -1
    for i in range(len(arms)):
        arm = arms[i]
        drawn = noise.laplace(0.0, scale)
        if earlier >= 0:
            drawn += arm.stack[earlier]
        arm.stack[level] = drawn
        arm.index = min((arm.sum + drawn) * arm.share + arm.width, 1.0)


cucb_dp_kernel = super_arm_kernel(KEPT, known_indices, update)


@dataclass(frozen=True)
class CUCBDP(SemiBanditAlgorithm):
    r"""CUCB-DP: CUCB on the private prefix sums of one binary tree over time, of all m base arms.

    After t rounds it knows the private sum of the vectors X_1, ..., X_t, where X_s has the outcomes of the super arm in
    its places and 0 elsewhere. The index of base arm i is its private sum divided by n_i plus a bonus, at most 1, and 1
    for n_i = 0. With the published bonus, sqrt(4 ln(m T) / n) + 12 K ln^3 T / (n epsilon), all indices are 1 for every
    n <= T up to very large T: the result then shows how ties break and nothing else. The calibrated one is
    sqrt(3 ln T / (2 n)) + c / n, where c = 2 b sqrt(l ln(2 m T)) if the number l = floor(log2 T) + 1 of tree levels
    exceeds ln(2 m T), otherwise c = 2 b ln(2 m T), and b is the noise scale.

    Parameters
    ----------
    arms : m >= 2 base arms, at most 62.
    epsilon : privacy budget, > 0.
    horizon : T, the largest number of rounds, at most 2^25.
    size : K >= 1, the largest number of base arms of a super arm.
    noise : "calibrated", Laplace(K l / epsilon) on each node and base arm, or "published", Laplace(2 K ln T / epsilon).
    bonus : "calibrated" or "published".
    fallback : "oracle" or "first", what is played if an index is negative; the paper allows any super arm.
    ties : "random" among indices within 1e-9, or "lowest". It decides the regret as long as indices are clipped to 1.

    Guarantee
    ---------
    With calibrated noise epsilon-DP (pure) for streams of outcome vectors in [0, 1]^m of which one row is replaced,
    when all prefix sums and super arms are public. For a fixed sequence of super arms a row changes one item of the
    tree in the at most K places of its super arm, by K in L1. The item enters at most l of the T released nodes, each
    of which costs epsilon / l. Super arms are functions of released sums (adaptive composition), an oracle that returns
    more than K base arms is refused, and ties break by the order of base arms or by coins, never by data.

    With published noise the loss is l / (2 ln T) times epsilon: 1.443 for T = 2 and 1.082 for T = 4, where Theorem 7
    does not hold with natural logarithms, and less than 1 for other T.

    Source
    ------
    Chen et al. 2020, Algorithm 3 and Theorem 7; calibrated noise and bonus: this project (docs/semi-bandits.md).

    Examples
    --------
    >>> algorithm = CUCBDP(arms=4, epsilon=1.0, horizon=1000, size=2)
    >>> round(algorithm.tree.scale, 6), round(algorithm.bonus_after(1000), 3)
    (20.0, 0.481)
    >>> published = CUCBDP(arms=4, epsilon=1.0, horizon=1000, size=2, noise="published", bonus="published")
    >>> round(published.tree.scale, 3), round(published.bonus_after(1000), 3)
    (27.631, 8.093)

    """

    arms: int = base_arms_parameter()
    epsilon: float = epsilon_parameter()
    horizon: int = horizon_parameter(2**25)
    size: int = size_parameter()
    noise: str = parameter(Choice(CALIBRATIONS), typical=CALIBRATIONS, default="calibrated", doc="the noise of a node")
    bonus: str = parameter(
        Choice(CALIBRATIONS), typical=CALIBRATIONS, default="calibrated", doc="the bonus of the index"
    )
    fallback: str = fallback_parameter()
    ties: str = ties_parameter("random")

    id: ClassVar[str] = "cucb-dp"
    source: ClassVar[str] = "Chen et al. 2020, Algorithm 3; calibrated noise and bonus: this project"
    tosses_coins: ClassVar[bool] = True
    audit_setting: ClassVar[AuditSetting | None] = AuditSetting(runs=5_000, arms=2, horizon=2, observe="releases")
    kernel = staticmethod(cucb_dp_kernel)

    @property
    def tree(self) -> BinaryTree:
        """The mechanism that releases all prefix sums."""
        if self.noise == "published":
            return BinaryTree.with_scale(2.0 * self.size * math.log(self.horizon) / self.epsilon, horizon=self.horizon)
        return BinaryTree(horizon=self.horizon, sensitivity=float(self.size), epsilon=self.epsilon)

    @property
    def bonuses(self) -> tuple[float, float]:
        """The two parts of the bonus: times 1 / sqrt(n), and times 1 / n."""
        log_horizon = math.log(self.horizon)
        if self.bonus == "published":
            return math.sqrt(4.0 * math.log(self.arms * self.horizon)), 12.0 * self.size * log_horizon**3 / self.epsilon
        levels, log_failure = self.horizon.bit_length(), math.log(2 * self.arms * self.horizon)
        scale = self.size * levels / self.epsilon
        spread = math.sqrt(levels * log_failure) if levels > log_failure else log_failure
        return math.sqrt(1.5 * log_horizon), 2.0 * scale * spread

    def bonus_after(self, pulls: int) -> float:
        sampling, privacy = self.bonuses
        return sampling / math.sqrt(pulls) + privacy / pulls

    def build(
        self,
        rng: np.random.Generator,
        *,
        noise: np.random.Generator | None = None,
        oracle: SuperArmOracle | None = None,
    ) -> CUCBDPPolicy:
        coins = rng if self.ties == "random" else None
        stream = self.tree.start(noise or rng)
        return CUCBDPPolicy(
            self.arms, self.size, self.checked_oracle(oracle), coins, self.fallback, stream, self.bonuses
        )

    def kernel_parameters(self) -> Array:
        shared = [self.ties == "random", self.fallback == "first"]
        return np.array([*shared, self.tree.scale, *self.bonuses], np.float64)


class CUCBDPPolicy(SuperArmPolicy):
    """The reference of CUCB-DP."""

    def __init__(
        self,
        arms: int,
        size: int,
        oracle: SuperArmOracle,
        coins: np.random.Generator | None,
        fallback: str,
        stream: PrefixStream,
        bonuses: tuple[float, float],
    ) -> None:
        super().__init__(arms, size, oracle, coins, fallback)
        self.stream, self.bonuses = stream, bonuses

    def index(self, arm: int) -> float:
        """Return the clipped index, 1 without an outcome."""
        if self.pulls[arm] == 0:
            return 1.0
        sampling, privacy = self.bonuses
        share = 1.0 / self.pulls[arm]
        return min(self.sums[arm] * share + (sampling * math.sqrt(share) + privacy * share), 1.0)

    def take_in(self, chosen: tuple[int, ...], outcomes: Any) -> None:
        """Add the vector of outcomes to the tree, which returns the private sums of all base arms."""
        item: list[Any] = [0.0] * self.arms
        for j, arm in enumerate(chosen):
            item[arm] = outcomes[j]
            self.pulls[arm] += 1
        self.sums = self.stream.add(np.stack(item)).tolist()
