"""UCB1, the non-private baseline."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from privcheck.bandits.base import Algorithm, arms_parameter
from privcheck.kernels.building_blocks import Actions, Floats, Integers, compiled, record, reward_sum


@compiled
def ucb_kernel(
    parameters: Floats,
    table: Floats,
    means: Floats,
    rewards: np.random.Generator,
    coins: np.random.Generator,
    noise: np.random.Generator,
    horizon: int,
    runs: int,
    actions: Actions,
    checkpoints: Integers,
    regret: Floats,
) -> None:
    """Run UCB1."""
    arms = means.shape[0]
    best_mean = means.max()
    sums = np.zeros(arms)
    pulls = np.zeros(arms, np.int64)
    for run in range(runs):
        sums[:] = 0.0
        pulls[:] = 0
        cursor, total = 0, 0.0
        for t in range(horizon):
            if t < arms:
                arm = t
            else:
                double_log = 2.0 * math.log(t)
                arm, highest = 0, -math.inf
                for a in range(arms):
                    index = sums[a] / pulls[a] + math.sqrt(double_log / pulls[a])
                    if index > highest:
                        arm, highest = a, index
            sums[arm] += reward_sum(table, means, rewards, arm, t, t + 1)
            pulls[arm] += 1
            cursor, total = record(
                actions, run, checkpoints, best_mean - means[arm], regret, cursor, total, arm, t, t + 1
            )


@dataclass(frozen=True)
class UCB(Algorithm):
    r"""UCB1: the non-private optimistic index mean_a + sqrt(2 ln t / n_a).

    Parameters
    ----------
    arms : K >= 2.

    Guarantee
    ---------
    None: the actions are a deterministic function of the rewards, so neighbouring streams can be told apart with
    certainty and an audit's lower bound grows with the runs. Ties are broken by the lowest arm.

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

    def kernel_parameters(self) -> npt.NDArray[np.float64]:
        return np.zeros(0)


class UCBPolicy:
    """The reference of UCB1."""

    def __init__(self, arms: int) -> None:
        self.sums = [0.0] * arms
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
        self.rounds += 1
        self.pulls[action] += 1
        self.sums[action] += reward

    def index(self, arm: int) -> float:
        """Return mean_a + sqrt(2 ln t / n_a)."""
        n = self.pulls[arm]
        return self.sums[arm] / n + math.sqrt(2.0 * math.log(self.rounds) / n)
