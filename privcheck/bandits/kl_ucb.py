"""KL-UCB, the non-private baseline for Bernoulli rewards."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from privcheck.bandits.base import Algorithm, arms_parameter
from privcheck.bandits.kl_index import kl_index_by_bisection, kl_index_with_entropy, negative_entropy
from privcheck.bandits.ucb import UCBPolicy
from privcheck.kernels.building_blocks import Actions, Floats, Integers, compiled, record, reward_sum


@compiled
def kl_ucb_kernel(
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
    """Run KL-UCB; the last arm's index is solved for, the others' only where kl at that index says they may be as
    large.

    "May be" has a slack above rounding error, so that equal indices are recognised and the lowest arm wins.
    """
    arms = means.shape[0]
    best_mean = means.max()
    sums, mean, entropy, floor = np.zeros(arms), np.zeros(arms), np.zeros(arms), np.zeros(arms)
    pulls = np.zeros(arms, np.int64)
    for run in range(runs):
        sums[:] = 0.0
        pulls[:] = 0
        arm, cursor, total = 0, 0, 0.0
        for t in range(horizon):
            if t < arms:
                arm = t
            else:
                log_round = math.log(t)
                last = arm
                highest = kl_index_with_entropy(mean[last], entropy[last], log_round / pulls[last])
                log_head = math.log(-math.expm1(-highest))
                for a in range(arms):
                    if a == last:
                        continue
                    level = log_round / pulls[a]
                    if floor[a] < highest:
                        if highest == math.inf:
                            continue
                        left = mean[a] * log_head if mean[a] > 0.0 else 0.0
                        if entropy[a] - left + (1.0 - mean[a]) * highest - level > 1e-9 * level:
                            continue
                    index = kl_index_with_entropy(mean[a], entropy[a], level)
                    if index > highest or (index == highest and a < arm):
                        arm, highest = a, index
                        log_head = math.log(-math.expm1(-highest))
            sums[arm] += reward_sum(table, means, rewards, arm, t, t + 1)
            pulls[arm] += 1
            mean[arm] = sums[arm] / pulls[arm]
            entropy[arm], floor[arm] = negative_entropy(mean[arm]), -math.log1p(-mean[arm])
            cursor, total = record(
                actions, run, checkpoints, best_mean - means[arm], regret, cursor, total, arm, t, t + 1
            )


@dataclass(frozen=True)
class KLUCB(Algorithm):
    r"""KL-UCB: the non-private optimistic index max{q : n_a kl(mean_a, q) <= ln t}.

    Parameters
    ----------
    arms : K >= 2.

    Guarantee
    ---------
    None: the actions are a deterministic function of the rewards, so neighbouring streams can be told apart with
    certainty and an audit's lower bound grows with the runs. Ties are broken by the lowest arm.

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

    def kernel_parameters(self) -> npt.NDArray[np.float64]:
        return np.zeros(0)


class KLUCBPolicy(UCBPolicy):
    """The reference of KL-UCB."""

    def index(self, arm: int) -> float:
        """Return the KL-UCB index q, as -ln(1 - q)."""
        n = self.pulls[arm]
        return kl_index_by_bisection(self.sums[arm] / n, math.log(self.rounds) / n)
