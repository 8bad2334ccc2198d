"""A line that never ran and that decides how often coins are drawn, where something private depends on how many."""

from __future__ import annotations

import textwrap

import pytest

from privcheck import certify

HEAD = """\
from collections import Counter, deque

import numpy as np


class Policy:
    def __init__(self, rng):
        self.rng, self.arm, self.s, self.k, self.m = rng, 0, 0.0, 3, 0
        self.b, self.flips = 1.0, []

    def select(self):
        return self.arm

    def flipped(self):
        found = []
        for _ in range(self.k):
            found.append(self.rng.random())
        return found

    def each(self):
        for _ in range(self.k):
            yield self.rng.random()

    def set_scale(self):
        if self.k < 3:
            return
        self.b = 1.0

    def update(self, action, reward):
{lines}
"""
NOISE = "\nn = reward + self.rng.laplace(0, {} / 3)"
APPENDED = "flips = []\nfor _ in range(self.k):\n    flips.append(self.rng.random())"
ONCE = "n = float(reward + self.rng.laplace(0, 1.0))"
RARE = "if self.rng.random() < 1e-9:\n    "
LINES = {
    "a list": APPENDED + NOISE.format("len(flips)"),
    "its sum": APPENDED + NOISE.format("sum(flip < 2 for flip in flips)"),
    "a weight": APPENDED + "\nn = 3 / max(len(flips), 1e-9) * reward + self.rng.laplace(0, 1.0)",
    "how often something is released": APPENDED + f"\nfor _ in range(4 - len(flips)):\n    {ONCE}",
    "whether it is forgotten": APPENDED
    + "\nself.s += reward\nn = float(self.s + self.rng.laplace(0, 1.0))\nif len(flips) == 3:\n    self.s = 0.0",
    "a list that is added to": "flips = []\nfor _ in range(self.k):\n    flips += [self.rng.random()]"
    + NOISE.format("len(flips)"),
    "a list of an attribute": "self.flips = []\nfor _ in range(self.k):\n    self.flips.append(self.rng.random())"
    + NOISE.format("len(self.flips)"),
    "a count": "c = 0\nfor _ in range(self.k):\n    c += self.rng.random() < 2" + NOISE.format("c"),
    "a count of an attribute": "self.m = 0\nfor _ in range(self.k):\n    self.m += self.rng.random() < 2"
    + NOISE.format("self.m"),
    "a count in an expression": "c = 0\nfor _ in range(self.k):\n    (c := c + (self.rng.random() < 2))"
    + NOISE.format("c"),
    "a count without coins": "c = 0\nfor _ in range(self.k):\n    c += 1" + NOISE.format("c"),
    "a set": "flips = set()\nfor _ in range(self.k):\n    flips.add(self.rng.random())" + NOISE.format("len(flips)"),
    "a deque": "flips = deque()\nfor _ in range(self.k):\n    flips.append(self.rng.random())"
    + NOISE.format("len(flips)"),
    "a counter": "c = Counter()\nfor _ in range(self.k):\n    c[int(self.rng.integers(2))] += 1"
    + NOISE.format("sum(c.values())"),
    "a text": "t = ''\nfor _ in range(self.k):\n    t += str(int(self.rng.integers(2)))" + NOISE.format("len(t)"),
    "an array": "d = np.zeros(3)\nfor i in range(self.k):\n    d[i] = self.rng.random() < 2" + NOISE.format("d.sum()"),
    "a part of an array": "d = self.rng.random(9)[: self.k]" + NOISE.format("d.size"),
    "a list that is repeated": "flips = [self.rng.random()] * self.k" + NOISE.format("len(flips)"),
    "map": "flips = list(map(lambda i: self.rng.random(), range(self.k)))" + NOISE.format("len(flips)"),
    "a loop until enough": "c = 0\nwhile c < self.k:\n    c += int(self.rng.random() < 2)" + NOISE.format("c"),
    "a loop that is left": "c = 0\nwhile True:\n    c += 1\n    if c >= self.k:\n        break" + NOISE.format("c"),
    "a loop that goes on": "c = 0\nfor i in range(3):\n    if i >= self.k:\n        continue\n"
    "    c += self.rng.random() < 2" + NOISE.format("c"),
    "the last entry of a loop": "for c in range(self.k):\n    pass" + NOISE.format("(c + 1)"),
    "a pattern": "match self.k:\n    case c:\n        pass" + NOISE.format("c"),
    "a method": "flips = self.flipped()" + NOISE.format("len(flips)"),
    "a generator": "flips = list(self.each())" + NOISE.format("len(flips)"),
    "a function within": "def flip():\n    found = []\n    for _ in range(self.k):\n"
    "        found.append(self.rng.random())\n    return found" + NOISE.format("len(flip())"),
    "a condition": "b = 0.001\nif self.k > 2:\n    b = 3.0" + NOISE.format("b"),
    "a condition of a method that returns": "self.b = 0.001\nself.set_scale()" + NOISE.format("3 * self.b"),
}
MORE = {
    "a reward is added": "for _ in range(self.k - 2):\n    self.s += reward\n"
    "n = float(self.s + self.rng.laplace(0, 1.0))\nself.s = 0.0",
    "a reward is added while": "i = 0\nwhile i < self.k - 2:\n    self.s += reward\n    i += 1\n"
    "n = float(self.s + self.rng.laplace(0, 1.0))\nself.s = 0.0",
    "a reward is released until": f"for i in range(9):\n    {ONCE}\n    if i >= self.k - 3:\n        break",
}
OTHERS = {
    "another function of the same name": "def noise():\n    return self.rng.laplace(0, 1.0)\n"
    + RARE
    + "def noise():\n        return 0.0\nn = reward + noise()",
    "a list that is begun anew": "self.flips = []\nfor _ in range(3):\n    self.flips.append(self.rng.random())\n"
    + RARE
    + "self.flips = []"
    + NOISE.format("(1e-3 + len(self.flips))"),
}
SETS_0, SETS_9 = (f"\n{RARE}self.k = {number}" for number in (0, 9))
LISTED = (
    {name: text + SETS_0 for name, text in LINES.items()}
    | {name: text + SETS_9 for name, text in MORE.items()}
    | OTHERS
)
RIGHT = {
    "votes for an arm": "votes = []\nfor _ in range(self.k):\n    votes.append(self.rng.integers(2))\n"
    f"self.m = int(sum(votes) > 1)\n{ONCE}",
    "votes that are kept": "self.flips = []\nfor _ in range(self.k):\n    self.flips.append(self.rng.integers(2))\n"
    f"{ONCE}\nself.m = int(sum(self.flips) > 1)",
    "a count that nothing private depends on": f"self.m = 0\nfor _ in range(self.k):\n    self.m += 1\n{ONCE}",
    "a loop that a coin ends": f"while self.m < self.k and self.rng.random() < 0.5:\n    self.m += 1\n{ONCE}",
}


def certificate(lines, folder):
    file = folder / "policy.py"
    body = textwrap.indent(f"{lines}\nself.arm = int(n > 0.5)", " " * 8)
    file.write_text(HEAD.format(lines=body), encoding="utf-8")
    return certify(f"{file}:Policy", epsilon=1.0, arms=2, horizon=6, runs=2)


@pytest.mark.parametrize("name", LISTED)
def test_it_is_listed(name, tmp_path):
    found = certificate(LISTED[name], tmp_path)
    assert (found.leaks, found.refusals, found.granted) == ([], [], False)
    assert found.unreached


@pytest.mark.parametrize("name", RIGHT)
def test_where_nothing_private_depends_on_it_it_is_not(name, tmp_path):
    found = certificate(RIGHT[name] + SETS_0, tmp_path)
    assert (found.unreached, found.granted) == ([], True)
