"""What numpy computes otherwise than real numbers: no charge is smaller than the loss of the code."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import privcheck
from privcheck.certifying import Session
from privcheck.errors import PrivcheckError
from privcheck.privacy import relation
from privcheck.private_values import LeakError
from tests.certifying.translated_programs import loaded

NUMBERS = (0.0, 0.4, 1.0)


class _NoNoise:
    """Stands for the Generator in a run on ordinary numbers: Laplace noise of scale 1 is added to what is returned."""

    def random(self, size):
        return np.linspace(0.1, 0.9, size)


def charged(code):
    """Return the charge of each datum when `y`, plus Laplace noise of scale 1, is read under the guard."""
    session = Session(relation("row"), (0.0, 1.0), None, np.random.default_rng(0), round=1)
    rng, source = session.generator(np.random.default_rng(1)), session.source
    names = {
        "r": source.scalar(0.4, 0.0, 1.0, "r"),
        "v": source.vector([0.4] * 3, 0.0, 1.0, data=["v0", "v1", "v2"]),
    }
    with session.active():
        names |= {"np": np, "rng": rng, "privcheck": privcheck}
        exec(code, names)
        y = names["y"] + rng.laplace(size=np.shape(names["y"]) or None)
        np.asarray(y, float)
    return {datum: charge.epsilon for datum, charge in session.ledger.paid.items()}


def lost(code):
    """Return the exact loss of each datum: the largest L1 distance of `y` between neighbours, over a grid."""

    def run(r, *v):
        names = {"np": np, "rng": _NoNoise(), "privcheck": privcheck, "r": r, "v": np.array(v)}
        exec(code, names)
        return np.asarray(names["y"], float)

    every = {point: run(*point) for point in itertools.product(NUMBERS, repeat=4)}
    found = dict.fromkeys(("r", "v0", "v1", "v2"), 0.0)
    for point, value in every.items():
        for place, datum in enumerate(found):
            for other in NUMBERS:
                moved = every[(*point[:place], other, *point[place + 1 :])]
                found[datum] = max(found[datum], float(np.abs(moved - value).sum()))
    return found


REFUSED = [
    "y = np.diff(v > 0.5).sum()",  # of bools: "unequal", so the sum does not telescope
    "y = np.diff([x > 0.5 for x in v]).sum()",
    "y = np.diff(np.where(v > 0.5, True, False)).sum()",
    "y = np.diff(np.concatenate([v[:2] > 0.5, v[2:] > 0.5])).sum()",
    "a = v > 0.5; b = v[::-1] > 0.5; y = 1 * (a + b) - b",  # "or"
    "a = v > 0.5; y = 1.0 * (a @ np.array([True] * 3)) - a.sum()",  # "any"
    "x = (v > 0.5) * 1; x[0] = v.mean(); y = x",  # cut to an integer
    "x = v > 0.5; x[0] = 0.5 * v[1]; y = 1 * x",
    "x = np.zeros_like(v > 0.5); x[:] = 0.1 * v; y = x.sum()",
    "x = np.where(v > 0.5, 1, 0); x[0] = v.mean(); y = x",
    "x = np.minimum((v > 0.5) * 3, 2); x[0] = v.mean(); y = x",
    "x = np.insert((v > 0.5) * 1, 0, 0.1 * v); y = x",
    "x = np.full(3, 255, np.uint8) + (v > 0.5); y = x",  # wraps around
    "y = 1.0 if hasattr(r, 'is_integer') and r.is_integer() else 0.0",
    "y = float(str(r) == '1.0')",
    "y = float(f'{r}' == '1.0')",
]

PAID = [
    "x = np.atleast_1d(r); x *= 0.5; y = r",  # a copy of a float
    "x = np.reshape(r, 1); x *= 0.5; y = r",
    "x = np.ravel(r); x[0] = 0.0; y = r",
    "x = np.ones(3) * v; z = x[0, ...]; z += r; y = x",  # a view of an entry
    "x = 1.0 * np.stack([v, v]).T; z = x.ravel(); z *= 0.1; y = x",  # a copy, because of the memory order
    "x = 1.0 * np.stack([v, v]); z = x.ravel(); z *= 0.1; y = x",  # a view
    "p = np.ones(3); c = rng.random(3) < p; p[:] = 0.0; y = v * c",
    "u = rng.random(3); c = u < 1.0; u[:] = 2.0; y = v * c",
    "y = np.sum([x > 0.5 for x in v])",
    "y = np.mean(v > 0.5) + (r > 0.5)",
    "y = sum(x > 0.5 for x in v)",
    "y = np.diff((v > 0.5) * 1).sum()",
    "x = (v > 0.5) * 1.0; x[0] = v.mean(); y = x",
    "y = (v > 0.5) @ np.ones(3)",
    "y = np.zeros(3, np.int64) + (v > 0.5)",
]


@pytest.mark.parametrize("code", REFUSED)
def test_what_numpy_computes_otherwise_is_refused(code):
    with pytest.raises(LeakError):
        charged(code)
    assert lost(code)  # it is a program


@pytest.mark.parametrize("code", PAID)
def test_a_charge_is_the_loss_of_the_code_on_ordinary_numbers(code):
    paid = charged(code)
    assert all(loss <= paid.get(datum, 0.0) * (1.0 + 1e-9) for datum, loss in lost(code).items())


class Words:
    """Counts rewards by their text, which the guard hides: it published this count uncharged before."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.scale, self.wins, self.t = rng, 1.0 / epsilon, 0.0, 0

    def select(self):
        return self.t % 2

    def update(self, action, reward):
        self.t += 1
        self.wins += str(reward) == "0.123"


def test_text_of_a_reward_is_a_leak():
    policy = privcheck.guard(Words, epsilon=1.0, arms=2)
    with pytest.raises(PrivcheckError, match="released or public"):
        policy.update(policy.select(), 0.123)


OVERFLOWS = """\
import math

import numpy as np


class Policy:
    def __init__(self, rng):
        self.arm = 0

    def select(self):
        return self.arm

    def update(self, action, reward):
        x = 1.0e308 * reward
        self.arm = int({test})
"""


@pytest.mark.parametrize("test", ["math.isinf(x + x)", "not np.isfinite(x + x)", "math.isnan(x + x)"])
def test_a_sum_that_may_overflow_is_not_taken_to_be_finite(test, tmp_path):
    """The sum is infinite for rewards above 0.9, and only for these."""
    policy = privcheck.guard(loaded(OVERFLOWS.format(test=test), tmp_path), epsilon=1.0, arms=2, noise="float")
    with pytest.raises(PrivcheckError):
        policy.update(policy.select(), 0.5)


def test_an_integer_in_which_all_data_cancel_is_an_action(tmp_path):
    text = OVERFLOWS.format(test="(1 - int(reward > 0.5)) * 2 + 2 * int(reward > 0.5)")
    policy = privcheck.guard(loaded(text, tmp_path), epsilon=1.0, arms=3, noise="float")
    policy.update(policy.select(), 0.5)
    assert policy.select() == 2
