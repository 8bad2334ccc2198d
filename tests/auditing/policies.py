"""Policies with known losses, and policies that break the contract: targets of the tests of the auditor.

The tests use this file as a user's file ("policies.py:Name") and, through the fixture `policies`, as a module.
"""

import math

import numpy as np


class Response:
    """Randomised response on the first reward of arm 0: the true loss is exactly `loss`, by default the claim.

    Round 1 plays arm 0. With probability `weight` the actions of rounds 2 and 3 are (0, b), where b is the first
    reward, rounded, with probability e^loss / (1 + e^loss) and its opposite otherwise; else they are (1, 0). Later
    rounds are fair coins, which tell nothing.
    """

    weight = 1.0
    loss = None

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng = rng
        self.truth = 1.0 / (1.0 + math.exp(-(self.loss or epsilon)))
        self.plan = [0]
        self.round = 0

    def select(self):
        return self.plan[self.round]

    def update(self, action, reward):
        self.round += 1
        if self.round == 1:
            bit = int(reward >= 0.5)
            bit = bit if self.rng.random() < self.truth else 1 - bit
            self.plan += [0, bit] if self.rng.random() < self.weight else [1, 0]
        if self.round >= 3:
            self.plan.append(int(self.rng.random() < 0.5))


class FastResponse(Response):
    """The same law, all runs at once."""

    def run_batch(self, table, rng, runs):
        actions = np.zeros((runs, len(table)), np.int64)
        bit = np.full(runs, int(table[0, 0] >= 0.5)) ^ (rng.random(runs) >= self.truth)
        told = rng.random(runs) < self.weight
        actions[:, 1:2] = (1 - told)[:, np.newaxis]
        actions[:, 2:3] = (bit * told)[:, np.newaxis]
        actions[:, 3:] = rng.integers(0, 2, actions[:, 3:].shape)
        return actions


class RareResponse(FastResponse):
    """Rare events: there the limits are tightest."""

    weight = 0.1


class LeakyResponse(FastResponse):
    """A broken twin: loss 1.5, whatever is claimed."""

    loss = 1.5


class LeakyRareResponse(LeakyResponse):
    weight = 0.3


class Fair:
    """Plays at random: the loss is 0."""

    def __init__(self, rng, arms):
        self.rng, self.arms = rng, arms

    def select(self):
        return int(self.rng.integers(self.arms))

    def update(self, action, reward):
        pass


class FollowTheReward(Fair):
    """Repeats an arm that paid, deterministically: no finite epsilon."""

    def __init__(self, rng, arms):
        super().__init__(rng, arms)
        self.arm = 0

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.arm = action if reward >= 0.5 else (action + 1) % self.arms


class FullFollower(FollowTheReward):
    """Plays the arm that paid most in the last round: full information."""

    def update(self, action, rewards):
        self.arm = int(np.argmax(rewards))


class NeedsHorizon(Fair):
    """Plays arm 1 in the last round: it has to be given the horizon of the audit."""

    def __init__(self, rng, arms, horizon):
        super().__init__(rng, arms)
        self.left = horizon

    def select(self):
        return int(self.left == 1)

    def update(self, action, reward):
        self.left -= 1


class NoSelect:
    def __init__(self, rng):
        pass

    def update(self, action, reward):
        pass


class NoUpdate:
    def __init__(self, rng):
        pass

    def select(self):
        return 0


class NoGenerator(Fair):
    def __init__(self, arms=2):
        super().__init__(np.random.default_rng(0), arms)


class NoParameters(Fair):
    def __init__(self):
        super().__init__(np.random.default_rng(0), 2)


class NeedsTemperature(Fair):
    def __init__(self, rng, temperature):
        super().__init__(rng, 2)


class NeedsEpsilon(Fair):
    def __init__(self, rng, epsilon):
        super().__init__(rng, 2)


class FailsToBuild(Fair):
    def __init__(self, rng):
        raise ValueError("no such\nluck")


def makes_a_number(rng):
    return 3.0


class Plays:
    """Plays a given constant in round 2."""

    action = 0

    def __init__(self, rng):
        self.round = 0

    def select(self):
        return self.action if self.round == 1 else 0

    def update(self, action, reward):
        self.round += 1


class PlaysTooLarge(Plays):
    action = 2


class PlaysNegative(Plays):
    action = -1


class PlaysHalf(Plays):
    action = 0.5


class PlaysNone(Plays):
    action = None


class PlaysText(Plays):
    action = "0"


class PlaysNumpy(Plays):
    """Numpy integers are integers."""

    action = np.int64(1)


class RaisesInRoundThree(Plays):
    def update(self, action, reward):
        super().update(action, reward)
        if self.round == 3:
            raise RuntimeError("lost my\nway")


class Exits(Plays):
    """Ends the program: it must not pass for an audit that found nothing."""

    def update(self, action, reward):
        raise SystemExit(0)


class FreshGenerator(Plays):
    def select(self):
        return int(np.random.default_rng().integers(2))


class ClassState(Plays):
    """Remembers in a class attribute how many runs there were."""

    runs = 0

    def __init__(self, rng):
        super().__init__(rng)
        type(self).runs += 1

    def select(self):
        return int(type(self).runs % 7 == 3)


class BatchOfWrongShape(Plays):
    def run_batch(self, table, rng, runs):
        return np.zeros((runs, len(table) + 1), int)


class BatchOfFloats(Plays):
    def run_batch(self, table, rng, runs):
        return np.zeros((runs, len(table)))


class BatchOfUnknownArms(Plays):
    def run_batch(self, table, rng, runs):
        return np.full((runs, len(table)), 5)


class BatchThatRaises(Plays):
    def run_batch(self, table, rng, runs):
        raise KeyError("batch")


class FailsLate(Fair):
    """Raises in one run of 300 or so: the check of reproducibility passes with the seed 0, the audit does not."""

    def __init__(self, rng):
        super().__init__(rng, 2)
        self.unlucky = rng.random() < 1 / 300

    def select(self):
        if self.unlucky:
            raise RuntimeError("late")
        return super().select()
