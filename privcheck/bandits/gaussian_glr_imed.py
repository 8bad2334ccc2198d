"""Gaussian-GLR-IMED, an algorithm of this project: DP-GLR-IMED with Gaussian noise, under zCDP or Gaussian DP."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from privcheck.arrays import Array
from privcheck.bandits.audit_setting import AuditSetting
from privcheck.bandits.base import Algorithm, arms_parameter, rho_parameter
from privcheck.bandits.gaussian_likelihood import EXTREME
from privcheck.bandits.geometric_batches import ratio_parameter
from privcheck.bandits.glr_imed import GLRIMEDPolicy, first_batch, glr_imed_kernel, second_total
from privcheck.bandits.reward_coins import rewards_parameter
from privcheck.declared import Real, parameter
from privcheck.mechanisms import Gaussian


@dataclass(frozen=True)
class GaussianGLRIMED(Algorithm):
    r"""Gaussian-GLR-IMED: geometric batches, and the IMED index of the likelihood of all sums with Gaussian noise.

    Let Y_j be the released sums of arm a's closed batches, l_j their lengths and n_a the sum of these, and let

        D_a(q) = sum_j min_z l_j kl(z, q) + rho (l_j z - Y_j)^2,    mu_a = argmin D_a,    mu* = max_b mu_b.

    First the arms take turns until each has ceil(first sigma) rewards, its first batch; sigma = 1 / sqrt(2 rho) is the
    standard deviation of the noise. From then on it plays the arm with the smallest D_a(mu*) - D_a(mu_a) + ln n_a until
    that arm has been pulled ceil(ratio n_a) times, or ceil(second sigma) times if that is more. D_a is the negative
    profile log-likelihood of the arm's mean (see `privcheck.bandits.gaussian_likelihood`).

    Parameters
    ----------
    arms : K >= 2.
    rho : privacy budget, > 0.
    ratio : ratio of successive pull counts of an arm, in [1.05, 64].
    first : the length of an arm's first batch in standard deviations of the noise, in (0, 100].
    second : an arm's pulls after its second batch, at least, in standard deviations of the noise, in (0, 100].
    rewards : "plain", or "coin" for one Bernoulli coin per reward: the likelihood is that of {0, 1} rewards.

    Guarantee
    ---------
    rho-zCDP, hence sqrt(2 rho)-Gaussian DP, for reward streams in [0, 1] of any law that differ in one round, when the
    actions are released; also for tables that are chosen adaptively. A reward enters one sum, of sensitivity 1, which
    is released once with noise of variance 1 / (2 rho). On every course of actions and releases exactly one conditional
    law differs, by a Renyi divergence of at most alpha rho at each order alpha: adaptive parallel composition, see
    `BatchesPolicy`. Everything else is post-processing of the released sums. Among indices within 1e-9 the lowest arm
    wins, whatever the data.

    Source
    ------
    This project (docs/evidence/bandits.md); IMED: Honda and Takemura 2015; zCDP: Bun and Steinke 2016.

    Examples
    --------
    >>> spec = GaussianGLRIMED(arms=2, rho=0.005)
    >>> spec.first_batch, spec.second_total
    (10, 40)
    >>> policy = GaussianGLRIMED(arms=2, rho=0.5).build(np.random.default_rng(0))
    >>> policy.select()
    0

    """

    arms: int = arms_parameter()
    rho: float = rho_parameter()
    ratio: float = ratio_parameter(1.5, least=1.05)
    first: float = parameter(
        Real(0.0, 100.0, low_open=True), typical=(0.1, 10.0), default=1.0, doc="an arm's first batch / sigma"
    )
    second: float = parameter(
        Real(0.0, 100.0, low_open=True), typical=(0.1, 20.0), default=4.0, doc="an arm's first two batches / sigma"
    )
    rewards: str = rewards_parameter()

    id: ClassVar[str] = "gaussian-glr-imed"
    source: ClassVar[str] = "this project, after Honda and Takemura 2015"
    simulation_engine: ClassVar[str] = "event"
    epsilon: ClassVar[None] = None  # type: ignore[misc]  # its budget is in rho
    audit_setting: ClassVar[AuditSetting | None] = AuditSetting(runs=100_000, horizon=8, epsilon=None)
    kernel = staticmethod(glr_imed_kernel)

    @property
    def mechanism(self) -> Gaussian:
        """The mechanism that releases each sum."""
        return Gaussian(sensitivity=1.0, mu=math.sqrt(2.0 * self.rho))

    @property
    def first_batch(self) -> int:
        """Return the number of rewards in an arm's first batch."""
        return first_batch(self.first, 1.0 / math.sqrt(2.0 * self.rho))

    @property
    def second_total(self) -> int:
        """Return the least number of rewards in an arm's first two batches together."""
        return second_total(self.second, 1.0 / math.sqrt(2.0 * self.rho))

    def build(self, rng: np.random.Generator, *, noise: np.random.Generator | None = None) -> GaussianGLRIMEDPolicy:
        coins = rng if self.rewards == "coin" else None
        return GaussianGLRIMEDPolicy(
            self.arms, self.mechanism, self.ratio, noise or rng, coins, self.first_batch, self.second_total
        )

    def warm_up(self) -> int:
        """Return the number of rounds of all first batches together."""
        return self.arms * self.first_batch

    def kernel_parameters(self) -> Array:
        scale = self.mechanism.scale  # the likelihood is that of the noise that is drawn
        totals = (self.ratio, self.first_batch, self.second_total)
        return np.array([scale, 0.5 / scale**2, *totals, self.rewards == "coin", True], np.float64)


