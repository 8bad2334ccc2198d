"""Whole numbers that are the same for all data are Python's integers under the guard, as they are in the code alone."""

import pytest

import privcheck
from privcheck.errors import PolicyError
from tests.certifying.translated_programs import loaded

POLICY = """\
import math
import sqlite3

import numpy as np


class Truthful:
    def __init__(self, x): self.x = x
    def __bool__(self): return bool(self.x > 0.97)


class Policy:
    def __init__(self, rng, arms=2):
        self.rng, self.arm, self.mean, self.base = rng, 0, np.full(arms, np.inf), sqlite3.connect(":memory:")
        self.base.execute("create table kept(x real)")

    def __deepcopy__(self, memo):
        return self

    def select(self):
        return self.arm

    def update(self, action, reward):
        {}
"""
CONSTANT = (
    "int(reward / 2) % 2", "abs(int(reward / 2)) | 0", "int(reward / 2) // 2", "divmod(int(reward / 2), 2)[0]",
    "round(reward / 4) % 2", "math.ceil(reward / 2 - 0.9)", "math.floor(reward / 2)", "math.trunc(reward / 2)",
    "int(str(int(reward / 2)))", "(int(reward / 2)).bit_length()", "int(reward // 2)", "1 - (int(reward / 2) << 1)",
    "int(reward // np.inf)", "int(np.argmax([reward, np.nan]))", "int(np.argmin([reward + 3, np.nan, 1.0]))",
    "int(np.argmax(np.array([reward, np.nan])))", "int(np.argmax([reward, np.float64('nan')]))",
    "int(max([reward, np.nan]) == np.inf)", "int(np.isnan(max([np.nan, reward])))", "int(reward == None)",
    "int(np.argmax([reward, 1e6])) - 1", "int(np.argmax(np.array([reward, np.inf])))",
)  # fmt: skip
"""Arms that are the same for all rewards in [0, 1]."""
PRIVATE = ("int(reward)", "round(reward) % 2", "math.ceil(reward)", "math.trunc(reward)", "int(2 * reward) // 2")


def certified(line, folder):
    return privcheck.certify(loaded(POLICY.format(line), folder), epsilon=1.0, arms=2, horizon=4, runs=2)


@pytest.mark.parametrize("code", CONSTANT)
def test_what_is_the_same_for_all_data_is_an_integer(code, tmp_path):
    assert {eval(code, _names(reward)) for reward in (0.0, 0.3, 0.999, 1.0)} in ({0}, {1})
    assert certified(f"self.arm = {code}", tmp_path).granted


def _names(reward):
    import math

    import numpy as np

    return {"math": math, "np": np, "reward": reward}


@pytest.mark.parametrize("code", PRIVATE)
def test_what_depends_on_the_reward_is_a_leak(code, tmp_path):
    found = certified(f"self.arm = min(int({code}), 1)", tmp_path)
    assert (found.granted, len(found.leaks)) == (False, 1)


def test_forced_exploration_by_infinite_indices_is_no_leak(tmp_path):
    lines = (
        "self.mean[action] = reward",
        "if not np.isinf(self.mean).any():",
        "    self.mean = np.array([float(x) for x in self.mean + self.rng.laplace(0.0, 1.0, 2)])",
        "    self.arm = int(np.argmax(self.mean)); self.mean = np.full(2, np.inf)",
        "else:",
        "    self.arm = int(np.argmax(self.mean))",
    )
    assert certified("\n        ".join(lines), tmp_path).granted


@pytest.mark.parametrize(
    "line",
    [
        "self.base.execute('insert into kept values (?)', (float(reward),))",
        "self.arm = 1 if Truthful(reward) else 0",
    ],
)
def test_an_error_that_wrapped_rewards_alone_raise_says_so(line, tmp_path):
    with pytest.raises(PolicyError, match="the same code plays on with ordinary rewards"):
        certified(line, tmp_path)


def test_an_error_of_the_code_itself_does_not(tmp_path):
    with pytest.raises(PolicyError) as caught:
        certified("self.arm = [0][len(self.mean)]", tmp_path)
    assert "IndexError" in str(caught.value)
    assert "plays on" not in str(caught.value)
