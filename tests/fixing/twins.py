"""Patches of bandits that a judge, or a price, has to catch, and the correct patches beside them.

Each is the text of a whole file. `UCB` is the original, which releases nothing.
"""

from privcheck.fixing._judgement import afresh, certified, looked_at_elsewhere

HEAD = """import numpy as np
import privcheck


class Bandit:
    def __init__(self, rng, arms, epsilon, horizon):
        self.rng, self.epsilon, self.arms, self.horizon = rng, epsilon, arms, horizon
        self.counts, self.sums, self.t = np.zeros(arms), np.zeros(arms), 0
"""

SELECT = """
    def select(self):
        self.t += 1
        if self.t <= self.arms:
            return self.t - 1
        return int(np.argmax(self.sums / self.counts + np.sqrt(2 * np.log(self.t) / self.counts)))
"""

LEARN = """
    def update(self, action, reward):
        {first}
        self.counts[action] += 1
        self.sums[action] += reward
"""

UCB = HEAD + SELECT + LEARN.replace("        {first}\n", "")

NOISY = "reward = float(reward + self.rng.laplace(0.0, 1.0 / self.epsilon))"


def learning(first):
    return HEAD + SELECT + LEARN.replace("{first}", first.replace("\n", "\n        "))


RIGHT = learning(NOISY)

SIBLING = "\n\nclass Other:\n    def update(self, action, reward):\n        self.last = reward\n"

BLOCKS = """
    def update(self, action, reward):
        total, count, length = self.blocks.get(action, (0.0, 0, 1))
        total, count = total + reward, count + 1
        self.blocks[action] = (total, count, length) if count < length else (0.0, 0, 2 * length)
        if count == length:
            mean = float(total / length + self.rng.laplace(0.0, 1.0 / (length * self.epsilon)))
            for _ in range(length):
                self.learn(action, mean)
"""

WITHDRAWN = {
    "nothing changed": UCB,
    "a scale fitted to two arms": learning(
        "draws = [float(reward + self.rng.laplace(0.0, 2.0 / self.epsilon)) for _ in range(self.arms)]\n"
        "reward = sum(draws) / len(draws)"
    ),
    "a scale that ignores epsilon": learning(NOISY.replace("1.0 / self.epsilon", "1.0")),
    "a leak from round 41 on": learning(f"if self.t > 40:\n    self.raw = [0, 1][reward > 0.5]\n{NOISY}"),
    "a scale of 40 releases": HEAD
    + "        self.total = privcheck.zeros(arms)\n"
    + SELECT
    + """
    def update(self, action, reward):
        self.counts[action] += 1
        self.total[action] += reward
        self.sums = np.asarray(self.total + self.rng.laplace(0.0, 40.0 / self.epsilon, size=self.arms), float)
""",
    "an edit in a sibling class": RIGHT + SIBLING.replace("self.last = reward", "self.last = 0.0"),
}
"""By what is wrong with each. All but the first and the last are certified at two arms, epsilon = 1 and 40 rounds."""

STUCK = {
    "a constant policy": (UCB, HEAD + "\n    def select(self):\n        return 0\n" + LEARN.replace("{first}", NOISY)),
    "noise of 1000 / epsilon": (UCB, learning(NOISY.replace("1.0 / self", "1000.0 / self"))),
    "sums forgotten and counts kept": (
        UCB,
        HEAD
        + "        self.block, self.length = privcheck.zeros(arms), np.ones(arms)\n"
        + "        self.n = np.zeros(arms)\n"
        + SELECT
        + """
    def update(self, action, reward):
        self.counts[action] += 1
        self.n[action] += 1
        self.block[action] += reward
        if self.n[action] == self.length[action]:
            self.sums[action] = float(self.block[action] + self.rng.laplace(0.0, 1.0 / self.epsilon))
            self.block[action], self.n[action] = 0.0, 0
            self.length[action] *= 2
""",
    ),
    "successes counted from averages": tuple(
        """import numpy as np


class Bandit:
    def __init__(self, rng, arms, epsilon):
        self.rng, self.epsilon, self.blocks = rng, epsilon, {}
        self.wins, self.losses = np.ones(arms), np.ones(arms)

    def select(self):
        return int(np.argmax(self.rng.beta(self.wins, self.losses)))
"""
        + update
        for update in (
            """
    def update(self, action, reward):
        if reward > 0.5:
            self.wins[action] += 1
        else:
            self.losses[action] += 1
""",
            BLOCKS
            + """
    def learn(self, action, reward):
        if reward > 0.5:
            self.wins[action] += 1
        else:
            self.losses[action] += 1
""",
        )
    ),
    "a clock that waits for the block": tuple(
        """import numpy as np


class Bandit:
    def __init__(self, rng, arms, epsilon):
        self.rng, self.epsilon, self.arms, self.blocks = rng, epsilon, arms, {}
        self.counts, self.sums, self.t = np.zeros(arms), np.zeros(arms), 0

    def select(self):
        if self.t < 30:
            return self.t % self.arms
        return int(np.argmax(self.sums / self.counts))
"""
        + update
        for update in (
            """
    def update(self, action, reward):
        self.t += 1
        self.counts[action] += 1
        self.sums[action] += reward
""",
            BLOCKS
            + """
    def learn(self, action, reward):
        self.t += 1
        self.counts[action] += 1
        self.sums[action] += reward
""",
        )
    ),
}
"""The original and the patch: certified, and it learns no more."""


def judged(source, text, setting):
    """Return why a text is withdrawn, by guarded runs elsewhere or for want of a certificate, and the certificate."""
    found = looked_at_elsewhere(source, text, "Bandit", setting)
    if found.withdrawn:
        return found.withdrawn, None
    certificate, why = certified(source, text, "Bandit", afresh(setting))
    return why, certificate
