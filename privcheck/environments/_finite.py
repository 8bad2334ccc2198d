"""Independent arms with finitely many different rewards."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from privcheck.bounds import Instance
from privcheck.declared import UNIT_INTERVAL, parameter
from privcheck.environments._base import Environment
from privcheck.environments._domains import PerArm, Points, Probabilities
from privcheck.errors import PrivcheckError
from privcheck.kernels import Laws, finite_laws


@dataclass(frozen=True)
class FiniteSupport(Environment):
    r"""Arms on a finite support: P(X_{t,a} = x_i) = w_{a,i}.

    The sum of an episode is drawn atom by atom, as Binomials, so event engines keep their speed.

    Parameters
    ----------
    support : x, shape (n,), different points of [0, 1].
    weights : w, shape (K, n), 2 <= K <= 127; every row adds up to 1.

    Raises
    ------
    PrivcheckError : a single arm, points outside [0, 1] or repeated, weights that are not probabilities on the support.

    Examples
    --------
    >>> FiniteSupport((0.0, 0.5, 1.0), ((0.25, 0.25, 0.5), (0.25, 0.5, 0.25))).means
    (0.625, 0.5)
    """

    support: tuple[float, ...] = parameter(Points(), typical=(0.0, 1.0), doc="x, the rewards that are paid")
    weights: tuple[tuple[float, ...], ...] = parameter(
        Probabilities(), typical=(0.0, 1.0), doc="w, their probabilities, one row per arm"
    )
    means: tuple[float, ...] = field(init=False, repr=False, compare=False)

    id: ClassVar[str] = "finite-support"

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.weights[0]) != len(self.support):
            expected = f"{len(self.support)} probabilities per arm, one for each point of the support"
            raise PrivcheckError("weights", self.weights, expected)
        means = np.clip(np.array(self.weights) @ np.array(self.support), min(self.support), max(self.support))
        object.__setattr__(self, "means", tuple(means.tolist()))

    def laws(self) -> Laws:
        return finite_laws(self.support, self.weights)

    def instance(self, epsilon: float, horizon: int) -> Instance:
        """Return the instance in the family of all laws on [0, 1]."""
        order = np.argsort(self.support)
        support = tuple(np.array(self.support)[order].tolist())
        weights = tuple(map(tuple, np.array(self.weights)[:, order].tolist()))
        return Instance("bounded", epsilon=epsilon, horizon=horizon, support=support, weights=weights)


@dataclass(frozen=True)
class TwoPoint(Environment):
    r"""Arms that pay one of two rewards: low, or high with probability (mu_a - low) / (high - low).

    Parameters
    ----------
    means : mu, shape (K,), 2 <= K <= 127, in [low, high].
    low, high : the two rewards, 0 <= low < high <= 1.

    Raises
    ------
    PrivcheckError : a single arm, means outside [low, high], or low not below high.

    Examples
    --------
    >>> TwoPoint((0.6, 0.45), low=0.4, high=0.9).laws().parameters.round(3).tolist()
    [[0.6, 0.4], [0.9, 0.1]]
    """

    means: tuple[float, ...] = parameter(PerArm(), typical=(0.3, 0.7), doc="mu, mean reward of every arm")
    low: float = parameter(UNIT_INTERVAL, typical=(0.0, 0.2), default=0.0, doc="the lower reward")
    high: float = parameter(UNIT_INTERVAL, typical=(0.8, 1.0), default=1.0, doc="the higher reward")

    id: ClassVar[str] = "two-point"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.low >= self.high:
            raise PrivcheckError("high", self.high, f"a number above low = {self.low:g}")
        if not self.low <= min(self.means) <= max(self.means) <= self.high:
            raise PrivcheckError("means", self.means, f"means between the rewards {self.low:g} and {self.high:g}")

    def laws(self) -> Laws:
        share = (np.array(self.means) - self.low) / (self.high - self.low)
        return finite_laws([self.low, self.high], np.stack([1.0 - share, share], axis=1))

    def instance(self, epsilon: float, horizon: int) -> Instance:
        """Return the instance in the family of all laws on [0, 1]."""
        weights = tuple(map(tuple, self.laws().parameters.tolist()))
        return Instance("bounded", epsilon=epsilon, horizon=horizon, support=(self.low, self.high), weights=weights)
