"""Thompson sampling with Beta posteriors, a non-private baseline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from privcheck.arrays import Array
from privcheck.bandits.base import Algorithm, arms_parameter
from privcheck.kernels import Generator, inlined, step_kernel
from privcheck.private_values import told_arm, told_reward

KEPT = [("successes", np.float64), ("failures", np.float64)]


@inlined
def select(arms: Any, parameters: Array, coins: Generator, t: int, last: int) -> int:
    """Return the arm with the largest posterior draw."""
    best, highest = 0, -1.0
    for a in range(len(arms)):
        theta = coins.beta(arms[a].successes + 1.0, arms[a].failures + 1.0)
        if theta > highest:
            best, highest = a, theta
    return best


@inlined
def update(arm: Any, parameters: Array, coins: Generator, noise: Generator, reward: float) -> None:
    """Count a success or a failure; a reward strictly between 0 and 1 is replaced by a coin with that mean."""
    if 0.0 < reward < 1.0:
        reward = 1.0 if coins.random() < reward else 0.0
    arm.successes += reward
    arm.failures += 1.0 - reward


thompson_kernel = step_kernel(KEPT, select, update, each_arm_first=False)


@dataclass(frozen=True)
class Thompson(Algorithm):
    r"""Thompson sampling: play argmax_a theta_a, theta_a ~ Beta(successes_a + 1, failures_a + 1), drawn every round.

    A reward x in (0, 1) counts as the outcome of a coin that shows 1 with probability x, which preserves the means.

    Parameters
    ----------
    arms : K >= 2.

    Guarantee
    ---------
    None: actions are random, but a reward affects the posterior in all later rounds, and these effects add up. Ties
    have probability zero and go to the lowest arm.

    Source
    ------
    Agrawal and Goyal 2012, Algorithm 1 (Bernoulli rewards) and Algorithm 2 (the coin for rewards in [0, 1]).

    Examples
    --------
    >>> policy = Thompson(arms=2).build(np.random.default_rng(0))
    >>> policy.select()
    1

    """

    arms: int = arms_parameter()

    id: ClassVar[str] = "thompson"
    source: ClassVar[str] = "Agrawal and Goyal 2012, Algorithms 1 and 2"
    private: ClassVar[bool] = False
    tosses_coins: ClassVar[bool] = True
    simulation_engine: ClassVar[str] = "step"
    kernel = staticmethod(thompson_kernel)

    def build(self, rng: np.random.Generator, *, noise: np.random.Generator | None = None) -> ThompsonPolicy:
        return ThompsonPolicy(self.arms, rng)

    def warm_up(self) -> int:
        """Return 0: which arms are played is random."""
        return 0

    def kernel_parameters(self) -> Array:
        return np.zeros(0)


class ThompsonPolicy:
    """The reference of Thompson sampling."""

    def __init__(self, arms: int, coins: np.random.Generator) -> None:
        self.arms, self.coins = arms, coins
        self.successes, self.failures = [0.0] * arms, [0.0] * arms
        self._arm: int | None = None

    def select(self) -> int:
        """Return the arm with the largest posterior draw, drawn once a round."""
        if self._arm is None:
            draws = [self.coins.beta(s + 1.0, f + 1.0) for s, f in zip(self.successes, self.failures, strict=True)]
            self._arm = draws.index(max(draws))
        return self._arm

    def update(self, action: int, reward: float) -> None:
        """Count a success or a failure, decided by a coin if the reward is neither 0 nor 1."""
        action, reward = told_arm(action, self.arms), told_reward(reward)
        outcome = float(self.coins.random() < reward) if 0.0 < reward < 1.0 else reward
        self.successes[action] += outcome
        self.failures[action] += 1.0 - outcome
        self._arm = None
