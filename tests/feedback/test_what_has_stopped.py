"""Whether a policy has stopped is asked once a round, as its user asks, and of an attribute."""

import math

import numpy as np
import pytest

import privcheck
from privcheck import PrivcheckError
from privcheck.feedback import kind
from privcheck.mechanisms import Laplace

OPTIONS = {"epsilon": 1.0, "arms": 2, "feedback": "identification"}


class Fresh:
    """Tests the last reward with fresh noise whenever it is asked: each reward is in one test, and epsilon is 1."""

    def __init__(self, rng):
        self.rng, self.played, self.reward = rng, 0, 0.0

    def select(self):
        return self.played % 2

    def update(self, action, reward):
        self.played, self.reward = self.played + 1, reward

    @property
    def stopped(self):
        if not self.played:
            return False
        return (self.reward > 0.5) == (self.rng.random() < math.e / (1.0 + math.e))

    def recommend(self):
        return 0


class FreshRelease(Fresh):
    @property
    def stopped(self):
        noise = Laplace(sensitivity=1.0, epsilon=1.0)
        return bool(self.played) and noise.release(self.reward, self.rng) > 0.5


class Method(Fresh):
    """A method as an attribute is true: nothing would ever be played."""

    def stopped(self):
        return self.played >= 4

    def recommend(self):
        return int(self.reward > 0.5)


@pytest.mark.parametrize("ends", [2, 9])
def test_it_is_asked_before_the_first_round_and_after_each(ends):
    asked, played = [], []

    class Counts(Fresh):
        @property
        def stopped(self):
            asked.append(self.played)
            return self.played >= ends

    bandit = kind("identification")
    bandit.play(Counts(np.random.default_rng(0)), iter(bandit.rounds(np.zeros((4, 2)), 2, None)), 2, played)
    assert asked == list(range(min(ends, 4) + 1))
    assert played == ([0, 1, 2, 2, 0] if ends == 2 else [0, 1, 0, 1, 2])


@pytest.mark.chance(1e-6, "one verdict on a true claim at this error")
def test_a_test_with_fresh_noise_is_not_accused():
    """It was asked twice where it stopped: "stopped, and recommends an arm" was e^2 times as likely."""
    pair = np.zeros((2, 2)), np.array([[1.0, 1.0], [0.0, 0.0]])
    report = privcheck.audit(Fresh, streams=pair, runs=3000, error=1e-6, confidence=1.0 - 1e-6, **OPTIONS)
    assert report.verdict == "consistent"
    assert report.epsilon_lower > 0.6


def test_a_test_with_fresh_noise_is_certified():
    certificate = privcheck.certify(FreshRelease, horizon=6, runs=4, **OPTIONS)
    assert certificate.granted
    assert certificate.epsilon_upper == 1.0


@pytest.mark.chance(0.0, "nothing is played")
def test_a_method_in_its_place_is_refused_at_every_door():
    """An audit said "consistent" of raw data that it never played."""
    for enter in (
        lambda: privcheck.audit(Method, horizon=6, runs=20, **OPTIONS),
        lambda: privcheck.certify(Method, horizon=6, runs=2, **OPTIONS),
        lambda: privcheck.guard(Method, **OPTIONS),
    ):
        with pytest.raises(PrivcheckError, match=r"Method, whose stopped is a method, .* write @property above"):
            enter()
