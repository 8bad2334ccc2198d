"""IMED, the non-private baseline that attains the lower bound for Bernoulli rewards."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from privcheck.arrays import Array
from privcheck.bandits.base import Algorithm, arms_parameter
from privcheck.bandits.kl_index import negative_entropy
from privcheck.bandits.ucb import UCBPolicy
from privcheck.kernels import Generator, inlined, step_kernel

TIE = 1e-9
"""Indices that differ by less are ties: 0 + ln 3 and kl(0, 2/3) + ln 1 are equal, but not after rounding."""


KEPT = [
    ("sum", np.float64),
    ("pulls", np.int64),
    ("mean", np.float64),
    ("entropy", np.float64),
    ("log_pulls", np.float64),
]


@inlined
def select(arms: Any, parameters: Array, coins: Generator, t: int, last: int) -> int:
    """Return the arm with the smallest index, up to ties."""
    highest = arms[0].mean
    for a in range(1, len(arms)):
        highest = max(highest, arms[a].mean)
    log_highest, log_rest = math.log(highest), math.log1p(-highest)
    best, lowest = 0, math.inf
    for a in range(len(arms)):
        index, mean = arms[a].log_pulls, arms[a].mean
        if mean < highest:
            index += arms[a].pulls * (arms[a].entropy - mean * log_highest - (1.0 - mean) * log_rest)
        if index < lowest - TIE:
            best, lowest = a, index
    return best


@inlined
def update(arm: Any, parameters: Array, coins: Generator, noise: Generator, reward: float) -> None:
    """Count the pull, and compute the logarithms that only a pull changes."""
    arm.sum += reward
    arm.pulls += 1
    arm.mean = arm.sum / arm.pulls
    arm.entropy, arm.log_pulls = negative_entropy(arm.mean), math.log(arm.pulls)


imed_kernel = step_kernel(KEPT, select, update)


@dataclass(frozen=True)
class IMED(Algorithm):
    r"""IMED: play the arm with the smallest index n_a kl(mean_a, max_b mean_b) + ln n_a.

    Parameters
    ----------
    arms : K >= 2.

    Guarantee
    ---------
    None: the actions are a deterministic function of the rewards, so an observer can tell neighbouring streams apart
    with certainty, and an audit's lower bound grows with the number of runs. Ties go to the lowest arm.

    Source
    ------
    Honda and Takemura 2015, Algorithm 1, for Bernoulli rewards.

    Examples
    --------
    >>> policy = IMED(arms=2).build(np.random.default_rng(0))
    >>> policy.select()
    0

    """

    arms: int = arms_parameter()

    id: ClassVar[str] = "imed"
    source: ClassVar[str] = "Honda and Takemura 2015, Algorithm 1"
    private: ClassVar[bool] = False
    simulation_engine: ClassVar[str] = "step"
    kernel = staticmethod(imed_kernel)

    def build(self, rng: np.random.Generator, *, noise: np.random.Generator | None = None) -> IMEDPolicy:
        return IMEDPolicy(self.arms)

    def kernel_parameters(self) -> Array:
        return np.zeros(0)


class IMEDPolicy(UCBPolicy):
    """The reference of IMED."""

    any_rewards = False

    def select(self) -> int:
        """Return the first arm never played, else the arm with the smallest index."""
        if 0 in self.pulls:
            return self.pulls.index(0)
        lowest = min(self.index(arm) for arm in range(len(self.pulls)))
        return next(arm for arm in range(len(self.pulls)) if self.index(arm) < lowest + TIE)

    def index(self, arm: int) -> float:
        """Return n_a kl(mean_a, mean*) + ln n_a."""
        n = self.pulls[arm]
        best = max(total / pulls for total, pulls in zip(self.sums, self.pulls, strict=True))
        return n * bernoulli_kl(self.sums[arm] / n, best) + math.log(n)


def bernoulli_kl(p: float, q: float) -> float:
    """Return kl(p, q) in plain Python, for the references.

    >>> round(bernoulli_kl(0.1, 0.8), 7), bernoulli_kl(0.5, 1.0), bernoulli_kl(1.0, 1.0)
    (1.1457255, inf, 0.0)
    """
    terms = ((p, q), (1.0 - p, 1.0 - q))
    return sum(a * (math.log(a / b) if b > 0.0 else math.inf) for a, b in terms if a > 0.0)
