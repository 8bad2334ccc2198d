"""A watch of a claim in rho or mu: it bets against what the claim implies at several values of epsilon."""

from __future__ import annotations

import json
from itertools import product
from statistics import NormalDist

import numpy as np
import pytest

import privcheck
from privcheck.cli import run
from privcheck.errors import PrivcheckError
from privcheck.inference import counted_night, mean_wealth, wealth_over_nights
from privcheck.reporting import sentence
from privcheck.watching import read_watches, watch
from tests.watching.policies import Blocks, GaussianBlocks, LeakingGaussian, LeakingLinear, Linear

FEW = {"arms": 2, "horizon": 9, "runs": 40, "search": 600}
JOINT = {"feedback": "contextual", "neighbours": "context-reward", "contexts": privcheck.Contexts((2,), norm=1.0)}


@pytest.fixture
def store(tmp_path):
    return tmp_path / "watch.sqlite"


@pytest.mark.chance(1e-9, "an alarm on a true claim")
def test_a_true_claim_in_rho_is_not_accused(store):
    found = watch(GaussianBlocks, store=store, rho=0.5, nights=4, error=1e-9, **FEW)
    assert (found.claim, found.epsilon, found.rho, found.alarm) == ("rho = 0.5", None, 0.5, None)
    assert found.counted == 4
    assert "at claim rho = 0.5" in sentence(found)
    (again,) = read_watches(store)
    assert (again.rho, again.nights) == (0.5, found.nights)
    assert privcheck.WatchReport.from_json(found.to_json()) == found


@pytest.mark.chance(1e-7, "no alarm within 8 nights of sixteen times the claimed rho")
def test_a_leak_of_rho_raises_an_alarm_that_says_what_to_run(store):
    found = watch(LeakingGaussian, store=store, rho=0.5, nights=8, **FEW | {"runs": 200})
    assert found.alarm is not None
    assert not any("failed with" in note for note in found.notes), found.notes


@pytest.mark.chance(1e-7, "an alarm on a true claim, or none within 8 nights of thirty-six times its squared mu")
@pytest.mark.parametrize(("policy", "alarm"), [(Linear, False), (LeakingLinear, True)])
def test_a_contextual_claim_in_mu_is_watched(store, policy, alarm):
    few = FEW | {"horizon": 3, "error": 1e-7, "runs": 100}
    found = watch(policy, store=store, mu=1.0, nights=8, **few, **JOINT)
    assert found.claim == "mu = 1"
    assert (found.alarm is not None) == alarm


@pytest.mark.chance(0.0, "nothing in it is counted")
def test_claims_of_two_notions_are_told_apart(store):
    watch(GaussianBlocks, store=store, rho=0.5, name="one", **FEW | {"runs": 1, "search": 0})
    for other in ({"rho": 0.25}, {"mu": 1.0}):
        with pytest.raises(PrivcheckError, match=r"which 'one' has .*rho 0\.5"):
            watch(lambda rng, arms: GaussianBlocks(rng, arms, 0.5), store=store, name="one", **FEW, **other)
    with pytest.raises(PrivcheckError, match=r"epsilon|budget|claim"):
        watch(Blocks, store=store, name="two", epsilon=1.0, rho=0.5, **FEW)


@pytest.mark.chance(0.0, "nothing in it is random")
@pytest.mark.parametrize("nights", [1, 2])
def test_the_mean_wealth_of_a_claim_in_mu_is_no_more_than_one_at_its_boundary(nights):
    """Exact: the expectation over all outcomes of two pairs a night, for the event that Gaussian noise makes worst."""
    mu, points = 1.0, [(epsilon, _delta(1.0, epsilon)) for epsilon in (0.0, 0.5, 1.0, 2.0, 4.0)]
    for threshold in (0.0, 0.5, 1.5):
        p, q = (1.0 - NormalDist(mean, 1.0).cdf(threshold) for mean in (mu, 0.0))
        total = 0.0
        for outcome in product((0, 1), repeat=4 * nights):
            ones, twos = outcome[: 2 * nights], outcome[2 * nights :]
            chance = np.prod([p if hit else 1.0 - p for hit in ones]) * np.prod([q if hit else 1.0 - q for hit in twos])
            played = [
                counted_night(1, (_codes(ones[2 * n : 2 * n + 2]), _codes(twos[2 * n : 2 * n + 2])), KNOWN)
                for n in range(nights)
            ]
            total += chance * float(
                np.exp(mean_wealth([wealth_over_nights(played, *point) for point in points])[0, -1])
            )
        assert 0.0 < total <= 1.0 + 1e-9


KNOWN = (np.array([[1], [1], [0]], np.int8), np.array([[0], [0], [1]], np.int8))


def _codes(hits):
    return np.array(hits, np.int8)[:, None]


def _delta(mu, epsilon):
    normal = NormalDist()
    return normal.cdf(mu / 2 - epsilon / mu) - np.exp(epsilon) * normal.cdf(-mu / 2 - epsilon / mu)


@pytest.mark.chance(1e-7, "an alarm on a true claim")
def test_the_command_takes_rho(store, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "policies.py").write_text(_SOURCE)
    given = ["watch", "policies.py:Own", "--rho", "0.5", "--arms", "2", "--horizon", "9", "--store", str(store)]
    status = run([*given, "--json", "-", "--runs", "20", "--search", "200", "--error", "1e-7"])
    assert status == 0
    assert json.loads(capsys.readouterr().out)["rho"] == 0.5


_SOURCE = """import numpy as np


class Own:
    def __init__(self, rng, arms, rho):
        self.rng, self.arm, self.scale = rng, 0, 1.0 / np.sqrt(2.0 * rho)

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.arm = int(reward + self.rng.normal(0.0, self.scale) > 0.5)
"""
