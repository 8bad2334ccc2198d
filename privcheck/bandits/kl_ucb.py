"""KL-UCB, the non-private baseline for Bernoulli rewards."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from privcheck.arrays import Array
from privcheck.bandits.base import Algorithm, arms_parameter
from privcheck.bandits.kl_index import kl_index_by_bisection, kl_index_with_entropy, negative_entropy
from privcheck.bandits.ucb import UCBPolicy
from privcheck.kernels import Generator, inlined, step_kernel

KEPT = [
    ("sum", np.float64),
    ("pulls", np.int64),
    ("mean", np.float64),
    ("entropy", np.float64),
    ("floor", np.float64),
]


@inlined
def select(arms: Any, parameters: Array, coins: Generator, t: int, last: int) -> int:
    """Return the arm with the largest index.

    The last arm's index is computed; another arm's is computed only if its kl at the largest index so far shows that it
    may be as large. This comparison has a slack above rounding error, so that ties are detected and go to the lowest
    arm.
    """
    log_round = math.log(t)
    arm = arms[last]
    best, highest = last, kl_index_with_entropy(arm.mean, arm.entropy, log_round / arm.pulls)
    log_head = math.log(-math.expm1(-highest))
    for a in range(len(arms)):
        if a == last:
            continue
        arm = arms[a]
        level = log_round / arm.pulls
        if arm.floor < highest:
            if highest == math.inf:
                continue
            left = arm.mean * log_head if arm.mean > 0.0 else 0.0
            if arm.entropy - left + (1.0 - arm.mean) * highest - level > 1e-9 * level:
                continue
        index = kl_index_with_entropy(arm.mean, arm.entropy, level)
        if index > highest or (index == highest and a < best):
            best, highest = a, index
            log_head = math.log(-math.expm1(-highest))
    return best


@inlined
def update(arm: Any, parameters: Array, coins: Generator, noise: Generator, reward: float) -> None:
    """Count the pull, and compute the logarithms that only a pull changes."""
    arm.sum += reward
    arm.pulls += 1
    arm.mean = arm.sum / arm.pulls
    arm.entropy, arm.floor = negative_entropy(arm.mean), -math.log1p(-arm.mean)


kl_ucb_kernel = step_kernel(KEPT, select, update)


@dataclass(frozen=True)
class KLUCB(Algorithm):
    r"""KL-UCB: the non-private optimistic index max{q : n_a kl(mean_a, q) <= ln t}.

    Parameters
    ----------
    arms : K >= 2.

    Guarantee
    ---------
    None: the actions are a deterministic function of the rewards, so an observer can tell neighbouring streams apart
    with certainty, and an audit's lower bound grows with the number of runs. Ties go to the lowest arm.

    Source
    ------
    Garivier and Cappe 2011, Algorithm 1 with c = 0.

    Examples
    --------
    >>> policy = KLUCB(arms=2).build(np.random.default_rng(0))
    >>> policy.select()
    0

    """

    arms: int = arms_parameter()

    id: ClassVar[str] = "kl-ucb"
    source: ClassVar[str] = "Garivier and Cappe 2011, Algorithm 1 with c = 0"
    private: ClassVar[bool] = False
    simulation_engine: ClassVar[str] = "step"
    kernel = staticmethod(kl_ucb_kernel)

    def build(self, rng: np.random.Generator, *, noise: np.random.Generator | None = None) -> KLUCBPolicy:
        return KLUCBPolicy(self.arms)

    def kernel_parameters(self) -> Array:
        return np.zeros(0)


class KLUCBPolicy(UCBPolicy):
    """The reference of KL-UCB."""

    any_rewards = False

    def index(self, arm: int) -> float:
        """Return the KL-UCB index q, as -ln(1 - q)."""
        n = self.pulls[arm]
        return kl_index_by_bisection(self.sums[arm] / n, math.log(self.rounds) / n)
