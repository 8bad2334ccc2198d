"""Contextual bandits: what the actions of others tell of one round's context and reward."""

from __future__ import annotations

import numpy as np

from privcheck import Contexts

from .pair import Pair, table, tail, tail_of_two


class NoiseForEachRound:
    """Plays the arm that the last release says, whatever the context."""

    def __init__(self, rng):
        self.rng, self.arm, self.noises = rng, 0, {}

    def noise(self, context):
        return self.rng.laplace()

    def select(self, context):
        return self.arm

    def update(self, context, action, reward):
        self.arm = int(reward + self.noise(context) > 1.0)


class NoiseCachedByContext(NoiseForEachRound):
    def noise(self, context):
        return self.noises.setdefault(tuple(context.tolist()), self.rng.laplace())


class NoiseInEveryEntry:
    """Releases the Gram matrix of three contexts, and plays arm 1 if the features are correlated."""

    def __init__(self, rng):
        self.rng, self.t, self.gram, self.arm = rng, 0, np.zeros((2, 2)), 0

    def between(self):
        return self.rng.laplace(scale=3.0)

    def select(self, context):
        return self.arm

    def update(self, context, action, reward):
        self.t, self.gram = self.t + 1, self.gram + np.outer(context, context)
        if self.t == 3:
            released = self.gram + np.diag(self.rng.laplace(scale=3.0, size=2)) + self.between() * (1.0 - np.eye(2))
            self.arm = int(released[0, 1] > 0.1 * max(released.trace(), 1.0))


class NoiseOnTheDiagonal(NoiseInEveryEntry):
    def between(self):
        return 0.0


class NoisyNovelty:
    """Plays at random for four rounds, and in the fifth arm 1 if the context is new."""

    def __init__(self, rng):
        self.rng, self.seen = rng, []

    def noise(self):
        return self.rng.laplace()

    def select(self, context):
        if len(self.seen) != 4:
            return int(self.rng.random() < 0.5)
        return int(self.seen.count(tuple(context.tolist())) + self.noise() < 0.5)

    def update(self, context, action, reward):
        self.seen.append(tuple(context.tolist()))


class RawNovelty(NoisyNovelty):
    def noise(self):
        return 0.0


class FixedClip:
    """Releases the rewards of three rounds in proportion to the norms of the contexts, clipped afterwards."""

    def __init__(self, rng):
        self.rng, self.t, self.total, self.norms, self.arm = rng, 0, 0.0, [], 0

    def bound(self):
        return 1.0

    def select(self, context):
        return self.arm

    def update(self, context, action, reward):
        norm = float(np.linalg.norm(context))
        self.t, self.total, self.norms = self.t + 1, self.total + reward * norm, [*self.norms, norm]
        if self.t == 3:
            released = self.total + self.rng.laplace()
            self.arm = int(np.clip(released, -self.bound(), self.bound()) > 0.5)


class ClipAtLargestNorm(FixedClip):
    def bound(self):
        return max(self.norms)


def told(horizon):
    return {
        "feedback": "contextual",
        "neighbours": "context-reward",
        "arms": 2,
        "horizon": horizon,
        "contexts": Contexts(shape=2, norm=1.0),
    }


def rounds(*values):
    """Return a stream from (reward of both arms, first feature, second feature) of each round."""
    return table(*[(reward, reward, *context) for reward, *context in values])


LEFT, RIGHT = (0.6, 0.0), (0.0, 0.6)

PAIRS = [
    Pair(
        name="noise cached by context",
        why="it takes two equal contexts, and the actions after both of them",
        loss=np.inf,
        bound="each reward is released once, and contexts are not looked at",
        broken=NoiseCachedByContext,
        correct=NoiseForEachRound,
        streams=(
            rounds((1, *LEFT), (0, *LEFT), (0, *RIGHT), (0, *RIGHT)),
            rounds((0, *LEFT), (0, *LEFT), (0, *RIGHT), (0, *RIGHT)),
        ),
        event=lambda others: others[:2] == (1, 0),
        shares=(0.5 - tail(1.0), 0.0),
        options=told(4),
    ),
    Pair(
        name="a Gram matrix without noise off the diagonal",
        why="contexts with one feature leave no trace there, and all that is noisy has enough noise",
        loss=np.inf,
        bound="the three entries are released once, and together move by at most 3",
        broken=NoiseOnTheDiagonal,
        correct=NoiseInEveryEntry,
        streams=(
            rounds((0, 0.7, 0.7), (0, 0.6, 0), (0, 0.6, 0), (0, 0, 0)),
            rounds((0, 0.7, -0.7), (0, 0.6, 0), (0, 0.6, 0), (0, 0, 0)),
        ),
        event=lambda others: others[2] == 1,
        shares=(1.0 - tail_of_two(3.2, 3.0), 0.0),
        options=told(4),
    ),
    Pair(
        name="a new context is explored",
        why="it takes a last context that is equal to an earlier one",
        loss=np.inf,
        bound="one count of contexts is released once, and the last round is not told of itself",
        broken=RawNovelty,
        correct=NoisyNovelty,
        streams=(
            rounds((0, *LEFT), (0, *RIGHT), (0, *RIGHT), (0, *RIGHT), (0, *LEFT)),
            rounds((0, *RIGHT), (0, *RIGHT), (0, *RIGHT), (0, *RIGHT), (0, *LEFT)),
        ),
        event=lambda others: others[-1] == 0,
        shares=(1.0, 0.0),
        options=told(5),
    ),
    Pair(
        name="a release clipped to the largest norm in the data",
        why="a single norm of a half or more hides all others; it takes contexts all but one of which are short",
        loss=np.inf,
        bound="the sum is released once, and moves by at most 1",
        broken=ClipAtLargestNorm,
        correct=FixedClip,
        streams=(
            rounds((0, 1, 0), (0, 0.1, 0), (0, 0.1, 0), (0, 0, 0)),
            rounds((0, 0.1, 0), (0, 0.1, 0), (0, 0.1, 0), (0, 0, 0)),
        ),
        event=lambda others: others[2] == 1,
        shares=(tail(0.5), 0.0),
        options=told(4),
    ),
]
