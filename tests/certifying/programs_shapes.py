"""Private bandits in many shapes of Python: closures, generators, mixins, slots, properties, match, walrus, helpers.

Neighbours differ in one reward in [0, 1]. The comment below each class is its privacy argument; b is a noise scale.
"""

import abc
import enum
import logging
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any, NamedTuple, Protocol

import numpy as np
from programs_helpers import argmax, laplace_scale, noisy_mean

log = logging.getLogger(__name__)


def closures(rng, arms=2, epsilon=1.0):
    # The sum of three rewards is published once, b = 1 / epsilon; two closures share the state.
    arm, total, count = 0, 0.0, 0

    def select():
        return arm

    def update(action, reward):
        nonlocal arm, total, count
        total, count = total + reward, count + 1
        if count == 3:
            noisy = total + rng.laplace(0, 1 / epsilon)
            arm, total, count = int(noisy < 1.5), 0.0, 0

    return SimpleNamespace(select=select, update=update)


def state_in_a_dictionary(rng, arms=2, epsilon=1.0):
    # Functions on a dictionary; the sum of two rewards is published once, b = 1 / epsilon.
    state = {"arm": 0, "rewards": []}

    def choose():
        return state["arm"]

    def learn(action, reward):
        state["rewards"].append(reward)
        if len(state["rewards"]) == 2:
            mean = noisy_mean(state["rewards"], rng, epsilon)
            state.update(arm=0 if mean > 0.5 else 1, rewards=[])

    return SimpleNamespace(select=choose, update=learn)


class GeneratorPolicy:
    # A generator sums rewards of three rounds and publishes the sum once, b = 1 / epsilon.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.play = self.policy(rng, arms, epsilon)
        self.arm = next(self.play)

    @staticmethod
    def policy(rng, arms, epsilon):
        arm = 0
        while True:
            total = 0.0
            for _ in range(3):
                total += yield arm
            arm = int(total + rng.laplace(0, 1 / epsilon) < 1.5)

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.arm = self.play.send(reward)


