"""A bandit with independent arms under concentrated privacy: zCDP, or Gaussian DP of the same strength."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from privcheck.bounds._instance import Instance, Means
from privcheck.bounds.families.base import MeanFamily
from privcheck.bounds.settings.setting import Setting
from privcheck.declared import POSITIVE, Budget, Choice, Integer, OrNone, parameter


@dataclass(frozen=True)
class ConcentratedInstance(Setting):
    """A stochastic bandit with K independent arms and a budget of zCDP.

    Parameters
    ----------
    family : "bernoulli" or "gaussian", the class of the rewards' laws.
    means : shape (K,), K at least 2, in the family's range.
    rho : privacy budget of zCDP, from 0 (nothing may be learnt) to infinity (no privacy). Gaussian DP of the same
        strength has `mu = sqrt(2 rho)`: a mu-GDP policy is rho-zCDP.
    horizon : number of rounds T; None when only asymptotics are wanted.
    variance : of Gaussian rewards, above 0.

    Raises
    ------
    PrivcheckError : a value outside its range.

    Examples
    --------
    >>> instance = ConcentratedInstance("bernoulli", (0.75, 0.5), rho=0.5)
    >>> instance.mu, instance.gaps
    (1.0, (0.0, 0.25))
    """

    setting: ClassVar[str] = "a bandit with independent arms under zCDP or Gaussian DP"

    family: str = parameter(
        Choice(("bernoulli", "gaussian")), typical=("bernoulli", "gaussian"), doc="class of the rewards' laws"
    )
    means: tuple[float, ...] = parameter(Means(), typical=(0.0, 1.0), doc="mu, mean rewards")
    rho: float = parameter(Budget(), typical=(1e-4, 1.0), doc="rho, privacy budget of zCDP")
    horizon: int | None = parameter(OrNone(Integer(1)), typical=(100, 10**7), doc="T, number of rounds", default=None)
    variance: float = parameter(POSITIVE, typical=(0.1, 10.0), doc="variance of Gaussian rewards", default=1.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self.without_privacy  # refuses means outside the family's range, and a variance that has no use

    @property
    def mu(self) -> float:
        """The budget of Gaussian DP of the same strength, sqrt(2 rho)."""
        return math.sqrt(2.0 * self.rho)

    @cached_property
    def without_privacy(self) -> Instance:
        """The same arms and horizon with no promise of privacy."""
        return Instance(self.family, self.means, math.inf, self.horizon, variance=self.variance)

    @property
    def arms(self) -> int:
        """Number of arms K."""
        return self.without_privacy.arms

    @property
    def best_mean(self) -> float:
        """Largest mean, mu*."""
        return self.without_privacy.best_mean

    @property
    def gaps(self) -> tuple[float, ...]:
        """Gap `mu* - mu_a` of every arm, in the order of the arms."""
        return self.without_privacy.gaps

    @property
    def suboptimal(self) -> tuple[tuple[float, float], ...]:
        """Mean and gap of every arm whose gap is positive, in the order of the arms."""
        return self.without_privacy.suboptimal

    @property
    def law_family(self) -> MeanFamily:
        """Family of the reward laws."""
        found = self.without_privacy.law_family
        assert isinstance(found, MeanFamily)
        return found

    @property
    def better_law_exists(self) -> bool:
        """Whether the family has a law with a mean above mu*."""
        return self.without_privacy.better_law_exists

    @property
    def unit_rewards(self) -> bool:
        """Whether all rewards lie in [0, 1]."""
        return self.without_privacy.unit_rewards

    def to_dict(self) -> dict[str, Any]:
        """Return the fields that are in use as JSON-ready values, in the order of their declaration."""
        fields = super().to_dict()
        return fields if self.family == "gaussian" else {k: v for k, v in fields.items() if k != "variance"}
