"""LDP-IMED, an algorithm of this project: IMED on one-bit reports, by their exact likelihood."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from privcheck.arrays import Array
from privcheck.bandits.audit_setting import AuditSetting
from privcheck.bandits.base import Algorithm, arms_parameter
from privcheck.bandits.imed import TIE, bernoulli_kl
from privcheck.bandits.kl_index import negative_entropy
from privcheck.bandits.ldp_ucb import LDPUCBPolicy
from privcheck.bandits.local_reports import contrast, least_chance, local_epsilon_parameter, report
from privcheck.kernels import Generator, inlined, step_kernel

KEPT = [
    ("sum", np.float64),
    ("pulls", np.int64),
    ("mean", np.float64),
    ("likeliest", np.float64),
    ("entropy", np.float64),
    ("misfit", np.float64),
    ("log_pulls", np.float64),
]


@inlined
def select(arms: Any, parameters: Array, coins: Generator, t: int, last: int) -> int:
    """Return the arm with the smallest index, the lowest of those within 1e-9."""
    highest = arms[0].likeliest
    for a in range(1, len(arms)):
        highest = max(highest, arms[a].likeliest)
    log_highest, log_rest = math.log(highest), math.log1p(-highest)
    best, lowest = 0, math.inf
    for a in range(len(arms)):
        index, mean = arms[a].log_pulls, arms[a].mean
        if arms[a].likeliest < highest:
            cost = arms[a].entropy - mean * log_highest - (1.0 - mean) * log_rest
            index += arms[a].pulls * (cost - arms[a].misfit)
        if index < lowest - TIE:
            best, lowest = a, index
    return best


@inlined
def update(arm: Any, parameters: Array, coins: Generator, noise: Generator, reward: float) -> None:
    """Add the report, and compute what only a report changes; `parameters`: q, p - q."""
    q = parameters[0]
    arm.sum += report(reward, q, parameters[1], noise.random())
    arm.pulls += 1
    arm.mean = arm.sum / arm.pulls
    arm.likeliest = min(max(arm.mean, q), 1.0 - q)
    arm.entropy, arm.log_pulls = negative_entropy(arm.mean), math.log(arm.pulls)
    arm.misfit = 0.0
    if arm.mean < q:
        arm.misfit = arm.entropy - arm.mean * math.log(q) - (1.0 - arm.mean) * math.log1p(-q)


ldp_imed_kernel = step_kernel(KEPT, select, update)


@dataclass(frozen=True)
class LDPIMED(Algorithm):
    r"""LDP-IMED: the arm whose reports say least against its being the best, for as often as it was played.

    A reward r is reported as 1 with probability P(r) = q + (p - q) r, p = e^epsilon / (1 + e^epsilon), q = 1 - p. With
    n_a reports of arm a, of mean m_a, and P* = max over arms of m_a moved to [q, p], it plays each arm once, and then
    the arm with the smallest

        n_a (kl(m_a, P*) - min over v in [0, 1] of kl(m_a, P(v))) + ln n_a,

    in which the bracket counts as 0 for an arm that attains P*. It is the log-likelihood ratio of arm a's reports: the
    minimum is 0 unless m_a is outside [q, p], where no mean gives it.

    Parameters
    ----------
    arms : K >= 2.
    epsilon : budget of each report, in (0, 20].

    Guarantee
    ---------
    epsilon-local DP (pure), and so epsilon-DP, for reward streams in [0, 1] of any law of which one round is replaced,
    when all reports and actions are public. Each user releases one bit, once, by `OneBit`: for any two rewards its
    probabilities differ by a factor of at most e^epsilon. Which arm is asked for is a function of earlier reports, so
    that rounds compose in parallel, and everything else is post-processing. Ties within 1e-9 go to the lowest arm,
    whatever the reports.

    IMED attains the rate of the best policies on Bernoulli reports whose means may be anything (Honda and Takemura
    2015). For means that are known to lie in [q, p], as here, no bound is proved; what was measured is in
    docs/evidence/local-privacy.md.

    Source
    ------
    This project (docs/local-privacy.md); IMED: Honda and Takemura 2015; the report: Duchi, Jordan and Wainwright 2018.

    Examples
    --------
    >>> policy = LDPIMED(arms=2, epsilon=1.0).build(np.random.default_rng(0))
    >>> for _ in range(200):
    ...     policy.update(arm := policy.select(), float(arm == 1))
    >>> policy.pulls[1] > policy.pulls[0]
    True

    """

    arms: int = arms_parameter()
    epsilon: float = local_epsilon_parameter()

    id: ClassVar[str] = "ldp-imed"
    source: ClassVar[str] = "this project, after Honda and Takemura 2015"
    local: ClassVar[bool] = True
    simulation_engine: ClassVar[str] = "step"
    audit_setting: ClassVar[AuditSetting | None] = AuditSetting(runs=40_000, horizon=4)
    kernel = staticmethod(ldp_imed_kernel)

    def build(self, rng: np.random.Generator, *, noise: np.random.Generator | None = None) -> LDPIMEDPolicy:
        return LDPIMEDPolicy(self.arms, self.epsilon, noise or rng)

    def kernel_parameters(self) -> Array:
        return np.array([least_chance(self.epsilon), contrast(self.epsilon)])


class LDPIMEDPolicy(LDPUCBPolicy):
    """The reference of LDP-IMED."""

    def __init__(self, arms: int, epsilon: float, noise: np.random.Generator) -> None:
        super().__init__(arms, epsilon, noise)
        self.q = least_chance(epsilon)

    def select(self) -> int:
        """Return the first arm never played, else the arm with the smallest index."""
        if 0 in self.pulls:
            return self.pulls.index(0)
        indices = [self.index(arm) for arm in range(self.arms)]
        return next(arm for arm, index in enumerate(indices) if index < min(indices) + TIE)

    def likeliest(self, arm: int) -> float:
        """Return the chance of a report 1 at which the likelihood of the arm's reports is largest."""
        return min(max(self.sums[arm] / self.pulls[arm], self.q), 1.0 - self.q)

    def index(self, arm: int) -> float:
        """Return n_a (kl(m_a, P*) - min_v kl(m_a, P(v))) + ln n_a."""
        n, mean = self.pulls[arm], self.sums[arm] / self.pulls[arm]
        highest = max(self.likeliest(other) for other in range(self.arms))
        return n * (bernoulli_kl(mean, highest) - bernoulli_kl(mean, self.likeliest(arm))) + math.log(n)
