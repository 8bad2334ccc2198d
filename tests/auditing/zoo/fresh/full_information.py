"""Learners that see the rewards of all arms, or the outcomes of several base arms."""

from __future__ import annotations

import numpy as np

from .pair import Pair, rows, table, tail


class NoiseForEachArm:
    """Releases the sums of two rounds, and shows in the next two whether each arm's was high."""

    size: int | None = 2

    def __init__(self, rng):
        self.rng, self.t, self.sums, self.plan = rng, 0, np.zeros(2), [0, 0]

    def select(self):
        return self.plan[self.t % 2]

    def update(self, action, rewards):
        self.t, self.sums = self.t + 1, self.sums + rewards
        if self.t % 2 == 0:
            self.plan = [int(total > 1.0) for total in self.sums + self.rng.laplace(scale=2.0, size=self.size)]
            self.sums = np.zeros(2)


class NoiseSharedByArms(NoiseForEachArm):
    size = None


class FixedScale:
    """Releases the rewards of a round, and plays arm 1 after a high release."""

    def __init__(self, rng):
        self.rng, self.arm = rng, 0

    def scale(self, rewards):
        return 2.0

    def select(self):
        return self.arm

    def update(self, action, rewards):
        noisy = rewards + self.rng.laplace(scale=self.scale(rewards), size=2)
        self.arm = int(noisy[0] > 1.5)


class ScaleOfTheRound(FixedScale):
    def scale(self, rewards):
        return max(2.0 * rewards.max(), 0.25)


class NoisyRanking:
    """Plays the arm at a place of the ranking that was drawn once."""

    def __init__(self, rng):
        self.rng, self.place, self.ranking = rng, int(rng.integers(3)), [0, 1, 2]

    def noise(self):
        return self.rng.laplace(scale=3.0, size=3)

    def select(self):
        return self.ranking[self.place]

    def update(self, action, rewards):
        self.ranking = [int(arm) for arm in np.argsort(rewards + self.noise())]


class RawRanking(NoisyRanking):
    def noise(self):
        return 0.0


class EpochsApart:
    """Releases in rounds 1, 2, 4 and 8 by how much arm 1 was better since the last release."""

    def __init__(self, rng):
        self.rng, self.t, self.lead, self.arm = rng, 0, 0.0, 0

    def carried(self, rewards):
        return 0.0

    def select(self):
        return self.arm

    def update(self, action, rewards):
        self.t += 1
        self.lead += rewards[1] - rewards[0]
        if self.t in (1, 2, 4, 8):
            self.arm = int(self.lead + self.rng.laplace(scale=2.0) > 1.0)
            self.lead = self.carried(rewards)


class EpochsOverlap(EpochsApart):
    def carried(self, rewards):
        return rewards[1] - rewards[0]


class BudgetShared:
    """Plays one of the base arms 0 and 1, and one of 2 and 3, by whether the last outcomes were high."""

    scale = 2.0

    def __init__(self, rng):
        self.rng, self.arms = rng, (0, 2)

    def select(self):
        return self.arms

    def update(self, arms, outcomes):
        first, second = np.asarray(outcomes) + self.rng.laplace(scale=self.scale, size=2)
        self.arms = (int(first > 1.0), 2 + int(second > 1.0))


class BudgetForEach(BudgetShared):
    scale = 1.0


class TiesAreReleased:
    """The same with a lower threshold."""

    def __init__(self, rng):
        self.rng, self.arms = rng, (0, 2)

    def uninformative(self, outcomes):
        return False

    def select(self):
        return self.arms

    def update(self, arms, outcomes):
        if self.uninformative(outcomes):
            return
        first, second = np.asarray(outcomes) + self.rng.laplace(scale=2.0, size=2)
        self.arms = (int(first > 0.5), 2 + int(second > 0.5))


class TiesAreSkipped(TiesAreReleased):
    def uninformative(self, outcomes):
        return outcomes[0] == outcomes[1]


class ReportInTurn:
    """Each user reports one of two outcomes, and a high report changes that base arm."""

    def __init__(self, rng):
        self.rng, self.t, self.arms = rng, 0, [0, 2]

    def reported(self, outcomes):
        return self.t % 2

    def select(self):
        return tuple(self.arms)

    def update(self, arms, outcomes):
        place = self.reported(outcomes)
        self.t += 1
        if outcomes[place] + self.rng.laplace() > 0.5:
            self.arms[place] ^= 1


