"""Learners that are told later, and tests that stop."""

from __future__ import annotations

import numpy as np

from .pair import Pair, rows, tail


class NoiseForEachBatch:
    """Plays arm 1 after a batch whose released sum is high."""

    batch = 2

    def __init__(self, rng):
        self.rng, self.arm, self.drawn = rng, 0, rng.laplace()

    def noise(self):
        return self.rng.laplace()

    def act(self, n):
        return [self.arm] * n

    def learn(self, actions, rewards):
        self.arm = int(rewards.sum() + self.noise() > 1.0)


class NoiseForEachObject(NoiseForEachBatch):
    def noise(self):
        return self.drawn


class MeanOfAll:
    """Plays arm 1 after a batch whose released mean is high."""

    batch = 4

    def __init__(self, rng):
        self.rng, self.arm = rng, 0

    def divisor(self, rewards):
        return len(rewards)

    def act(self, n):
        return [self.arm] * n

    def learn(self, actions, rewards):
        self.arm = int(rewards.sum() / self.divisor(rewards) + self.rng.laplace(scale=1.0 / self.batch) > 1.0)


class MeanOfNonzero(MeanOfAll):
    def divisor(self, rewards):
        return max(1, np.count_nonzero(rewards))


class QueueOfAll:
    """Releases the sum of three rewards as soon as they are there, and plays arm 1 if it is high."""

    delay = 1

    def __init__(self, rng):
        self.rng, self.arm, self.queue = rng, 0, []

    def arrived(self, reward):
        return reward is not None

    def select(self):
        return self.arm

    def update(self, t, reward):
        if self.arrived(reward):
            self.queue.append(reward)
        if len(self.queue) == 3:
            self.arm = int(sum(self.queue) + self.rng.laplace() > 1.5)
            self.queue = []


class QueueDropsZeros(QueueOfAll):
    def arrived(self, reward):
        return bool(reward)


class NoiseOnArrival:
    """Plays the releases in turn, each a round: arm 1 for a high one."""

    delay = [1, 0]  # noqa: RUF012

    def __init__(self, rng):
        self.rng, self.drawn, self.plan = rng, 0.0, []

    def noise(self):
        return self.rng.laplace()

    def select(self):
        self.drawn = self.rng.laplace()
        return self.plan.pop(0) if self.plan else 0

    def update(self, t, reward):
        self.plan.append(int(reward + self.noise() > 1.0))


class NoiseOfTheRound(NoiseOnArrival):
    def noise(self):
        return self.drawn


class TestedOnce:
    """Stops after two rewards or more if their noisy sum is high."""

    def __init__(self, rng):
        self.rng, self.t, self.total, self.drawn = rng, 0, 0.0, rng.laplace()

    def noise(self):
        return self.drawn

    @property
    def stopped(self):
        return self.t >= 2 and self.total + self.noise() > 1.0

    def select(self):
        return self.t % 2

    def update(self, action, reward):
        self.t += 1
        self.total += reward if self.t <= 2 else 0.0

    def recommend(self):
        return 0


class TestedAgain(TestedOnce):
    def noise(self):
        return self.rng.laplace()


class NoisyLead:
    """Plays two arms in turn, and stops when the arm behind cannot win any more."""

    def __init__(self, rng):
        self.rng, self.t, self.raw, self.noisy = rng, 0, [0.0, 0.0], [0.0, 0.0]

    def lead(self):
        return abs(self.noisy[0] - self.noisy[1])

    @property
    def stopped(self):
        return self.t >= 4 and self.t % 2 == 0 and self.lead() > (6 - self.t) // 2

    def select(self):
        return self.t % 2

    def update(self, action, reward):
        self.t += 1
        self.raw[action] += reward
        self.noisy[action] += reward + self.rng.laplace()

    def recommend(self):
        return int(self.noisy[1] > self.noisy[0])


class RawLead(NoisyLead):
    def lead(self):
        return abs(self.raw[0] - self.raw[1])


def told(feedback, horizon):
    return {"feedback": feedback, "arms": 2, "horizon": horizon}


PAIRS = [
    Pair(
        name="noise drawn once for each object",
        why="the release of each batch is private by itself; that one was high and the next was not tells more",
        loss=np.inf,
        bound="each reward is in one batch, whose sum is released once",
        broken=NoiseForEachObject,
        correct=NoiseForEachBatch,
        streams=(rows(1, *[0] * 5), rows(*[0] * 6)),
        event=lambda actions: actions[2] == 1 and actions[4] == 0,
        shares=(0.5 - tail(1.0), 0.0),
        options=told("batch", 6),
    ),
    Pair(
        name="the mean of the rewards that are not zero",
        why="without zeros the divisor is the same as that of all; it takes a batch of zeros but for one",
        loss=4.0,
        bound="each reward is in one batch, whose mean moves by at most 1/4",
        broken=MeanOfNonzero,
        correct=MeanOfAll,
        streams=(rows(1, *[0] * 7), rows(*[0] * 8)),
        event=lambda actions: actions[4] == 1,
        shares=(0.5, tail(1.0, 0.25)),
        options=told("batch", 8),
    ),
    Pair(
        name="a queue that takes a reward of zero for none",
        why="it takes a reward that is exactly zero, and shows when the arm may change, not to which",
        loss=np.inf,
        bound="each reward is in one sum of three, which is released once",
        broken=QueueDropsZeros,
        correct=QueueOfAll,
        streams=(rows(*[1] * 8), rows(0, *[1] * 7)),
        event=lambda actions: actions[4] == 1,
        shares=(tail(-1.5), 0.0),
        options=told("delayed", 8),
    ),
    Pair(
        name="rewards that arrive together share their noise",
        why="only the first two rewards arrive in one round, and only both releases together tell",
        loss=np.inf,
        bound="each reward is released once",
        broken=NoiseOfTheRound,
        correct=NoiseOnArrival,
        streams=(rows(1, *[0] * 5), rows(*[0] * 6)),
        event=lambda actions: actions[2] != actions[3],
        shares=(0.5 - tail(1.0), 0.0),
        options=told("delayed", 6),
    ),
    Pair(
        name="new noise whenever the policy is asked whether it stops",
        why="each answer is private by itself; only a late stop has many of them",
        loss=7.0,
        bound="one sum is released once, and compared with the same threshold in every round",
        broken=TestedAgain,
        correct=TestedOnce,
        streams=(rows(0, 1, 0, 0, 0, 0, 0, 0), rows(1, 1, 0, 0, 0, 0, 0, 0)),
        event=lambda output: len(output[0]) >= 5,
        shares=(0.5**3, tail(1.0) ** 3),
        options=told("identification", 8),
    ),
    Pair(
        name="a test that stops when the raw lead cannot be lost",
        why="it takes rewards at the ends of the range: one arm has all, and the other nothing",
        loss=np.inf,
        bound="each reward is released once, and all else is computed from releases",
        broken=RawLead,
        correct=NoisyLead,
        streams=(rows(1, 0, 1, 0, 1, 0), rows(1, 0, 0, 0, 1, 0)),
        event=lambda output: len(output[0]) == 4,
        shares=(1.0, 0.0),
        options=told("identification", 6),
    ),
]
