"""CUCB-LDP2: every user reports the outcome of the base arm with the fewest reports."""

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
from privcheck.bandits.cucb_ldp1 import KEPT, fallback_parameter, known_indices
from privcheck.bandits.super_arm_kernel import SHARED, Generator, super_arm_kernel
from privcheck.declared import Choice, parameter
from privcheck.kernels import inlined
from privcheck.mechanisms import Laplace
from privcheck.oracles import SuperArmOracle

BONUSES = ("published", "repaired")


@inlined
def bonus_of(pulls: int, epsilon: float, log_horizon: float, repaired: bool) -> float:
    """Return the bonus after so many reports.

    >>> round(bonus_of(100, 1.0, math.log(1000.0), False), 3), round(bonus_of(100, 1.0, math.log(1000.0), True), 3)
    (1.487, 1.809)
    """
    noise_part = 4.0 * math.sqrt(2.0 * log_horizon / pulls) / epsilon
    if not repaired:
        return noise_part
    if pulls < 4.0 * log_horizon:
        noise_part = max(noise_part, 8.0 * log_horizon / (epsilon * pulls))
    return math.sqrt(1.5 * log_horizon / pulls) + noise_part


@inlined
def update(
    arms: Any, parameters: Array, noise: Generator, t: int, chosen: Integers, count: int, outcomes: Array
) -> None:
    """Add the noisy outcome of the base arm with the fewest reports.

    `parameters` holds the noise scale, epsilon, ln T, and 1 for the repaired bonus.
    """
    reported = 0
    for j in range(1, count):
        if arms[chosen[j]].pulls < arms[chosen[reported]].pulls:
            reported = j
    arm = arms[chosen[reported]]
    arm.sum += outcomes[reported] + noise.laplace(0.0, parameters[SHARED])
    arm.pulls += 1
    wide = bonus_of(arm.pulls, parameters[SHARED + 1], parameters[SHARED + 2], parameters[SHARED + 3] > 0.0)
    arm.index = min(arm.sum / arm.pulls + wide, 1.0)


cucb_ldp2_kernel = super_arm_kernel(KEPT, known_indices, update)


