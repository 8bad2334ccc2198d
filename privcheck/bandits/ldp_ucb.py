"""LDP-UCB: UCB1 on locally private reports, by Laplace noise or by one bit."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from privcheck.arrays import Array
from privcheck.bandits.audit_setting import AuditSetting
from privcheck.bandits.base import Algorithm, arms_parameter
from privcheck.bandits.local_reports import (
    contrast,
    least_chance,
    local_epsilon_parameter,
    report,
    reported,
    reporter,
)
from privcheck.bandits.ucb import UCBPolicy
from privcheck.declared import Choice, parameter
from privcheck.kernels import Generator, inlined, step_kernel
from privcheck.mechanisms import Laplace
from privcheck.private_values import told_arm, told_reward

KEPT = [("sum", np.float64), ("pulls", np.int64), ("mean", np.float64), ("width", np.float64)]

REPORTS = ("one-bit", "laplace")


@inlined
def select(arms: Any, parameters: Array, coins: Generator, t: int, last: int) -> int:
    """Return the lowest arm with too few reports for Laplace noise, otherwise the arm with the largest index."""
    log_round = math.log(t)
    if parameters[2] > 0.0:
        few = 4.0 * math.log(t + 1.0)
        for a in range(len(arms)):
            if arms[a].pulls <= few:
                return a
    spread, best, highest = math.sqrt(log_round), 0, -math.inf
    for a in range(len(arms)):
        index = arms[a].mean + arms[a].width * spread
        if index > highest:
            best, highest = a, index
    return best


@inlined
def update(arm: Any, parameters: Array, coins: Generator, noise: Generator, reward: float) -> None:
    """Add the report; `parameters`: q and p - q, or unused; the scale of Laplace noise or 0; the width factor."""
    if parameters[2] > 0.0:
        arm.sum += reward + noise.laplace(0.0, parameters[2])
    else:
        arm.sum += report(reward, parameters[0], parameters[1], noise.random())
    arm.pulls += 1
    arm.mean, arm.width = arm.sum / arm.pulls, parameters[3] / math.sqrt(arm.pulls)


ldp_ucb_kernel = step_kernel(KEPT, select, update)


@dataclass(frozen=True)
class LDPUCB(Algorithm):
    r"""LDP-UCB: UCB1 on reports that are private before the learner sees them.

    With n_a reports of arm a, of mean m_a, after t rounds, it plays the arm with the largest

        one-bit (LDP-UCB-B):   m_a + sqrt(2 ln t / n_a),
        laplace (LDP-UCB-L):   m_a + sqrt(2 ln t / n_a) + sqrt(32 ln t / (epsilon^2 n_a)),

    after each arm was played once; with Laplace noise the lowest arm with n_a <= 4 ln(t + 1) goes first. One-bit
    reports are 1 with probability q + (p - q) r, p = e^epsilon / (1 + e^epsilon), q = 1 - p; Laplace reports are
    r + Laplace(1 / epsilon).

    Parameters
    ----------
    arms : K >= 2.
    epsilon : budget of each report, in (0, 20].
    reports : "one-bit" or "laplace".

    Guarantee
    ---------
    epsilon-local DP (pure), and so epsilon-DP, for reward streams in [0, 1] of which one round is replaced, when all
    reports and actions are public. Each user releases one report, once; its privacy is that of `OneBit`, for any two
    rewards, or of Laplace noise at sensitivity 1. Which arm is asked for is a function of earlier reports, so that
    rounds compose in parallel, and everything else is post-processing. Equal indices go to the lowest arm.

    Source
    ------
    Ren, Zhou, Liu and Shroff 2020, LDP-UCB-B and LDP-UCB-L: a reconstruction from the code that its authors published,
    as the text of the paper was not at hand. That code starts each arm with one report of 0; here each arm is played
    once.

    Examples
    --------
    >>> policy = LDPUCB(arms=2, epsilon=1.0).build(np.random.default_rng(0))
    >>> policy.update(policy.select(), 1.0)
    >>> policy.sums, policy.select()
    ([1.0, 0.0], 1)

    """

    arms: int = arms_parameter()
    epsilon: float = local_epsilon_parameter()
    reports: str = parameter(
        Choice(REPORTS), typical=REPORTS, default="one-bit", doc="a bit per reward, or Laplace noise"
    )

    id: ClassVar[str] = "ldp-ucb"
    source: ClassVar[str] = "Ren, Zhou, Liu and Shroff 2020, from its published code"
    local: ClassVar[bool] = True
    simulation_engine: ClassVar[str] = "step"
    audit_setting: ClassVar[AuditSetting | None] = AuditSetting(runs=40_000, horizon=4)
    kernel = staticmethod(ldp_ucb_kernel)

    @property
    def report(self) -> Laplace:
        """The mechanism of one user's Laplace report."""
        return Laplace(sensitivity=1.0, epsilon=self.epsilon)

    def build(self, rng: np.random.Generator, *, noise: np.random.Generator | None = None) -> LDPUCBPolicy:
        policy = LDPUCBPolicy if self.reports == "one-bit" else LaplaceReportsPolicy
        return policy(self.arms, self.epsilon, noise or rng)

    def kernel_parameters(self) -> Array:
        root = math.sqrt(2.0)
        if self.reports == "laplace":
            return np.array([0.0, 0.0, self.report.scale, root + math.sqrt(32.0) / self.epsilon])
        return np.array([least_chance(self.epsilon), contrast(self.epsilon), 0.0, root])


class LDPUCBPolicy(UCBPolicy):
    """The reference of LDP-UCB on one-bit reports: UCB1, which receives reports."""

    any_rewards = False

    def __init__(self, arms: int, epsilon: float, noise: np.random.Generator) -> None:
        super().__init__(arms)
        self.epsilon, self.noise = epsilon, noise

    def update(self, action: int, reward: float) -> None:
        """Release the user's report, and add it."""
        action, reward = told_arm(action, self.arms), told_reward(reward)
        self.rounds += 1
        self.pulls[action] += 1
        self.sums[action] += self.report(reward)

    def report(self, reward: float) -> float:
        """Return the user's report: 0 or 1."""
        return reported(reporter(self.epsilon), reward, self.noise)


class LaplaceReportsPolicy(LDPUCBPolicy):
    """The reference of LDP-UCB on reports with Laplace noise."""

    def select(self) -> int:
        """Return the first arm with too few reports, else the arm with the largest index."""
        few = 4.0 * math.log(self.rounds + 1.0)
        lacking = [arm for arm, n in enumerate(self.pulls) if n <= few]
        return lacking[0] if lacking and 0 not in self.pulls else super().select()

    def report(self, reward: float) -> float:
        """Return the reward with Laplace(1 / epsilon) noise."""
        return Laplace(sensitivity=1.0, epsilon=self.epsilon).release(reward, self.noise)

    def index(self, arm: int) -> float:
        """Return UCB1's index with a second bonus, for the noise."""
        return super().index(arm) + math.sqrt(32.0 * math.log(self.rounds) / self.pulls[arm]) / self.epsilon
