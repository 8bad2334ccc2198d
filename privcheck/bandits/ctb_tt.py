"""CTB-TT: Top Two on one-bit reports of the rewards, best-arm identification under local privacy."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from privcheck.arrays import Actions, Array, Integers
from privcheck.bandits.audit_setting import AuditSetting
from privcheck.bandits.base import arms_parameter
from privcheck.bandits.batch_likelihood import kl
from privcheck.bandits.best_arm import BestArmAlgorithm, delta_parameter, record_end, record_symbols
from privcheck.bandits.imed import bernoulli_kl
from privcheck.bandits.local_reports import (
    contrast,
    least_chance,
    local_epsilon_parameter,
    report,
    reported,
    reporter,
)
from privcheck.declared import Choice, parameter
from privcheck.kernels import compiled, reward_sum
from privcheck.private_values import told_arm, told_reward

THRESHOLDS = ("proven", "experimental")


@compiled
def transport(ones: float, n: float, others: float, m: float) -> float:
    """Return min_u n kl(s / n, u) + m kl(r / m, u) for s and r ones of n and m reports; 0 unless s / n > r / m.

    It is attained at the mean of all reports.

    >>> round(transport(4.0, 4.0, 0.0, 4.0), 6) == round(8.0 * math.log(2.0), 6), transport(4.0, 9.0, 5.0, 9.0)
    (True, 0.0)
    """
    first, other = ones / n, others / m
    if first <= other:
        return 0.0
    pooled = (ones + others) / (n + m)
    return n * kl(first, pooled) + m * kl(other, pooled)


@compiled
def mixture_rate(x: float) -> float:
    """Return T(x) = 2 h((g(1 + x) + ln(pi^2 / 3)) / 2), g the inverse of u - ln u, and h(y) = g(y) e^(1 / g(y)).

    For y < 1 / ln(3/2) + ln ln(3/2), h(y) = (y - ln ln(3/2)) 3/2.

    >>> round(mixture_rate(5.0), 4), round(mixture_rate(0.5), 4)
    (15.1914, 8.0148)
    """
    y = 0.5 * (_inverse(1.0 + x) + math.log(math.pi**2 / 3.0))
    base = math.log(1.5)
    if y < 1.0 / base + math.log(base):
        return 3.0 * (y - math.log(base))
    root = _inverse(y)
    return 2.0 * root * math.exp(1.0 / root)


@compiled
def _inverse(y: float) -> float:
    """Return the u >= 1 with u - ln u = y, for y >= 1."""
    u = y + math.sqrt(2.0 * (y - 1.0)) + 1e-12
    for _ in range(60):
        step = (u - math.log(u) - y) / (1.0 - 1.0 / u)
        u -= step
        if abs(step) <= 1e-15 * u:
            break
    return max(u, 1.0)


@compiled
def most_successful(means: Array) -> int:
    """Return the arm with the largest mean, the lowest of equal ones.

    >>> most_successful(np.array([0.2, 0.7, 0.7]))
    1
    """
    best = 0
    for a in range(1, means.shape[0]):
        if means[a] > means[best]:
            best = a
    return best


@compiled
def least_excess(ones: Array, pulls: Integers, length: Array, best: int, t: int, proven: bool) -> float:
    """Return the least W(B, a) minus the part of its threshold that depends on the numbers of reports.

    `length` has 3 ln(1 + ln n_a).
    """
    common, evidence = math.log1p(math.log(t)), math.inf
    for a in range(ones.shape[0]):
        if a != best:
            cost = transport(ones[best], pulls[best], ones[a], pulls[a])
            evidence = min(evidence, cost - (length[best] + length[a] if proven else common))
    return evidence


@compiled
def optimistic_leader(means: Array, pulls: Integers, t: int) -> int:
    """Return the arm with the largest mean + sqrt(ln t / (2 n)), the lowest of equal ones.

    >>> optimistic_leader(np.array([0.5, 0.4]), np.array([99, 1]), 100)
    1
    """
    leader, highest, half = 0, -math.inf, 0.5 * math.log(t)
    for a in range(means.shape[0]):
        index = means[a] + math.sqrt(half / pulls[a])
        if index > highest:
            leader, highest = a, index
    return leader


@compiled
def nearest(ones: Array, pulls: Integers, leader: int) -> int:
    """Return the arm with the smallest W(L, a), the lowest of equal ones.

    >>> nearest(np.array([9.0, 1.0, 4.0]), np.array([10, 10, 10]), 0)
    2
    """
    challenger, lowest = -1, math.inf
    for a in range(ones.shape[0]):
        if a != leader:
            cost = transport(ones[leader], pulls[leader], ones[a], pulls[a])
            if cost < lowest:
                challenger, lowest = a, cost
    return challenger


@compiled
def ctb_tt_kernel(
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
    """Run CTB-TT; `parameters`: q, p - q, 1 for the proven threshold."""
    q, spread, proven = parameters[0], parameters[1], parameters[2] > 0.0
    arms = means.shape[0]
    ones, mean, pulls = np.zeros(arms), np.zeros(arms), np.zeros(arms, np.int64)
    length, fixed = np.zeros(arms), np.zeros(deltas.shape[0])
    for d in range(deltas.shape[0]):
        fixed[d] = 2.0 * mixture_rate(0.5 * math.log((arms - 1) / deltas[d])) if proven else -math.log(deltas[d])
    for run in range(runs):
        ones[:] = 0.0
        pulls[:] = 0
        stops[run, :, 0], stops[run, :, 1] = 0, -1
        t, left, arm = 0, deltas.shape[0], 0
        while t < horizon and left > 0:
            reward = reward_sum(table, means, rewards, arm, t, t + 1)
            ones[arm] += report(reward, q, spread, noise.random())
            record_symbols(actions, run, arm, t, t + 1)
            pulls[arm] += 1
            t += 1
            mean[arm] = ones[arm] / pulls[arm]
            length[arm] = 3.0 * math.log1p(math.log(pulls[arm]))
            if t < arms:
                arm = t
                continue
            best = most_successful(mean)
            evidence = least_excess(ones, pulls, length, best, t, proven)
            left = 0
            for d in range(deltas.shape[0]):
                if stops[run, d, 0] == 0 and evidence >= fixed[d]:
                    stops[run, d, 0], stops[run, d, 1] = t, best
                left += stops[run, d, 0] == 0
            if left == 0:
                break
            arm = optimistic_leader(mean, pulls, t)
            if coins.random() >= 0.5:
                arm = nearest(ones, pulls, arm)
        record_end(actions, run, arms, stops, t, horizon)


@dataclass(frozen=True)
class CTBTT(BestArmAlgorithm):
    r"""CTB-TT: Top Two on the means of one-bit reports ("convert to Bernoulli").

    A reward r is reported as 1 with probability q + (p - q) r, p = e^epsilon / (1 + e^epsilon), q = 1 - p. With n_a
    reports of arm a, of mean m_a, after t rounds, let W(a, b) = min_u n_a kl(m_a, u) + n_b kl(m_b, u) if m_a > m_b, and
    0 otherwise. Every arm is played once. The leader is L = argmax m_a + sqrt(ln t / (2 n_a)). Each round plays the
    leader with probability 1/2, otherwise its challenger argmin_a W(L, a). It stops and recommends B = argmax m_a once
    for all a != B

        proven:         W(B, a) >= 2 T(ln((K - 1) / delta) / 2) + 3 ln(1 + ln n_B) + 3 ln(1 + ln n_a),
        experimental:   W(B, a) >= ln((1 + ln t) / delta),

    where T(x) is about x + 4 ln(1 + x + sqrt(2 x)), see `mixture_rate`.

    Parameters
    ----------
    arms : K >= 2.
    epsilon : budget of each report, in (0, 20].
    delta : the largest probability of recommending an arm that is not the best, in [1e-9, 0.5).
    threshold : "proven", or "experimental", which is often played and not proved to be delta-correct.

    Guarantee
    ---------
    epsilon-local DP (pure), and so epsilon-DP, for reward streams in [0, 1] of any law of which one round is replaced,
    when all reports, the actions, the stopping time and the recommendation are public. Each user releases one bit,
    once, by `OneBit`: for any two rewards its probabilities differ by a factor of at most e^epsilon. Which arm is asked
    for, and when it stops, are functions of earlier reports and of coins, so that rounds compose in parallel, and
    everything else is post-processing. Equal means, indices and costs go to the lowest arm.

    delta-correct with the proven threshold, for independent rewards in [0, 1] of any law with constant means. Proof.
    Reports are Bernoulli. An arm's likelihood at m_a is at most 2 sqrt(n_a) times its mixture by the Beta(1/2, 1/2) law
    (Krichevsky and Trofimov 1981), so that n_B kl(m_B, true) + n_b kl(m_b, true), for a best arm b, exceeds
    ln((K - 1) / delta) + 2 ln 2 + ln(n_B n_b) / 2 with probability at most delta / (K - 1) (Ville 1939). If B is wrong,
    W(B, b) is at most this sum; and the threshold is larger, for all n up to 10^12. Add this up over B.

    Source
    ------
    Azize, Jourdan, Al Marjani and Basu 2024, CTB-TT: a reconstruction from the abstract (Top Two on means that are
    estimated by randomised response), as the text was not at hand. The leader's bonus and the coin are those of their
    AdaP-TT; the threshold is that of Kaufmann and Koolen 2021, Theorem 7. The proof above is this project's.

    Examples
    --------
    >>> policy = CTBTT(arms=2, epsilon=2.0).build(np.random.default_rng(0))
    >>> while not policy.stopped:
    ...     policy.update(arm := policy.select(), float(arm == 1))
    >>> policy.recommend()
    1

    """

    arms: int = arms_parameter()
    epsilon: float = local_epsilon_parameter()
    delta: float = delta_parameter()
    threshold: str = parameter(
        Choice(THRESHOLDS), typical=THRESHOLDS, default="proven",
        doc="the stopping threshold; the experimental one is not proved to be delta-correct",
    )  # fmt: skip

    id: ClassVar[str] = "ctb-tt"
    source: ClassVar[str] = "Azize, Jourdan, Al Marjani and Basu 2024; a reconstruction from the abstract"
    local: ClassVar[bool] = True
    tosses_coins: ClassVar[bool] = True
    simulation_engine: ClassVar[str] = "step"
    audit_setting: ClassVar[AuditSetting | None] = AuditSetting(runs=100_000, arms=3, horizon=6)
    kernel = staticmethod(ctb_tt_kernel)

    def build(self, rng: np.random.Generator, *, noise: np.random.Generator | None = None) -> CTBTTPolicy:
        return CTBTTPolicy(self.arms, self.epsilon, self.delta, noise or rng, rng, self.threshold == "proven")

    def warm_up(self) -> int:
        """Return the number of rounds in which each arm is played once."""
        return self.arms

    def kernel_parameters(self) -> Array:
        return np.array([least_chance(self.epsilon), contrast(self.epsilon), self.threshold == "proven"], np.float64)


class CTBTTPolicy:
    """The reference of CTB-TT."""

    def __init__(
        self,
        arms: int,
        epsilon: float,
        delta: float,
        noise: np.random.Generator,
        coins: np.random.Generator,
        proven: bool = True,
    ) -> None:
        self.arms, self.delta, self.noise, self.coins, self.proven = arms, delta, noise, coins, proven
        self.reporter = reporter(epsilon)
        self.ones, self.pulls = [0] * arms, [0] * arms
        self.stopped, self.recommended = False, 0
        self._arm = 0

    def select(self) -> int:
        """Return the leader or its challenger, by a coin; once stopped, the recommended arm."""
        return self._arm

    def update(self, action: int, reward: float) -> None:
        """Release the report of the reward, count it, test, and toss the next coin; once stopped, nothing is kept."""
        action, reward = told_arm(action, self.arms), told_reward(reward)
        if self.stopped:
            return
        self.ones[action] += reported(self.reporter, reward, self.noise)
        self.pulls[action] += 1
        if 0 in self.pulls:
            self._arm = self.pulls.index(0)
            return
        means = [s / n for s, n in zip(self.ones, self.pulls, strict=True)]
        best = means.index(max(means))
        if all(self.cost(best, a) >= self.level(best, a) for a in range(self.arms) if a != best):
            self.stopped, self.recommended, self._arm = True, best, best
            return
        half = 0.5 * math.log(sum(self.pulls))
        indices = [m + math.sqrt(half / n) for m, n in zip(means, self.pulls, strict=True)]
        leader = indices.index(max(indices))
        costs = [math.inf if a == leader else self.cost(leader, a) for a in range(self.arms)]
        self._arm = leader if self.coins.random() < 0.5 else costs.index(min(costs))

    def recommend(self) -> int:
        """Return the arm with the largest mean of reports at the time of stopping."""
        return self.recommended

    def cost(self, first: int, other: int) -> float:
        """Return W(first, other)."""
        (n, m), (s, r) = ((kept[first], kept[other]) for kept in (self.pulls, self.ones))
        if s / n <= r / m:
            return 0.0
        pooled = (s + r) / (n + m)
        return n * bernoulli_kl(s / n, pooled) + m * bernoulli_kl(r / m, pooled)

    def level(self, best: int, arm: int) -> float:
        """Return the threshold for W(best, arm)."""
        if not self.proven:
            return math.log((1.0 + math.log(sum(self.pulls))) / self.delta)
        fixed = 2.0 * float(mixture_rate(0.5 * math.log((self.arms - 1) / self.delta)))
        return fixed + sum(3.0 * math.log(1.0 + math.log(self.pulls[a])) for a in (best, arm))
