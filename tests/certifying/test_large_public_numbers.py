"""Noised rewards that are added to public numbers many times as large: what is released is the noised reward."""

import privcheck
from tests.certifying.translated_programs import loaded

EXP3 = """\
import numpy as np


class Policy:
    def __init__(self, rng, arms=2, eta=0.1, scale=1.0):
        self.rng, self.eta, self.scale, self.log_weights = rng, eta, scale, np.zeros(arms)

    def select(self):
        weights = np.exp(self.log_weights - self.log_weights.max())
        self.chances = weights / weights.sum()
        return int(self.rng.choice(len(weights), p=self.chances))

    def update(self, action, reward):
        loss = (1 - reward) + self.rng.laplace(0, {})
        estimate = np.zeros_like(self.log_weights)
        estimate[action] = loss / self.chances[action]
        self.log_weights -= self.eta * estimate
"""
FAR = """\
class Policy:
    def __init__(self, rng, arms=2):
        self.rng, self.arm, self.sum = rng, 0, 0.0

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.sum += reward
        self.arm = int({} > 1e9)
"""


def test_weights_of_rare_arms_cost_no_more_than_the_noised_loss(tmp_path):
    """An improbable arm has a chance of 1e-12, so its loss is divided by that, with its noise."""
    found = privcheck.certify(loaded(EXP3.format("1"), tmp_path), epsilon=1.0, arms=2, horizon=16)
    assert found.granted, str(found)
    assert found.ledger_epsilon <= 1.0 + 1e-8


def test_too_little_noise_is_refused_all_the_same(tmp_path):
    found = privcheck.certify(loaded(EXP3.format("0.9"), tmp_path), epsilon=1.0, arms=2, horizon=16)
    assert (found.granted, bool(found.refusals)) == (False, True)


def test_noise_that_is_added_to_the_large_number_itself_is_charged_for_rounding(tmp_path):
    """Where the noise meets the large number first, that sum is what is released, with its rounding."""
    sums = {
        "small": "(reward + self.rng.laplace(0, 1.0)) + 1e9", "large": "(reward + 1e9) + self.rng.laplace(0, 1.0)",
    }  # fmt: skip
    losses = {}
    for where, code in sums.items():
        policy = loaded(FAR.format(code), tmp_path)
        losses[where] = privcheck.certify(policy, epsilon=9.0, arms=2, horizon=2, runs=4).ledger_epsilon
    assert losses["small"] <= 1.0 + 1e-8
    assert 1.0 + 1e-8 < losses["large"] < 1.0 + 1e-5
