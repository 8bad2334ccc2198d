"""The interface of oracles, and the base class of the shipped ones."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from privcheck.declared import Declared, Integer
from privcheck.errors import PrivcheckError
from privcheck.oracles._compiled_oracles import OracleData, expected_reward, super_arm
from privcheck.registry import Registry

MOST_BASE_ARMS = 62
"""Sets of base arms are written as the bits of a 64-bit integer."""

BASE_ARMS = Integer(2, MOST_BASE_ARMS)


class SuperArmOracle(Protocol):
    """A combinatorial problem of your own: what a policy and a simulation call.

    An object with `check(super_arm)` is asked about every super arm before it is played, and refuses one that is not
    feasible; `alpha` and `beta` say how good the oracle is: with probability beta, its super arm has at least alpha
    times the largest reward.
    """

    @property
    def arms(self) -> int:
        """Number of base arms m."""

    @property
    def size(self) -> int:
        """Largest number K of base arms of a super arm."""

    def __call__(self, index: npt.ArrayLike) -> Sequence[int]:
        """Return the super arm for indices of shape (m,)."""

    def reward(self, means: npt.ArrayLike, super_arm: Sequence[int]) -> float:
        """Return the expected reward of a super arm if the base arms have these means."""

    def best(self, means: npt.ArrayLike) -> float:
        """Return the largest expected reward of a super arm."""


class Oracle(Declared):
    """Base of the shipped oracles: a frozen dataclass that registers itself under `id` and runs in compiled kernels.

    Attributes
    ----------
    arms : m, the number of base arms, at most 62.
    size : K, the largest number of base arms of a super arm.
    alpha, beta : with probability beta, the super arm that it finds has at least alpha times the largest reward.
    feasible : what a super arm is, in words.
    """

    id: ClassVar[str]
    feasible: ClassVar[str]
    alpha: ClassVar[float] = 1.0
    beta: ClassVar[float] = 1.0

    arms: int
    size: int

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "id" in cls.__dict__:
            ORACLES.register(cls.id, cls)

    @property
    def least_reward(self) -> float:
        """A lower bound on the reward of every super arm."""
        return 0.0

    def data(self) -> OracleData:
        """Return what compiled kernels need of the problem."""
        raise NotImplementedError

    def is_feasible(self, super_arm: tuple[int, ...]) -> bool:
        """Tell whether distinct base arms of the problem, in ascending order, make up a super arm."""
        raise NotImplementedError

    def best(self, means: npt.ArrayLike) -> float:
        """Return the largest expected reward of a super arm; an exact oracle finds it."""
        return self.reward(means, self(means))

    def __call__(self, index: npt.ArrayLike) -> tuple[int, ...]:
        """Return the super arm for indices of shape (m,), with base arms in ascending order."""
        chosen = np.zeros(self.arms, np.int64)
        count = super_arm(self.data(), np.array(index, np.float64), chosen)
        return tuple(chosen[:count].tolist())

    def reward(self, means: npt.ArrayLike, super_arm: Sequence[int]) -> float:
        """Return the expected reward of a super arm if the base arms have these means, shape (m,)."""
        chosen = np.array(super_arm, np.int64)
        return float(expected_reward(self.data(), np.array(means, np.float64), chosen, len(chosen)))

    def check(self, super_arm: Any) -> tuple[int, ...]:
        """Return a super arm in ascending order, or refuse a set of base arms that is none and name it."""
        chosen = base_arms(super_arm, self.arms)
        if not self.is_feasible(chosen):
            raise PrivcheckError("super arm", set(chosen), self.feasible_here(), "the oracle has to return one")
        return chosen

    def feasible_here(self) -> str:
        """Return what a super arm of this problem is, in words."""
        return self.feasible


ORACLES: Registry[Oracle] = Registry("oracle", "privcheck.oracles")
"""The shipped oracles by id."""


def runs_compiled(oracle: Any) -> bool:
    """Tell whether kernels play an oracle: a shipped one, or a subclass that plays and pays as the shipped one does."""
    if not isinstance(oracle, Oracle):
        return False
    kind = type(oracle)
    return kind.__call__ is Oracle.__call__ and kind.reward is Oracle.reward and kind.check is Oracle.check


def base_arms(super_arm: Any, arms: int, most: int | None = None) -> tuple[int, ...]:
    """Return distinct base arms, ascending, or refuse what is none; `most` is K.

    >>> base_arms([2, 0], 3)
    (0, 2)
    """
    expected = f"distinct base arms, integers from 0 to {arms - 1}"
    try:
        chosen = tuple(sorted(operator.index(arm) for arm in super_arm))
    except TypeError:
        raise PrivcheckError("super arm", super_arm, expected) from None
    if not chosen or len(set(chosen)) < len(chosen) or not 0 <= chosen[0] <= chosen[-1] < arms:
        raise PrivcheckError("super arm", tuple(super_arm), expected)
    if most is not None and len(chosen) > most:
        hint = "the privacy noise is calibrated to this size"
        raise PrivcheckError("super arm", set(chosen), f"at most {most} base arms", hint)
    return chosen
