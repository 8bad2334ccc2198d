"""LinUCB on sums with Gaussian noise: jointly private contextual linear bandits."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from privcheck.bandits.audit_setting import AuditSetting
from privcheck.bandits.linear_kernel import GAUSSIAN_NODES, GAUSSIAN_ROWS, LinearSetup
from privcheck.bandits.linear_policy import FactorisedSums, TreeSums
from privcheck.bandits.linear_regularisers import NoiseBounds, gaussian_bounds
from privcheck.bandits.private_linear_bandit import PrivateLinearBandit
from privcheck.declared import Choice, parameter
from privcheck.errors import PrivcheckError, words
from privcheck.mechanisms import FactorisedStream, SymmetricGaussianTree


@dataclass(frozen=True)
class LinUCBGaussian(PrivateLinearBandit):
    r"""LinUCB on prefix sums of (x, y)(x, y)' with symmetric Gaussian noise, shifted to be positive definite.

    In round t the noisy sum over the earlier rounds has a d x d block G + N and a column u + h. With V = G + N + 2 U I
    and theta = V^-1 (u + h) it plays the action x of the round's decision set with the largest theta' x + beta |x| in
    the norm of V^-1. With high probability U I <= N + 2 U I <= 3 U I in all rounds, and

        beta = sigma sqrt(2 ln(2 / alpha) + ln det V - d ln U) + S sqrt(3 U) + gamma,    alpha = 1 / n.

    U and gamma are those of Proposition 11 for the noise that is drawn (`linear_regularisers.gaussian_bounds`).

    Parameters
    ----------
    arms : K >= 2, the number of actions in every decision set.
    features : d >= 1, the number of entries of an action.
    epsilon, delta : the budget, > 0.
    horizon : n, the largest number of rounds, at most 2^25, or 2^20 + 1 with the square root.
    noise : "calibrated" (default) for the least noise that is (epsilon, delta)-DP, or "published".
    context_norm, reward_bound : L and B, the largest norm of an action and the largest absolute reward, > 0.
    sigma, theta_norm : sigma of the sub-Gaussian noise of the rewards, and S, the largest norm of theta*, > 0.
    outside : "clip" (default) scales rows (x, y) down to the norm sqrt(L^2 + B^2); "refuse" refuses actions and rewards
        beyond the bounds.
    tree : "binary" (default, as published), or "square-root" for the factorisation of Fichtenberger et al. (2023),
        whose noise is smaller: by a factor 3.6 in the worst round of 20,000.

    Guarantee
    ---------
    (epsilon, delta)-joint DP for streams that differ in the decision set and the rewards of one round, when the actions
    of all other rounds are released. Each round adds one term v v', v = (x, y) clipped to the norm Ltilde =
    sqrt(L^2 + B^2). Which x was played depends on the round's own decision set, so the whole term is that round's
    datum. Replacing it moves the sum by at most sqrt(2) Ltilde^2 in the Frobenius norm, because v v' and w w' have a
    non-negative product. It enters m = floor(log2(n - 1)) + 1 nodes of the tree; the last round's term is never used.
    The noise of a node is drawn once and reused: normal and symmetric, of standard deviation sqrt(2) s on the diagonal
    and s off it. In the Frobenius norm that is the Gaussian mechanism with s sqrt(2), so a node costs Ltilde^2 / s in
    Gaussian DP; all nodes together cost mu = sqrt(m) Ltilde^2 / s, also if later terms depend on earlier releases. With
    half the variance on the diagonal they would cost sqrt(2) times as much. `noise="calibrated"` solves delta =
    Phi(-epsilon / mu + mu / 2) - e^epsilon Phi(-epsilon / mu - mu / 2) for mu. `noise="published"` is s = 4 sqrt(m')
    Ltilde^2 ln(4 / delta) / epsilon with m' = 1 + ceil(log2 n), which is far more than needed: `mu` is what it really
    costs; budgets that it does not keep (epsilon far above 100) are refused. The square root costs the same mu with
    rows in the place of nodes. Everything else is computed from the
    released sums and the decision set of the own round. Ties within 1e-9 go to the lowest action.

    Source
    ------
    Shariff and Sheffet 2018, Algorithm 1 and Section 4.2; the calibration: Balle and Wang 2018; Dong, Roth and Su 2022.

    Examples
    --------
    >>> spec = {"arms": 4, "features": 2, "epsilon": 1.0, "delta": 0.1, "horizon": 1000}
    >>> calibrated, published = (LinUCBGaussian(**spec, noise=noise) for noise in ("calibrated", "published"))
    >>> round(calibrated.mu, 4), round(published.mu, 4)
    (0.9209, 0.0646)
    >>> policy = calibrated.build(np.random.default_rng(0))
    >>> policy.update(np.ones((4, 2)) / 2, policy.select(np.ones((4, 2)) / 2), 1.0)
    >>> policy.select(np.array([[0.0, 1.0], [1.0, 0.0], [0.5, 0.5], [0.0, 0.0]])) in range(4)
    True

    """

    tree: str = parameter(
        Choice(("binary", "square-root")),
        typical=("binary", "square-root"),
        default="binary",
        doc="how sums are released",
    )

    id: ClassVar[str] = "lin-ucb-gaussian"
    source: ClassVar[str] = "Shariff and Sheffet 2018, Section 4.2"
    audit_setting: ClassVar[AuditSetting | None] = AuditSetting(runs=40_000, horizon=4, rewards=(-1.0, 1.0))

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self.mechanism

    @property
    def mechanism(self) -> SymmetricGaussianTree | FactorisedStream:
        """The mechanism that releases all prefix sums."""
        if self.tree == "square-root" and self.items > 2**20:
            hint = "tree='binary' is for longer horizons"
            raise PrivcheckError("horizon", self.horizon, f"at most {2**20 + 1} with the square root", hint)
        return _mechanism(self.tree, self.noise, self.horizon, self.row_norm**2, self.epsilon, self.delta)

    @property
    def mu(self) -> float:
        """What the noise really costs a datum in Gaussian DP."""
        return self.mechanism.charge(math.sqrt(2.0) * self.row_norm**2).mu

    @property
    def deviation(self) -> float:
        """The largest standard deviation of an entry off the diagonal of the noise of a prefix sum."""
        mechanism = self.mechanism
        if isinstance(mechanism, FactorisedStream):
            return math.sqrt(float(mechanism.variances(mechanism.horizon)[-1]) / 2.0)
        return mechanism.scale * math.sqrt(mechanism.statistics_per_datum / 2.0)

    @property
    def bounds(self) -> NoiseBounds:
        return gaussian_bounds(self.features, self.deviation, self.horizon, self.alpha)

    @property
    def setup(self) -> LinearSetup:
        mechanism = self.mechanism
        rows = isinstance(mechanism, FactorisedStream)
        decoder = np.array(mechanism.decoder) if isinstance(mechanism, FactorisedStream) else np.zeros(0)
        kind = GAUSSIAN_ROWS if rows else GAUSSIAN_NODES
        return self.constants(kind=kind, scale=mechanism.scale, degrees=0.0, levels=0, decoder=decoder)

    def sums(self, rng: np.random.Generator) -> TreeSums | FactorisedSums:
        mechanism, width = self.mechanism, self.features + 1
        if isinstance(mechanism, FactorisedStream):
            return FactorisedSums(mechanism, width, rng)
        return TreeSums(mechanism, width, rng)


@lru_cache(maxsize=256)
def _mechanism(
    tree: str, noise: str, horizon: int, squared_norm: float, epsilon: float, delta: float
) -> SymmetricGaussianTree | FactorisedStream:
    """Return the mechanism for the items of all rounds but the last; a published square root has the published mu."""
    items, sensitivity = horizon - 1, math.sqrt(2.0) * squared_norm
    budget: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "sensitivity": sensitivity}
    if noise == "calibrated" and tree == "square-root":
        return FactorisedStream.calibrate(**budget, horizon=items)
    least = SymmetricGaussianTree.calibrate(**budget, horizon=items, degree=2)
    if noise == "calibrated":
        return least
    levels = 1 + (horizon - 1).bit_length()
    deviation = 4.0 * math.sqrt(levels) * squared_norm * math.log(4.0 / delta) / epsilon
    binary = SymmetricGaussianTree.with_scale(math.sqrt(2.0) * deviation, horizon=items, degree=2)
    if binary.scale < least.scale:
        got = words(f"published, which does not keep epsilon = {epsilon:g} at delta = {delta:g}")
        raise PrivcheckError("noise", got, "a budget for which it is private", "use noise='calibrated'")
    if tree == "square-root":
        return FactorisedStream(sensitivity=sensitivity, mu=binary.charge(sensitivity).mu, horizon=items)
    return binary