@dataclass(frozen=True)
class CUCBLDP2(SemiBanditAlgorithm):
    r"""CUCB-LDP2: CUCB on local reports of one outcome each, that of the base arm with the fewest reports.

    Of the super arm's base arms, the one with the fewest reports so far (the lowest among equal ones) is reported with
    Laplace(1 / epsilon) noise. The index is min(mean_i + bonus, 1), and 1 without a report. The published bonus is
    4 sqrt(2 ln T / (epsilon^2 n)). The repaired one is sqrt(3 ln T / (2 n)) + 4 sqrt(2 ln T / (epsilon^2 n)), the last
    term being at least 8 ln T / (epsilon n) for n < 4 ln T: it also covers the sampling error, which for large epsilon
    is all there is, and the exponential tail of a sum of few Laplaces.

    Parameters
    ----------
    arms : m >= 2 base arms, at most 62.
    epsilon : privacy budget, > 0.
    horizon : T, the number of rounds, on which the index depends.
    size : K >= 1, the largest number of base arms of a super arm.
    bonus : "published" or "repaired".
    fallback : "oracle" or "first", what is played if an index is negative; the paper allows any super arm.
    ties : "random" among indices within 1e-9, or "lowest". It decides the regret as long as indices are clipped to 1.

    Guarantee
    ---------
    epsilon-local DP (pure), and so epsilon-DP, for streams of outcome vectors in [0, 1]^m of which one row is replaced,
    when all reports and super arms are public. Round t's user releases one outcome, of sensitivity 1, with
    Laplace(1 / epsilon) noise: epsilon, once per user. Which outcome it is follows from counts of reports, not from
    outcomes, and ties among counts go to the lowest base arm. Everything else is post-processing. The privacy does not
    depend on K.

    Source
    ------
    Chen et al. 2020, Algorithm 2 and Theorem 3; the repaired bonus: this project (docs/semi-bandits.md).

    Examples
    --------
    >>> algorithm = CUCBLDP2(arms=4, epsilon=1.0, horizon=1000, size=2)
    >>> policy = algorithm.build(np.random.default_rng(0))
    >>> policy.update(policy.select(), [1.0, 0.0])
    >>> policy.pulls
    [0, 0, 1, 0]

    """

    arms: int = base_arms_parameter()
    epsilon: float = epsilon_parameter()
    horizon: int = horizon_parameter()
    size: int = size_parameter()
    bonus: str = parameter(Choice(BONUSES), typical=BONUSES, default="published", doc="the bonus of the index")
    fallback: str = fallback_parameter()
    ties: str = ties_parameter("random")

    id: ClassVar[str] = "cucb-ldp2"
    source: ClassVar[str] = "Chen et al. 2020, Algorithm 2; repaired bonus: this project"
    local: ClassVar[bool] = True
    tosses_coins: ClassVar[bool] = True
    audit_setting: ClassVar[AuditSetting | None] = AuditSetting(runs=5_000, arms=4, horizon=4, observe="releases")
    kernel = staticmethod(cucb_ldp2_kernel)

    @property
    def report(self) -> Laplace:
        """The mechanism of one user's report."""
        return Laplace(sensitivity=1.0, epsilon=self.epsilon)

    def bonus_after(self, pulls: int) -> float:
        return float(bonus_of(pulls, self.epsilon, math.log(self.horizon), self.bonus == "repaired"))

    def build(
        self,
        rng: np.random.Generator,
        *,
        noise: np.random.Generator | None = None,
        oracle: SuperArmOracle | None = None,
    ) -> CUCBLDP2Policy:
        coins = rng if self.ties == "random" else None
        found, log_horizon = self.checked_oracle(oracle), math.log(self.horizon)
        policy = RepairedLDP2Policy if self.bonus == "repaired" else CUCBLDP2Policy
        return policy(
            self.arms, self.size, found, coins, self.fallback, self.report, self.epsilon, log_horizon, noise or rng
        )

    def kernel_parameters(self) -> Array:
        shared = [self.ties == "random", self.fallback == "first"]
        log_horizon = math.log(self.horizon)
        return np.array([*shared, self.report.scale, self.epsilon, log_horizon, self.bonus == "repaired"], np.float64)


class CUCBLDP2Policy(SuperArmPolicy):
    """The reference of CUCB-LDP2."""

    def __init__(
        self,
        arms: int,
        size: int,
        oracle: SuperArmOracle,
        coins: np.random.Generator | None,
        fallback: str,
        report: Laplace,
        epsilon: float,
        log_horizon: float,
        noise: np.random.Generator,
    ) -> None:
        super().__init__(arms, size, oracle, coins, fallback)
        self.epsilon, self.log_horizon = epsilon, log_horizon
        self.report, self.noise = report, noise

    def index(self, arm: int) -> float:
        """Return the clipped index, 1 without a report."""
        n = self.pulls[arm]
        return min(self.sums[arm] / n + self.bonus(n), 1.0) if n else 1.0

    def bonus(self, n: int) -> float:
        """Return 4 sqrt(2 ln T / (epsilon^2 n))."""
        return 4.0 * math.sqrt(2.0 * self.log_horizon / n) / self.epsilon

    def reported(self, chosen: tuple[int, ...]) -> int:
        """Return the position of the base arm with the fewest reports, which does not depend on outcomes."""
        return min(range(len(chosen)), key=lambda j: (self.pulls[chosen[j]], chosen[j]))

    def take_in(self, chosen: tuple[int, ...], outcomes: Any) -> None:
        """Release one outcome with noise, and add it."""
        j = self.reported(chosen)
        self.sums[chosen[j]] += self.report.release(outcomes[j], self.noise)
        self.pulls[chosen[j]] += 1


class RepairedLDP2Policy(CUCBLDP2Policy):
    """The reference with the repaired bonus."""

    def bonus(self, n: int) -> float:
        """Return the published bonus, at least 8 ln T / (epsilon n) for few reports, plus that of the sampling."""
        tail = 8.0 * self.log_horizon / (self.epsilon * n)
        noise_part = max(super().bonus(n), tail * (n < 4.0 * self.log_horizon))
        return math.sqrt(1.5 * self.log_horizon / n) + noise_part
