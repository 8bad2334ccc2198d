"""RNM-FTNL, with the noise that its privacy claim requires."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from privcheck.arrays import Actions, Array, Integers
from privcheck.bandits.audit_setting import AuditSetting
from privcheck.bandits.base import Algorithm, arms_parameter, epsilon_parameter
from privcheck.kernels import compiled, record, reward_sum
from privcheck.mechanisms import NoisyMax
from privcheck.private_values import told_arm, told_rewards


@compiled
def rnm_ftnl_kernel(
    parameters: Array,
    table: Array,
    means: Array,
    rewards: np.random.Generator,
    coins: np.random.Generator,
    noise: np.random.Generator,
    horizon: int,
    runs: int,
    actions: Actions,
    checkpoints: Integers,
    regret: Array,
) -> None:
    """Run HHMH Algorithm 4; `parameters` holds the Laplace scale."""
    scale = parameters[0]
    arms = means.shape[0]
    best_mean = means.max()
    scores = np.zeros(arms)
    for run in range(runs):
        t, cursor, total = 0, 0, 0.0
        arm, planned = 0, 1
        while t < horizon:
            stop = min(t + planned, horizon)
            for a in range(arms):
                scores[a] = reward_sum(table, means, rewards, a, t, stop)
            cursor, total = record(
                actions, run, checkpoints, best_mean - means[arm], regret, cursor, total, arm, t, stop
            )
            t, planned = stop, planned * 2
            if t < horizon:
                arm, highest = 0, -np.inf
                for a in range(arms):
                    noisy = scores[a] + noise.laplace(0.0, scale)
                    if noisy > highest:
                        arm, highest = a, noisy


@dataclass(frozen=True)
class RNMFTNL(Algorithm):
    r"""RNM-FTNL: report-noisy-max follow-the-noisy-leader for full information, with corrected noise.

    Epochs have 1, 2, 4, ... rounds, and one action is played in each. At the end of an epoch the rewards of each action
    in this epoch alone are summed, and the next epoch's action is argmax_a (sum_a + Laplace(2 / epsilon)).

    Parameters
    ----------
    arms : K >= 2.
    epsilon : privacy budget, > 0.

    Guarantee
    ---------
    epsilon-DP (pure) for reward tables in [0, 1]^(T x K) that differ in one row, when the actions are released. A row
    enters the sums of one epoch; replacing it moves each sum by at most 1, some up and some down, so differences of
    sums move by at most 2 (the range), and a noisy maximum with Laplace scale b is (2 / b)-DP. Ties have probability
    zero and go to the lowest action.

    Source
    ------
    Hu, Huang, Mehta and Hegde, Algorithm 4 and Theorem 9. The paper prints scale 1 / epsilon (see `RNMFTNLPublished`),
    which is 2 epsilon-DP; Theorem 9 holds with its printed constants for scale 2 / epsilon.

    Examples
    --------
    >>> policy = RNMFTNL(arms=4, epsilon=1.0).build(np.random.default_rng(0))
    >>> policy.select()
    0

    """

    arms: int = arms_parameter()
    epsilon: float = epsilon_parameter()

    id: ClassVar[str] = "rnm-ftnl"
    source: ClassVar[str] = "Hu, Huang, Mehta and Hegde, Algorithm 4 with Laplace scale 2 / epsilon, Theorem 9"
    feedback: ClassVar[str] = "full"
    simulation_engine: ClassVar[str] = "event"
    audit_setting: ClassVar[AuditSetting | None] = AuditSetting(runs=400_000, arms=4, horizon=8)
    kernel = staticmethod(rnm_ftnl_kernel)

    def build(self, rng: np.random.Generator, *, noise: np.random.Generator | None = None) -> RNMFTNLPolicy:
        return RNMFTNLPolicy(self.arms, self.mechanism(), noise or rng)

    def kernel_parameters(self) -> Array:
        return np.array([self.mechanism().scale])

    def mechanism(self) -> NoisyMax:
        """Return the noisy maximum that picks the next epoch's action."""
        return NoisyMax(score_range=2.0, epsilon=self.epsilon)


class RNMFTNLPolicy:
    """The reference of HHMH Algorithm 4, for any noisy maximum."""

    def __init__(self, arms: int, mechanism: NoisyMax, noise: np.random.Generator) -> None:
        self.mechanism, self.noise = mechanism, noise
        self.arms, self.scores = arms, np.zeros(arms)
        self._arm, self._epoch_length, self._left = 0, 1, 1

    def select(self) -> int:
        """Return the action of the current epoch."""
        return self._arm

    def update(self, action: int, rewards: Array) -> None:
        """Add the rewards of all actions; at the end of the epoch release the next action and reset the sums."""
        told_arm(action, self.arms)
        row = told_rewards(rewards, self.arms)
        self.scores = self.scores + row
        self._left -= 1
        if self._left == 0:
            self._arm = self.mechanism.release(self.scores, self.noise)
            self._epoch_length *= 2
            self._left = self._epoch_length
            self.scores = np.zeros_like(self.scores)
