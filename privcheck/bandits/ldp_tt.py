"""LDP-TT, an algorithm of this project: Top Two on the exact likelihood of one-bit reports."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from privcheck.arrays import Actions, Array, Integers
from privcheck.bandits.audit_setting import AuditSetting
from privcheck.bandits.base import arms_parameter
from privcheck.bandits.best_arm import BestArmAlgorithm, delta_parameter, record_end, record_symbols
from privcheck.bandits.geometric_batches import next_total, ratio_parameter
from privcheck.bandits.grid_top_two import leader_of, next_arm, record_stops
from privcheck.bandits.local_reports import (
    contrast,
    least_chance,
    local_epsilon_parameter,
    report_sum,
    reported,
    reporter,
)
from privcheck.bandits.report_likelihood import common_mean, likeliest_chance, log_likelihood, log_mixture
from privcheck.bandits.top_two_batches import TopTwoBatchesPolicy
from privcheck.kernels import compiled
from privcheck.private_values import told_arm, told_reward

MEANS = 20_000
"""The number of intervals of Simpson's rule in the reference."""


@compiled
def ldp_tt_kernel(
    parameters: Array,
    table: Array,
    means: Array,
    rewards: np.random.Generator,
    coins: np.random.Generator,
    noise: np.random.Generator,
    horizon: int,
    runs: int,
    actions: Actions,
    deltas: Array,
    stops: Integers,
) -> None:
    """Run LDP-TT; `parameters`: q, p - q, ratio."""
    q, spread, ratio = parameters[0], parameters[1], parameters[2]
    arms = means.shape[0]
    ones, mixture, top = np.zeros(arms), np.zeros(arms), np.zeros(arms)
    estimate, null = np.zeros(arms), np.zeros(arms)
    pulls, levels = np.zeros(arms, np.int64), np.log((arms - 1) / deltas)
    for run in range(runs):
        ones[:] = 0.0
        pulls[:] = 0
        stops[run, :, 0], stops[run, :, 1] = 0, -1
        t, left, arm = 0, deltas.shape[0], 0
        while t < horizon and left > 0:
            planned = next_total(pulls[arm], ratio)
            length = planned - pulls[arm]
            stop = min(t + length, horizon)
            total = report_sum(table, means, rewards, noise, q, spread, arm, t, stop)
            record_symbols(actions, run, arm, t, stop)
            whole, t = stop - t == length, stop
            if not whole:
                break
            ones[arm] += total
            pulls[arm] = planned
            mixture[arm] = log_mixture(ones[arm], planned, q, spread)
            estimate[arm] = likeliest_chance(ones[arm], planned, q)
            top[arm] = log_likelihood(ones[arm], planned, estimate[arm])
            if pulls[arms - 1] == 0:
                arm += 1
                continue
            leader, evidence = leader_of(estimate), math.inf
            for a in range(arms):
                if a != leader:
                    null[a] = common_mean(ones, pulls, leader, a, q)
                    evidence = min(evidence, mixture[leader] + mixture[a] - null[a])
            left = record_stops(stops[run], levels, evidence, t, leader)
            arm = next_arm(estimate, top, null, pulls, leader, t, math.inf)
        record_end(actions, run, arms, stops, t, horizon)


