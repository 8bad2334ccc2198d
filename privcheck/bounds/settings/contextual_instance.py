"""A contextual linear bandit under joint differential privacy, described by the bounds that its analysis needs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from privcheck.bounds.settings.setting import Setting
from privcheck.declared import POSITIVE, Budget, Choice, Integer, OrNone, Real, parameter

NOISES = Choice(("gaussian", "wishart", "wishart-unshifted"))


@dataclass(frozen=True)
class ContextualInstance(Setting):
    """A contextual linear bandit: rewards `y = <theta, x> + eta` for the chosen x of a decision set that changes.

    Parameters
    ----------
    dimension : d, of actions and parameter, at least 1.
    horizon : number of rounds n.
    epsilon : privacy budget of (epsilon, delta)-joint DP, from 0 (nothing may be learnt) to infinity (no privacy).
    delta : in [0, 1).
    alpha : probability with which the bounds may fail, in (0, 1).
    action_norm : L, with `|x| <= L`.
    parameter_norm : S, with `|theta| <= S`.
    mean_bound : B of at least 1, with `|<theta, x>| <= B`.
    reward_bound : with `|y|` at most this; `Ltilde^2 = L^2 + reward_bound^2` bounds a row of the data.
    sigma : the noise eta is conditionally sigma-sub-Gaussian.
    gap : least difference between the best and the other actions of every decision set; None for no gap.
    noise : of the tree mechanism: "gaussian", "wishart" or "wishart-unshifted"; Wishart noise is padded so that every
        round sums the same number of nodes.

    Raises
    ------
    PrivcheckError : a value outside its range.

    Examples
    --------
    >>> instance = ContextualInstance(dimension=5, horizon=5e7, epsilon=1.0, delta=0.1, alpha=2e-8)
    >>> instance.levels, instance.row_norm_squared
    (27, 2.0)
    """

    setting: ClassVar[str] = "a contextual linear bandit"

    dimension: int = parameter(Integer(1), typical=(2, 64), doc="d, dimension")
    horizon: int = parameter(Integer(1), typical=(100, 10**8), doc="n, number of rounds")
    epsilon: float = parameter(Budget(), typical=(0.01, 10.0), doc="epsilon, privacy budget")
    delta: float = parameter(Real(0.0, 1.0, high_open=True), typical=(1e-6, 0.1), doc="delta")
    alpha: float = parameter(Real(0.0, 1.0, low_open=True, high_open=True), typical=(1e-8, 0.1), doc="alpha, failure")
    action_norm: float = parameter(POSITIVE, typical=(0.1, 10.0), doc="L, norm of the actions", default=1.0)
    parameter_norm: float = parameter(POSITIVE, typical=(0.1, 10.0), doc="S, norm of theta", default=1.0)
    mean_bound: float = parameter(Real(1.0), typical=(1.0, 10.0), doc="B, bound on the mean rewards", default=1.0)
    reward_bound: float = parameter(POSITIVE, typical=(0.1, 10.0), doc="bound on the rewards", default=1.0)
    sigma: float = parameter(POSITIVE, typical=(0.1, 2.0), doc="sigma, noise of the rewards", default=1.0)
    gap: float | None = parameter(OrNone(POSITIVE), typical=(0.01, 1.0), doc="Delta, least gap", default=None)
    noise: str = parameter(NOISES, typical=tuple(NOISES.options), doc="noise of the tree", default="gaussian")

    @property
    def levels(self) -> int:
        """Levels of the tree over the rounds, `m = 1 + ceil(log2 n)`."""
        return 1 + (self.horizon - 1).bit_length()

    @property
    def row_norm_squared(self) -> float:
        """Bound on the squared norm of an action and its reward, `Ltilde^2`."""
        return math.fsum((self.action_norm**2, self.reward_bound**2))
