"""Contextual policies under joint differential privacy: one that is right, and broken twins; used like zoo.py.

Two arms, decision sets of shape (2, 2) with rows of norm at most 1, rewards in [0, 1], 12 rounds.
"""

import numpy as np

import privcheck
from privcheck.mechanisms import BinaryTree, DiscreteLaplace, Laplace


class Contextual:
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.arms, self.epsilon = rng, arms, epsilon
        self.t, self.theta = 0, np.zeros(2)


class EpsilonGreedy(Contextual):
    """Plays the arm whose row has the larger product with the released sum of reward times row, or a random one.

    Replacing a datum moves reward * context[action] by at most 2 in L2, hence by at most 2 sqrt(2) in L1.
    """

    def __init__(self, rng, arms=2, epsilon=1.0, horizon=12):
        super().__init__(rng, arms, epsilon)
        tree = BinaryTree(horizon=horizon, sensitivity=2.0 * np.sqrt(2.0), epsilon=epsilon)
        self.stream = tree.start(rng)

    def select(self, context):
        if self.rng.random() < 0.2:
            return int(self.rng.integers(self.arms))
        return int(np.argmax(context @ self.theta))

    def update(self, context, action, reward):
        self.t += 1
        self.theta = self.stream.add(reward * context[action])


class Blocks(EpsilonGreedy):
    """Releases the sum of every second round once, forgets it, and adds up what was released."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        super().__init__(rng, arms, epsilon)
        self.sums, self.counts, self.stored = privcheck.zeros(2), [0] * arms, []

    def update(self, context, action, reward):
        self.t += 1
        self.sums += reward * context[action]
        if self.t % 2 == 0:
            self.release()

    def release(self):
        noise = Laplace(sensitivity=2.0 * np.sqrt(2.0), epsilon=self.epsilon)
        self.theta = self.theta + noise.release(self.sums, self.rng)
        self.sums = privcheck.zeros(2)


class UnnoisedUntilTheRelease(Blocks):
    """Adds what came since the last release, without noise."""

    def select(self, context):
        theta = self.theta + self.sums
        return int(np.argmax(context @ theta))  # here: UnnoisedUntilTheRelease


class StoresContexts(Blocks):
    """Keeps the raw contexts and compares them with later ones."""

    def select(self, context):
        near = [seen for seen in self.stored if np.linalg.norm(seen - context) < 1.5]  # here: StoresContexts
        return len(near) % 2

    def update(self, context, action, reward):
        self.stored.append(context)
        super().update(context, action, reward)


class BranchesOnTheAction(Blocks):
    def update(self, context, action, reward):
        if action == 1:  # here: BranchesOnTheAction
            self.theta = -self.theta
        super().update(context, action, reward)


class CountsArms(Blocks):
    def update(self, context, action, reward):
        self.counts[action] += 1
        super().update(context, action, reward)

    def select(self, context):
        return int(np.argmax(context @ self.theta - self.counts))  # here: CountsArms


class TalliesInZeros(Blocks):
    def __init__(self, rng, arms=2, epsilon=1.0):
        super().__init__(rng, arms, epsilon)
        self.counts = privcheck.zeros(arms)

    def update(self, context, action, reward):
        self.counts[action] += 1.0
        super().update(context, action, reward)


class KeepsTheContext(Blocks):
    """Plays by the context of the round before."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        super().__init__(rng, arms, epsilon)
        self.seen = np.zeros((2, 2))

    def select(self, context):
        arm = int(self.seen[0, 0] > self.seen[1, 0])
        self.seen = context  # here: KeepsTheContext
        return arm


class KeepsACopyInAList(KeepsTheContext):
    def select(self, context):
        arm = int(self.stored[-1][0, 0] > 0.0) if self.stored else 0
        self.stored.append(context.copy())  # here: KeepsACopyInAList
        return arm


