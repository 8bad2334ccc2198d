"""Identification under a guard, as an audit plays it: it stops and recommends, and after a leak it goes on blindly."""

import numpy as np
import pytest

from privcheck import audit
from privcheck.auditing._harness.guarded_build import GuardedBuild
from privcheck.mechanisms import Laplace
from privcheck.targets import PolicyRunner

OPTIONS = {
    "epsilon": 1.0,
    "delta": 0.0,
    "rho": None,
    "mu": None,
    "accountants": None,
    "rewards": (0.0, 1.0),
    "neighbours": "row",
    "contexts": None,
    "feedback": "identification",
    "arms": 2,
}


class Stops:
    """Plays both arms, releases each reward, stops, and recommends the arm of the larger number."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.noise, self.shown, self.raw = rng, Laplace(sensitivity=1.0, epsilon=epsilon), [], []

    @property
    def stopped(self):
        return len(self.shown) == 2

    def select(self):
        return len(self.shown) % 2

    def update(self, action, reward):
        self.raw.append(reward)
        self.shown.append(self.noise.release(reward, self.rng))

    def recommend(self):
        return int(self.shown[1] > self.shown[0])


class RecommendsRaw(Stops):
    def recommend(self):
        return int(self.raw[1] > self.raw[0])


class StopsByRaw(Stops):
    @property
    def stopped(self):
        return len(self.shown) == 2 or (len(self.raw) == 1 and self.raw[0] > 0.5)


class ReleasesTwice(Stops):
    def update(self, action, reward):
        super().update(action, reward)
        if len(self.shown) == 1:
            self.noise.release(reward, self.rng)


def runs(policy):
    runner = PolicyRunner(GuardedBuild(lambda rng: policy(rng), OPTIONS), {"arms": 2}, "identification")
    tables = np.zeros((4, 2)), np.array([[1.0, 1.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]])
    played = (runner.play(table, 40, np.random.SeedSequence(0)).symbols for table in tables)
    return [{tuple(run) for run in symbols.tolist()} for symbols in played]


def test_a_guarded_policy_stops_and_recommends():
    for shown in runs(Stops):
        assert shown == {(0, 1, 2, 2, 0), (0, 1, 2, 2, 1)}


@pytest.mark.parametrize("policy", [RecommendsRaw, StopsByRaw, ReleasesTwice])
def test_after_a_leak_or_a_refusal_it_plays_the_same_on_all_streams(policy):
    first, second = runs(policy)
    assert first == second
    assert len(first) == 1


@pytest.mark.chance(1e-9, "one bound of a probability of at least .7 against one of at most .3")
def test_an_audit_of_it_counts_stopping_time_and_recommendation():
    pair = np.zeros((3, 2)), np.array([[1.0, 1.0], [0.0, 0.0], [0.0, 0.0]])
    options = {"epsilon": 8.0, "arms": 2, "feedback": "identification", "streams": pair, "runs": 4000}
    report = audit(Stops, **options, confidence=1.0 - 1e-9, guarded=True)
    assert report.verdict in ("consistent", "inconclusive")
    assert 0.3 < report.epsilon_lower < 8.0
    assert report.certificate.granted