class GaussianGLRIMEDPolicy(GLRIMEDPolicy):
    """The reference of Gaussian-GLR-IMED; `released` has the sums."""

    def shown(self, length: int, private_sum: float) -> float:
        """Return the sum as it was released."""
        return private_sum

    @property
    def drawn(self) -> float:
        """The rho of the noise that is drawn, smaller than the budget's by a factor 1 + 8e-9."""
        assert self.mechanism is not None
        return 0.5 / self.mechanism.scale**2

    def hidden_means(self, arm: int, q: float) -> list[float]:
        """Return the z_j at which D_a(q) is attained, by bisection for their logits."""
        rho, logit = self.drawn, math.log(q / (1.0 - q))
        found = []
        for total, length in zip(self.released[arm], self.lengths[arm], strict=True):
            pull, stiffness = logit + 2.0 * rho * total, 2.0 * rho * length
            low, high = pull - stiffness, pull
            for _ in range(200):
                x = 0.5 * (low + high)
                if not low < x < high:
                    break
                low, high = (low, x) if x + stiffness * _mean(x) > pull else (x, high)
            found.append(_mean(0.5 * (low + high)))
        return found

    def deviance(self, arm: int, q: float) -> float:
        """Return D_a(q), at the nearest mean whose logit is finite."""
        from privcheck.bounds import kl_bernoulli

        q = min(max(q, EXTREME), 1.0 - EXTREME)
        terms = zip(self.hidden_means(arm, q), self.released[arm], self.lengths[arm], strict=True)
        return math.fsum(n * float(kl_bernoulli(z, q)) + self.drawn * (n * z - total) ** 2 for z, total, n in terms)

    def estimate(self, arm: int) -> float:
        """Return argmin D_a, by bisection on the sign of its derivative, which is that of sum_j l_j (q - z_j)."""
        ends = [total / n for total, n in zip(self.released[arm], self.lengths[arm], strict=True)]
        low, high = (min(max(end, EXTREME), 1.0 - EXTREME) for end in (min(ends), max(ends)))
        for _ in range(100):
            q = 0.5 * (low + high)
            if not low < q < high:
                break
            means = zip(self.hidden_means(arm, q), self.lengths[arm], strict=True)
            low, high = (low, q) if math.fsum(n * (q - z) for z, n in means) > 0.0 else (q, high)
        return 0.5 * (low + high)


def _mean(logit: float) -> float:
    small = math.exp(-abs(logit))  # overflows for no logit
    return (1.0 if logit >= 0.0 else small) / (1.0 + small)
