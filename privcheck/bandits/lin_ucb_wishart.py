"""LinUCB on sums with Wishart noise, which is positive definite by itself."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import ClassVar

import numpy as np

from privcheck.arrays import Table
from privcheck.bandits.audit_setting import AuditSetting
from privcheck.bandits.linear_kernel import WISHART_NODES, LinearSetup
from privcheck.bandits.linear_policy import WishartSums
from privcheck.bandits.linear_regularisers import NoiseBounds, wishart_bounds, wishart_spread
from privcheck.bandits.private_linear_bandit import PrivateLinearBandit
from privcheck.errors import PrivcheckError, words
from privcheck.mechanisms import WishartTree

SHARE = 0.5
"""The share of delta for the accountant of Gaussian DP; the rest is set aside by the nodes."""


def near_a_tie() -> tuple[Table, Table]:
    """Return two streams whose first reward is 1 or -1 and whose second action shows it where the noise is large.

    The actions of the second round are (1, 0) and (-0.9, 0): the exploration bonus of the first is larger, so that the
    second is played only where the noise outweighs the difference, which happens about as rarely as can be counted.
    """
    first = np.array([[1.0, 1.0, 1.0, 0.0, 1.0, 0.0], [0.0, 0.0, 1.0, 0.0, -0.9, 0.0]])
    second = first.copy()
    second[0, :2] = -1.0
    return first, second


@dataclass(frozen=True)
class LinUCBWishart(PrivateLinearBandit):
    r"""LinUCB on prefix sums of (x, y)(x, y)' with Wishart noise, from which a multiple of the identity is subtracted.

    In round t the noisy sum over the earlier rounds has a d x d block G + W and a column u + h, where W is Wishart with
    m k degrees of freedom and scale Ltilde^2 I. With V = G + W - c I and theta = V^-1 (u + h) it plays the action x of
    the round's decision set with the largest theta' x + beta |x| in the norm of V^-1,

        beta = sigma sqrt(2 ln(2 / alpha) + ln det V - d ln rho_min) + S sqrt(rho_max) + gamma,    alpha = 1 / n.

    With q = sqrt(m k) and s = sqrt(d) + sqrt(2 ln(8 n / alpha)), the eigenvalues of W are within Ltilde^2 (q - s)^2 and
    Ltilde^2 (q + s)^2 with high probability. The shift is c = Ltilde^2 ((q - s)^2 - 4 q s), or 0 if that is negative.

    Parameters
    ----------
    arms : K >= 2, the number of actions in every decision set.
    features : d >= 1, the number of entries of an action.
    epsilon, delta : the budget, > 0.
    horizon : n, the largest number of rounds, at most 2^25.
    noise : "calibrated" (default) for the fewest degrees of freedom k that are (epsilon, delta)-DP by the exact law of
        the loss and make q >= 2 s; "published" for k = d + 1 + ceil(224 m' ln(8 m' / delta) ln(2 / delta) / epsilon^2)
        with m' = 1 + ceil(log2 n).
    context_norm, reward_bound : L and B, the largest norm of an action and the largest absolute reward, > 0.
    sigma, theta_norm : sigma of the sub-Gaussian noise of the rewards, and S, the largest norm of theta*, > 0.
    outside : "clip" (default) scales rows (x, y) down to the norm sqrt(L^2 + B^2); "refuse" refuses actions and rewards
        beyond the bounds.

    Guarantee
    ---------
    (epsilon, delta)-joint DP for streams that differ in the decision set and the rewards of one round, when the actions
    of all other rounds are released. Each round adds one term v v', v = (x, y) clipped to the norm Ltilde =
    sqrt(L^2 + B^2); which x was played depends on the round's own decision set, so the whole term is that round's
    datum. It enters m = floor(log2(n - 1)) + 1 nodes of the tree; the last round's term is never used. The noise of a
    node is Wishart with k degrees of freedom and scale Ltilde^2 I, drawn once and reused: see
    `privcheck.mechanisms.WishartTree` for what it costs. Half of delta is set aside by the nodes, and half belongs to
    Gaussian DP (`accountants={"gdp": 0.5}`). The noise of the nodes that a prefix sum lacks is drawn anew for each of
    them and independent of the data. So every sum has the noise of exactly m nodes: with fewer, as in "at most m" of
    the paper, the shifted matrix would have negative eigenvalues. Published noise needs epsilon / sqrt(8 m' ln(2 /
    delta)) < 1, which the paper does not say. Everything else is computed from the released sums and the decision set
    of the own round. Ties within 1e-9 go to the lowest action.

    Source
    ------
    Shariff and Sheffet 2018, Algorithm 1 and Section 4.1 with the shift of equation (4); Sheffet 2019.

    Examples
    --------
    >>> spec = {"arms": 4, "features": 2, "epsilon": 1.0, "delta": 0.1, "horizon": 1000}
    >>> calibrated, published = (LinUCBWishart(**spec, noise=noise) for noise in ("calibrated", "published"))
    >>> calibrated.mechanism.degrees, published.mechanism.degrees
    (74, 50049)
    >>> round(published.bounds.rho_max / calibrated.bounds.rho_max, 1)
    34.0

    """

    id: ClassVar[str] = "lin-ucb-wishart"
    source: ClassVar[str] = "Shariff and Sheffet 2018, Section 4.1"
    shifted: ClassVar[bool] = True
    audit_setting: ClassVar[AuditSetting | None] = AuditSetting(
        runs=400_000, horizon=2, rewards=(-1.0, 1.0), streams=near_a_tie
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self.bounds

    @property
    def mechanism(self) -> WishartTree:
        """The mechanism that releases all prefix sums."""
        norm, spread = self.row_norm**2, wishart_spread(self.features, self.horizon, self.alpha)
        return _mechanism(self.noise, self.features + 1, self.horizon, norm, self.epsilon, self.delta, spread)

    @property
    def mu(self) -> float:
        """What the noise really costs a datum in Gaussian DP, once half of delta is set aside."""
        return self.mechanism.charge(self.row_norm**2).mu

    @property
    def bounds(self) -> NoiseBounds:
        tree = self.mechanism
        degrees = tree.levels * tree.degrees
        return wishart_bounds(self.features, tree.sensitivity, degrees, self.horizon, self.alpha, shifted=self.shifted)

    @property
    def shares_of_delta(self) -> Mapping[str, float]:
        return {"gdp": SHARE}

    @property
    def setup(self) -> LinearSetup:
        tree = self.mechanism
        return self.constants(
            kind=WISHART_NODES,
            scale=tree.sensitivity,
            degrees=float(tree.degrees),
            levels=tree.levels,
            decoder=np.zeros(0),
        )

    def sums(self, rng: np.random.Generator) -> WishartSums:
        return WishartSums(self.mechanism, rng)


@lru_cache(maxsize=256)
def _mechanism(
    noise: str, width: int, horizon: int, norm: float, epsilon: float, delta: float, spread: float
) -> WishartTree:
    """Return the mechanism for the items of all rounds but the last, with Ltilde^2 = norm."""
    exact = WishartTree.exact(
        dimension=width, sensitivity=norm, horizon=horizon - 1, epsilon=epsilon, delta=delta, share=SHARE
    )
    if noise == "published":
        levels = 1 + (horizon - 1).bit_length()
        share = epsilon / math.sqrt(8.0 * levels * math.log(2.0 / delta))
        if share >= 1.0:
            got = words(f"{epsilon:g}, which is {share:.3g} for a node")
            raise PrivcheckError("epsilon", got, "a budget below 1 for a node", "Theorem 8 is about these")
        published = WishartTree.published(
            dimension=width, sensitivity=norm, horizon=horizon, epsilon=epsilon, delta=delta
        )
        if published.degrees < exact.degrees:
            got = words(f"published, {published.degrees} degrees of freedom")
            raise PrivcheckError("noise", got, f"at least {exact.degrees} for this budget", "use noise='calibrated'")
        return replace(published, horizon=horizon - 1)
    return replace(exact, degrees=max(exact.degrees, math.ceil(4.0 * spread**2 / exact.levels)))
