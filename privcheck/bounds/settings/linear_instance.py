"""A linear bandit: finitely many arms that are vectors, one unknown parameter, Gaussian noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from privcheck.arrays import Array
from privcheck.bounds.settings.setting import Setting
from privcheck.declared import Budget, Integer, OrNone, Real, parameter
from privcheck.errors import PrivcheckError, words


@dataclass(frozen=True)
class Vector:
    """A vector of at least one finite number."""

    @property
    def text(self) -> str:
        """What the domain contains, in words."""
        return "a list of finite numbers"

    def normalise(self, value: Any) -> tuple[float, ...]:
        """Return `value` as a tuple of floats, or raise ValueError or TypeError."""
        if isinstance(value, str) or not isinstance(value, Sequence | np.ndarray):
            raise TypeError
        if len(value) < 1:
            raise ValueError
        return tuple(Real().normalise(entry) for entry in value)


@dataclass(frozen=True)
class Vectors:
    """At least two vectors of the same length."""

    @property
    def text(self) -> str:
        """What the domain contains, in words."""
        return "a list of at least two vectors of the same length"

    def normalise(self, value: Any) -> tuple[tuple[float, ...], ...]:
        """Return `value` as a tuple of tuples of floats, or raise ValueError or TypeError."""
        if isinstance(value, str) or not isinstance(value, Sequence | np.ndarray):
            raise TypeError
        vectors = tuple(Vector().normalise(row) for row in value)
        if len(vectors) < 2 or len({len(vector) for vector in vectors}) > 1:
            raise ValueError
        return vectors


@dataclass(frozen=True)
class LinearInstance(Setting):
    """A linear bandit with K arms in R^d: the reward of arm a is `N(<a, theta>, 1)`.

    Parameters
    ----------
    vectors : the arms, shape (K, d), K at least 2.
    theta : the parameter, shape (d,).
    epsilon : privacy budget of epsilon-global DP, from 0 (nothing may be learnt) to infinity (no privacy).
    horizon : number of rounds T; None when only asymptotics are wanted.
    delta : in [0, 1); 0 is pure DP.

    Raises
    ------
    PrivcheckError : a value outside its range, arms and theta of different lengths.

    Examples
    --------
    >>> instance = LinearInstance(vectors=((1.0, 0.0), (0.0, 1.0)), theta=(0.5, 0.25), epsilon=1.0)
    >>> instance.dimension, instance.gaps
    (2, (0.0, 0.25))
    """

    setting: ClassVar[str] = "a linear bandit with finitely many arms"

    vectors: tuple[tuple[float, ...], ...] = parameter(Vectors(), typical=(-1.0, 1.0), doc="the arms")
    theta: tuple[float, ...] = parameter(Vector(), typical=(-1.0, 1.0), doc="theta, parameter of the rewards")
    epsilon: float = parameter(Budget(), typical=(0.01, 10.0), doc="epsilon, privacy budget")
    horizon: int | None = parameter(OrNone(Integer(1)), typical=(100, 10**7), doc="T, number of rounds", default=None)
    delta: float = parameter(Real(0.0, 1.0, high_open=True), typical=(0.0, 1e-3), doc="delta", default=0.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.theta) != len(self.vectors[0]):
            lengths = words(f"{len(self.theta)} entries")
            raise PrivcheckError("theta", lengths, f"{len(self.vectors[0])} entries, as many as each arm")

    @property
    def dimension(self) -> int:
        """Dimension d of arms and parameter."""
        return len(self.theta)

    @cached_property
    def matrix(self) -> Array:
        """The arms as an array, shape (K, d)."""
        return np.array(self.vectors)

    @cached_property
    def gaps(self) -> tuple[float, ...]:
        """Gap `max_b <b - a, theta>` of every arm, in the order of the arms."""
        means = self.matrix @ np.array(self.theta)
        return tuple((means.max() - means).tolist())

    @property
    def best(self) -> int:
        """Index of the best arm, the first one if there are several."""
        return self.gaps.index(0.0)
