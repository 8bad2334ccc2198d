"""Only what is observed may speak: no secret coins, nothing that a mechanism put out and the policy kept to itself."""

import math

import numpy as np
import pytest

import privcheck
from privcheck.mechanisms import Laplace

HIGH = np.array([[1.0, 1.0], [0.0, 0.0]])
LOW = np.zeros((2, 2))


class Subsampled:
    """Leaves a datum out with probability 3/4, by a coin that nobody sees, and adds noise of loss 2."""

    loss = math.log(1.0 + 0.25 * math.expm1(2.0))

    def __init__(self, rng):
        self.rng, self.noise = rng, Laplace.with_scale(0.5)

    def select(self):
        return 0

    def update(self, action, reward):
        self.noise.release(reward if self.coin() else 0.0, self.rng)

    def coin(self):
        return self.rng.random() < 0.25


class SubsampledByAnotherGenerator(Subsampled):
    def coin(self):
        return self.rng.spawn(1)[0].random() < 0.25


class ReleasesTheWinner(Subsampled):
    """Adds noise to four scores and releases only which is largest; all four change alike, so nothing leaks."""

    loss = 0.2

    def __init__(self, rng):
        super().__init__(rng)
        self.released = []

    def update(self, action, reward):
        self.released.append(float(np.argmax(self.noise.release(np.full(4, reward), self.rng))))


@pytest.mark.parametrize("policy", [Subsampled, SubsampledByAnotherGenerator, ReleasesTheWinner])
def test_what_is_kept_secret_is_not_held_against_a_policy(policy):
    """False failure probability 1e-3 for each (the default error), and the seed is fixed."""
    options = {"arms": 2, "horizon": 2, "observe": "releases", "streams": (HIGH, LOW), "runs": 4000}
    report = privcheck.audit(policy, epsilon=policy.loss, **options)
    assert report.verdict == "consistent"
    assert report.epsilon_lower <= policy.loss


class ReleasesIfPaid(Subsampled):
    """Broken twin: whether it releases anything depends on the raw reward."""

    def update(self, action, reward):
        if reward > 0.5:
            self.noise.release(0.0, self.rng)


@pytest.mark.parametrize("sequential", [False, True])
def test_the_number_of_releases_may_differ(sequential):
    options = {"arms": 2, "horizon": 2, "observe": "releases", "runs": 2000, "sequential": sequential}
    assert privcheck.audit(ReleasesIfPaid, epsilon=1.0, streams=(HIGH, LOW), **options).verdict == "violation"
    assert privcheck.audit(ReleasesIfPaid, epsilon=1.0, **options).verdict == "violation"


@pytest.mark.parametrize("sequential", [False, True])
@pytest.mark.parametrize(("shift", "verdict"), [(0.0, "consistent"), (0.5, "violation")])
def test_outputs_may_be_of_any_length(sequential, shift, verdict):
    """Rare lengths are seen in some folds only, or on one input. False failure probability 1e-3, seed fixed."""

    def bits(data, rng):
        return [int(bit) for bit in rng.random(min(40, rng.geometric(0.3 + shift * data[0]))) < 0.5]

    options = {"streams": (np.zeros(1), np.ones(1)), "runs": 2000, "sequential": sequential}
    assert privcheck.audit(bits, epsilon=0.75, **options).verdict == verdict


def test_a_mechanism_may_change_its_input():
    """Every run gets an input of its own: else noise would pile up, and all runs of a chunk put out the last sum."""

    def adds_in_place(data, rng):
        data += rng.laplace(size=data.shape)
        return data

    report = privcheck.audit(adds_in_place, epsilon=1.0, streams=(np.zeros(1), np.ones(1)), runs=2000)
    assert report.verdict == "consistent"
    assert 0.6 < report.epsilon_lower < 1.05
