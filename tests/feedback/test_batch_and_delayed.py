"""Batch and delayed policies: private ones pass audit, certificate and guard, and each twin is found by all three."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import privcheck
from privcheck import BudgetExceededError, LeakError, PrivcheckError
from privcheck.auditing._harness.guarded_build import GuardedBuild
from privcheck.cli import run
from privcheck.targets import Location, PolicyRunner

HERE = Path(__file__).parent
FILES = {"batch": "batch_policies.py", "delayed": "late_reward_policies.py"}
OPTIONS = {"epsilon": 1.0, "arms": 2, "horizon": 8}

PRIVATE = [("batch", "Noisy"), ("delayed", "Noisy")]
LEAKS = [("batch", "Raw"), ("delayed", "Raw")]
SPENDS = [
    ("batch", "TakesTheSumForAMean"),
    ("delayed", "Overspends"),
    ("delayed", "ReleasesAgain"),
]


def place(kind, name):
    return f"{HERE / FILES[kind]}:{name}"


def guarded(kind, name, **options):
    factory = Location(*place(kind, name).rsplit(":", 1)).load()
    return privcheck.guard(factory, epsilon=1.0, arms=2, feedback=kind, noise="float", **options)


@pytest.mark.chance(2e-6, "verdict and bound of one audit of a true claim, 1e-6 each")
@pytest.mark.parametrize(("kind", "name"), PRIVATE)
def test_a_private_policy_is_consistent_and_certified(kind, name):
    report = privcheck.audit(place(kind, name), feedback=kind, runs=4000, error=1e-6, confidence=1.0 - 1e-6, **OPTIONS)
    assert report.verdict == "consistent"
    assert 0.3 < report.epsilon_lower < 1.0
    assert report.certificate.granted
    assert report.certificate.epsilon_upper == 1.0
    assert report.certificate.replay.divergences == 0 < report.certificate.replay.replays


@pytest.mark.parametrize(("kind", "name"), LEAKS + SPENDS)
def test_a_broken_twin_is_a_violation(kind, name):
    report = privcheck.audit(place(kind, name), feedback=kind, runs=4000, error=1e-6, **OPTIONS)
    assert report.verdict == "violation"
    assert report.p_value <= 1e-6
    assert len(report.witness.rounds) == 1
    assert report.faults


@pytest.mark.parametrize(("kind", "name"), PRIVATE + LEAKS)
def test_the_guard_of_an_audit_plays_on(kind, name):
    """With `guarded=True` a leak is stopped on both streams in the same round; the arms come in turn from there on."""
    factory = Location(*place(kind, name).rsplit(":", 1)).load()
    options = {
        "epsilon": 1.0,
        "delta": 0.0,
        "rho": None,
        "mu": None,
        "accountants": None,
        "rewards": (0.0, 1.0),
        "neighbours": "row",
    }
    build = GuardedBuild(lambda rng: factory(rng), options | {"contexts": None, "feedback": kind, "arms": 2})
    runner, runs = PolicyRunner(build, {"arms": 2}, kind), set()
    for table in (np.zeros((8, 2)), np.ones((8, 2))):
        runs |= {tuple(run) for run in runner.play(table, 15, np.random.SeedSequence(0)).symbols.tolist()}
    assert len(runs) == 1 if name == "Raw" else len(runs) > 1
    if name == "Raw":
        (run,) = runs
        assert run[:3] == (0, 0, 0)
        assert run[4:] in ((1, 0, 1, 0), (0, 1, 0, 1))


@pytest.mark.parametrize(("kind", "name"), LEAKS)
def test_a_leak_is_not_certified(kind, name):
    certificate = privcheck.certify(place(kind, name), feedback=kind, **OPTIONS)
    assert not certificate.granted
    assert {leak.function for leak in certificate.leaks} == {"moved"}
    assert certificate.replay.divergences > 0


@pytest.mark.parametrize(("kind", "name"), SPENDS)
def test_what_overspends_is_not_certified(kind, name):
    certificate = privcheck.certify(place(kind, name), feedback=kind, **OPTIONS)
    assert not certificate.granted
    assert certificate.refusals
    assert not certificate.leaks


def test_a_line_of_learn_that_no_run_reaches_is_reported():
    """As it is of `update`: what is told the rewards has another name, and is read all the same."""
    certificate = privcheck.certify(place("batch", "ReadsLater"), feedback="batch", **OPTIONS)
    assert "rewards[0] > 0.5" in " ".join(line.text for line in certificate.unreached)
    assert not privcheck.certify(place("batch", "Noisy"), feedback="batch", **OPTIONS).unreached


@pytest.mark.parametrize("name", ["PlaysByALaterReward", "PlaysByALaterRewardThatComesLate", "PlaysByARewardDueLater"])
def test_rounds_beyond_the_horizon_are_told_late_rewards_too(name):
    """A certificate plays on, and what plays on is told the rewards of these rounds under their own numbers."""
    certificate = privcheck.certify(place("delayed", name), feedback="delayed", runs=2, **OPTIONS)
    assert not certificate.granted
    assert {leak.code for leak in certificate.leaks} == {"self.kept = 1 if reward > 0.5 else 0"}


def test_the_rounds_that_ran_are_counted():
    certificate = privcheck.certify(place("delayed", "PlaysByNoLaterReward"), feedback="delayed", runs=2, **OPTIONS)
    assert certificate.granted
    (line,) = certificate.rests_on["what later rounds do"]
    assert "beyond the 8 rounds that ran" in line


class MeansOfFour:
    """Noise for the mean of four rewards: that of a last batch of two costs twice as much."""

    batch = 4

    def __init__(self, rng):
        self.rng, self.arm = rng, 0

    def act(self, n):
        return [self.arm] * n

    def learn(self, actions, rewards):
        self.arm = int(rewards.mean() + self.rng.laplace(0.0, 0.25) > 0.5)


def test_a_certificate_names_the_sizes_of_batches_that_ran():
    options = {"epsilon": 1.0, "arms": 2, "feedback": "batch", "runs": 2}
    found = privcheck.certify(MeansOfFour, horizon=8, **options)
    assert found.granted
    kind = "what happens in batches of other sizes, such as a shorter last one"
    assert found.rests_on[kind] == ["those that ran have 4"]
    assert privcheck.certify(MeansOfFour, horizon=10, **options).refusals


@pytest.mark.parametrize("name", ["PlaysNoArmInRoundThree", "FailsInRoundThree"])
def test_a_certificate_names_the_round_of_an_error(name):
    with pytest.raises(PrivcheckError, match="round 3: got"):
        privcheck.certify(place("delayed", name), feedback="delayed", **OPTIONS)


@pytest.mark.parametrize(
    ("neighbours", "charged"), [("row", [1, 2, 3, 4, 5]), ("reward", [(t, 0) for t in range(1, 6)])]
)
def test_every_round_of_a_batch_is_a_datum(neighbours, charged):
    service = guarded("batch", "Noisy", neighbours=neighbours)
    actions = service.act(5)
    service.learn(actions[:4], [0.5, 1.0, 0.0, 1.0])
    assert list(service.ledger.totals) == charged[:4]
    service.learn(actions[4:], [1.0])
    assert dict(service.ledger.totals) == dict.fromkeys(charged, 1.0)
    assert [release.round for release in service.ledger.releases] == [4, 5]


@pytest.mark.parametrize("neighbours", ["row", "reward"])
def test_a_late_reward_is_charged_to_its_own_round(neighbours):
    service = guarded("delayed", "Noisy", neighbours=neighbours)
    actions = [service.select() for _ in range(4)]
    service.update(3, 1.0)
    service.update(1, 0.0)
    rounds = [3, 1] if neighbours == "row" else [(3, actions[2]), (1, actions[0])]
    assert dict(service.ledger.totals) == dict.fromkeys(rounds, 1.0)
    assert [release.round for release in service.ledger.releases] == [4, 4]


def test_a_reward_is_told_once():
    """A reward that is refused for its range was not told, and may come again."""
    service = guarded("delayed", "Noisy")
    service.select()
    for t in (0, 2, -1, True, 1.5, "1", None):
        with pytest.raises(PrivcheckError, match=r"round: got .* expected a round that was played"):
            service.update(t, 0.5)
    with pytest.raises(PrivcheckError, match="reward in round 1: got a value outside"):
        service.update(1, 1.5)
    service.update(1, 0.5)
    with pytest.raises(PrivcheckError, match="round: got 1, expected a round that was played and whose reward was not"):
        service.update(1, 0.5)
    assert dict(service.ledger.totals) == {1: 1.0}


def test_guards_stop_broken_twins():
    for name, error in (("Raw", LeakError), ("TakesTheSumForAMean", PrivcheckError)):
        service = guarded("batch", name)
        with pytest.raises(error):
            service.learn(service.act(4), [0.5] * 4)
        assert not service.ledger.totals
    service = guarded("delayed", "ReleasesAgain")
    service.select(), service.select()
    service.update(1, 0.5)
    with pytest.raises(BudgetExceededError, match="at most epsilon = 1"):
        service.update(2, 0.5)


def test_guards_refuse_other_calls():
    batch, bandit = guarded("batch", "Noisy"), guarded("delayed", "Noisy")
    for n in (0, -1, True, 2.5, "2"):
        with pytest.raises(PrivcheckError, match=r"n: got .*, expected an integer of at least 1"):
            batch.act(n)
    for told, message in (
        (([0, 1], [0.5]), r"rewards: got shape \(1,\), expected one reward for each action, shape \(2,\)"),
        ((0, [0.5]), "actions: got an object of type int"),
        (([0, 2], [0.5, 0.5]), r"action: got 2, expected an integer in \[0, 1\]"),
        (([0, 1], [0.5, np.nan]), "reward: got a list that is not one"),
        (([0, 1], [0.5, 3.0]), "reward in round 2: got a value outside the declared range"),
        (([], []), "reward"),
    ):
        with pytest.raises(PrivcheckError, match=message):
            batch.learn(*told)
    for call in (batch.select, lambda: batch.update(0, 0.5), lambda: bandit.act(1), lambda: bandit.learn([0], [0.5])):
        with pytest.raises(PrivcheckError, match=r"call: got .*\(\) for feedback="):
            call()
    batch.learn(batch.act(2), [0.5, 0.5])
    assert sorted(batch.ledger.totals) == [1, 2]


@pytest.mark.parametrize("kind", ["batch", "delayed"])
@pytest.mark.parametrize(("name", "status"), [("Noisy", 0), ("Raw", 1)])
def test_the_command_line_takes_the_kind(kind, name, status, capsys):
    options = ["--epsilon", "1", "--arms", "2", "--horizon", "8", "--feedback", kind]
    assert run(["audit", place(kind, name), *options, "--runs", "4000", "--error", "1e-6"]) == status
    assert run(["certify", place(kind, name), *options]) == status
    assert capsys.readouterr().err == ""
