"""LinUCB on batches of geometric length, each released once: an algorithm of this project."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from privcheck.bandits.audit_setting import AuditSetting
from privcheck.bandits.geometric_batches import ratio_parameter
from privcheck.bandits.linear_kernel import GAUSSIAN_BATCHES, LinearSetup
from privcheck.bandits.linear_policy import BatchSums
from privcheck.bandits.linear_regularisers import NoiseBounds, tight_gaussian_bounds
from privcheck.bandits.private_linear_bandit import PrivateLinearBandit
from privcheck.declared import Integer, parameter
from privcheck.errors import PrivcheckError
from privcheck.mechanisms import SymmetricGaussian


@dataclass(frozen=True)
class LinUCBBatches(PrivateLinearBandit):
    r"""LinUCB on sums of (x, y)(x, y)' over batches of geometric length, with symmetric Gaussian noise.

    When a batch ends, its sum is released once, with Gram matrix and vector in one matrix, at the full budget. After k
    batches the sum of all releases has a d x d block G + N and a column u + h. With V = G + N + 3 U_k I and theta =
    V^-1 (u + h) it plays, until the next batch ends, the action x of the round's decision set with the largest theta' x
    + beta |x| in the norm of V^-1. With high probability 2 U_k I <= N + 3 U_k I <= 4 U_k I for all k, and

        beta = sigma sqrt(2 ln(2 / alpha) + ln det V - d ln(2 U_k)) + S sqrt(4 U_k) + gamma_k,    alpha = 1 / n.

    U_k = sqrt(k) U_1 and gamma_k = k^(1/4) gamma_1 bound the noise of k releases (`tight_gaussian_bounds`). The noise
    of one release does not depend on n, and a prefix sum has that of k = O(log n) releases. A prefix sum of a tree has
    that of up to log2 n nodes as well, each of log2 n times the variance.

    Parameters
    ----------
    arms : K >= 2, the number of actions in every decision set.
    features : d >= 1, the number of entries of an action.
    epsilon, delta : the budget, > 0.
    horizon : n, the largest number of rounds, at most 2^25; it enters alpha and the union over releases.
    noise : "calibrated", the least noise that is (epsilon, delta)-DP; no other is published.
    context_norm, reward_bound : L and B, the largest norm of an action and the largest absolute reward, > 0.
    sigma, theta_norm : sigma of the sub-Gaussian noise of the rewards, and S, the largest norm of theta*, > 0.
    outside : "clip" (default) scales rows (x, y) down to the norm sqrt(L^2 + B^2); "refuse" refuses actions and rewards
        beyond the bounds.
    first : the rounds of the first batch, in [1, 2^20].
    ratio : how many times as long the next batch is, rounded up, in [1.05, 64].

    Guarantee
    ---------
    (epsilon, delta)-joint DP for streams that differ in the decision set and the rewards of one round, when the actions
    of all other rounds are released. Each round adds one term v v', v = (x, y) clipped to the norm Ltilde =
    sqrt(L^2 + B^2). Which x was played depends on the round's own decision set, so the whole term is that round's
    datum. Replacing it moves the sum of its batch by at most sqrt(2) Ltilde^2 in the Frobenius norm, because v v' and
    w w' have a non-negative product. Batches are disjoint and their ends are fixed in advance, so the datum enters one
    release: the Gaussian mechanism, at the mu with delta = Phi(-epsilon / mu + mu / 2) - e^epsilon Phi(-epsilon / mu -
    mu / 2), once; that later terms depend on earlier releases is adaptive parallel composition. The last batch that is
    not full is never released. Everything else is computed from the released sums and the decision set of the own
    round. Ties within 1e-9 go to the lowest action.

    Source
    ------
    This project, after Shariff and Sheffet 2018, Algorithm 1 and Section 4.2; the calibration: Balle and Wang 2018;
    Dong, Roth and Su 2022.

    Examples
    --------
    >>> spec = LinUCBBatches(arms=4, features=2, epsilon=1.0, delta=0.1, horizon=1000)
    >>> round(spec.mu, 4), spec.releases
    (0.9209, 8)
    >>> policy = spec.build(np.random.default_rng(0))
    >>> policy.update(np.ones((4, 2)) / 2, policy.select(np.ones((4, 2)) / 2), 1.0)
    >>> policy.select(np.array([[0.0, 1.0], [1.0, 0.0], [0.5, 0.5], [0.0, 0.0]])) in range(4)
    True

    """

    first: int = parameter(Integer(1, 2**20), typical=(1, 64), default=20, doc="the rounds of the first batch")
    ratio: float = ratio_parameter(1.5, least=1.05)

    audit_setting: ClassVar[AuditSetting | None] = AuditSetting(runs=40_000, horizon=24, rewards=(-1.0, 1.0))
    id: ClassVar[str] = "lin-ucb-batches"
    source: ClassVar[str] = "this project, after Shariff and Sheffet 2018"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.noise != "calibrated":
            raise PrivcheckError("noise", self.noise, "'calibrated'", "no noise for batches has been published")

    @property
    def mechanism(self) -> SymmetricGaussian:
        """The mechanism that releases the sum of a batch."""
        return _mechanism(self.row_norm**2, self.epsilon, self.delta)

    @property
    def mu(self) -> float:
        """What the noise costs a datum in Gaussian DP."""
        return self.mechanism.charge(math.sqrt(2.0) * self.row_norm**2).mu

    @property
    def releases(self) -> int:
        """The number of batches that end before the last round."""
        closed, rounds, length = 0, self.first, self.first
        while rounds <= self.items:
            length = math.ceil(self.ratio * length)
            closed, rounds = closed + 1, rounds + length
        return closed

    @property
    def bounds(self) -> NoiseBounds:
        """The bounds on the noise of the first release; those of k are in `linear_kernel.grown`."""
        deviation = self.mechanism.scale / math.sqrt(2.0)
        return tight_gaussian_bounds(self.features, deviation, max(self.releases, 1), self.alpha, shift=3.0)

    @property
    def setup(self) -> LinearSetup:
        none = np.zeros(0)
        scale = self.mechanism.scale
        return self.constants(
            kind=GAUSSIAN_BATCHES, scale=scale, degrees=0.0, levels=0, decoder=none, first=self.first, ratio=self.ratio
        )

    def sums(self, rng: np.random.Generator) -> BatchSums:
        return BatchSums(self.mechanism, self.features + 1, self.setup, rng)


@lru_cache(maxsize=256)
def _mechanism(squared_norm: float, epsilon: float, delta: float) -> SymmetricGaussian:
    """Return the mechanism for one release of a sum of outer products of rows of at most this squared norm."""
    return SymmetricGaussian.calibrate(epsilon=epsilon, delta=delta, sensitivity=math.sqrt(2.0) * squared_norm)
