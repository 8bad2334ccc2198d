"""Policies that do something new in round 21, each way of writing it beside a twin that releases instead.

The tests use this file as a user's file. A comment `here: Name` marks the line that has to be listed, as long as the
horizon ends before it runs.
"""

import numpy as np

from privcheck.mechanisms import Laplace


class Quiet:
    """Releases its first reward and plays by it."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.t, self.arm, self.rewards = rng, 0, 0, []
        self.mechanism = Laplace(sensitivity=1.0, epsilon=epsilon)

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.t += 1
        if self.t == 1:
            self.arm = self.published(reward)
        self.later(reward)

    def published(self, value):
        return int(self.mechanism.release(value, self.rng) > 0.5)

    def later(self, reward):
        pass


class RawBranch(Quiet):
    def later(self, reward):
        if self.t > 20:
            self.arm = int(reward > 0.5)  # here: RawBranch


class ReleasedBranch(Quiet):
    def later(self, reward):
        if self.t > 20:
            self.arm = self.published(reward)  # here: ReleasedBranch


class OneLineIf(Quiet):
    # fmt: off
    def later(self, reward):
        if self.t > 20: self.arm = int(reward > 0.5)  # noqa: E701  # here: OneLineIf
    # fmt: on


class Ternary(Quiet):
    def later(self, reward):
        self.arm = int(reward > 0.5) if self.t > 20 else self.arm  # here: Ternary


class ShortCircuit(Quiet):
    def later(self, reward):
        self.arm = int(self.t > 20 and reward > 0.5)  # here: ShortCircuit


class Comprehension(Quiet):
    def later(self, reward):
        self.rewards.append(reward)
        self.arm = max([int(x > 0.5) for x in self.rewards if self.t > 20], default=0)  # here: Comprehension


class EarlyReturn(Quiet):
    def later(self, reward):
        if self.t <= 20:
            return
        self.arm = int(reward > 0.5)  # here: EarlyReturn


class InSelect(Quiet):
    def select(self):
        if self.t > 20:
            return int(self.last > 0.5)  # here: InSelect
        return self.arm

    def later(self, reward):
        self.last = reward


class Renamed(Quiet):
    def later(self, reward):
        x = reward
        kept, _ = x, 0
        if self.t > 20:
            self.arm = int(kept > 0.5)  # here: Renamed


class InHelper(Quiet):
    def later(self, reward):
        if self.t > 20:
            self.arm = best(reward)  # here: InHelper


def best(value):
    return int(value > 0.5)  # here: InHelper


class Nested(Quiet):
    def later(self, reward):
        def choose(x):
            return int(x > 0.5)  # here: Nested

        self.arm = choose(reward) if self.t > 20 else self.arm  # here: Nested


class Deferred(Quiet):
    def later(self, reward):
        self.rule = lambda: int(reward > 0.5)  # here: Deferred
        if self.t > 20:
            self.arm = self.rule()  # here: Deferred


class Held(Quiet):
    def __init__(self, rng, **options):
        super().__init__(rng, **options)
        self.memory = Memory()

    def later(self, reward):
        self.memory.add(reward)
        if self.t > 20:
            self.arm = self.memory.best()  # here: Held


class Memory:
    def __init__(self):
        self.values = []

    def add(self, value):
        self.values.append(value)

    def best(self):
        return int(self.values[-1] > 0.5)  # here: Held


class Tossed(Quiet):
    def later(self, reward):
        if self.t > 20:
            self.arm = int(self.rng.integers(2))  # here: Tossed


class Handler(Quiet):
    def later(self, reward):
        try:
            _ = [0] * 20
            _[self.t - 1]
        except IndexError:
            self.arm = int(reward > 0.5)  # here: Handler


class Matched(Quiet):
    def later(self, reward):
        match self.t // 21:
            case 1:
                self.arm = int(reward > 0.5)  # here: Matched


def checked(update):
    def wrapper(self, action, reward):
        return update(self, action, reward)

    return wrapper


class Decorated(Quiet):
    @checked
    def update(self, action, reward):
        self.t += 1
        if self.t > 20:
            self.arm = int(reward > 0.5)  # here: Decorated


# Granted at any horizon: nothing that matters is left out


class Constant:
    def __init__(self, rng):
        pass

    def select(self):
        return 0

    def update(self, action, reward):
        pass


class Uniform(Constant):
    def __init__(self, rng):
        self.rng = rng

    def select(self):
        return int(self.rng.integers(2))


class OnlyRaises(Quiet):
    def later(self, reward):
        assert self.t < 10**6, f"{reward}"
        if self.t > 10**5:
            message = f"too late for {reward}"
            raise ValueError(message, reward)


class Parameters(Quiet):
    """Has branches that its parameters decide, in one line and in several."""

    def __init__(self, rng, arms=2, epsilon=1.0, *, coins=None, doubled=False):
        super().__init__(rng, arms, epsilon)
        self.coins, self.doubled, self.total = coins, doubled, 0.0
        if doubled:
            self.arm = int(rng.integers(2))

    def later(self, reward):
        self.total += reward if self.coins is None else toss(reward, self.coins)
        if self.doubled and self.t > 2:
            self.total += reward


def toss(value, coins):
    return value + coins.random()


class AsksForType(Quiet):
    """Has a branch for arrays, in which no reward arrives under bandit feedback."""

    def update(self, action, reward):
        super().update(action, reward.sum() if isinstance(reward, np.ndarray) else reward)


class SetLater(Parameters):
    """The same, but a method sets the parameter."""

    def later(self, reward):
        if self.doubled:
            self.total += reward  # here: SetLater
        if self.t > 20:
            self.doubled = True  # here: SetLater


class Unused(Quiet):
    """Has methods that no round calls."""

    def __repr__(self):
        return f"Unused({self.rewards[-1] > 0.5})"

    def summary(self):
        return float(self.rewards[-1])

    def later(self, reward):
        self.rewards.append(reward)


class StoredRule(Quiet):
    def later(self, reward):
        rules = {False: self.early, True: self.late}
        self.arm = rules[self.t > 20](reward)

    def early(self, x):
        return self.arm

    def late(self, x):
        return int(x > 0.5)  # here: StoredRule


class Aliased(Quiet):
    def later(self, reward):
        kept = self.rewards
        kept.append(reward)
        if self.t > 20:
            self.arm = int(self.rewards[-1] > 0.5)  # here: Aliased


class SetByName(Quiet):
    def later(self, reward):
        setattr(self, "latest", reward)  # noqa: B010
        if self.t > 20:
            self.arm = int(self.latest > 0.5)  # here: SetByName


class OpenedByName(Quiet):
    def __init__(self, rng):
        super().__init__(rng)
        self.open = False

    def later(self, reward):
        vars(self).update(open=self.t > 20)
        if self.open:
            self.arm = int(reward > 0.5)  # here: OpenedByName


class InTheException(Quiet):
    def later(self, reward):
        try:
            raise ValueError(reward)
        except ValueError as error:
            if self.t > 20:
                self.arm = int(error.args[0] > 0.5)  # here: InTheException


class KeptNamespace(Quiet):
    def later(self, reward):
        self.latest = reward
        self.everything = vars(self)
        if self.t > 20:
            self.arm = int(self.everything["latest"] > 0.5)  # here: KeptNamespace


LATEST = []
"""What `kept_in_the_module` has kept last, in a list of one."""


def kept_in_the_module(reward):
    LATEST[:] = [reward]


class NamedInAComprehension(Quiet):
    def later(self, reward):
        kept_in_the_module(reward)
        if self.t > 20:
            self.arm = int(max(LATEST[place] for place in range(1)) > 0.5)  # here: NamedInAComprehension


class NamedLikeAVariable(Quiet):
    def later(self, reward):
        kept_in_the_module(reward)
        self.counted = [place for LATEST in range(2) for place in range(LATEST)]
        if self.t > 20:
            self.arm = int(LATEST[0] > 0.5)  # here: NamedLikeAVariable


class Between(Quiet):
    def later(self, reward):
        self.arm = len([0 for _ in range(self.t // 21) if 0.2 < reward < max([0.8])])  # here: Between


class Key(Quiet):
    def later(self, reward):
        self.arm = len({reward: 0 for _ in range(self.t // 21)})  # noqa: B035  # here: Key
