"""A bandit instance: the arms, the privacy budget and the horizon that theorems are evaluated on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from privcheck.bounds._finite_law import FiniteLaw
from privcheck.bounds._toml_file import from_toml
from privcheck.bounds.families import (
    FAMILY_IDS,
    family,
)
from privcheck.bounds.families.base import (
    Family,
    MeanFamily,
)
from privcheck.bounds.families.bounded import Support
from privcheck.declared import POSITIVE, Budget, Declared, Integer, OrNone, Real, check, parameter
from privcheck.errors import PrivcheckError, words


@dataclass(frozen=True)
class Means:
    """The means of at least two arms, in the order of the arms."""

    @property
    def text(self) -> str:
        """What the domain contains, in words."""
        return "a list of at least two finite numbers"

    def normalise(self, value: Any) -> tuple[float, ...]:
        """Return `value` as a tuple of floats, or raise ValueError or TypeError."""
        if isinstance(value, str) or not isinstance(value, Sequence | np.ndarray):
            raise TypeError
        if len(value) < 2:
            raise ValueError
        return tuple(Real().normalise(mean) for mean in value)


@dataclass(frozen=True)
class Weights:
    """The reward probabilities of at least two arms, one row per arm."""

    @property
    def text(self) -> str:
        """What the domain contains, in words."""
        return "at least two lists of probabilities, one for each arm"

    def normalise(self, value: Any) -> tuple[tuple[float, ...], ...]:
        """Return `value` as a tuple of tuples of floats, or raise ValueError or TypeError."""
        if isinstance(value, str) or not isinstance(value, Sequence | np.ndarray):
            raise TypeError
        if len(value) < 2:
            raise ValueError
        return tuple(tuple(Real(0.0, 1.0).normalise(share) for share in row) for row in value)


@dataclass(frozen=True)
class Instance(Declared):
    """A stochastic bandit with K independent arms, a privacy budget and, where needed, a horizon.

    `mu* = max mu_a`; the gap of arm a is `Delta_a = mu* - mu_a`. Several best arms are allowed, and so is `mu* = 1`: a
    theorem that requires more says so when it is evaluated.

    Parameters
    ----------
    family : "bernoulli", "two-point" (rewards -1 and 1), "gaussian", "exponential", "poisson"; "finite" (all laws on
        `support`) or "bounded" (all laws on [0, 1]), whose arms are given by `support` and `weights`.
    means : shape (K,), K at least 2, in the family's range; computed where `weights` are given.
    epsilon : privacy budget of epsilon-global DP, from 0 (nothing may be learnt) to infinity (no privacy).
    horizon : number of rounds T, an integer of at least 1 (1e7 is accepted); None when only asymptotics are wanted.
    delta : in [0, 1); 0 is pure DP.
    alpha : width of the confidence bounds of AdaP-UCB, above 0; its theorem needs alpha > 3.
    risk : probability with which best-arm identification may be wrong, in (0, 1); None when nothing is identified.
    variance : of "gaussian" rewards, above 0.
    support : the points to which `weights` gives probabilities, in [0, 1].
    weights : shape (K, n); row a has the probabilities of arm a on the n points of `support`.

    Raises
    ------
    PrivcheckError : a value outside its range.

    Examples
    --------
    >>> instance = Instance("bernoulli", means=(0.75, 0.5), epsilon=1.0, horizon=1e7)
    >>> instance.best_mean, instance.gaps, instance.horizon
    (0.75, (0.0, 0.25), 10000000)
    >>> laws = Instance("bounded", support=(0, 0.5, 1), weights=((0.1, 0.3, 0.6), (0.1, 0.7, 0.2)), epsilon=1.0)
    >>> laws.means, round(laws.t_inf(1), 9)
    ((0.75, 0.55), 0.3)
    """

    setting: ClassVar[str] = "a bandit with independent arms"

    family: str = parameter(FAMILY_IDS, typical=tuple(FAMILY_IDS.options), doc="class of the rewards' laws")
    means: tuple[float, ...] = parameter(OrNone(Means()), typical=(0.0, 1.0), doc="mu, mean rewards", default=None)
    epsilon: float = parameter(Budget(), typical=(0.01, 10.0), doc="epsilon, privacy budget", default=None)
    horizon: int | None = parameter(OrNone(Integer(1)), typical=(100, 10**7), doc="T, number of rounds", default=None)
    delta: float = parameter(Real(0.0, 1.0, high_open=True), typical=(0.0, 1e-3), doc="delta", default=0.0)
    alpha: float = parameter(POSITIVE, typical=(3.01, 5.0), doc="alpha, width of confidence bounds", default=3.1)
    risk: float | None = parameter(
        OrNone(Real(0.0, 1.0, low_open=True, high_open=True)), typical=(1e-3, 0.1), doc="risk", default=None
    )

    variance: float = parameter(POSITIVE, typical=(0.1, 10.0), doc="variance of Gaussian rewards", default=1.0)
    support: tuple[float, ...] | None = parameter(
        OrNone(Support()), typical=(0.0, 1.0), doc="points to which the weights belong", default=None
    )
    weights: tuple[tuple[float, ...], ...] | None = parameter(
        OrNone(Weights()), typical=(0.0, 1.0), doc="reward probabilities of every arm", default=None
    )

    def __post_init__(self) -> None:
        given = self.support
        super().__post_init__()
        if self.family in ("finite", "bounded"):
            self._sort_weights(given)
            self._set_means()
        elif self.means is None:
            raise PrivcheckError("means", None, Means().text, "give the mean reward of every arm")
        elif self.support is not None or self.weights is not None:
            raise PrivcheckError("weights", words("a support or weights"), "neither", 'or give family="bounded"')
        elif isinstance(self.law_family, MeanFamily):
            self._check_range(self.law_family.domain)
        if self.variance != 1 and self.family != "gaussian":
            raise PrivcheckError("variance", self.variance, "no variance for this family", 'or give family="gaussian"')

    def _check_range(self, domain: Real) -> None:
        try:
            for mean in self.means:
                domain.normalise(mean)
        except ValueError:
            hint = 'or give family="gaussian"'
            raise PrivcheckError(
                "means", self.means, domain.text.replace("a ", "", 1).replace("number", "numbers"), hint
            ) from None

    def _sort_weights(self, given: tuple[float, ...] | None) -> None:
        """Reorder the weights to match the support, which is sorted."""
        if given is None or self.weights is None or any(len(row) != len(given) for row in self.weights):
            return
        order = np.argsort(np.asarray(given, float), kind="stable")
        object.__setattr__(self, "weights", tuple(tuple(row[i] for i in order) for row in self.weights))

    def _set_means(self) -> None:
        """Compute the means from support and weights."""
        if self.support is None or self.weights is None:
            missing = "support" if self.support is None else "weights"
            hint = (
                "means alone do not determine a law: give both, as in support=(0, 1), weights=((0.1, 0.9), (0.5, 0.5))"
            )
            raise PrivcheckError(missing, None, f"support and weights of {self.family} arms", hint)
        means = tuple(FiniteLaw(self.support, row).mean for row in self.weights)
        if self.means is not None and not np.allclose(self.means, means, rtol=0, atol=1e-9):
            raise PrivcheckError("means", self.means, f"the means of the weights, {means}", "leave them out")
        object.__setattr__(self, "means", means)

    @property
    def arms(self) -> int:
        """Number of arms K."""
        return len(self.means)

    @property
    def rounds(self) -> int:
        """Horizon T, for theorems whose conditions require one.

        Raises
        ------
        PrivcheckError : the instance has no horizon.
        """
        if self.horizon is None:
            raise PrivcheckError("horizon", None, "a number of rounds", "give the instance a horizon")
        return self.horizon

    @property
    def best_mean(self) -> float:
        """Largest mean, mu*."""
        return max(self.means)

    @property
    def gaps(self) -> tuple[float, ...]:
        """Gap `mu* - mu_a` of every arm, in the order of the arms."""
        return tuple(self.best_mean - mean for mean in self.means)

    @property
    def suboptimal(self) -> tuple[tuple[float, float], ...]:
        """Mean and gap of every arm whose gap is positive, in the order of the arms.

        >>> Instance("gaussian", (1.0, 0.0, 1.0), epsilon=1.0).suboptimal
        ((0.0, 1.0),)
        """
        return tuple((mean, gap) for mean, gap in zip(self.means, self.gaps, strict=True) if gap > 0)

    @cached_property
    def law_family(self) -> Family:
        """Family of the reward laws: the class to which the learner knows them to belong."""
        if self.family == "gaussian":
            return family("gaussian", variance=self.variance)
        return family(self.family, support=self.support) if self.family == "finite" else family(self.family)

    def law(self, arm: int) -> Any:
        """Return the law of an arm, counted from 0, as its family represents it: a mean, or a `FiniteLaw`."""
        check("arm", arm, Integer(0, self.arms - 1))
        return self.means[arm] if self.weights is None else FiniteLaw(self.support, self.weights[arm])

    def d_inf(self, arm: int) -> float:
        """Return `inf KL(P_arm || Q)` over the laws Q of the family with a mean above mu*, in nats.

        Where it is computed numerically, the upper end of its enclosure, so lower bounds dividing by it stay valid.

        >>> round(Instance("two-point", (0.5, 0.0), epsilon=1.0).d_inf(1), 6)
        0.143841
        """
        return self.law_family.d_inf(self.law(arm), self.best_mean).upper

    def t_inf(self, arm: int) -> float:
        """Return `inf TV(P_arm, Q)` over the laws Q of the family with a mean above mu*; the upper end, as `d_inf`.

        >>> Instance("two-point", (0.5, 0.0), epsilon=1.0).t_inf(1)
        0.25
        """
        return self.law_family.t_inf(self.law(arm), self.best_mean).upper

    def d_epsilon_inf(self, arm: int) -> float:
        """Return `inf d_epsilon(P_arm, Q)` over the laws Q of the family with a mean above mu*, in nats, as `d_inf`.

        >>> round(Instance("bernoulli", (0.7, 0.2), epsilon=1.0).d_epsilon_inf(1), 7)
        0.3842648
        """
        if math.isinf(self.epsilon):
            return self.d_inf(arm)
        return self.law_family.d_epsilon_inf(self.law(arm), self.best_mean, self.epsilon).upper

    @property
    def unit_rewards(self) -> bool:
        """Whether all rewards lie in [0, 1]."""
        low, high = self.law_family.reward_range
        return low >= 0 and high <= 1

    @property
    def better_law_exists(self) -> bool:
        """Whether the family has a law with a mean above mu*; else the infima above are infinite."""
        return self.best_mean < self.law_family.highest_mean

    def to_dict(self) -> dict[str, Any]:
        """Return the fields that are in use as JSON-ready values, in the order of their declaration."""
        fields = {**asdict(self), "means": list(self.means)}
        if self.family != "gaussian":
            del fields["variance"]
        if self.weights is None or self.support is None:
            return {name: value for name, value in fields.items() if name not in ("support", "weights")}
        return fields | {"support": list(self.support), "weights": [list(row) for row in self.weights]}

    @classmethod
    def from_toml(cls, path: str | Path, **overrides: Any) -> Instance:
        """Read an instance from a TOML file whose keys are the fields of this class.

        Parameters
        ----------
        path : the file.
        overrides : fields that replace those of the file or add to them.

        Raises
        ------
        PrivcheckError : no such file, invalid TOML, an unknown or missing key, a value outside its range.
        """
        return from_toml(cls, path, overrides)
