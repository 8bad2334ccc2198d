"""Integer mechanisms under the guard: they take private integers, and nothing that may have a fraction."""

from __future__ import annotations

import numpy as np
import pytest

import privcheck
from privcheck import PrivcheckError, ReleaseRefusedError, certify, rounded
from privcheck.certifying import Session
from privcheck.mechanisms import DiscreteLaplace, RandomisedResponse
from privcheck.privacy import relation
from privcheck.private_values import REVEAL, PrivateSource, clip, zeros
from privcheck.private_values._columns import Steady

ONE_BIT = RandomisedResponse(categories=2, epsilon=1.0)


def start(budget=1.0, neighbours="row", rewards=(0.0, 1.0)):
    return Session(relation(neighbours), rewards, budget, np.random.default_rng(0), round=1)


class Counting:
    """Publishes the number of successes of every fourth round in discrete noise."""

    def __init__(self, rng, arms, epsilon):
        self.rng, self.epsilon, self.t, self.count, self.arm = rng, epsilon, 0, 0, 0

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.t += 1
        self.count = self.count + self.whole(reward)
        if self.t % 4 == 0:
            noisy = DiscreteLaplace(sensitivity=1, epsilon=self.epsilon).release(self.count, self.rng)
            self.arm, self.count = int(noisy > 2), 0

    def whole(self, reward):
        return rounded(reward)


class Unrounded(Counting):
    def whole(self, reward):
        return reward


class AnswersForEachReward(Counting):
    def update(self, action, reward):
        self.arm = RandomisedResponse(categories=2, epsilon=self.epsilon).release(rounded(reward), self.rng)


@pytest.mark.parametrize("policy", [Counting, AnswersForEachReward])
@pytest.mark.parametrize("rewards", [(0.0, 1.0), (-0.25, 1.25)])
def test_private_integers_are_certified(policy, rewards):
    certificate = certify(policy, epsilon=1.0, arms=2, horizon=8, runs=6, rewards=rewards)
    assert (certificate.granted, certificate.refusals, certificate.leaks) == (True, [], [])
    assert certificate.ledger_epsilon == 1.0
    assert 0.5 < certificate.replay.largest_loss <= 1.0


def test_rewards_that_may_have_a_fraction_are_refused_whatever_they_are(monkeypatch):
    """Also where the reward is 0 or 1: the refusal must not depend on it."""
    for reward in (0.0, 1.0, 0.3):
        session = start()
        private = session.reward(reward, 0)
        for mechanism in (DiscreteLaplace(sensitivity=1, epsilon=1.0), ONE_BIT):
            with session.active(), pytest.raises(ReleaseRefusedError, match="may not be an integer") as caught:
                mechanism.release(private, None)
            assert "privcheck.rounded(reward)" in caught.value.hint
        assert session.ledger.totals == {}
        assert session.noise.random() == np.random.default_rng(0).random()


def test_what_is_done_on_the_way_rounds_nothing():
    """15 / 11 * 11 is not 15 in floats, but its coefficient is 1: the value is an integer whatever the data."""
    session = start(rewards=(0.0, 20.0))
    count = rounded(session.reward(15.0, 0)) / 11.0 * 11.0
    assert 15.0 / 11.0 * 11.0 != 15.0
    assert count.reveal(REVEAL) == 15.0
    with session.active():
        assert isinstance(DiscreteLaplace(sensitivity=20, epsilon=0.5).release(count, None), int)
        with pytest.raises(ReleaseRefusedError, match="may not be an integer"):
            DiscreteLaplace(sensitivity=20, epsilon=0.5).release(count / 49.0 * 49.0, None)


def test_randomised_response_charges_a_datum_only_for_one_entry():
    session = start(2.0, "reward")
    with session.active():
        answers = ONE_BIT.release(rounded(session.reward_vector([0.0, 1.0, 1.0])), None)
    assert answers.shape == (3,)
    assert session.ledger.totals == {(1, 0): 1.0, (1, 1): 1.0, (1, 2): 1.0}
    rows = start(2.0, "row")
    with rows.active(), pytest.raises(ReleaseRefusedError, match=r"sensitivity: got 3\.0 .* a number in \[0, 1\]"):
        ONE_BIT.release(rounded(rows.reward_vector([0.0, 1.0, 1.0])), None)
    assert rows.ledger.totals == {}


@pytest.mark.parametrize(
    ("make", "inside"),
    [
        (lambda bit: bit, True),
        (lambda bit: 1 - bit, True),
        (lambda bit: bit * (1 - bit), True),
        (lambda bit: clip(3 * bit, 0, 1), True),
        (lambda bit: bit + bit, False),
        (lambda bit: -bit, False),
        (lambda bit: bit + 1, False),
    ],
)
def test_categories_are_checked_by_interval_and_not_by_value(make, inside):
    for reward in (0.0, 1.0):
        session = start()
        value = make(rounded(session.reward(reward, 0)))
        with session.active():
            if inside:
                assert ONE_BIT.release(value, None) in (0, 1)
            else:
                with pytest.raises(ReleaseRefusedError, match=r"expected integers in \[0, 1\]"):
                    ONE_BIT.release(value, None)


def test_a_whole_change_needs_no_more_than_the_whole_part_of_its_bound():
    """An L1 bound that comes from an L2 norm may have a fraction, of which integers make no use."""
    session = start(5.0)
    vector = session.source.vector([0.0, 0.0], -2.0, 2.0, data=1, l2_norm=2.0)
    session.source.features.whole = Steady("b")
    session.source.features.whole.extend(np.ones(2, np.int8))
    assert vector.sensitivities("l1")[1] == pytest.approx(4.0 * np.sqrt(2.0))
    with session.active():
        DiscreteLaplace(sensitivity=5, epsilon=1.0).release(vector, None)
    assert dict(session.ledger.releases[0].sensitivities) == {1: 5.0}


@pytest.mark.parametrize("value", [0.5, -0.5, 1.5, 2.49, -3.0])
def test_rounding_is_the_same_for_private_and_ordinary_numbers(value):
    private = rounded(PrivateSource().scalar(value, -4.0, 4.0, datum=0))
    assert private.reveal(REVEAL) == rounded(value) == np.floor(value + 0.5)
    assert type(rounded(value)) is int
    np.testing.assert_array_equal(rounded(np.array([value, 1.0])), [rounded(value), 1])
    assert private.sensitivities("l1") == {0: 8.0}


def test_rounding_of_other_things():
    source = PrivateSource()
    one, two = (source.scalar(0.5, 0.0, 1.0, datum=t) for t in range(2))
    assert rounded(zeros(2)).tolist() == [0, 0]
    assert rounded(rounded(one)).sensitivities("l1") == {0: 1.0}
    assert (rounded(one) - rounded(one)).is_public
    assert float(rounded(source.scalar(0.2, 0.1, 0.4, datum=2))) == 0.0
    with pytest.raises(PrivcheckError, match="round the value of each datum before adding it"):
        rounded(one + two)
    with pytest.raises(PrivcheckError, match="value"):
        rounded(np.nan)


def test_unrounded_rewards_are_not_certified():
    certificate = certify(Unrounded, epsilon=1.0, arms=2, horizon=8, runs=6)
    assert not certificate.granted
    assert "privcheck.rounded(reward)" in certificate.refusals[0]
    assert privcheck.rounded is rounded
