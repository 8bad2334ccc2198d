"""CUCB-LDP1: every user reports all outcomes with Laplace noise."""

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
from privcheck.bandits.super_arm_kernel import SHARED, Generator, super_arm_kernel
from privcheck.declared import Choice, parameter
from privcheck.kernels import inlined
from privcheck.mechanisms import Laplace
from privcheck.oracles import SuperArmOracle

KEPT = [("sum", np.float64), ("pulls", np.int64), ("index", np.float64)]

FALLBACKS = ("oracle", "first")


@inlined
def known_indices(arms: Any, parameters: Array, t: int, index: Array) -> None:
    """Write the stored indices, which only a report changes, and 1 for base arms without one."""
    for i in range(len(arms)):
        index[i] = arms[i].index if arms[i].pulls > 0 else 1.0


@inlined
def update(
    arms: Any, parameters: Array, noise: Generator, t: int, chosen: Integers, count: int, outcomes: Array
) -> None:
    """Add noisy outcomes; `parameters` holds the noise scale and the bonus for one outcome."""
    scale, bonus = parameters[SHARED], parameters[SHARED + 1]
    for j in range(count):
        arm = arms[chosen[j]]
        arm.sum += outcomes[j] + noise.laplace(0.0, scale)
        arm.pulls += 1
        arm.index = min(arm.sum / arm.pulls + bonus / math.sqrt(arm.pulls), 1.0)


cucb_ldp1_kernel = super_arm_kernel(KEPT, known_indices, update)


def fallback_parameter() -> Any:
    """Declare what is played if an index is negative, where the paper plays any super arm."""
    return parameter(
        Choice(FALLBACKS), typical=FALLBACKS, default="oracle", doc="what is played if an index is negative"
    )


@dataclass(frozen=True)
class CUCBLDP1(SemiBanditAlgorithm):
    r"""CUCB-LDP1: CUCB on local reports, Laplace(K / epsilon) noise on each outcome of the super arm.

    The index of base arm i is min(mean_i + 4 sqrt(2 K ln T / (epsilon^2 n_i)), 1), and 1 without a report.

    Parameters
    ----------
    arms : m >= 2 base arms, at most 62.
    epsilon : privacy budget, > 0.
    horizon : T, the number of rounds, on which the index depends.
    size : K >= 1, the largest number of base arms of a super arm.
    fallback : "oracle" or "first", what is played if an index is negative; the paper allows any super arm.
    ties : "random" among indices within 1e-9, or "lowest". It decides the regret as long as indices are clipped to 1.

    Guarantee
    ---------
    epsilon-local DP (pure), and so epsilon-DP, for streams of outcome vectors in [0, 1]^m of which one row is replaced,
    when all reports and super arms are public. Round t's user releases |S_t| <= K outcomes, of L1 sensitivity K, with
    Laplace(K / epsilon) noise each: epsilon, once per user, for any two outcome vectors. Which super arm is asked for
    is a function of earlier reports, so that rounds compose in parallel and everything else is post-processing. An
    oracle that returns more than K base arms is refused.

    The bonus contains no term for the sampling error, so that for epsilon above about 7 the regret is near-linear.

    Source
    ------
    Chen et al. 2020, Algorithm 1 and Theorem 1.

    Examples
    --------
    >>> algorithm = CUCBLDP1(arms=4, epsilon=1.0, horizon=1000, size=2)
    >>> algorithm.report.scale, round(algorithm.bonus_after(1000), 3)
    (2.000000008, 0.665)
    >>> algorithm.build(np.random.default_rng(0)).select()
    (2, 3)

    """

    arms: int = base_arms_parameter()
    epsilon: float = epsilon_parameter()
    horizon: int = horizon_parameter()
    size: int = size_parameter()
    fallback: str = fallback_parameter()
    ties: str = ties_parameter("random")

    id: ClassVar[str] = "cucb-ldp1"
    source: ClassVar[str] = "Chen et al. 2020, Algorithm 1"
    local: ClassVar[bool] = True
    tosses_coins: ClassVar[bool] = True
    audit_setting: ClassVar[AuditSetting | None] = AuditSetting(runs=5_000, arms=4, horizon=4, observe="releases")
    kernel = staticmethod(cucb_ldp1_kernel)

    @property
    def report(self) -> Laplace:
        """The mechanism of one user's report."""
        return Laplace(sensitivity=float(self.size), epsilon=self.epsilon)

    def bonus_after(self, pulls: int) -> float:
        return 4.0 * math.sqrt(2.0 * self.size * math.log(self.horizon) / pulls) / self.epsilon

    def build(
        self,
        rng: np.random.Generator,
        *,
        noise: np.random.Generator | None = None,
        oracle: SuperArmOracle | None = None,
    ) -> CUCBLDP1Policy:
        coins = rng if self.ties == "random" else None
        found = self.checked_oracle(oracle)
        return CUCBLDP1Policy(
            self.arms, self.size, found, coins, self.fallback, self.report, self.bonus_after(1), noise or rng
        )

    def kernel_parameters(self) -> Array:
        shared = [self.ties == "random", self.fallback == "first"]
        return np.array([*shared, self.report.scale, self.bonus_after(1)], np.float64)


class CUCBLDP1Policy(SuperArmPolicy):
    """The reference of CUCB-LDP1."""

    def __init__(
        self,
        arms: int,
        size: int,
        oracle: SuperArmOracle,
        coins: np.random.Generator | None,
        fallback: str,
        report: Laplace,
        bonus: float,
        noise: np.random.Generator,
    ) -> None:
        super().__init__(arms, size, oracle, coins, fallback)
        self.report, self.bonus, self.noise = report, bonus, noise

    def index(self, arm: int) -> float:
        """Return the clipped index, 1 without a report."""
        n = self.pulls[arm]
        return min(self.sums[arm] / n + self.bonus / math.sqrt(n), 1.0) if n else 1.0

    def take_in(self, chosen: tuple[int, ...], outcomes: Any) -> None:
        """Release all outcomes with noise, and add them."""
        for arm, reported in zip(chosen, self.report.release(outcomes, self.noise), strict=True):
            self.pulls[arm] += 1
            self.sums[arm] += reported
