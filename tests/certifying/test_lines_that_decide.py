"""A line that never ran and that decides how a reward is used: the noise, a weight, when it is forgotten."""

from __future__ import annotations

import pytest

from privcheck import certify

HEAD = """\
import heapq
from collections import deque

import numpy as np

from privcheck.mechanisms import Laplace


class Policy:
    def __init__(self, rng):
        self.rng, self.arm, self.s = rng, 0, 0.0
        self.b, self.c, self.k, self.forgets, self.ended = 1.0, 1.0, 1, True, False
        self.mechanism = Laplace(sensitivity=1.0, epsilon=1.0)
        self.kept, self.heap = deque(maxlen=1), [1.0]
        self.stats, self.state, self.sums, self.cuts = {"b": 1.0}, [0.0, 1.0], [0.0], [0.5]
        self.plan, self.cache, self.memo = [1.0] + 9 * [0.01], None, {}

    def select(self):
        return self.arm

    def draw(self):
        return self.rng.laplace(0, 1.0)

    def set_b(self, b):
        self.b = b

    def publish(self, scale):
        self.arm = int(self.s + self.rng.laplace(0, scale) > 0.5)

    def noised(self, value, scale):
        return value + self.rng.laplace(0, scale)

    def release_all(self, forgets):
        noisy = float(self.s + self.rng.laplace(0, 1.0))
        if forgets:
            self.forget()
        return noisy

    def forget(self):
        self.s = 0.0

    @property
    def best(self):
        return int(self.s + self.rng.laplace(0, 1.0) > 0.5)

    def scale(self):
        if RARE:
            return 0.01
        return 1.0

    def update(self, action, reward):
"""
ALL = "self.s += reward\nn = float(self.s + self.draw())\n"
NOISE = "n = reward + self.rng.laplace(0, self.b)\n"
LINES = {
    "the scale": NOISE + "if RARE:\n    self.b = 0.01",
    "the scale, from what was released": NOISE + "if n > 5.5:\n    self.b = self.b / 10",
    "the scale, from another attribute": "self.b = self.c\n" + NOISE + "if RARE:\n    self.c = 0.01",
    "the scale, by its name": NOISE + "if RARE:\n    setattr(self, 'b', 0.01)",
    "a local scale": "b = 1.0\nif RARE:\n    b = 0.01\nn = reward + self.rng.laplace(0, b)",
    "a scale that is chosen": "b = 0.01 if RARE else 1.0\nn = reward + self.rng.laplace(0, b)",
    "a choice within the draw": "n = reward + self.rng.laplace(0, 0.01 if RARE else 1.0)",
    "what a method returns": "n = reward + self.rng.laplace(0, self.scale())",
    "a weight": "n = self.b * reward + self.rng.laplace(0, 1.0)\nif RARE:\n    self.b = 100.0",
    "how often": "for _ in range(self.k):\n    n = float(reward + self.draw())\nif RARE:\n    self.k = 2",
    "which of two": NOISE + "n = [n, reward][self.k - 1]\nif RARE:\n    self.k = 2",
    "the noise": "if self.k:\n    self.noise, self.k = lambda: self.rng.laplace(0, 1.0), 0\n"
    "n = reward + self.noise()\nif RARE:\n    self.noise = float",
    "a mechanism": "n = self.mechanism.release(reward, self.rng)\nif RARE:\n"
    "    self.mechanism = Laplace(sensitivity=1.0, epsilon=100.0)",
    "its budget": "mechanism = Laplace(sensitivity=1.0, epsilon=self.b)\nn = mechanism.release(reward, self.rng)\n"
    "if RARE:\n    self.b = 100.0",
    "once more": "self.s = reward\nself.publish(1.0)\nif RARE:\n    self.publish(1.0)\nn = 0",
    "once more, by a property": "self.s = reward\nself.arm = self.best\nif RARE:\n    self.arm = self.best\nn = 0",
    "with another scale": "self.s = reward\nif RARE:\n    self.publish(0.01)\nelse:\n    self.publish(1.0)\nn = 0",
    "whether rewards are forgotten": ALL + "if self.forgets:\n    self.s = 0.0\nif RARE:\n    self.forgets = False",
    "whether a method forgets": ALL + "if self.forgets:\n    self.forget()\nif RARE:\n    self.forgets = False",
    "whether a method is told to forget": "self.s += reward\nn = self.release_all(self.forgets)\nif RARE:\n"
    "    self.forgets = False",
    "how many are forgotten": "self.kept = [*self.kept, reward]\nn = float(sum(self.kept) + self.draw())\n"
    "del self.kept[: self.k]\nif RARE:\n    self.k = 0",
    "whether it is released again": ALL
    + "if self.k > 1:\n    n = float(self.s + self.draw())\nself.s = 0.0\nif RARE:\n"
    "    self.k = 2",
    "the scale that a method is told": "n = self.noised(reward, self.b)\nif RARE:\n    self.b = 0.01",
    "a scale in a heap": "n = reward + self.rng.laplace(0, self.heap[0])\nif RARE:\n"
    "    heapq.heappush(self.heap, 0.01)",
    "the function of a reward": "if self.k:\n    self.limit, self.k = lambda x: min(x, 1.0), 0\n"
    "n = self.limit(reward) + self.draw()\nif RARE:\n    self.limit = lambda x: 100 * x",
    "the method that draws": "if self.k:\n    self.noise_of, self.k = self.draw, 0\n"
    "n = reward + self.noise_of()\nif RARE:\n    self.noise_of = float",
    "noise that is kept": "self.z = self.draw()\nif RARE:\n    self.z = 0.0\nn = reward + self.z",
    "the scale, by a method that has run": "if self.k:\n    self.set_b(1.0)\n    self.k = 0\n"
    + NOISE
    + "if RARE:\n    self.set_b(0.01)",
    "the scale, by another name": "stats = self.stats\nn = reward + self.rng.laplace(0, self.stats['b'])\nif RARE:\n"
    "    stats['b'] = 0.01",
    "the scale, beside a reward": "self.state[0] = reward\ntotal, b = self.state\n"
    "n = float(total + self.rng.laplace(0, b))\nif RARE:\n    self.state = [0.0, 0.01]",
    "the scale, by what is taken away": "n = reward + self.rng.laplace(0, self.plan[0])\nif RARE:\n"
    "    self.plan.pop(0)",
    "whether it is drawn anew": "if self.k:\n    self.s, self.k = reward, 0\nif self.cache is None:\n"
    "    self.cache = self.s + self.draw()\nn = float(self.cache)\nif RARE:\n    self.cache = None",
    "a return before it is forgotten": ALL + "if RARE:\n    return\nself.s = 0.0",
    "how often, in a comprehension": "n = max([float(reward + self.draw()) for _ in range(self.k)])\nif RARE:\n"
    "    self.k = 2",
    "whether it is forgotten, by arithmetic": "forgets = self.c > 0.5\n"
    + ALL
    + "if forgets:\n    self.s = 0.0\nif RARE:\n    self.c = 0.0",
    "whether it is forgotten, by and": ALL + "self.forgets and self.forget()\nif RARE:\n    self.forgets = False",
    "which are forgotten": "self.sums[0] += reward\nn = float(self.sums[0] + self.draw())\nfor i in range(self.k):\n"
    "    self.sums[i] = 0.0\nif RARE:\n    self.k = 0",
    "levels": "n = float(np.digitize(reward, self.cuts) + self.draw())\nif RARE:\n    self.cuts = [0.2, 0.4, 0.6]",
    "the room for rewards": "self.kept.append(reward)\nn = float(sum(self.kept) + self.draw())\nif RARE:\n"
    "    self.kept = deque(maxlen=3)",
}
RIGHT = {
    "to forget once more": ALL + "self.s = 0.0\nif RARE:\n    self.s = 0.0",
    "to forget by a method once more": ALL + "self.forget()\nif RARE:\n    self.forget()",
    "an end": "if self.ended:\n    return\n" + ALL + "self.s = 0.0\nif RARE:\n    self.ended = True",
    "a flag that nothing reads": ALL + "self.s = 0.0\nif RARE:\n    self.forgets = False",
    "an arm that nothing private is used by": NOISE + "self.arm = 0\nif RARE:\n    self.arm = 1",
    "a memo": "if 1 not in self.memo:\n    self.memo[1] = 1.0\nn = reward + self.rng.laplace(0, self.memo[1])\n"
    "if RARE:\n    self.memo.pop(1)",
    "a return before a release": "if RARE:\n    return\n" + ALL + "self.s = 0.0",
    "a count": NOISE + "if RARE:\n    self.k += 1",
    "a text that is the name of an attribute with a reward": "self.s = reward\nname = 's' if self.k else 'b'\n" + NOISE,
}


