"""Numbers that code computes otherwise with ordinary rewards than with wrapped ones: no certificate is granted."""

import sys

import numpy as np
import pytest

import privcheck
from privcheck.certifying._outside.same_numbers import Numbers
from privcheck.certifying._outside.same_path import NUMBERS
from tests.certifying.translated_programs import loaded

POLICY = """\
import sys
import time

import numpy as np


class Policy:
    def __init__(self, rng):
        self.rng, self.arm, self.held = rng, 0, 0.0

    def select(self):
        return self.arm

    def update(self, action, reward):
{lines}
        self.arm = int(reward + self.rng.laplace(0.0, 1.0) > 0.5)
"""

OTHERWISE = {
    "told apart, held": "        self.held = [0.0, reward][sys.getsizeof(reward) < 40]",
    "told apart, in a local variable": "        x = [0.0, reward][sys.getsizeof(reward) < 40]",
    "in a list": "        x = [1.0, [0.0, reward][sys.getsizeof(reward) < 40]]",
    "rounded": "        x = reward + 0.2 + 2.0**52 - 2.0**52",
    "lost": "        x = (reward + 1e12) - 1e12",
    "written into other arrays": "        x = np.zeros(2)\\n        y = np.require(x)\\n        x[0] = reward",
}
ALIKE = {
    "rounded a little": "        x = (reward + 1e3) - 1e3",
    "time": "        self.held = time.perf_counter()",
    "noise that nobody reads": "        self.held = [self.rng.laplace(), reward + self.rng.normal()]",
    "a coin": "        self.held = self.rng.random() < 0.5\\n        self.held = float(self.held)",
    "chosen": "        self.held = 1.0 if reward > 0.5 else 2.0",
    "counted": "        c = np.zeros(3)\\n        c[np.digitize(reward, [0.3, 0.6])] += 1.0",
}


def certified(lines, folder):
    text = POLICY.format(lines=lines.replace("\\n", "\n"))
    return privcheck.certify(loaded(text, folder), epsilon=1.0, arms=2, horizon=3, runs=3)


@pytest.mark.parametrize("name", OTHERWISE)
def test_another_number_is_found(name, tmp_path):
    found = certified(OTHERWISE[name], tmp_path)
    assert not found.granted
    assert found.coverage == "all-executions-under-guard"
    assert any(note.endswith(NUMBERS.partition("{}")[2]) for note in found.notes), found.notes


@pytest.mark.parametrize("name", ALIKE)
def test_the_same_number_is_none(name, tmp_path):
    found = certified(ALIKE[name], tmp_path)
    assert found.granted, found.notes


def test_what_differs_is_named():
    def collected(*values):
        numbers = Numbers()

        def look(frame, event, argument):
            if event == "return":
                numbers.returns(frame, argument)
            return look

        def called(x):
            y = np.array([x, 1.0])
            return 2.0 * y

        sys.settrace(lambda frame, *_: look if frame.f_code is called.__code__ else None)
        try:
            for value in values:
                called(value)
        finally:
            sys.settrace(None)
        return numbers

    one = collected(0.5, 2.0)
    assert one.others(collected(0.5, 2.0), 0.0) == {}
    assert one.others(collected(0.5, 2.0 + 1e-12), 0.0) == {}
    found = one.others(collected(0.5, 2.1), 0.0)
    assert [(name, call) for name, _, call in found] == [("x", 2), ("y", 2), ("what it returns", 2)]
    assert one.others(collected(0.5, 2.1), 1e9) == {}
    assert one.others(collected(0.5), 0.0) == {}  # other lines ran, which is said elsewhere
