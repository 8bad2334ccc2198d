"""The likelihood ratio of releases is one of what is published in a run, whatever the other runs of a call publish."""

import numpy as np
import pytest

import privcheck
from privcheck.mechanisms import Laplace
from privcheck.targets import Outputs, PolicyRunner

HIGH, LOW = np.array([[1.0, 1.0], [0.0, 0.0]]), np.zeros((2, 2))


class Clips:
    """Publishes no more than 3 of its one release: clipped in some runs of a call only."""

    loss = 1.0

    def __init__(self, rng):
        self.rng, self.noise, self.released = rng, Laplace.with_scale(1.0 / self.loss), []

    def select(self):
        return 0

    def update(self, action, reward):
        if not self.released:
            self.released.append(self.shown(self.noise.release(reward, self.rng)))

    def shown(self, release):
        return min(release, 3.0)


class ClipsTooMuchLoss(Clips):
    """Broken twin."""

    loss = 2.0


class HidesTheSign(Clips):
    def shown(self, release):
        return abs(release)


class PublishesTwice(Clips):
    def update(self, action, reward):
        super().update(action, reward)
        self.released.append(self.released[-1])


def played(policy, runs):
    runner = PolicyRunner(policy, {"arms": 2}, "bandit", observe="releases")
    return runner.play(LOW, runs, np.random.SeedSequence(runs), HIGH)


@pytest.mark.parametrize("policy", [Clips, HidesTheSign])
def test_the_ratio_is_a_function_of_what_is_published(policy):
    """Calls of one run are a part of it: in them all runs may be clipped, or none."""
    runs = Outputs.joined([played(policy, number) for number in (1, 2, 200)])
    first = runs.numbers[:, 0]
    assert (first == 3.0).any() or policy is HidesTheSign
    assert np.allclose(runs.ratios, policy.loss * (np.abs(first - 1.0) - np.abs(first)), atol=1e-8)


def test_numbers_that_no_releases_can_be_have_no_ratio():
    assert played(PublishesTwice, 20).ratios is None


@pytest.mark.chance(1e-7, "one verdict on a true claim at this error, and a broken twin")
@pytest.mark.parametrize(("policy", "refuted"), [(Clips, False), (ClipsTooMuchLoss, True)])
def test_clipping_that_is_seldom_is_no_difference_between_calls(monkeypatch, policy, refuted):
    """Calls in which nothing is clipped are likelier on one stream; the ratios were those of their runs alone."""
    monkeypatch.setattr(PolicyRunner, "chunk_runs", 50)
    options = {"arms": 2, "horizon": 2, "observe": "releases", "streams": (HIGH, LOW), "runs": 4000, "error": 1e-7}
    options["seed"] = 1  # of the first three the one with which the claim that holds was refuted, at 1e-51
    assert (privcheck.audit(policy, epsilon=1.0, **options).verdict == "violation") is refuted