def certificate(lines, rare, folder):
    body = "".join(f"        {line}\n" for line in [*lines.splitlines(), "self.arm = int(n > 0.5)"])
    file = folder / "policy.py"
    file.write_text((HEAD + body).replace("RARE", rare), encoding="utf-8")
    return certify(f"{file}:Policy", epsilon=1.0, arms=2, horizon=6, runs=2)


@pytest.mark.parametrize("name", LINES)
def test_it_is_listed(name, tmp_path):
    found = certificate(LINES[name], "self.rng.random() < 1e-6", tmp_path)
    assert (found.leaks, found.epsilon_upper, found.granted) == ([], 1.0, False)
    assert found.unreached


@pytest.mark.parametrize("name", [name for name in LINES if name != "the scale, from what was released"])
def test_it_is_refused_or_a_leak_where_it_runs(name, tmp_path):
    found = certificate(LINES[name], "self.rng.random() < 0.7", tmp_path)
    assert found.refusals or found.leaks


@pytest.mark.parametrize("name", RIGHT)
def test_a_line_that_decides_nothing_of_rewards_is_not_listed(name, tmp_path):
    found = certificate(RIGHT[name], "self.rng.random() < 1e-6", tmp_path)
    assert (found.unreached, found.granted) == ([], True)


FROZEN = """\
class Policy:
    def __init__(self, rng):
        self.rng, self.last, self.arm, self.frozen = rng, 0.0, 0, False

    def noisy(self):
        return float(self.last + self.rng.laplace(0, 1.0))

    def select(self):
        SELECT
        return self.arm

    def update(self, action, reward):
        if self.frozen:
            return
        self.last = reward
        UPDATE
"""


@pytest.mark.parametrize("where", ["SELECT", "UPDATE"])
def test_an_end_matters_where_releases_go_on(where, tmp_path):
    file = tmp_path / "policy.py"
    text = FROZEN.replace(where, "if self.noisy() > 15:\n            self.frozen = True")
    file.write_text(text.replace("SELECT", "pass").replace("UPDATE", "pass"), encoding="utf-8")
    found = certify(f"{file}:Policy", epsilon=1.0, arms=2, horizon=6, runs=2)
    assert (found.granted, bool(found.unreached)) == ((False, True) if where == "SELECT" else (True, False))


@pytest.mark.parametrize("name", ["adap-kl-ucb", "adap-tt", "dp-tt", "ctb-tt", "ldp-tt", "dp-kl-ucb"])
def test_what_only_chooses_arms_is_not_listed(name):
    found = certify(name, epsilon=1.0, arms=3, horizon=16, runs=4)
    assert (found.unreached, found.granted) == ([], True)
