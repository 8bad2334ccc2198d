"""Functions of numpy that are given lists of rewards make arrays that stay private, as `np.array` of a list does."""

from __future__ import annotations

import numpy as np
import pytest

from privcheck import certify
from privcheck.certifying._translated.new_arrays import joined
from privcheck.private_values import REVEAL, LeakError, PrivateSource

RIGHT = {
    "the median of all": ("np.median(np.concatenate(self.rewards))", 0.5),
    "the largest sum": ("np.max(np.cumsum(self.rewards[0]))", 1.0),
    "the largest of several": ("np.stack(self.rewards).max()", 1.0),
    "a count": ("np.sum(np.concatenate(self.rewards) > 0.5)", 1.0),
    "clipped": ("np.clip(np.append(self.rewards[0], self.rewards[1]), 0.1, 0.9).sum()", 0.8),
    "the range": ("np.ptp(np.hstack(self.rewards))", 1.0),
    "a list again": ("sum(np.concatenate(self.rewards).tolist())", 1.0),
    "an array of an array": ("np.max(np.array(np.array(self.rewards[0])))", 1.0),
    "parts": ("np.median(np.split(np.concatenate(self.rewards), 2)[0])", 0.5),
    "parts of a list": ("np.max(np.array_split(self.rewards[0], 2)[1])", 1.0),
    "differences": ("np.abs(np.diff(self.rewards[0])).max()", 1.0),
    "scaled": ("np.std(np.multiply(self.rewards[0], 2.0))", 1.0),
}
WRONG = {
    "compared": "float(np.median(np.concatenate(self.rewards)) > 0.5)",
    "printed": "float(str(np.concatenate(self.rewards)[0]))",
    "the place of the largest": "np.argmax(np.concatenate(self.rewards))",
    "without noise": "np.float64(float(np.cumsum(self.rewards[0])[-1]))",
}
POLICY = """
import numpy as np

class Policy:
    def __init__(self, rng, arms=2):
        self.rng, self.rewards, self.shown = rng, [[], []], 0.0

    def select(self):
        return int(self.shown > 1.0) if self.shown else len(self.rewards[0]) % 2

    def update(self, action, reward):
        self.rewards[len(self.rewards[0]) == len(self.rewards[1]) + 1].append(reward)
        if len(self.rewards[1]) == 2:
            self.shown, self.rewards = {released}, [[], []]
"""


def certified(tmp_path, released):
    path = tmp_path / "policy.py"
    path.write_text(POLICY.format(released=released), encoding="utf-8")
    return certify(f"{path}:Policy", epsilon=1.0 + 1e-4, arms=2, horizon=8, runs=2)


@pytest.mark.parametrize("name", RIGHT)
def test_what_is_made_of_lists_stays_private_and_costs_what_it_moves(name, tmp_path):
    """Before, numpy compared the rewards one by one, which was a leak."""
    statistic, sensitivity = RIGHT[name]
    found = certified(tmp_path, f"{statistic} + self.rng.laplace(0.0, {sensitivity})")
    assert found.epsilon_upper is not None, found
    assert found.ledger_epsilon == pytest.approx(1.0, rel=1e-4)


@pytest.mark.parametrize("name", WRONG)
def test_what_reads_them_stays_a_leak(name, tmp_path):
    found = certified(tmp_path, WRONG[name])
    assert (found.epsilon_upper, len(found.leaks)) == (None, 1)


def test_too_little_noise_stays_refused(tmp_path):
    found = certified(tmp_path, "np.max(np.cumsum(self.rewards[0])) + self.rng.laplace(0.0, 0.5)")
    assert found.refusals


def test_an_array_of_one_private_entry_among_others_shows_what_is_written_into_it():
    """Arrays that share memory with what they are made of are left as they are."""
    reward = PrivateSource().scalar(0.7, low=0.0, high=1.0, datum=3)
    given = np.array([reward, 0.5], dtype=object)
    assert joined(np.ravel)(given) is not given
    joined(np.ravel)(given)[1] = 2.0
    assert given[1] == 2.0


def test_functions_of_bools_are_those_of_numpy():
    """Of objects numpy makes one of the two, as Python's `and` does: the sum of these would be no count."""
    source = PrivateSource()
    bits = [source.scalar(number, low=0.0, high=1.0, datum=datum) > 0.5 for datum, number in enumerate((0.7, 0.2, 0.9))]
    mask = [True, True, False]
    assert (joined(np.logical_and)(mask, bits) * 1).reveal(REVEAL).tolist() == [1, 0, 0]
    assert (joined(np.logical_or)(mask, bits) * 1).reveal(REVEAL).tolist() == [1, 1, 1]
    with pytest.raises(LeakError):
        joined(np.logical_and)(mask, [source.scalar(0.7, low=0.0, high=1.0, datum=datum) for datum in range(3)])
