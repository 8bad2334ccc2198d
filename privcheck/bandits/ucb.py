"""UCB1, the non-private baseline."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from privcheck.arrays import Array
from privcheck.bandits.base import Algorithm, arms_parameter
from privcheck.kernels import Generator, inlined, step_kernel
from privcheck.private_values import told_arm, told_reward

KEPT = [("sum", np.float64), ("pulls", np.int64)]


@inlined
def select(arms: Any, parameters: Array, coins: Generator, t: int, last: int) -> int:
    """Return the arm with the largest index."""
    double_log = 2.0 * math.log(t)
    best, highest = 0, -math.inf
    for a in range(len(arms)):
        index = arms[a].sum / arms[a].pulls + math.sqrt(double_log / arms[a].pulls)
        if index > highest:
            best, highest = a, index
    return best


@inlined
def update(arm: Any, parameters: Array, coins: Generator, noise: Generator, reward: float) -> None:
    """Count the pull and add its reward."""
    arm.sum += reward
    arm.pulls += 1


ucb_kernel = step_kernel(KEPT, select, update)


@dataclass(frozen=True)
class UCB(Algorithm):
    r"""UCB1: the non-private optimistic index mean_a + sqrt(2 ln t / n_a).

    Parameters
    ----------
    arms : K >= 2.

    Guarantee
    ---------
    None: the actions are a deterministic function of the rewards, so an observer can tell neighbouring streams apart
    with certainty, and an audit's lower bound grows with the number of runs. Ties go to the lowest arm.

    Source
    ------
    Auer, Cesa-Bianchi and Fischer 2002, Figure 1.

    Examples
    --------
    >>> policy = UCB(arms=2).build(np.random.default_rng(0))
    >>> policy.select()
    0

    """

    arms: int = arms_parameter()

    id: ClassVar[str] = "ucb"
    source: ClassVar[str] = "Auer, Cesa-Bianchi and Fischer 2002, Figure 1"
    private: ClassVar[bool] = False
    any_rewards: ClassVar[bool] = True
    simulation_engine: ClassVar[str] = "step"
    kernel = staticmethod(ucb_kernel)

    def build(self, rng: np.random.Generator, *, noise: np.random.Generator | None = None) -> UCBPolicy:
        return UCBPolicy(self.arms)

    def kernel_parameters(self) -> Array:
        return np.zeros(0)


class UCBPolicy:
    """The reference of UCB1."""

    any_rewards = True

    def __init__(self, arms: int) -> None:
        self.arms, self.sums = arms, [0.0] * arms
        self.pulls = [0] * arms
        self.rounds = 0

    def select(self) -> int:
        """Return the first arm never played, else the arm with the largest index."""
        if 0 in self.pulls:
            return self.pulls.index(0)
        indices = [self.index(arm) for arm in range(len(self.pulls))]
        return indices.index(max(indices))

    def update(self, action: int, reward: float) -> None:
        """Count the pull and add its reward."""
        action, reward = told_arm(action, self.arms), told_reward(reward, any_rewards=self.any_rewards)
        self.rounds += 1
        self.pulls[action] += 1
        self.sums[action] += reward

    def index(self, arm: int) -> float:
        """Return mean_a + sqrt(2 ln t / n_a)."""
        n = self.pulls[arm]
        return self.sums[arm] / n + math.sqrt(2.0 * math.log(self.rounds) / n)
