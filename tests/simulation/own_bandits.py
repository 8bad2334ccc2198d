"""Policies of a user, as the tests of simulations play them; workers import this file by its path."""

import numpy as np


class OwnUCB:
    """UCB1 as a user writes it."""

    width = 2.0

    def __init__(self, rng, arms):
        self.pulls, self.sums, self.rounds = np.zeros(arms), np.zeros(arms), 0

    def select(self):
        if self.rounds < len(self.pulls):
            return self.rounds
        index = self.sums / self.pulls + np.sqrt(self.width * np.log(self.rounds) / self.pulls)
        return int(index.argmax())

    def update(self, action, reward):
        self.pulls[action] += 1
        self.sums[action] += reward
        self.rounds += 1


class Impatient(OwnUCB):
    """The same with too little exploration: what the comparison of laws has to see."""

    width = 0.2


class Raises(OwnUCB):
    def update(self, action, reward):
        super().update(action, reward)
        if self.rounds == 17:
            raise ZeroDivisionError("no more")


class OutOfRange(OwnUCB):
    def select(self):
        return super().select() if self.rounds < 30 else 7


class Contextual:
    """Knows which action is best where the first entry of the context is the mean."""

    def __init__(self, rng, arms):
        self.arms = arms

    def select(self, context):
        return int(np.argmax(context[:, 0])) if context.ndim == 2 else 0

    def update(self, context, action, reward):
        pass


class First:
    """Plays the first arm, whatever it is."""

    def __init__(self, rng):
        pass

    def select(self):
        return 0

    def update(self, action, reward):
        pass


class Private(First):
    def __init__(self, rng, epsilon):
        self.epsilon = epsilon
