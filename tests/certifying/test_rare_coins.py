"""Code that a rare coin chooses: the side that it left out in all runs is named, and nothing is granted."""

from __future__ import annotations

import math
import textwrap

import pytest

from privcheck import certify

HEAD = """\
class Policy:
    def __init__(self, rng):
        self.rng, self.arm = rng, 0

    def select(self):
        return self.arm

    def told(self, r):
{told}

    def update(self, action, reward):
{lines}
"""
NOISY = "self.arm = int(reward + self.rng.laplace(0, 1) > 0.5)"
RARE = "self.rng.random() < 1e-6"
SIDES = {
    "a choice": f"x = reward if {RARE} else 0.0",
    "of two types": f"x = reward if {RARE} else 0",
    "the other way round": "x = 0.0 if self.rng.random() < 1 - 1e-6 else 1 - reward",
    "a coin with a name": f"c = {RARE}\nx = reward if c else 0.0",
    "a bit": f"bit = reward > 0.5\nx = bit if {RARE} else False",
    "if and else": f"if {RARE}:\n    x = reward\nelse:\n    x = 0.0",
    "a lambda": f"f = lambda r, c: r if c else 0.0\nx = f(reward, {RARE})",
    "return": "x = self.told(reward)",
    "the name of an attribute": f"x = 0.0\nsetattr(self, 'arm' if {RARE} else 'other', reward)",
}


def certificate(lines, folder):
    told = f"if {RARE}:\n    return r\nreturn 0.0" if "self.told" in lines else "return 0.0"
    blocks = [textwrap.indent(text, " " * 8) for text in (told, lines)]
    file = folder / "policy.py"
    file.write_text(HEAD.format(told=blocks[0], lines=blocks[1]), encoding="utf-8")
    return certify(f"{file}:Policy", epsilon=1.0, arms=2, horizon=6, runs=2)


@pytest.mark.parametrize("name", SIDES)
def test_a_side_that_a_rare_coin_left_out_has_not_run(name, tmp_path):
    found = certificate(f"{NOISY}\n{SIDES[name]}\nif x > 0.5:\n    self.arm = 1", tmp_path)
    assert found.epsilon_upper == 1.0
    assert found.unreached
    assert not found.granted


def test_both_sides_of_randomised_response_have_run(tmp_path):
    lines = "bit = 1 if reward > 0.5 else 0\nself.arm = bit if self.rng.random() < 0.55 else 1 - bit"
    found = certificate(lines, tmp_path)
    assert (found.unreached, found.granted) == ([], True)
    assert found.ledger_epsilon == pytest.approx(math.log(0.55 / 0.45))
