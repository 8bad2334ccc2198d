"""DP-SE for best-arm identification."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from privcheck.arrays import Actions, Array, Integers, Table
from privcheck.bandits.audit_setting import AuditSetting
from privcheck.bandits.base import arms_parameter, epsilon_parameter
from privcheck.bandits.best_arm import BestArmAlgorithm, delta_parameter, record_end, record_symbols
from privcheck.bandits.dp_se import DPSEPolicy, eliminate, epoch_schedule
from privcheck.kernels import compiled, reward_sum
from privcheck.mechanisms import NOISE_SLACK


@compiled
def dp_se_bai_kernel(
    parameters: Array,
    table: Array,
    means: Array,
    rewards: np.random.Generator,
    coins: np.random.Generator,
    noise: np.random.Generator,
    horizon: int,
    runs: int,
    actions: Actions,
    deltas: Array,
    stops: Integers,
) -> None:
    """Run DP-SE until one arm is left; `parameters` holds epsilon and delta, which is that of all `deltas`."""
    epsilon, delta = parameters[0], parameters[1]
    arms = means.shape[0]
    private_mean = np.zeros(arms)
    alive = np.zeros(arms, np.int64)
    for run in range(runs):
        survivors, t, epoch = arms, 0, 0
        for a in range(arms):
            alive[a] = a
        stops[run, :, 0], stops[run, :, 1] = 0, -1
        while t < horizon and survivors > 1:
            epoch += 1
            pulls, width = epoch_schedule(epoch, survivors, epsilon, delta)
            whole = True
            for i in range(survivors):
                arm = alive[i]
                whole = t + pulls <= horizon
                stop = t + int(pulls) if whole else horizon
                block_sum = reward_sum(table, means, rewards, arm, t, stop)
                record_symbols(actions, run, arm, t, stop)
                t = stop
                if not whole:
                    break
                scale = (1.0 / pulls) * (1.0 + NOISE_SLACK) / epsilon
                private_mean[arm] = block_sum / pulls + noise.laplace(0.0, scale)
            if not whole:
                break
            survivors = eliminate(alive, survivors, private_mean, width)
        if survivors == 1:
            stops[run, :, 0], stops[run, :, 1] = t, alive[0]
        record_end(actions, run, arms, stops, t, horizon)


def _near_the_threshold() -> tuple[Table, Table]:
    """Return two streams whose means differ by the threshold after the first epoch, 945 pulls of each arm.

    Arm 1 is 130 or 131 successes ahead, of which one more or less decides for epsilon = 1 whether arm 0 is eliminated.
    """
    first, second = np.zeros((1893, 2)), np.zeros((1893, 2))
    first[945 : 945 + 130, 1] = second[945 : 945 + 131, 1] = 1.0
    return first, second


@dataclass(frozen=True)
class DPSEBAI(BestArmAlgorithm):
    r"""DP-SE with beta = delta, stopped when one arm is left.

    In epoch e = 1, 2, ... each of the |S| surviving arms is played

        R = floor(max{ 32 ln(8 |S| e^2 / delta) / D^2, 8 ln(4 |S| e^2 / delta) / (epsilon D) }) + 1,  D = 2^-e

    times in a row, the lowest arm first, and its mean is released with Laplace(1 / (R epsilon)) noise. Arms more than
    2 sqrt(ln(8 |S| e^2 / delta) / (2 R)) + 2 ln(4 |S| e^2 / delta) / (R epsilon) behind the best are eliminated. The
    last surviving arm is recommended.

    Parameters
    ----------
    arms : K >= 2.
    epsilon : privacy budget, > 0.
    delta : the largest probability of recommending an arm that is not the best, in [1e-9, 0.5). It decides how long
        epochs are, so runs for different deltas are different runs.

    Guarantee
    ---------
    epsilon-DP (pure) for reward streams in [0, 1] that differ in one round, when the actions, the stopping time and the
    recommendation are released: each reward enters one mean of R fresh rewards, of sensitivity 1 / R, that is released
    once with Laplace(1 / (R epsilon)) noise; older rewards are forgotten. Eliminations, and with them the end, are
    functions of released means: adaptive parallel composition. An arm exactly at the threshold survives.

    delta-correct for independent rewards in [0, 1] of any law with constant means. In epoch e, given the past, a mean
    is off by more than half of the first term with probability at most delta / (4 |S| e^2) (Hoeffding), and its noise
    by more than half of the second with the same probability. If neither happens to an arm of the epoch, a best arm
    survives. Over |S| arms and all epochs these add up to at most delta pi^2 / 12 < delta. It does not stop if two best
    arms are equally good, up to that probability.

    Source
    ------
    Sajed and Sheffet 2019, Algorithm 2, with beta = delta, as compared with by Azize, Jourdan, Al Marjani and Basu
    2023. The papers do not fix the order of arms within an epoch.

    Examples
    --------
    >>> spec = DPSEBAI(arms=2, epsilon=1.0, delta=0.1)
    >>> spec.warm_up(), spec.at(0.01).warm_up()
    (1300, 1890)

    """

    arms: int = arms_parameter()
    epsilon: float = epsilon_parameter()
    delta: float = delta_parameter()

    id: ClassVar[str] = "dp-se-bai"
    source: ClassVar[str] = "Sajed and Sheffet 2019, Algorithm 2; beta = delta"
    reads_delta: ClassVar[bool] = True
    audit_setting: ClassVar[AuditSetting | None] = AuditSetting(runs=40_000, streams=_near_the_threshold)
    kernel = staticmethod(dp_se_bai_kernel)

    def build(self, rng: np.random.Generator, *, noise: np.random.Generator | None = None) -> DPSEBAIPolicy:
        return DPSEBAIPolicy(self.arms, self.epsilon, self.delta, noise or rng)

    def warm_up(self) -> int:
        """Return the number of rounds of the first epoch."""
        return self.arms * int(epoch_schedule(1, self.arms, self.epsilon, self.delta)[0])

    def kernel_parameters(self) -> Array:
        return np.array([self.epsilon, self.delta])


class DPSEBAIPolicy(DPSEPolicy):
    """The reference of DP-SE for best-arm identification."""

    stopped = False

    def update(self, action: int, reward: float) -> None:
        """Add the reward to the open block; once one arm is left, nothing is kept."""
        super().update(action, reward)
        self.stopped = len(self.alive) == 1

    def recommend(self) -> int:
        """Return the last surviving arm."""
        return self.alive[0]
