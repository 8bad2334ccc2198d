"""Means of arms that were not played: 0 / 0 and noise / 0 are no data, and what is divided by 0 is read."""

import numpy as np
import pytest

from privcheck import certify
from privcheck.certifying import Session
from privcheck.errors import PrivcheckError
from privcheck.privacy import relation


class Batched:
    """Releases noisy means of the last four rewards; arms without any are passed over."""

    SCALE = 1.0

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.arms, self.arm, self.rounds = rng, arms, 0, 0
        self.sums, self.counts = np.zeros(arms), np.zeros(arms)

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.sums[action] += reward
        self.counts[action] += 1
        self.rounds += 1
        if self.rounds % 4 == 0:
            with np.errstate(divide="ignore", invalid="ignore"):
                means = self.means()
            self.arm = int(np.argmax(np.where(self.counts > 0, means, np.inf)))
            self.sums, self.counts = np.zeros(self.arms), np.zeros(self.arms)

    def means(self):
        return (self.sums + self.rng.laplace(0.0, self.SCALE, self.arms)) / self.counts


class SumsFirst(Batched):
    """Divides before it adds noise, with the scale of a mean."""

    def means(self):
        return self.sums / self.counts + self.rng.laplace(0.0, 1.0, self.arms)


class TooLittle(Batched):
    SCALE = 0.5


class ForgetsToStartAgain(SumsFirst):
    """Counts start again, and the sums do not: a sum that is divided by 0 shows whether it is 0."""

    def update(self, action, reward):
        super().update(action, reward)
        if self.rounds % 4 == 0:
            self.sums = self.sums + reward * np.ones(self.arms)


@pytest.mark.parametrize("policy", [Batched, SumsFirst])
def test_arms_that_were_not_played_are_no_data(policy):
    assert certify(policy, epsilon=1.0, arms=2, horizon=12).granted


def test_a_release_that_costs_too_much_is_refused():
    assert certify(TooLittle, epsilon=1.0, arms=2, horizon=12).refusals


def test_data_that_are_divided_by_zero_are_refused_and_the_line_is_named():
    with pytest.raises(PrivcheckError, match=r"divisor of a private value: got 0\.0 at test_divided_by_zero\.py:"):
        certify(ForgetsToStartAgain, epsilon=1.0, arms=2, horizon=12)


def test_a_noisy_number_that_is_divided_by_zero_is_released():
    session = Session(relation("row"), (0.0, 1.0), None, np.random.default_rng(0), round=1)
    noise = session.generator(np.random.default_rng(1))
    numbers = np.stack([session.source.scalar(0.5, 0.0, 1.0, datum) for datum in (0, 1)]) + noise.laplace(0.0, 2.0, 2)
    with np.errstate(divide="ignore"):
        shown = numbers / np.array([0.0, 1.0])
    assert {datum: charge.epsilon for datum, charge in session.ledger.paid.items()} == {0: pytest.approx(0.5)}
    assert float(shown[0]) in (np.inf, -np.inf)
    assert float(shown[0]) == np.inf * np.sign(float(numbers[0]))
    assert session.ledger.paid[0].epsilon == pytest.approx(0.5)
