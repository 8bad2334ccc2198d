"""A line that never ran and that decides how a reward is used: the scale of the noise, a weight, one more release."""

from __future__ import annotations

import pytest

from privcheck import certify

HEAD = """\
from privcheck.mechanisms import Laplace


class Policy:
    def __init__(self, rng):
        self.rng, self.arm, self.s = rng, 0, 0.0
        self.b, self.c, self.k, self.forgets = 1.0, 1.0, 1, True
        self.mechanism = Laplace(sensitivity=1.0, epsilon=1.0)

    def select(self):
        return self.arm

    def draw(self):
        return self.rng.laplace(0, 1.0)

    def publish(self, scale):
        self.arm = int(self.s + self.rng.laplace(0, scale) > 0.5)

    @property
    def best(self):
        return int(self.s + self.rng.laplace(0, 1.0) > 0.5)

    def scale(self):
        if RARE:
            return 0.01
        return 1.0

    def update(self, action, reward):
"""
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
}
RIGHT = {
    "an arm that nothing private is used by": NOISE + "self.arm = 0\nif RARE:\n    self.arm = 1",
    "a count": NOISE + "if RARE:\n    self.k += 1",
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
