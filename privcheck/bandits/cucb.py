"""CUCB, the non-private baseline for combinatorial semi-bandits."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from privcheck.arrays import Array, Integers
from privcheck.bandits.combinatorial import (
    SemiBanditAlgorithm,
    SuperArmPolicy,
    base_arms_parameter,
    size_parameter,
    ties_parameter,
)
from privcheck.bandits.kl_index import kl_index, kl_index_by_bisection
from privcheck.bandits.super_arm_kernel import SHARED, Generator, super_arm_kernel
from privcheck.declared import Choice, parameter
from privcheck.kernels import inlined
from privcheck.oracles import SuperArmOracle

KEPT = [("sum", np.float64), ("pulls", np.int64), ("mean", np.float64), ("width", np.float64)]


@inlined
def indices(arms: Any, parameters: Array, t: int, index: Array) -> None:
    """Write mean + sqrt(3 ln t / (2 n)), or the KL-UCB index; `parameters` holds 1 for the latter."""
    kl, log_round = parameters[SHARED] > 0.0, math.log(t) if t > 0 else 0.0
    exploration = math.sqrt(1.5 * log_round)
    for i in range(len(arms)):
        if arms[i].pulls == 0:
            index[i] = math.inf
        elif kl:
            index[i] = -math.expm1(-kl_index(arms[i].mean, log_round / arms[i].pulls))
        else:
            index[i] = arms[i].mean + exploration * arms[i].width


@inlined
def update(
    arms: Any, parameters: Array, noise: Generator, t: int, chosen: Integers, count: int, outcomes: Array
) -> None:
    """Count the outcomes and add them."""
    for j in range(count):
        arm = arms[chosen[j]]
        arm.sum += outcomes[j]
        arm.pulls += 1
        arm.mean, arm.width = arm.sum / arm.pulls, 1.0 / math.sqrt(arm.pulls)


cucb_kernel = super_arm_kernel(KEPT, indices, update)


@dataclass(frozen=True)
class CUCB(SemiBanditAlgorithm):
    r"""CUCB: the oracle's super arm for the non-private indices mean_i + sqrt(3 ln t / (2 n_i)).

    Parameters
    ----------
    arms : m >= 2 base arms, at most 62.
    size : K >= 1, the largest number of base arms of a super arm.
    index : "ucb" (as published) or "kl", the largest q with n_i kl(mean_i, q) <= ln t.
    ties : "lowest", or "random" among indices within 1e-9.

    Guarantee
    ---------
    None: the super arms are a deterministic function of the outcomes, so an observer can tell neighbouring streams
    apart with certainty, and an audit's lower bound grows with the number of runs. Base arms without an outcome have an
    infinite index.

    Source
    ------
    Chen, Wang and Yuan 2013, Algorithm 1.

    Examples
    --------
    >>> policy = CUCB(arms=4, size=2).build(np.random.default_rng(0))
    >>> policy.update(policy.select(), [1.0, 0.0])
    >>> policy.select()
    (2, 3)

    """

    arms: int = base_arms_parameter()
    size: int = size_parameter()
    index: str = parameter(Choice(("ucb", "kl")), typical=("ucb", "kl"), default="ucb", doc="the index of a base arm")
    ties: str = ties_parameter()

    id: ClassVar[str] = "cucb"
    source: ClassVar[str] = "Chen, Wang and Yuan 2013, Algorithm 1"
    private: ClassVar[bool] = False
    kernel = staticmethod(cucb_kernel)

    def build(
        self,
        rng: np.random.Generator,
        *,
        noise: np.random.Generator | None = None,
        oracle: SuperArmOracle | None = None,
    ) -> CUCBPolicy:
        coins = rng if self.ties == "random" else None
        return CUCBPolicy(self.arms, self.size, self.checked_oracle(oracle), coins, kl=self.index == "kl")

    def kernel_parameters(self) -> Array:
        return np.array([self.ties == "random", False, self.index == "kl"], np.float64)


class CUCBPolicy(SuperArmPolicy):
    """The reference of CUCB."""

    def __init__(
        self, arms: int, size: int, oracle: SuperArmOracle, coins: np.random.Generator | None, *, kl: bool
    ) -> None:
        super().__init__(arms, size, oracle, coins)
        self.kl = kl

    def index(self, arm: int) -> float:
        """Return mean + sqrt(3 ln t / (2 n)), or the KL-UCB index."""
        n = self.pulls[arm]
        if n == 0:
            return math.inf
        if self.kl:
            return -math.expm1(-kl_index_by_bisection(self.sums[arm] / n, math.log(self.rounds) / n))
        return self.sums[arm] / n + math.sqrt(1.5 * math.log(self.rounds)) * (1.0 / math.sqrt(n))

    def take_in(self, chosen: tuple[int, ...], outcomes: Any) -> None:
        """Add the outcomes."""
        for arm, outcome in zip(chosen, outcomes, strict=True):
            self.pulls[arm] += 1
            self.sums[arm] += outcome
