"""DP-Exact-TT, an algorithm of this project: Top Two on the exact likelihood of the released sums."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from privcheck.arrays import Array
from privcheck.bandits.audit_setting import AuditSetting
from privcheck.bandits.base import arms_parameter, epsilon_parameter
from privcheck.bandits.best_arm import BestArmAlgorithm, delta_parameter
from privcheck.bandits.geometric_batches import ratio_parameter
from privcheck.bandits.glr_imed import first_batch
from privcheck.bandits.grid_top_two import GridTopTwoPolicy, top_two_kernel
from privcheck.bandits.reward_coins import rewards_parameter
from privcheck.declared import Real, parameter


@dataclass(frozen=True)
class DPExactTT(BestArmAlgorithm):
    r"""DP-Exact-TT: best-arm identification by geometric batches and the exact likelihood of their noisy sums.

    The first batch of an arm has ceil(first / epsilon) rewards, lowest arm first; every further one brings its total to
    ceil(ratio n), or further: see below. When a batch closes, its sum is released with Laplace(1 / epsilon) noise.
    L_a(q) is the log-likelihood of arm a's releases if its rewards are Bernoulli(q): the law of a Binomial plus Laplace
    noise, without approximation (`privcheck.kernels._noisy_binomial`); F_a(q) is that of its first batch alone. On a
    grid of means (`privcheck.bandits.mean_grid`) let mu_a be where the parabola through the largest L_a and its two
    neighbours, in arcsin(sqrt(q)), is largest, B = argmax mu_a, and for a != B

        null_a  = sup over q <= r of L_B(q) + L_a(r), bounded from above,
        later_a = sup over q <= r of (L_B - F_B)(q) + (L_a - F_a)(r), bounded from above,
        mass_a  = sum over q > r of e^(L_B(q) + L_a(r)),    mean_a = mass_a / (number of pairs q > r),
        start_a = sum over q > r of e^(F_B(q) + F_a(r)).

    It stops and recommends B once mean_a e^-null_a + (mass_a / start_a) e^-later_a >= 2 (K - 1) / delta for all a != B:
    all releases, with pairs of means drawn uniformly, or the later ones, with pairs drawn by what the first ones say
    (`privcheck.bandits.pair_evidence`). Otherwise the next batch goes to an arm with n_a < max(sqrt(t / K),
    t / (10 K)), if there is one (forced exploration); to B, if sum_a d(mu_B, u_a) / d(mu_a, u_a) > 1 with u_a =
    argmin_u n_B d(mu_B, u) + n_a d(mu_a, u) and d = d_epsilon (which balances leader and challengers); else to the
    challenger argmin_a max L_B + max L_a - null_a + ln n_a.

    While noise dominates, the noise of every batch hides about one nat, so fewer and longer batches are better. Let l =
    ceil(ratio n) - n be the usual length of the next one, w = 8 / (8 + l epsilon^2) the share of the noise in the
    variance of its sum if the mean is 1/2, c the next arm, or the challenger if that is B, and v = worth + ln(K - 1).
    The batch has w v / min_u (d(mu_B, u) + d(mu_c, u)) rewards, so that it and as many rewards of the other arm are
    expected to bring w v nats; but at most 2 w n, and never fewer than l.

    Parameters
    ----------
    arms : K >= 2.
    epsilon : privacy budget, > 0.
    delta : the largest probability of recommending an arm that is not the best, in [1e-9, 0.5).
    ratio : ratio of successive pull counts of an arm, in [1.05, 64].
    first : epsilon times the length of an arm's first batch, in (0, 100].
    worth : the nats expected of a batch with as many rewards of the other arm, if K = 2 and noise dominates, in
        (0, 100].
    rewards : "plain", or "coin" for one Bernoulli coin per reward: delta is proved for rewards in {0, 1} only.

    Guarantee
    ---------
    epsilon-DP (pure) for reward streams in [0, 1] of any law that differ in one round, when the actions, the stopping
    time and the recommendation are released. Each reward enters one sum, of sensitivity 1, that is released once; see
    `BatchesPolicy`. Which arm is next, how long its batch is, and whether the policy stops, is decided only when a
    batch closes, as a function of released sums, so everything is post-processing. Ties within 1e-9 go to the lowest
    arm, whatever the data.

    delta-correct for independent Bernoulli rewards (or coins) of constant means, whatever they are: a wrong arm is
    recommended with probability at most delta. Proof. Given the past, a release of arm a has the density f at its true
    mean, and which arm is played next and for how long are functions of the past. So for fixed arms B and b, the
    densities of their releases at means q and r divided by those at their true means are a non-negative martingale of
    mean 1, and so is the average of this over pairs q > r (mean_b, divided by the densities at the true means). The
    same holds from the first batches on for the later releases and an average whose weights the first batches decide
    (mass_b / start_b), and for the average M of the two martingales. Let b be a best arm. If B is wrong when the policy
    stops, the true means are among the q <= r of null_b and later_b, hence M >= (K - 1) / delta, which has probability
    at most delta / (K - 1) (Ville 1939). Add this up over B. The numerical steps are in `privcheck.bandits.mean_grid`;
    dropping points takes less than 1e-12 from delta.
    If several arms are best, it stops at all with probability at most K delta / (K - 1), by the same sum over all B.
    Means closer than about 0.003 may be told apart late or never, because of the grid's spacing; gaps above 0.0032 do
    not suffer from it (`privcheck.bandits.mean_grid`).

    Source
    ------
    This project (docs/identification.md); Top Two and batches: Jourdan and Azize 2025; mixtures: Robbins 1970.

    Examples
    --------
    >>> DPExactTT(arms=2, epsilon=0.3).first_batch
    34
    >>> policy = DPExactTT(arms=2, epsilon=1.0).build(np.random.default_rng(0))
    >>> while not policy.stopped:
    ...     policy.update(arm := policy.select(), float(arm == 1))
    >>> policy.recommend()
    1

    """

    arms: int = arms_parameter()
    epsilon: float = epsilon_parameter()
    delta: float = delta_parameter()
    ratio: float = ratio_parameter(1.5, least=1.05)
    first: float = parameter(
        Real(0.0, 100.0, low_open=True), typical=(0.1, 10.0), default=10.0, doc="epsilon times an arm's first batch"
    )
    worth: float = parameter(
        Real(0.0, 100.0, low_open=True),
        typical=(0.1, 10.0),
        default=4.5,
        doc="nats expected of a batch while noise dominates",
    )
    rewards: str = rewards_parameter()

    id: ClassVar[str] = "dp-exact-tt"
    source: ClassVar[str] = "this project, after Jourdan and Azize 2025"
    audit_setting: ClassVar[AuditSetting | None] = AuditSetting(runs=10_000, horizon=32)
    kernel = staticmethod(top_two_kernel)

    @property
    def first_batch(self) -> int:
        """Return the number of rewards in an arm's first batch."""
        return first_batch(self.first, 1.0 / self.epsilon)

    @property
    def nats(self) -> float:
        """Return worth + ln(K - 1), as the threshold grows by ln(K - 1)."""
        return self.worth + math.log(self.arms - 1)

    def build(self, rng: np.random.Generator, *, noise: np.random.Generator | None = None) -> GridTopTwoPolicy:
        coins = rng if self.rewards == "coin" else None
        return GridTopTwoPolicy(
            self.arms, self.epsilon, self.delta, self.ratio, noise or rng, coins, self.first_batch, self.nats
        )

    def warm_up(self) -> int:
        """Return the number of rounds of all first batches together."""
        return self.arms * self.first_batch

    def kernel_parameters(self) -> Array:
        coins = self.rewards == "coin"
        return np.array([self.epsilon, self.ratio, self.first_batch, coins, self.nats], np.float64)
