"""Bandits that play by what they released, but for one line."""

from __future__ import annotations

import numpy as np
from scipy import stats

from .pair import A, Pair, rows, table, tail, two_sided


class TiesByIndex:
    """Tries two arms twice, and plays the better one, or each of them once if their integer releases tie."""

    def __init__(self, rng):
        self.rng, self.t, self.sums, self.plan = rng, 0, [0.0, 0.0], [0, 1, 0, 1]

    def tie(self, arm):
        return arm

    def select(self):
        if self.t == 4:
            released = [int(total) + int(two_sided(self.rng, 1.0)) for total in self.sums]
            order = sorted(range(2), key=lambda arm: (-released[arm], self.tie(arm)))
            self.plan += order if released[0] == released[1] else order[:1] * 2
        return self.plan[self.t]

    def update(self, action, reward):
        self.sums[action] += reward
        self.t += 1


class TiesByRawSum(TiesByIndex):
    def tie(self, arm):
        return -self.sums[arm]


class WidthOfTheRange:
    """Adds noise to every reward between -1 and 1, and plays arm 1 after a high release."""

    sensitivity = 2.0

    def __init__(self, rng):
        self.rng, self.arm = rng, 0

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.arm = int(reward + self.rng.laplace(scale=self.sensitivity) > 1.0)


class LargestReward(WidthOfTheRange):
    sensitivity = 1.0


class NoiseForEachReward:
    """Keeps noisy sums, and plays the largest mean after each arm was tried."""

    def __init__(self, rng):
        self.rng, self.noises, self.pulls, self.sums = rng, {}, [0, 0], [0.0, 0.0]

    def noise(self, pulls):
        return self.rng.laplace()

    def select(self):
        played = sum(self.pulls)
        if played < 3:
            return played % 2
        return int(self.sums[1] / self.pulls[1] > self.sums[0] / self.pulls[0])

    def update(self, action, reward):
        self.pulls[action] += 1
        self.sums[action] += reward + self.noise(self.pulls[action])


class NoiseCachedByPulls(NoiseForEachReward):
    def noise(self, pulls):
        return self.noises.setdefault(pulls, self.rng.laplace())


class SeedFromRounds:
    """Plays the leader of noisy sums, and in every second round an arm from a stream of its own."""

    def __init__(self, rng):
        self.rng, self.seed, self.t, self.total, self.sums = rng, int(rng.integers(2**32)), 0, 0.0, [0.0] * 4

    def key(self):
        return self.t

    def select(self):
        if self.t % 2:
            return int(np.random.default_rng([self.seed, self.key()]).integers(4))
        return int(np.argmax(self.sums))

    def update(self, action, reward):
        self.t += 1
        self.total += reward
        self.sums[action] += reward + self.rng.laplace()


class SeedFromRewards(SeedFromRounds):
    def key(self):
        return int(self.total)


class WholeBatches:
    """Plays an arm four times, releases the sum, and changes the arm if it is low."""

    def __init__(self, rng):
        self.rng, self.arm, self.played, self.total = rng, 0, 0, 0.0

    def hopeless(self):
        return False

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.played, self.total = self.played + 1, self.total + reward
        if self.hopeless() or (self.played == 4 and self.total + self.rng.laplace() < 1.5):
            self.arm, self.played, self.total = 1 - self.arm, 0, 0.0
        elif self.played == 4:
            self.played, self.total = 0, 0.0


class CurtailedBatches(WholeBatches):
    def hopeless(self):
        return self.total + (4 - self.played) < 1.5


class FixedBaseline:
    """Releases every reward less a baseline, and plays arm 1 after a high release."""

    def __init__(self, rng):
        self.rng, self.arm, self.baseline = rng, 0, None

    def first(self, reward):
        return 0.5

    def select(self):
        return self.arm

    def update(self, action, reward):
        if self.baseline is None:
            self.baseline = self.first(reward)
        self.arm = int(reward - self.baseline + self.rng.laplace() > 1.0)


class FirstRewardAsBaseline(FixedBaseline):
    def first(self, reward):
        return reward


class LaplaceAlarm:
    """Plays arm 1 after a reward whose release is far above the range."""

    def __init__(self, rng):
        self.rng, self.arm = rng, 0

    def noise(self):
        return self.rng.laplace()

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.arm = int(reward + self.noise() > 2.5)


