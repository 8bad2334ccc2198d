"""IMED, the non-private baseline that attains the lower bound for Bernoulli rewards."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from privcheck.bandits.base import Algorithm, arms_parameter
from privcheck.bandits.kl_index import negative_entropy
from privcheck.bandits.ucb import UCBPolicy
from privcheck.kernels.building_blocks import Actions, Floats, Integers, compiled, record, reward_sum

TIE = 1e-9
"""Indices that differ by less are equal: 0 + ln 3 and kl(0, 2/3) + ln 1 are, up to rounding."""


@compiled
def imed_kernel(
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
    """Run IMED."""
    arms = means.shape[0]
    best_mean = means.max()
    sums, mean, entropy, log_pulls = np.zeros(arms), np.zeros(arms), np.zeros(arms), np.zeros(arms)
    pulls = np.zeros(arms, np.int64)
    for run in range(runs):
        sums[:] = 0.0
        pulls[:] = 0
        cursor, total = 0, 0.0
        for t in range(horizon):
            if t < arms:
                arm = t
            else:
                best = mean.max()
                log_best, log_rest = math.log(best), math.log1p(-best)
                arm, lowest = 0, math.inf
                for a in range(arms):
                    index = log_pulls[a]
                    if mean[a] < best:
                        index += pulls[a] * (entropy[a] - mean[a] * log_best - (1.0 - mean[a]) * log_rest)
                    if index < lowest - TIE:
                        arm, lowest = a, index
            sums[arm] += reward_sum(table, means, rewards, arm, t, t + 1)
            pulls[arm] += 1
            mean[arm] = sums[arm] / pulls[arm]
            entropy[arm], log_pulls[arm] = negative_entropy(mean[arm]), math.log(pulls[arm])
            cursor, total = record(
                actions, run, checkpoints, best_mean - means[arm], regret, cursor, total, arm, t, t + 1
            )


@dataclass(frozen=True)
class IMED(Algorithm):
    r"""IMED: play the arm with the smallest index n_a kl(mean_a, max_b mean_b) + ln n_a.

    Parameters
    ----------
    arms : K >= 2.

    Guarantee
    ---------
    None: the actions are a deterministic function of the rewards, so neighbouring streams can be told apart with
    certainty and an audit's lower bound grows with the runs. Ties are broken by the lowest arm.

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

    def kernel_parameters(self) -> npt.NDArray[np.float64]:
        return np.zeros(0)


class IMEDPolicy(UCBPolicy):
    """The reference of IMED."""

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
