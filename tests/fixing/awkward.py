"""Bandits that leak, in styles that are hard to edit: each is the text of a whole file with a class Bandit.

CHOICE stands for `select` on `self.sums` and `self.n`: each arm once, and then the one with the largest mean.
"""

CHOICE = """
    def select(self):
        if self.n.min() == 0:
            return int(self.n.argmin())
        return int(np.argmax(self.sums / self.n))
"""

AWKWARD = {}

AWKWARD["properties"] = """\
import numpy as np

class Bandit:
    def __init__(self, rng, arms=2, epsilon=1.0):
        self._rng, self._eps = rng, epsilon
        self._sums = np.zeros(arms)
        self._n = np.zeros(arms)

    @property
    def rng(self):
        return np.random.default_rng(7)

    @property
    def epsilon(self):
        return 1000.0

    @property
    def means(self):
        return self._sums / np.maximum(self._n, 1)

    def select(self):
        if self._n.min() == 0:
            return int(self._n.argmin())
        return int(np.argmax(self.means))

    def update(self, action, reward):
        self._sums[action] += reward
        self._n[action] += 1
"""

AWKWARD["class attributes"] = """\
import numpy as np

class Bandit:
    rng = np.random.default_rng(0)
    epsilon = 50.0
    sums = np.zeros(64)
    n = np.zeros(64)

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.arms = arms
        self.sums = self.sums[:arms] * 0
        self.n = self.n[:arms] * 0

    def select(self):
        for a in range(self.arms):
            if self.n[a] == 0:
                return a
        return int(np.argmax(self.sums / self.n))

    def update(self, action, reward):
        self.n[action] += 1
        self.sums[action] += reward + self.rng.laplace(0, 1 / self.epsilon)
"""

AWKWARD["inheritance over two classes"] = """\
import numpy as np

class Core:
    def __init__(self, arms, generator, eps):
        self.k, self.gen, self.eps = arms, generator, eps
        self.sums, self.n = np.zeros(arms), np.zeros(arms)

    def update(self, action, reward):
        self.learn(action, reward)

    def learn(self, action, reward):
        self.n[action] += 1
        self.sums[action] += reward


class Middle(Core):
    def select(self):
        if self.n.min() == 0:
            return int(self.n.argmin())
        return int(np.argmax(self.score()))

    def score(self):
        return self.sums / self.n


class Bandit(Middle):
    def __init__(self, rng, arms=2, epsilon=1.0):
        super().__init__(arms, rng, epsilon)

    def score(self):
        return super().score() + np.sqrt(np.log(self.n.sum()) / self.n)


class Cousin(Middle):
    def learn(self, action, reward):
        self.sums[action] = max(self.sums[action], reward)
"""

AWKWARD["decorators"] = """\
import functools

import numpy as np


def logged(method):
    @functools.wraps(method)
    def inner(self, *args, **kw):
        self.calls = getattr(self, "calls", 0) + 1
        return method(self, *args, **kw)

    return inner


class Bandit:
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon = rng, epsilon
        self.sums, self.n = [0.0] * arms, [0] * arms

    @logged
    def select(self):
        if 0 in self.n:
            return self.n.index(0)
        means = [s / m for s, m in zip(self.sums, self.n)]
        return means.index(max(means))

    @logged
    def update(self, action, reward):
        self.n[action] += 1
        self.sums[action] += reward
"""

AWKWARD["dataclass"] = """\
from dataclasses import dataclass, field

import numpy as np

@dataclass(slots=True)
class Bandit:
    rng: np.random.Generator
    arms: int = 2
    epsilon: float = 1.0
    t: int = field(default=0, init=False)
    stats: dict = field(default_factory=dict, init=False, repr=False)

    def select(self):
        self.t += 1
        if self.t <= self.arms:
            return self.t - 1
        return max(self.stats, key=lambda a: self.stats[a][0] / self.stats[a][1])

    def update(self, action, reward):
        total, n = self.stats.get(action, (0.0, 0))
        self.stats[action] = (total + reward, n + 1)
"""

AWKWARD["walrus"] = """\
import numpy as np

class Bandit:
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon, self.arms = rng, epsilon, arms
        self.sums, self.n = np.zeros(arms), np.zeros(arms)

    def select(self):
        if (least := self.n.min()) == 0:
            return int(self.n.argmin())
        if (means := self.sums / self.n).max() > 0.5:
            return int(means.argmax())
        return int(self.rng.integers(self.arms))

    def update(self, action, reward):
        if (r := reward * 2 - 1) is not None:
            self.sums[action] += (s := r)
        self.n[action] += 1
"""

