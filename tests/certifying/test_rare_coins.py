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


RARELY = "(self.rng.random() < 1e-6)"
AMOUNTS = {
    "a factor": f"x = {RARELY} * reward",
    "numpy.where": f"x = np.where({RARELY}, reward, 0.0)",
    "numpy.where of a draw with a name": "c = self.rng.binomial(1, 1e-6)\nx = np.where(c == 1, reward, 0.0)",
    "a list": f"x = [0.0, reward][int{RARELY}]",
    "a list with a name": f"self.pair[1] = reward\nx = self.pair[int{RARELY}]",
    "a dict": f"x = {{True: reward, False: 0.0}}[bool{RARELY}]",
    "one of many integers": "x = reward * (self.rng.integers(1000) == 777)",
    "a rare entry": "x = reward * self.rng.choice([0, 1], p=[0.9999, 0.0001])",
    "a narrow interval": "u = self.rng.random()\nx = reward * (0.3 < u < 0.30001)",
    "a tail": "x = reward * (float(self.rng.normal()) > 6)",
    "beside a choice by keyword": f"self.pair[0] = float(self.rng.choice(a=2))\nx = {RARELY} * reward",
    "beside a type by position": f"self.pair[0] = self.rng.integers(0, 9, None, np.int64)\nx = {RARELY} * reward",
    "one of several integers": "x = reward * (self.rng.integers(10**6) in (777, 778))",
    "a number of the module": "x = reward * (self.rng.integers(10**6) == LUCKY)",
    "a power": f"x = reward * 1e-9 ** (1 - {RARELY})",
    "a slice": f"self.pair.append(reward)\nx = sum(self.pair[2:][: int{RARELY}])",
}
HEAD_OF_AMOUNTS = HEAD.replace("class Policy", "import numpy as np\n\nLUCKY = 7 * 11**3\n\n\nclass Policy").replace(
    "self.arm = rng, 0", "self.arm, self.pair = rng, 0, [0.0, 0.0]"
)


def of_amounts(lines, folder, **options):
    file = folder / "policy.py"
    text = textwrap.indent(lines, " " * 8)
    file.write_text(HEAD_OF_AMOUNTS.format(told="        return r", lines=text), encoding="utf-8")
    return certify(f"{file}:Policy", epsilon=1.0, arms=2, horizon=16, **options)


@pytest.mark.parametrize("name", AMOUNTS)
def test_a_reward_that_a_rare_draw_lets_through_is_a_leak(name, tmp_path):
    found = of_amounts(f"{NOISY}\n{AMOUNTS[name]}\nif x > 0.5:\n    self.arm = 1", tmp_path)
    assert [leak.code for leak in found.leaks] == ["if x > 0.5:"]
    assert found.epsilon_upper is None


MORE = {
    "a scale": f"self.arm = int(reward + self.rng.laplace(0, 0.001 if {RARELY} else 1) > 0.5)",
    "a scale that is computed": f"self.arm = int(reward + self.rng.laplace(0, 1 / (1 + 99 * {RARELY})) > 0.5)",
    "once more": f"{NOISY}\nif {RARELY}:\n    {NOISY}",
    "how often": f"for _ in range(1 + self.rng.poisson(1e-6)):\n    {NOISY}",
    "a weight": f"self.arm = int((1 + {RARELY}) * reward + self.rng.laplace(0, 1) > 0.5)",
}


@pytest.mark.parametrize("name", MORE)
def test_what_a_rare_draw_spends_beyond_the_budget_is_refused(name, tmp_path):
    found = of_amounts(MORE[name], tmp_path)
    assert found.refusals
    assert not found.granted


RIGHT = {
    "exploration": f"{NOISY}\nif {RARELY}:\n    self.arm = int(self.rng.integers(2))",
    "left out at times": f"x = {RARELY} * reward\nself.arm = int(x + self.rng.laplace(0, 1) > 0.5)",
    "more noise": f"self.arm = int(reward + self.rng.laplace(0, 9 if {RARELY} else 1) > 0.5)",
    "a sample": "keep = self.rng.random() < 0.5\nx = reward if keep else 0.0\n"
    "self.arm = int(x + self.rng.laplace(0, 1) > 0.5)",
    "impossible draws": "x = reward * (self.rng.random(dtype=np.float32) > 1 - 1e-9)\nself.arm = int(x > 0.5)",
    "a large number": f"{NOISY}\nif self.rng.random() > 10**400:\n    self.arm = 1",
    "until all differ": f"{NOISY}\nwhile len({{int(self.rng.integers(2**32)) for _ in range(32)}}) < 32:\n    pass",
    "raises": f"{NOISY}\nif {RARELY}:\n    raise RuntimeError('a cosmic ray')",
}


