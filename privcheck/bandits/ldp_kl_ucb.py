"""LDP-KL-UCB, an algorithm of this project: KL-UCB on one-bit reports, by their exact likelihood."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from privcheck.arrays import Array
from privcheck.bandits.audit_setting import AuditSetting
from privcheck.bandits.base import Algorithm, arms_parameter
from privcheck.bandits.batch_likelihood import kl
from privcheck.bandits.kl_index import kl_index_by_bisection, kl_index_with_entropy, negative_entropy
from privcheck.bandits.ldp_ucb import LDPUCBPolicy
from privcheck.bandits.local_reports import contrast, least_chance, local_epsilon_parameter, report
from privcheck.kernels import Generator, inlined, step_kernel

KEPT = [
    ("sum", np.float64),
    ("pulls", np.int64),
    ("mean", np.float64),
    ("entropy", np.float64),
    ("floor", np.float64),
    ("misfit", np.float64),
]


@inlined
def select(arms: Any, parameters: Array, coins: Generator, t: int, last: int) -> int:
    """Return the arm with the largest index; of equal ones that with the fewest reports, and then the lowest.

    As in `kl_ucb.py`, another arm's index is computed only if its kl at the largest index so far shows that it may be
    as large. No index exceeds the chance p of a report 1 for the reward 1.
    """
    log_round, most = math.log(t), parameters[2]
    arm = arms[last]
    best, highest = last, most
    if arm.floor < most:
        highest = min(kl_index_with_entropy(arm.mean, arm.entropy, arm.misfit + log_round / arm.pulls), most)
    log_head = math.log(-math.expm1(-highest))
    for a in range(len(arms)):
        if a == last:
            continue
        arm = arms[a]
        index = most
        if arm.floor < most:
            level = arm.misfit + log_round / arm.pulls
            if arm.floor < highest:
                left = arm.mean * log_head if arm.mean > 0.0 else 0.0
                if arm.entropy - left + (1.0 - arm.mean) * highest - level > 1e-9 * level:
                    continue
            index = min(kl_index_with_entropy(arm.mean, arm.entropy, level), most)
        fewer = arm.pulls < arms[best].pulls or (arm.pulls == arms[best].pulls and a < best)
        if index > highest or (index == highest and fewer):
            best, highest = a, index
            log_head = math.log(-math.expm1(-highest))
    return best


@inlined
def update(arm: Any, parameters: Array, coins: Generator, noise: Generator, reward: float) -> None:
    """Add the report, and compute what only a report changes; `parameters`: q, p - q, -ln(1 - p)."""
    q = parameters[0]
    arm.sum += report(reward, q, parameters[1], noise.random())
    arm.pulls += 1
    arm.mean = arm.sum / arm.pulls
    arm.entropy, arm.floor = negative_entropy(arm.mean), -math.log1p(-arm.mean)
    arm.misfit = kl(arm.mean, q) if arm.mean < q else 0.0


ldp_kl_ucb_kernel = step_kernel(KEPT, select, update)


@dataclass(frozen=True)
class LDPKLUCB(Algorithm):
    r"""LDP-KL-UCB: the largest mean in [0, 1] that the likelihood of one-bit reports allows.

    A reward r is reported as 1 with probability P(r) = q + (p - q) r, p = e^epsilon / (1 + e^epsilon), q = 1 - p. With
    n_a reports of arm a, of mean m_a, after t rounds, the index is

        max{mu in [0, 1] : n_a (kl(m_a, P(mu)) - min over v in [0, 1] of kl(m_a, P(v))) <= ln t}.

    The bracket is the log-likelihood ratio: the minimum is 0 unless m_a is outside [q, p], where no mean gives it.

    Parameters
    ----------
    arms : K >= 2.
    epsilon : budget of each report, in (0, 20].

    Guarantee
    ---------
    epsilon-local DP (pure), and so epsilon-DP, for reward streams in [0, 1] of any law of which one round is replaced,
    when all reports and actions are public. Each user releases one bit, once, by `OneBit`: for any two rewards its
    probabilities differ by a factor of at most e^epsilon. Which arm is asked for is a function of earlier reports, so
    that rounds compose in parallel, and everything else is post-processing. Of equal indices, such as those of arms
    that may still have mean 1, that of the arm with the fewest reports wins, and then that of the lowest arm.

    Its regret is at most ln T times the sum of Delta_a / kl(P(mu_a), P(mu*)), up to lower orders, and for Bernoulli
    rewards no locally private policy has a smaller rate: `local-privacy/rate` and `local-privacy/rate-attained`.

    Source
    ------
    This project (docs/local-privacy.md); KL-UCB: Garivier and Cappe 2011; the report: Duchi, Jordan and Wainwright
    2018.

    Examples
    --------
    >>> policy = LDPKLUCB(arms=2, epsilon=1.0).build(np.random.default_rng(0))
    >>> for _ in range(200):
    ...     policy.update(arm := policy.select(), float(arm == 1))
    >>> policy.pulls[1] > policy.pulls[0]
    True

    """

    arms: int = arms_parameter()
    epsilon: float = local_epsilon_parameter()

    id: ClassVar[str] = "ldp-kl-ucb"
    source: ClassVar[str] = "this project, after Garivier and Cappe 2011"
    local: ClassVar[bool] = True
    simulation_engine: ClassVar[str] = "step"
    audit_setting: ClassVar[AuditSetting | None] = AuditSetting(runs=40_000, horizon=4)
    kernel = staticmethod(ldp_kl_ucb_kernel)

    def build(self, rng: np.random.Generator, *, noise: np.random.Generator | None = None) -> LDPKLUCBPolicy:
        return LDPKLUCBPolicy(self.arms, self.epsilon, noise or rng)

    def kernel_parameters(self) -> Array:
        q = least_chance(self.epsilon)
        return np.array([q, contrast(self.epsilon), -math.log(q)])


class LDPKLUCBPolicy(LDPUCBPolicy):
    """The reference of LDP-KL-UCB."""

    def __init__(self, arms: int, epsilon: float, noise: np.random.Generator) -> None:
        super().__init__(arms, epsilon, noise)
        self.q = least_chance(epsilon)

    def select(self) -> int:
        """Return the first arm never played, else the arm with the largest index, and of these the fewest reports."""
        if 0 in self.pulls:
            return self.pulls.index(0)
        return max(range(self.arms), key=lambda arm: (self.index(arm), -self.pulls[arm], -arm))

    def index(self, arm: int) -> float:
        """Return the chance P(mu) of a report 1 under the largest plausible mean mu, as -ln(1 - P(mu))."""
        n, largest = self.pulls[arm], -math.log(self.q)
        mean = self.sums[arm] / n
        if mean >= 1.0 - self.q:
            return largest
        misfit = float(kl(mean, self.q)) if mean < self.q else 0.0
        return min(kl_index_by_bisection(mean, misfit + math.log(self.rounds) / n), largest)
