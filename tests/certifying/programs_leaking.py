"""Broken twins, one for each idiom: data used again, and data that steer. The line at fault is marked.

Neighbours differ in one reward in [0, 1]. What `publish` returns and the arms are shown, and are not epsilon-DP.
"""

import collections
import copy
import statistics

import numpy as np
from programs_broken_base import Broken


class NeverForgets(Broken):
    def publish(self):
        return self.total + self.rng.laplace(0, 1 / self.epsilon)

    def forget(self):
        self.read = float(self.total + self.rng.laplace(0, 1 / self.epsilon))  # fault


class ForgetsOneArm(Broken):
    def keep(self, action, reward):
        self.total = self.total or [0.0, 0.0]
        self.total[self.n % 2] += reward

    def publish(self):
        return max([s + self.rng.laplace(0, 1 / self.epsilon) for s in self.total])  # fault

    def forget(self):
        self.total[0] = 0.0


class EveryRound(Broken):
    length = 1

    def keep(self, action, reward):
        self.history = [*getattr(self, "history", ()), reward]

    def publish(self):
        return sum(self.history) + self.rng.laplace(0, 1 / self.epsilon)  # fault


class NoiseInEverySelect(Broken):
    def select(self):
        return int(self.total + self.rng.laplace(0, 1 / self.epsilon) < 1)  # fault


class OverlappingWindows(Broken):
    length = 2

    def keep(self, action, reward):
        self.window = getattr(self, "window", collections.deque(maxlen=3))
        self.window.append(reward)

    def publish(self):
        return sum(self.window) + self.rng.laplace(0, 1 / self.epsilon)  # fault


class LastRewardTwice(Broken):
    def keep(self, action, reward):
        self.total += reward
        self.last = reward

    def publish(self):
        return self.total + self.rng.laplace(0, 1 / self.epsilon)  # fault

    def forget(self):
        self.total = self.last


class TriesAgain(Broken):
    def publish(self):
        noisy = float(self.total + self.rng.laplace(0, 1 / self.epsilon))
        while noisy < 1:
            noisy = float(self.total + self.rng.laplace(0, 1 / self.epsilon))  # fault
        return noisy


class BetterOfTwo(Broken):
    def publish(self):
        return max(self.total + self.rng.laplace(0, 1 / self.epsilon) for _ in range(2))  # fault


class TotalAndParts(Broken):
    def keep(self, action, reward):
        self.total = [*(self.total or []), reward]

    def publish(self):
        parts = [float(r + self.rng.laplace(0, 1 / self.epsilon)) for r in self.total]
        return max(parts) + sum(self.total) + self.rng.laplace(0, 1 / self.epsilon)  # fault


class KeptCopy(Broken):
    def publish(self):
        self.before = copy.copy(getattr(self, "now", 0.0))
        self.now = self.total
        return self.now + self.before + self.rng.laplace(0, 1 / self.epsilon)  # fault


class QueueThatIsNotEmptied(Broken):
    def keep(self, action, reward):
        self.queue = [*getattr(self, "queue", []), reward]
        self.total = sum(self.queue[-4:])

    def publish(self):
        return self.total + self.rng.laplace(0, 1 / self.epsilon)  # fault


class RawComparison(Broken):
    def publish(self):
        return 2.0 if self.total > 1.5 else 0.0  # fault


class HistoryInACondition(Broken):
    def keep(self, action, reward):
        if self.total and reward < self.total / 3:  # fault
            self.n += 1
        self.total += reward


class RemembersTheMaximum(Broken):
    def keep(self, action, reward):
        self.top = max(getattr(self, "top", 0.0), reward)
        self.total += reward

    def publish(self):
        return self.top + self.total + self.rng.laplace(0, 1 / self.epsilon)  # fault


class RawLeader(Broken):
    def keep(self, action, reward):
        self.total = self.total + np.eye(2)[action] * reward

    def publish(self):
        return 2 * np.argmax(self.total)  # fault


class BlockEndsByRewards(Broken):
    length = 1

    def keep(self, action, reward):
        self.kept = getattr(self, "kept", 0.0) + reward

    def publish(self):
        if self.kept < 1.5:  # fault
            return 2.0
        noisy, self.kept = self.kept + self.rng.laplace(0, 1 / self.epsilon), 0.0
        return noisy


class SkipsZeros(Broken):
    def update(self, action, reward):
        if reward == 0:  # fault
            return
        super().update(action, reward)


class StopsEarly(Broken):
    length = 2

    def keep(self, action, reward):
        self.total = [*(self.total or []), reward]

    def publish(self):
        if statistics.pstdev(self.total) < 0.1:  # fault
            return 2.0
        return sum(self.total) + self.rng.laplace(0, 1 / self.epsilon)


class TiesByRawSums(Broken):
    def keep(self, action, reward):
        self.total = self.total or [0.0, 0.0]
        self.total[self.n % 2] += reward

    def publish(self):
        noisy = [round(s + self.rng.laplace(0, 1 / self.epsilon)) * 0 for s in self.total]
        return 2.0 * sorted((n, s, a) for a, (n, s) in enumerate(zip(noisy, self.total, strict=True)))[0][2]  # fault


class IndexByReward(Broken):
    def keep(self, action, reward):
        self.arm = [0, 0, 1, 1][int(3 * reward)]  # fault


class DividesByReward(Broken):
    def keep(self, action, reward):
        try:
            self.total += 0 / reward + 1  # fault
        except ZeroDivisionError:
            self.arm = 1 - self.arm


class RawPosterior(Broken):
    def publish(self):
        return 3 * self.rng.beta(1 + self.total, 4 - self.total)  # fault


class GreedyOnRawMeans(Broken):
    def select(self):
        return int(self.rng.integers(2)) if self.rng.random() < 0.1 else int(self.total > 1)  # fault


class LengthOfAList(Broken):
    def keep(self, action, reward):
        self.successes = getattr(self, "successes", [])
        if reward > 0.5:  # fault
            self.successes.append(1)
        self.total = len(self.successes)

    def publish(self):
        return self.total


class TextOfAReward(Broken):
    def keep(self, action, reward):
        self.note = f"{reward:.1f}"  # fault

    def publish(self):
        return float(self.note)


class KeyOfADictionary(Broken):
    def keep(self, action, reward):
        self.seen = getattr(self, "seen", {})
        self.seen[reward] = action  # fault

    def publish(self):
        return len(self.seen)


class ChanceOfAReward(Broken):
    def keep(self, action, reward):
        self.total += 1.0 if self.rng.random() < reward else 0.0  # fault

    def publish(self):
        return self.total


class RawUnlessACoin(Broken):
    def keep(self, action, reward):
        self.total += reward if self.rng.random() < 0.5 else 0.5

    def publish(self):
        return float(self.total)  # fault


class SortedRewards(Broken):
    def keep(self, action, reward):
        self.total = [*(self.total or []), reward]

    def publish(self):
        return 3 * sorted(self.total)[1]  # fault