class ReportTheLargest(ReportInTurn):
    def reported(self, outcomes):
        return int(np.argmax(outcomes))


FULL = {"feedback": "full", "arms": 2, "horizon": 6}
SEMI = {"feedback": "semi-bandit", "arms": 4, "horizon": 4}

PAIRS = [
    Pair(
        name="noise shared by the arms of a release",
        why="the release of each arm is private by itself; that one was high and the other was not tells more",
        loss=np.inf,
        bound="a row is in one release of two sums, which together move by at most 2",
        broken=NoiseSharedByArms,
        correct=NoiseForEachArm,
        streams=(table([1, 0], *[[0, 0]] * 5), rows(*[0] * 6)),
        event=lambda actions: actions[2:4] == (1, 0),
        shares=(0.5 - tail(1.0, 2.0), 0.0),
        options=FULL,
    ),
    Pair(
        name="noise in proportion to the rewards of the round",
        why="rounds with a high reward have all of their noise; a round of low rewards has hardly any",
        loss=5.75,
        bound="a row is released once, and moves by at most 2",
        broken=ScaleOfTheRound,
        correct=FixedScale,
        streams=(rows(1, 0, 0, 0, 0, 0), rows(0, 0, 0, 0, 0, 0)),
        event=lambda actions: actions[1] == 1,
        shares=(tail(0.5, 2.0), tail(1.5, 0.25)),
        options=FULL,
    ),
    Pair(
        name="a random place in a ranking without noise",
        why="every action is uniform; only whether the next one is another tells that the ranking changed",
        loss=np.inf,
        bound="a row is released once, and moves by at most 3",
        broken=RawRanking,
        correct=NoisyRanking,
        streams=(table([0.5, 1, 0], *[[0, 0.5, 1]] * 3), table(*[[0, 0.5, 1]] * 4)),
        event=lambda actions: actions[0] != actions[1],
        shares=(1.0, 0.0),
        options={"feedback": "full", "arms": 3, "horizon": 4},
    ),
    Pair(
        name="the last round of an epoch is counted in the next one too",
        why="only changes of the rounds 1 and 2, and only in the actions of two epochs together",
        loss=2.0,
        bound="a row is in one release, and moves it by at most 2",
        broken=EpochsOverlap,
        correct=EpochsApart,
        streams=(table([0, 0], [0, 1], *[[0, 0]] * 4), table([0, 0], [1, 0], *[[0, 0]] * 4)),
        event=lambda actions: actions[2] == actions[4] == 1,
        shares=(0.5**2, tail(2.0, 2.0) ** 2),
        options=FULL,
        runs=20_000,
    ),
    Pair(
        name="each base arm has the whole budget",
        why="each base arm is private by itself; that both were high tells twice as much",
        loss=2.0,
        bound="a row is released once: two outcomes, which together move by at most 2",
        broken=BudgetForEach,
        correct=BudgetShared,
        streams=(rows(1, 0, 0, 0, arms=4), rows(0, 0, 0, 0, arms=4)),
        event=lambda actions: actions[1] == (1, 3),
        shares=(0.5**2, tail(1.0) ** 2),
        options=SEMI,
        runs=20_000,
    ),
    Pair(
        name="a user whose two outcomes are equal is skipped",
        why="it takes two outcomes that are exactly equal, which continuous ones never are",
        loss=np.inf,
        bound="a row is released once: two outcomes, which together move by at most 2",
        broken=TiesAreSkipped,
        correct=TiesAreReleased,
        streams=(table([0.4, 0.4, 0.6, 0.6], *[[0] * 4] * 3), table([0.5] * 4, *[[0] * 4] * 3)),
        event=lambda actions: actions[1] != actions[0],
        shares=(1.0 - (1.0 - tail(0.1, 2.0)) * (1.0 - tail(-0.1, 2.0)), 0.0),
        options=SEMI,
    ),
    Pair(
        name="each user reports the larger of two outcomes",
        why="the reported value is private; which base arm it is about is not",
        loss=np.inf,
        bound="one outcome of a row is released once; which one is fixed",
        broken=ReportTheLargest,
        correct=ReportInTurn,
        streams=(table([1, 1, 0, 0], *[[0] * 4] * 3), table([0, 0, 1, 1], *[[0] * 4] * 3)),
        event=lambda actions: actions[1][0] == 1,
        shares=(tail(-0.5), 0.0),
        options=SEMI,
    ),
]
