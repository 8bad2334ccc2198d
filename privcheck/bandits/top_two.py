"""Top Two: best-arm identification without privacy, the limit of DP-Exact-TT as epsilon tends to infinity."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from privcheck.arrays import Array
from privcheck.bandits.base import arms_parameter
from privcheck.bandits.best_arm import BestArmAlgorithm, delta_parameter
from privcheck.bandits.geometric_batches import ratio_parameter
from privcheck.bandits.grid_top_two import GridTopTwoPolicy, top_two_kernel
from privcheck.bandits.reward_coins import rewards_parameter


@dataclass(frozen=True)
class TopTwo(BestArmAlgorithm):
    r"""Top Two: best-arm identification by geometric batches and the exact likelihood of their sums.

    The rules of `dp-exact-tt` without noise: L_a(q) = s_a ln q + (n_a - s_a) ln(1 - q) for n_a rewards with sum s_a, kl
    in place of d_epsilon, and first batches of one reward. It tells what privacy costs: at epsilon = 100 `dp-exact-tt`
    decides the same.

    Parameters
    ----------
    arms : K >= 2.
    delta : the largest probability of recommending an arm that is not the best, in [1e-9, 0.5).
    ratio : ratio of successive pull counts of an arm, in [1.05, 64].
    rewards : "plain", or "coin" for one Bernoulli coin per reward: delta is proved for rewards in {0, 1} only.

    Guarantee
    ---------
    None: actions, stopping time and recommendation are deterministic functions of the rewards, so an observer can tell
    neighbouring streams apart with certainty. Ties within 1e-9 go to the lowest arm.

    delta-correct for independent Bernoulli rewards (or coins), with the proof of `DPExactTT`.

    Source
    ------
    This project (docs/identification.md); Top Two: Russo 2016; batches: Jourdan and Azize 2025; mixtures: Robbins 1970.

    Examples
    --------
    >>> policy = TopTwo(arms=2).build(np.random.default_rng(0))
    >>> while not policy.stopped:
    ...     policy.update(arm := policy.select(), float(arm == 1))
    >>> policy.recommend(), sum(policy.pulls)
    (1, 13)

    """

    arms: int = arms_parameter()
    delta: float = delta_parameter()
    ratio: float = ratio_parameter(1.5, least=1.05)
    rewards: str = rewards_parameter()

    id: ClassVar[str] = "top-two"
    source: ClassVar[str] = "this project, after Russo 2016 and Jourdan and Azize 2025"
    private: ClassVar[bool] = False
    kernel = staticmethod(top_two_kernel)

    def build(self, rng: np.random.Generator, *, noise: np.random.Generator | None = None) -> TopTwoPolicy:
        return TopTwoPolicy(self.arms, self.delta, self.ratio, rng if self.rewards == "coin" else None)

    def warm_up(self) -> int:
        """Return the number of rounds of all first batches together."""
        return self.arms

    def kernel_parameters(self) -> Array:
        return np.array([math.inf, self.ratio, 1.0, self.rewards == "coin", 0.0], np.float64)


class TopTwoPolicy(GridTopTwoPolicy):
    """The reference of Top Two.

    Guarantee
    ---------
    None: sums are used as they are.
    """

    def __init__(self, arms: int, delta: float, ratio: float, coins: np.random.Generator | None) -> None:
        super().__init__(arms, math.inf, delta, ratio, np.random.default_rng(0), coins, 1)  # no noise is drawn

    def publish(self, batch_sum: float) -> float:
        """Return the sum as it is."""
        return batch_sum

    def log_densities(self, private_sum: float, length: int, points: Array) -> Array:
        """Return the logarithm of the likelihood of the sum, without its binomial coefficient."""
        return np.asarray(private_sum * np.log(points) + (length - private_sum) * np.log1p(-points))