@dataclass(frozen=True)
class LDPTT(BestArmAlgorithm):
    r"""LDP-TT: best-arm identification by the exact likelihood of one-bit reports.

    A reward r is reported as 1 with probability P(r) = q + (p - q) r, p = e^epsilon / (1 + e^epsilon), q = 1 - p. Let
    arm a have n_a reports of which s_a are 1, and L_a(m) = s_a ln P(m) + (n_a - s_a) ln(1 - P(m)),

        mix_a = ln of the mean of e^L_a(m) over m uniform in [0, 1],    mu_a = argmax L_a,    B = argmax mu_a,
        null_a = sup over m <= v of L_B(m) + L_a(v).

    It stops and recommends B once mix_B + mix_a - null_a >= ln((K - 1) / delta) for all a != B. Otherwise the next arm
    is the one with the fewest reports, if these are fewer than max(sqrt(t / K), t / (10 K)) (forced exploration); B, if
    sum_a kl(P(mu_B), u_a) / kl(P(mu_a), u_a) > 1 with u_a = argmin_u n_B kl(P(mu_B), u) + n_a kl(P(mu_a), u) (which
    balances leader and challengers); else the challenger argmin_a max L_B + max L_a - null_a + ln n_a. It is played
    until it has ceil(ratio n_a) reports, at least one more.

    Parameters
    ----------
    arms : K >= 2.
    epsilon : budget of each report, in (0, 20].
    delta : the largest probability of recommending an arm that is not the best, in [1e-9, 0.5).
    ratio : ratio of an arm's successive numbers of reports, in (1, 64]. It costs no privacy; a larger one saves time.

    Guarantee
    ---------
    epsilon-local DP (pure), and so epsilon-DP, for reward streams in [0, 1] of any law of which one round is replaced,
    when all reports, the actions, the stopping time and the recommendation are public. Each user releases one bit,
    once, by `OneBit`: for any two rewards its probabilities differ by a factor of at most e^epsilon. Which arm is asked
    for, and when it stops, are functions of earlier reports, so that rounds compose in parallel, and everything else is
    post-processing. Ties within 1e-9 go to the lowest arm.

    delta-correct for independent rewards in [0, 1] of any law, with constant means: a wrong arm is recommended with
    probability at most delta. Proof. The reports of arm a are independent Bernoulli(P(mean of a)), whatever the law of
    its rewards: the mechanism's chances are affine in the reward. Which arm is asked next is a function of the past. So
    e^mix_a divided by the likelihood of arm a's reports at its true mean is a non-negative martingale M_a of mean 1, a
    mixture of likelihood ratios, and so is M_B M_b for two arms. Let b be a best arm. If B is wrong when the policy
    stops, the true means of B and b are among the m <= v of null_b, hence M_B M_b >= (K - 1) / delta, which has
    probability at most delta / (K - 1) (Ville 1939). Add this up over B. The mixture is computed to 1e-9 of its value.
    If several arms are best, it stops at all with probability at most K delta / (K - 1), by the same sum over all B.

    Source
    ------
    This project (docs/local-privacy.md); Top Two: Russo 2016; mixtures: Robbins 1970; the report: Duchi, Jordan and
    Wainwright 2018.

    Examples
    --------
    >>> policy = LDPTT(arms=2, epsilon=1.0).build(np.random.default_rng(0))
    >>> while not policy.stopped:
    ...     policy.update(arm := policy.select(), float(arm == 1))
    >>> policy.recommend()
    1

    """

    arms: int = arms_parameter()
    epsilon: float = local_epsilon_parameter()
    delta: float = delta_parameter()
    ratio: float = ratio_parameter(1.02)

    id: ClassVar[str] = "ldp-tt"
    source: ClassVar[str] = "this project, after Russo 2016"
    local: ClassVar[bool] = True
    audit_setting: ClassVar[AuditSetting | None] = AuditSetting(runs=40_000, horizon=6)
    kernel = staticmethod(ldp_tt_kernel)

    def build(self, rng: np.random.Generator, *, noise: np.random.Generator | None = None) -> LDPTTPolicy:
        return LDPTTPolicy(self.arms, self.epsilon, self.delta, self.ratio, noise or rng)

    def warm_up(self) -> int:
        """Return the number of rounds in which each arm is played once."""
        return self.arms

    def kernel_parameters(self) -> Array:
        return np.array([least_chance(self.epsilon), contrast(self.epsilon), self.ratio])


class LDPTTPolicy(TopTwoBatchesPolicy):
    """The reference of LDP-TT, with Simpson's rule for the mixture.

    Guarantee
    ---------
    epsilon-local DP: each reward is reported once, and everything else is a function of reports.
    """

    def __init__(self, arms: int, epsilon: float, delta: float, ratio: float, noise: np.random.Generator) -> None:
        level = math.log((arms - 1) / delta)
        super().__init__(arms, None, ratio, noise, None, 1, level=level)
        self.reporter, self.q, self.ones = reporter(epsilon), least_chance(epsilon), [0.0] * arms
        self.mixture = np.zeros(arms)
        chances = np.linspace(self.q, 1.0 - self.q, MEANS + 1)
        self.logs = np.log(chances), np.log1p(-chances)
        weights = np.full(MEANS + 1, 2.0)
        weights[1::2], weights[[0, -1]] = 4.0, 1.0
        self.log_weights = np.log(weights / (3.0 * MEANS))

    def update(self, action: int, reward: float) -> None:
        """Release the report of the reward, and count it; once stopped, nothing is released."""
        action, reward = told_arm(action, self.arms), told_reward(reward)
        if not self.stopped:
            super().update(action, float(reported(self.reporter, reward, self.noise)))

    def publish(self, batch_sum: float) -> float:
        """Return the sum of the reports, which are public."""
        return batch_sum

    def take_in(self, arm: int, length: int, private_sum: float) -> None:
        """Add the reports, and compute the mixture."""
        self.ones[arm] += private_sum
        heads, tails = self.logs
        values = self.ones[arm] * heads + (self.pulls[arm] - self.ones[arm]) * tails
        self.mixture[arm] = np.logaddexp.reduce(values + self.log_weights)

    def estimate(self, arm: int) -> float:
        """Return the chance of a report 1 at which the likelihood is largest."""
        return min(max(self.ones[arm] / self.pulls[arm], self.q), 1.0 - self.q)

    def log_likelihood(self, arm: int, chance: float) -> float:
        """Return L at the mean with this chance of a report 1."""
        ones, n = self.ones[arm], self.pulls[arm]
        return ones * math.log(chance) + (n - ones) * math.log1p(-chance)

    def top(self, arm: int) -> float:
        """Return max L."""
        return self.log_likelihood(arm, self.estimate(arm))

    def null(self, leader: int, arm: int) -> float:
        """Return the largest likelihood of both arms' reports at one mean, or at means in the other order."""
        one, other = self.estimate(leader), self.estimate(arm)
        if one > other:
            pooled = (self.ones[leader] + self.ones[arm]) / (self.pulls[leader] + self.pulls[arm])
            one = other = min(max(pooled, self.q), 1.0 - self.q)
        return self.log_likelihood(leader, one) + self.log_likelihood(arm, other)

    def evidence(self, leader: int, arm: int, null: float) -> float:
        """Return mix_B + mix_a - null_a."""
        return float(self.mixture[leader] + self.mixture[arm] - null)