AWKWARD["comprehensions"] = """\
import numpy as np

class Bandit:
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon = rng, epsilon
        self.past = []
        self.arms = arms

    def select(self):
        n = [sum(1 for a, _ in self.past if a == k) for k in range(self.arms)]
        if 0 in n:
            return n.index(0)
        means = [sum(r for a, r in self.past if a == k) / n[k] for k in range(self.arms)]
        return max(range(self.arms), key=means.__getitem__)

    def update(self, action, reward):
        self.past = [*self.past, *[(action, r) for r in [reward]]]
"""

AWKWARD["generator"] = """\
import numpy as np

class Bandit:
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon, self.arms = rng, epsilon, arms
        self.loop = self._run()
        next(self.loop)

    def _run(self):
        sums, n = [0.0] * self.arms, [0] * self.arms
        while True:
            if 0 in n:
                arm = n.index(0)
            else:
                arm = max(range(self.arms), key=lambda a: sums[a] / n[a])
            self.arm = arm
            action, reward = yield arm
            sums[action] += reward
            n[action] += 1

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.loop.send((action, reward))
"""

AWKWARD["slots"] = """\
import numpy as np

class Bandit:
    __slots__ = ("gen", "eps", "sums", "n")

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.gen, self.eps = rng, epsilon
        self.sums, self.n = np.zeros(arms), np.zeros(arms)
CHOICE
    def update(self, action, reward):
        self.sums[action] += reward
        self.n[action] += 1
"""

AWKWARD["nested functions"] = """\
import numpy as np

class Bandit:
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon = rng, epsilon
        sums, n = np.zeros(arms), np.zeros(arms)

        def learn(action, reward):
            sums[action] += reward
            n[action] += 1

        def choose():
            if n.min() == 0:
                return int(n.argmin())
            return int(np.argmax(sums / n))

        self._learn, self._choose = learn, choose

    def select(self):
        return self._choose()

    def update(self, action, reward):
        def add(reward=reward):
            self._learn(action, reward)

        add()
"""

AWKWARD["global state"] = """\
import numpy as np

SUMS, N = [], []
RNG = np.random.default_rng(3)

class Bandit:
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon = rng, epsilon
        SUMS[:] = [0.0] * arms
        N[:] = [0] * arms

    def select(self):
        if 0 in N:
            return N.index(0)
        return max(range(len(N)), key=lambda a: SUMS[a] / N[a])

    def update(self, action, reward):
        global LAST
        LAST = reward
        SUMS[action] += reward + RNG.laplace(0, 0.1)
        N[action] += 1
"""

AWKWARD["two classes with one method name"] = """\
import numpy as np

class Ledger:
    def __init__(self, arms):
        self.sums, self.n = np.zeros(arms), np.zeros(arms)

    def update(self, action, reward):
        self.sums[action] += reward
        self.n[action] += 1
CHOICE
class Bandit:
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon, self.ledger = rng, epsilon, Ledger(arms)

    def select(self):
        return self.ledger.select()

    def update(self, action, reward):
        self.ledger.update(action, reward)
"""

AWKWARD["update replaced below"] = """\
import numpy as np

class Bandit:
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon = rng, epsilon
        self.sums, self.n = np.zeros(arms), np.zeros(arms)
CHOICE
    def learn(self, action, reward):
        self.sums[action] += reward
        self.n[action] += 1

    def update(self, action, reward):
        pass

    update = learn
"""

AWKWARD["reward by another name and kept"] = """\
import numpy as np

class Bandit:
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon = rng, epsilon
        self.sums, self.n = np.zeros(arms), np.zeros(arms)
        self.mid = 0.0
CHOICE
    def update(self, action, *, reward=None, **extra):
        pass

    def update(self, action, reward, /):
        reward, old = reward - self.mid, reward
        self.sums[action] += reward; self.mid += 0.1 * (old - self.mid)
        self.n[action] += 1
"""

AWKWARD["epsilon and rng overwritten later"] = """\
import numpy as np

class Bandit:
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon, self.arms = rng, epsilon, arms
        self.sums, self.n = np.zeros(arms), np.zeros(arms)
        self.reset()

    def reset(self):
        vars(self).update(rng=np.random.default_rng(5), epsilon=30.0)
        setattr(self, "eps", 9)
CHOICE
    def update(self, action, reward):
        self.sums[action] += reward
        self.n[action] += 1
"""

AWKWARD["name-mangled"] = """\
import numpy as np

class Bandit:
    def __init__(self, __rng, arms=2, epsilon=1.0):
        self.__rng, self.__epsilon = __rng, epsilon
        self.__sums, self.__n = np.zeros(arms), np.zeros(arms)

    def select(self):
        if self.__n.min() == 0:
            return int(self.__n.argmin())
        return int(np.argmax(self.__sums / self.__n))

    def update(self, __action, __reward):
        self.__sums[__action] += __reward
        self.__n[__action] += 1
"""

AWKWARD = {name: text.replace("CHOICE", CHOICE) for name, text in AWKWARD.items()}
