"""Random decision sets with linear rewards: the setting of Shariff and Sheffet's experiments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from privcheck.arrays import Array
from privcheck.declared import Choice, Integer, Real, parameter
from privcheck.environments._decision_set_environment import ContextualEnvironment
from privcheck.errors import PrivcheckError, words
from privcheck.kernels import NORMAL, SIGNS, DecisionSets, draw_decision_set, draw_direction, draw_reward

LAWS = {"signs": SIGNS, "normal": NORMAL}


@dataclass(frozen=True)
class LinearContexts(ContextualEnvironment):
    r"""Decision sets of unit vectors, one of which is better than all others by a gap; rewards of mean x' theta.

    Every run draws theta uniformly on the unit sphere of R^d. Every round has K new actions of norm 1: one, at a
    uniform place, is uniform on {x' theta = best}; the others are uniform on {-best <= x' theta <= best - gap}.

    Parameters
    ----------
    features : d, in [2, 256].
    arms : K, in [2, 10000]; 0 (default) for d^2, as in the paper.
    gap : in [0, 2 best): the difference between the best action and the second best is at least this. With 0 it is of
        order 1 / K on average.
    best : in (0, 1), the mean reward of the best action; 0.75 in the paper.
    rewards : "signs" (default) for rewards -1 and 1, or "normal" for standard deviation 1.

    Source
    ------
    Shariff and Sheffet 2018, appendix D.

    Examples
    --------
    >>> place = LinearContexts(features=3)
    >>> place.arms, place.gaps().tolist()
    (9, [1.5])
    >>> actions, means, rewards = place.draw(np.random.default_rng(0), 4)
    >>> actions.shape, means.max(axis=1).tolist(), sorted(set(rewards.ravel().tolist()))
    ((4, 9, 3), [0.75, 0.75, 0.75, 0.75], [-1.0, 1.0])
    """

    features: int = parameter(Integer(2, 256), typical=(2, 6), default=5, doc="d, the number of entries of an action")
    arms: int = parameter(Integer(0, 10_000), typical=(2, 25), default=0, doc="K, the number of actions; 0 for d^2")
    gap: float = parameter(Real(0.0, 2.0, high_open=True), typical=(0.0, 0.5), default=0.1, doc="the gap of the best")
    best: float = parameter(
        Real(0.0, 1.0, low_open=True, high_open=True), typical=(0.5, 0.9), default=0.75, doc="mean of the best action"
    )
    rewards: str = parameter(Choice(tuple(LAWS)), typical=tuple(LAWS), default="signs", doc="the law of rewards")

    id: ClassVar[str] = "linear-contexts"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.arms == 0:
            object.__setattr__(self, "arms", min(self.features**2, 10_000))
        if self.arms == 1:
            raise PrivcheckError("arms", self.arms, "0 or an integer of at least 2", "a choice needs two actions")
        if self.gap >= 2.0 * self.best:
            got = words(f"{self.gap:g} with best={self.best:g}")
            raise PrivcheckError("gap", got, "a gap below 2 best", "the others have means in [-best, best - gap]")

    @property
    def reward_bound(self) -> float:  # type: ignore[override]
        """The largest absolute reward."""
        return 1.0 if self.rewards == "signs" else float("inf")

    def place(self) -> DecisionSets:
        nothing = np.zeros((0, self.arms))
        contexts = np.zeros((0, self.arms, self.features))
        return DecisionSets(
            contexts, nothing, nothing, False, self.best, self.best - self.gap, -self.best, LAWS[self.rewards]
        )

    def gaps(self) -> Array:
        return np.array([2.0 * self.best])

    def draw(self, rng: np.random.Generator, rounds: int) -> tuple[Array, Array, Array]:
        """Return actions (rounds, K, d), their means and rewards (rounds, K) of one run, as kernels draw them.

        Here every action has a reward; kernels draw that of the action played only.
        """
        theta, place = np.zeros(self.features), self.place()
        actions: Any = np.zeros((rounds, self.arms, self.features))
        means, rewards = np.zeros((rounds, self.arms)), np.zeros((rounds, self.arms))
        draw_direction(rng, theta)
        for t in range(rounds):
            draw_decision_set(rng, theta, place.best, place.high, place.low, actions[t], means[t])
            rewards[t] = [draw_reward(rng, mean, place.law) for mean in means[t].tolist()]
        return actions, means, rewards
