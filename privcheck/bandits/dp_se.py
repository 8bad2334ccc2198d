"""DP-SE."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from privcheck.arrays import Actions, Array, Integers, Table
from privcheck.bandits.audit_setting import AuditSetting
from privcheck.bandits.base import Algorithm, arms_parameter, epsilon_parameter, horizon_parameter
from privcheck.kernels import compiled, record, reward_sum
from privcheck.mechanisms import NOISE_SLACK, Laplace
from privcheck.private_values import told_arm, told_reward


@compiled
def epoch_schedule(epoch: int, arms: int, epsilon: float, beta: float) -> tuple[float, float]:
    """Return (pulls of each surviving arm, largest gap between private means that survives) for an epoch e = 1, 2, ....

    The pulls are a whole number stored as a float, because late epochs are too long for 64-bit integers.
    """
    gap = 2.0**-epoch
    log_sampling = math.log(8.0 * arms * epoch * epoch / beta)
    log_noise = math.log(4.0 * arms * epoch * epoch / beta)
    pulls = math.floor(max(32.0 * log_sampling / (gap * gap), 8.0 * log_noise / (epsilon * gap))) + 1.0
    return pulls, 2.0 * math.sqrt(log_sampling / (2.0 * pulls)) + 2.0 * log_noise / (pulls * epsilon)


@compiled
def dp_se_kernel(
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
    """Run DP-SE; `parameters` holds epsilon and beta."""
    epsilon, beta = parameters[0], parameters[1]
    arms = means.shape[0]
    best_mean = means.max()
    private_mean = np.zeros(arms)
    alive = np.zeros(arms, np.int64)
    for run in range(runs):
        survivors = arms
        for a in range(arms):
            alive[a] = a
        t, cursor, total, epoch = 0, 0, 0.0, 0
        while t < horizon:
            epoch += 1
            pulls, width = epoch_schedule(epoch, survivors, epsilon, beta)
            for i in range(survivors):
                arm = alive[i]
                whole = survivors > 1 and t + pulls <= horizon
                stop = t + int(pulls) if whole else horizon
                block_sum = reward_sum(table, means, rewards, arm, t, stop)
                cursor, total = record(
                    actions, run, checkpoints, best_mean - means[arm], regret, cursor, total, arm, t, stop
                )
                t = stop
                if whole:
                    scale = (1.0 / pulls) * (1.0 + NOISE_SLACK) / epsilon
                    private_mean[arm] = block_sum / pulls + noise.laplace(0.0, scale)
                if t == horizon:
                    break
            if t < horizon:
                survivors = eliminate(alive, survivors, private_mean, width)


@compiled
def eliminate(alive: Integers, survivors: int, private_mean: Array, width: float) -> int:
    """Move the arms that are at most `width` behind the best to the front of `alive`; return how many there are."""
    highest = -math.inf
    for i in range(survivors):
        highest = max(highest, private_mean[alive[i]])
    kept = 0
    for i in range(survivors):
        if highest - private_mean[alive[i]] <= width:
            alive[kept] = alive[i]
            kept += 1
    return kept


def _near_the_threshold() -> tuple[Table, Table]:
    """Return two streams whose means differ by the threshold after the first epoch, 1370 pulls of each arm.

    Arm 1 is 189 or 190 successes ahead, of which one more or less decides for epsilon = 1 whether arm 0 is eliminated.
    """
    first, second = np.zeros((2780, 2)), np.zeros((2780, 2))
    first[1370 : 1370 + 189, 1] = second[1370 : 1370 + 190, 1] = 1.0
    return first, second


@dataclass(frozen=True)
class DPSE(Algorithm):
    r"""DP-SE: successive elimination with fresh samples and one private mean per arm and epoch.

    In epoch e = 1, 2, ... each of the |S| surviving arms is played

        R = floor(max{ 32 ln(8 |S| e^2 / beta) / D^2, 8 ln(4 |S| e^2 / beta) / (epsilon D) }) + 1,  D = 2^-e

    times in a row, the lowest arm first, and its mean is released with Laplace(1 / (R epsilon)) noise. Arms more than
    2 sqrt(ln(8 |S| e^2 / beta) / (2 R)) + 2 ln(4 |S| e^2 / beta) / (R epsilon) behind the best are eliminated. The
    last surviving arm is played from then on. beta = 1 / T.

    Parameters
    ----------
    arms : K >= 2.
    epsilon : privacy budget, > 0.
    horizon : T >= 2; it sets the probability of failure beta = 1 / T.

    Guarantee
    ---------
    epsilon-DP (pure) for reward streams in [0, 1] that differ in one round, when the actions are released. Each reward
    enters one mean of R fresh rewards, of sensitivity 1 / R, released once with Laplace(1 / (R epsilon)) noise; older
    rewards are forgotten. Eliminations are functions of the released means, so for fixed actions the epochs are fixed
    and replacing one reward changes one release: adaptive parallel composition. Only released means are compared; an
    arm exactly at the threshold survives.

    Source
    ------
    Sajed and Sheffet 2019, Algorithm 2, with the beta of Azize and Basu 2022, Section 6. The papers do not fix the
    order of arms within an epoch.

    Examples
    --------
    >>> policy = DPSE(arms=2, epsilon=1.0, horizon=10_000).build(np.random.default_rng(0))
    >>> policy.select(), epoch_schedule(1, 2, 1.0, 1e-4)[0]
    (0, 1534.0)

    """

    arms: int = arms_parameter()
    epsilon: float = epsilon_parameter()
    horizon: int = horizon_parameter()

    id: ClassVar[str] = "dp-se"
    source: ClassVar[str] = "Sajed and Sheffet 2019, Algorithm 2; beta = 1/T of Azize and Basu 2022, Section 6"
    simulation_engine: ClassVar[str] = "event"
    audit_setting: ClassVar[AuditSetting | None] = AuditSetting(runs=40_000, streams=_near_the_threshold)
    kernel = staticmethod(dp_se_kernel)

    def build(self, rng: np.random.Generator, *, noise: np.random.Generator | None = None) -> DPSEPolicy:
        return DPSEPolicy(self.arms, self.epsilon, 1.0 / self.horizon, noise or rng)

    def warm_up(self) -> int:
        """Return the number of rounds of the first epoch."""
        return self.arms * int(epoch_schedule(1, self.arms, self.epsilon, 1.0 / self.horizon)[0])

    def kernel_parameters(self) -> Array:
        return np.array([self.epsilon, 1.0 / self.horizon])


class DPSEPolicy:
    """The reference of DP-SE."""

    def __init__(self, arms: int, epsilon: float, beta: float, noise: np.random.Generator) -> None:
        self.epsilon, self.beta, self.noise = epsilon, beta, noise
        self.alive = list(range(arms))
        self.arms, self.private_mean = arms, [0.0] * arms
        self.epoch = 0
        self._position, self._left, self._block_sum = 0, 0, 0.0
        self._start_epoch()

    def select(self) -> int:
        """Return the arm of the current block."""
        return self.alive[self._position]

    def update(self, action: int, reward: float) -> None:
        """Add the reward to the open block; release its mean when it closes, and eliminate at the end of the epoch."""
        action, reward = told_arm(action, self.arms), told_reward(reward)
        if len(self.alive) == 1:
            return
        self._block_sum += reward
        self._left -= 1
        if self._left > 0:
            return
        mechanism = Laplace(sensitivity=1.0 / self.pulls, epsilon=self.epsilon)
        self.private_mean[action] = mechanism.release(self._block_sum / self.pulls, self.noise)
        self._position, self._left, self._block_sum = self._position + 1, self.pulls, 0.0
        if self._position == len(self.alive):
            best = max(self.private_mean[arm] for arm in self.alive)
            self.alive = [arm for arm in self.alive if best - self.private_mean[arm] <= self.width]
            self._start_epoch()

    def _start_epoch(self) -> None:
        self.epoch += 1
        gap, tries = 2.0**-self.epoch, len(self.alive) * self.epoch**2
        log_sampling, log_noise = math.log(8 * tries / self.beta), math.log(4 * tries / self.beta)
        self.pulls = int(max(32 * log_sampling / gap**2, 8 * log_noise / (self.epsilon * gap))) + 1
        self.width = 2 * math.sqrt(log_sampling / (2 * self.pulls)) + 2 * log_noise / (self.pulls * self.epsilon)
        self._position, self._left, self._block_sum = 0, self.pulls, 0.0