class BasePolicy:
    """What policies share: who was played how often, and what was published."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.arms, self.epsilon = rng, arms, epsilon
        self.start_game()

    def start_game(self):
        self.t, self.pulls, self.index = 0, np.zeros(self.arms), np.full(self.arms, np.inf)
        self.kept = [0.0] * self.arms

    def select(self):
        return int(np.argmax(self.index))

    def update(self, action, reward):
        self.t += 1
        self.pulls[action] += 1
        self.kept[action] += reward


class Inherits(BasePolicy):
    # Two pulls of an arm are published once, b = 1 / epsilon, and forgotten.
    def update(self, action, reward):
        super().update(action, reward)
        if self.pulls[action] % 2 == 0:
            self.index[action] = self.kept[action] / 2 + self.rng.laplace(0, 1 / (2 * self.epsilon))
            self.kept[action] = 0.0


class LaplaceMixin:
    def noised(self, value, sensitivity):
        return value + self.rng.laplace(0.0, sensitivity / self.epsilon)


class BonusMixin:
    def bonus(self):
        return np.sqrt(np.log(1 + self.t) / np.maximum(self.pulls, 1))

    def select(self):
        return int(np.argmax(np.minimum(self.index, 9.0) + self.bonus()))


class Mixed(LaplaceMixin, BonusMixin, BasePolicy):
    # Both sums are published every four rounds, once each: a reward is in one, b = 1 / epsilon.
    def update(self, action, reward):
        super().update(action, reward)
        if self.t % 4 == 0:
            for arm in range(self.arms):
                self.index[arm] = self.noised(self.kept[arm], 1.0) / 4
            self.kept = [0.0] * self.arms


class Slots:
    # The mean of three is published once, b = 1 / (3 epsilon).
    __slots__ = ("arm", "b", "n", "rng", "total")

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.b, self.arm, self.total, self.n = rng, laplace_scale(1 / 3, epsilon), 0, 0.0, 0

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.total, self.n = self.total + reward, self.n + 1
        if self.n == 3:
            self.arm = int(self.total / 3 + self.rng.laplace(0, self.b) < 0.5)
            self.total, self.n = 0.0, 0


class Properties:
    # `mean` is a property of private sums; it is published once when the block is full, b = 1 / (3 epsilon).
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon, self._rewards, self.arm = rng, epsilon, [], 0

    @property
    def full(self) -> bool:
        return len(self._rewards) == 3

    @property
    def mean(self) -> float:
        return sum(self._rewards) / len(self._rewards)

    def select(self) -> int:
        return self.arm

    def update(self, action: int, reward: float) -> None:
        self._rewards.append(reward)
        if self.full:
            self.arm = int(self.mean + self.rng.laplace(0, 1 / (3 * self.epsilon)) < 0.5)
            self._rewards.clear()


class HelperModule:
    # The helper publishes the mean of two with b = 1 / (2 epsilon); the list is then new.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon = rng, epsilon
        self.lists, self.means = [[] for _ in range(arms)], [1.0] * arms

    def select(self):
        return argmax(self.means)

    def update(self, action, reward):
        self.lists[action].append(reward)
        if len(self.lists[action]) == 2:
            self.means[action] = noisy_mean(self.lists[action], self.rng, self.epsilon)
            self.lists[action] = []


class Phase(enum.Enum):
    EXPLORE = "explore"
    PUBLISH = "publish"
    EXPLOIT = "exploit"


class MatchesPhases:
    # Rewards of two exploring rounds are published once in the third, b = 1 / epsilon; others are not used.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon, self.t, self.arm, self.total = rng, epsilon, 0, 0, 0.0

    @property
    def phase(self):
        return (Phase.EXPLORE, Phase.EXPLORE, Phase.PUBLISH, Phase.EXPLOIT)[self.t % 4]

    def select(self):
        return self.arm

    def update(self, action, reward):
        match self.phase:
            case Phase.EXPLORE:
                self.total += reward
            case Phase.PUBLISH:
                self.arm = int(self.total + self.rng.laplace(0, 1 / self.epsilon) < 1)
                self.total = 0.0
            case _:
                pass
        self.t += 1


class Walrus:
    # The mean of n = 4 rewards is published once, b = 1 / (n epsilon).
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon, self.rewards, self.arm = rng, epsilon, [], 0

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.rewards.append(reward)
        if (n := len(self.rewards)) >= 4:
            mean = sum(self.rewards) / n + self.rng.laplace(0, 1 / (n * self.epsilon))
            if (better := mean < 0.5) or n > 4:
                self.arm = int(better)
            self.rewards = []


class LogsPublicThings:
    # Logs arms, counts and published numbers only; the sum of three has b = 1 / epsilon, once.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon, self.total, self.n, self.arm = rng, epsilon, 0.0, 0, 0
        self.history = []

    def select(self):
        log.debug("playing %d after %d rewards", self.arm, self.n)
        return self.arm

    def update(self, action, reward):
        self.total += reward
        self.n += 1
        if self.n % 3 == 0:
            noisy = self.total + self.rng.laplace(0, 1 / self.epsilon)
            self.history.append(f"arm {action}: {noisy:.3f} after {self.n} rounds")
            log.debug(self.history[-1])
            self.arm, self.total = int(noisy < 1.5), 0.0


class Policy(abc.ABC):
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon, self.n, self.arm = rng, epsilon, 0, 0

    @abc.abstractmethod
    def learn(self, reward): ...

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.n += 1
        self.learn(reward)


class Concrete(Policy):
    # An abstract base; the sum of two is published once, b = 1 / epsilon.
    total: Any = 0.0

    def learn(self, reward):
        self.total = self.total + reward
        if self.n % 2 == 0:
            self.arm = int(self.total + self.rng.laplace(0, 1 / self.epsilon) < 1)
            self.total = 0.0


class Estimator(Protocol):
    def add(self, reward: float) -> None: ...


class BlockEstimator:
    def __init__(self, rng: np.random.Generator, b: float) -> None:
        self.rng, self.b, self.sum, self.n, self.value = rng, b, 0.0, 0, 1.0

    def add(self, reward: float) -> None:
        self.sum += reward
        self.n += 1
        if self.n == 2:
            self.value = (self.sum + self.rng.laplace(0, self.b)) / self.n
            self.sum, self.n = 0.0, 0


class Composed:
    # One estimator for each arm publishes the sum of two with b = 1 / epsilon.
    def __init__(self, rng: np.random.Generator, arms: int = 2, epsilon: float = 1.0) -> None:
        self.estimators: list[Estimator] = [BlockEstimator(rng, 1 / epsilon) for _ in range(arms)]

    def select(self) -> int:
        return argmax([e.value for e in self.estimators])

    def update(self, action: int, reward: float) -> None:
        self.estimators[action].add(reward)


class State(NamedTuple):
    total: Any
    n: int
    arm: int


class ImmutableState:
    # A state made anew each round; the total of three is published once, b = 1 / epsilon.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon, self.state = rng, epsilon, State(0.0, 0, 0)

    def select(self):
        return self.state.arm

    def update(self, action, reward):
        total, n, _ = self.state
        self.state = self.state._replace(total=total + reward, n=n + 1)
        if self.state.n == 3:
            noisy = self.state.total + self.rng.laplace(0, 1 / self.epsilon)
            self.state = State(0.0, 0, int(noisy < 1.5))


@dataclass(frozen=True)
class Summary:
    total: Any = 0.0
    n: int = 0

    def with_reward(self, reward):
        return replace(self, total=self.total + reward, n=self.n + 1)


class FrozenRecords:
    # A frozen record for each arm; two rewards are published once, b = 1 / epsilon.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon = rng, epsilon
        self.summaries, self.values = [Summary()] * arms, [1.0] * arms

    def select(self):
        return argmax(self.values)

    def update(self, action, reward):
        summary = self.summaries[action].with_reward(reward)
        if summary.n == 2:
            self.values[action] = (summary.total + self.rng.laplace(0, 1 / self.epsilon)) / 2
            summary = Summary()
        self.summaries[action] = summary