class KeepsANumber(KeepsTheContext):
    """What it keeps is a number, which is lost under the guard; without it, replay shows the leak."""

    def select(self, context):
        arm = int(np.sum(self.seen) > 0.0)
        self.seen = context[0, 0]
        return arm


class NeedsWhatItKept(Blocks):
    def select(self, context):
        self.score = context @ self.theta
        return int(np.argmax(self.score))

    def update(self, context, action, reward):
        self.best = self.score.max()
        super().update(context, action, reward)


class CachesInSelect(Blocks):
    """Nothing to accuse: what it keeps in select is computed from releases, and from them again."""

    def select(self, context):
        self.cached = 2.0 * self.theta
        return int(np.argmax(context @ self.cached))


class ReleasesInSelect(Blocks):
    def select(self, context):
        noise = Laplace(sensitivity=2.0 * np.sqrt(2.0), epsilon=self.epsilon)
        noisy = noise.release(self.sums, self.rng)  # here: ReleasesInSelect
        return int(np.argmax(context @ noisy))

    def release(self):
        self.sums = privcheck.zeros(2)


class CannotBeCopied(Blocks):
    def __deepcopy__(self, memo):
        raise TypeError("one of its kind")


class SumsByArm(Contextual):
    """Releases the rewards of each arm in one vector: an indicator times the reward moves by at most 2 in L1."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        super().__init__(rng, arms, epsilon)
        self.means = np.zeros(arms)

    def select(self, context):
        return int(np.argmax(self.means))

    def update(self, context, action, reward):
        by_arm = privcheck.one_hot(action, self.arms) * reward
        self.means = self.means + Laplace(sensitivity=2.0, epsilon=self.epsilon).release(by_arm, self.rng)


class SumsByArmSeparately(SumsByArm):
    """Releases the rewards of each arm by itself: every datum could have entered both."""

    share = 0.5

    def update(self, context, action, reward):
        by_arm = privcheck.one_hot(action, self.arms) * reward
        noise = Laplace(sensitivity=1.0, epsilon=self.epsilon * self.share)
        noisy = [noise.release(by_arm[arm], self.rng) for arm in range(self.arms)]  # here: TakesArmsForDisjoint
        self.means = self.means + np.array(noisy)


class TakesArmsForDisjoint(SumsByArmSeparately):
    """Spends the whole budget on each arm, as if a reward entered one of them."""

    share = 1.0


class CountsByIndicator(SumsByArm):
    """Releases integer counts of the arms once in two rounds."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        super().__init__(rng, arms, epsilon)
        self.counts = privcheck.zeros(arms)

    def update(self, context, action, reward):
        self.t += 1
        self.counts += privcheck.one_hot(action, self.arms)
        if self.t % 2 == 0:
            counts = DiscreteLaplace(sensitivity=2, epsilon=self.epsilon).release(self.counts, self.rng)
            self.means, self.counts = self.means - counts, privcheck.zeros(self.arms)

    def select(self, context):
        return int(np.argmax(self.means + context[:, 0]))


class ScalesTheChosenRow(Contextual):
    """Changes the chosen row in place, and releases the context."""

    def select(self, context):
        return int(context[0, 0] > context[1, 0])

    def update(self, context, action, reward):
        row = context[action] * 1.0 if isinstance(context, np.ndarray) else context[action]
        row *= 1000.0
        self.theta = Laplace(sensitivity=4.0 * 2**0.5, epsilon=self.epsilon).release(context, self.rng)


class KeepsItInAClosure(ScalesTheChosenRow):
    """A closure is no part of a copy: the guard puts back what `select` writes there."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        super().__init__(rng, arms, epsilon)
        last = [0]

        def remember(arm):
            before, last[0] = last[0], arm
            return before

        self.remember = remember

    def select(self, context):
        return self.remember(super().select(context))


class StopsAtSomeContexts(ScalesTheChosenRow):
    def select(self, context):
        return 2 * super().select(context)