@pytest.mark.parametrize("name", RIGHT)
def test_rare_draws_of_private_code_cost_it_nothing(name, tmp_path):
    found = of_amounts(RIGHT[name], tmp_path)
    assert found.granted
    assert found.ledger_epsilon <= 1.0 + 1e-9


def test_runs_that_fail_for_unlikely_draws_are_counted(tmp_path):
    failing, going_on = (of_amounts(RIGHT[name], tmp_path, runs=4) for name in ("raises", "exploration"))
    assert failing.rests_on["what rare coins decide"] == ["1 of 1 runs with unlikely draws failed"]
    assert "what rare coins decide" not in going_on.rests_on


COINS = """\
class Policy:
    def __init__(self, rng):
        self.rng, self.arm = rng, 0

    def select(self):
        return self.arm if COIN else 1 - self.arm

    def update(self, action, reward):
        self.arm = int(reward + self.rng.laplace(0.0, 1.0) > 0.5)
"""


@pytest.mark.parametrize(("coin", "runs", "is_said"), [("self.rng.random() > 0.1", 2, True), ("True", 2, False)])
def test_that_no_run_had_unlikely_draws_is_said_where_coins_decide(coin, runs, is_said, tmp_path):
    file = tmp_path / "policy.py"
    file.write_text(COINS.replace("COIN", coin), encoding="utf-8")
    found = certify(f"{file}:Policy", epsilon=1.0, arms=2, horizon=4, runs=runs)
    said = ["no run had unlikely draws (give 4 runs or more)"]
    assert found.rests_on.get("what rare coins decide") == (said if is_said else None)


RELEASED = """\
from privcheck.mechanisms import Laplace


class Policy:
    def __init__(self, rng, epsilon):
        self.rng, self.arm, self.total, self.weight, self.left = rng, 0, 0.0, 1.0, 4
        self.noise = Laplace(sensitivity=1.0, epsilon=epsilon)

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.total += self.weight * reward
        self.left -= 1
        if self.left == 0:
            self.left = 4
{lines}
            self.arm = int(y > 2)
            self.total = 0.0
"""
NUMPY, MECHANISM = "float(self.total + self.rng.laplace(0, 1))", "self.noise.release(self.total, self.rng)"
LIMIT = "3 * self.left"
DECIDED = {
    "drawn until it fits": "while True:\n    y = {drawn}\n    if y <= LIMIT:\n        break",
    "drawn at most thrice": "for _ in range(3):\n    y = {drawn}\n    if abs(y) <= LIMIT:\n        break",
    "a weight": "y = {drawn}\nself.weight = max(1.0, y - LIMIT)",
    "how soon": "y = {drawn}\nself.left, self.weight = 1 + 3 * (y < LIMIT), 1 + (y > LIMIT)",
}


def of_released(lines, folder):
    file = folder / "policy.py"
    file.write_text(RELEASED.format(lines=textwrap.indent(lines, " " * 12).replace("LIMIT", LIMIT)), encoding="utf-8")
    return certify(f"{file}:Policy", epsilon=1.0, arms=2, horizon=16)


@pytest.mark.parametrize(("name", "drawn"), [*((name, MECHANISM) for name in DECIDED), ("a weight", NUMPY)])
def test_what_a_rare_released_number_spends_beyond_the_budget_is_refused(name, drawn, tmp_path):
    found = of_released(DECIDED[name].format(drawn=drawn), tmp_path)
    assert found.refusals
    assert not found.granted


KEPT = {
    "clipped": "y = min({drawn}, LIMIT)",
    "tried once": "for _ in range(1):\n    y = {drawn}\n    if abs(y) <= LIMIT:\n        break",
    "less weight": "y = {drawn}\nself.weight = 1 / max(1.0, y - LIMIT)",
    "how soon": "y = {drawn}\nself.left = 1 + 3 * (y < LIMIT)",
}


@pytest.mark.parametrize(("name", "drawn"), [*((name, MECHANISM) for name in KEPT), ("less weight", NUMPY)])
def test_rare_released_numbers_of_private_code_cost_it_nothing(name, drawn, tmp_path):
    found = of_released(KEPT[name].format(drawn=drawn), tmp_path)
    assert found.granted
    assert found.ledger_epsilon <= 1.0 + 1e-9