class NormalAlarm(LaplaceAlarm):
    def noise(self):
        return self.rng.normal()


def told(horizon, arms=2, **more):
    return {"feedback": "bandit", "arms": arms, "horizon": horizon, **more}


PAIRS = [
    Pair(
        name="ties between releases are broken by raw sums",
        why="only which arm comes first after a tie tells; how often each was played does not",
        loss=np.inf,
        bound="each reward is in one release, and truncated sums differ by at most 1",
        broken=TiesByRawSum,
        correct=TiesByIndex,
        streams=(table([1, 1], [1, 1], [0, 0], [1, 1], [0, 0], [0, 0]), rows(1, 1, 0, 0, 0, 0)),
        event=lambda actions: actions[4:] == (1, 0),
        shares=(2.0 * A / (1.0 - A**2) * ((1.0 - A) / (1.0 + A)) ** 2, 0.0),
        options=told(6),
    ),
    Pair(
        name="the largest reward is taken for the width of the range",
        why="changes of up to half of the range are covered; only a reward from -1 to 1 shows the rest",
        loss=2.0,
        bound="each reward is released once, with the scale of the range",
        broken=LargestReward,
        correct=WidthOfTheRange,
        streams=(rows(1, 0, 0, 0), rows(-1, 0, 0, 0)),
        event=lambda actions: actions[1] == 1,
        shares=(0.5, tail(2.0)),
        options=told(4, rewards=(-1.0, 1.0)),
    ),
    Pair(
        name="arms with equal numbers of pulls share their noise",
        why="noise cancels only after the less played arm was chosen in the fourth round",
        loss=np.inf,
        bound="each reward is released once, and all else is computed from releases",
        broken=NoiseCachedByPulls,
        correct=NoiseForEachReward,
        streams=(rows(1, 0.5, 0, 0, 0, 0), rows(0, 0.5, 0, 0, 0, 0)),
        event=lambda actions: actions[3] == 1 and actions[4] == 0,
        shares=(0.5, 0.0),
        options=told(6),
    ),
    Pair(
        name="the seed of the exploration contains the raw total",
        why="every exploring action is uniform; only whether two of them agree tells that the total has moved",
        loss=np.inf,
        bound="each reward is released once; exploration does not look at rewards",
        broken=SeedFromRewards,
        correct=SeedFromRounds,
        streams=(rows(0, 0, 1, 0, 0, 0, arms=4), rows(0, 0, 0, 0, 0, 0, arms=4)),
        event=lambda actions: actions[1] != actions[3],
        shares=(0.75, 0.0),
        options=told(6, arms=4),
    ),
    Pair(
        name="a batch that cannot succeed any more is ended",
        why="it takes three rewards in a row that together are below a half",
        loss=np.inf,
        bound="each reward is in one batch, whose sum is released once, and batches end at fixed rounds",
        broken=CurtailedBatches,
        correct=WholeBatches,
        streams=(rows(*[0] * 8), rows(0, 0, 1, 0, 0, 0, 0, 0)),
        event=lambda actions: actions[3] == 1,
        shares=(1.0, 0.0),
        options=told(8),
    ),
    Pair(
        name="the first reward is the baseline of all others",
        why="a change of the first round only, and each action alone shows no more than the claim",
        loss=4.0,
        bound="the baseline is a constant, and each reward is released once",
        broken=FirstRewardAsBaseline,
        correct=FixedBaseline,
        streams=(rows(0, 1, 1, 1, 1, 1), rows(1, 1, 1, 1, 1, 1)),
        event=lambda actions: all(actions[2:]),
        shares=(0.5**4, tail(1.0) ** 4),
        options=told(6),
    ),
    Pair(
        name="normal noise of the scale of Laplace noise",
        why="within two standard deviations the loss is below the claim; the alarm is a rare action",
        loss=2.376,
        bound="each reward is released once",
        broken=NormalAlarm,
        correct=LaplaceAlarm,
        streams=(rows(1, 0), rows(0, 0)),
        event=lambda actions: actions[1] == 1,
        shares=(float(stats.norm.sf(1.5)), float(stats.norm.sf(2.5))),
        options=told(2),
        runs=40_000,
    ),
]
