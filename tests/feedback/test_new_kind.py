"""A kind of feedback of one's own takes one class: audits, certificates, the guard and the command line all take it."""

from __future__ import annotations

import inspect
import json
import sys
from pathlib import Path

import numpy as np
import pytest

import privcheck
from privcheck import BudgetExceededError, LeakError, PrivcheckError
from privcheck.cli import run
from privcheck.feedback import FEEDBACKS, Feedback, as_arm
from privcheck.feedback._base import one_reward
from privcheck.targets import Location

try:
    from joblib.externals import cloudpickle  # what joblib pickles with, up to its version 1.5
except ImportError:
    import cloudpickle


class OneRoundLate(Feedback):
    """The policy is told the reward of a round in the next one, before it chooses; that of the last round never."""

    id = "lagged"
    call = "update(action, reward) of the round before, then select()"

    def play(self, policy, rounds, arms, played):
        told = None
        for row in rounds:
            if told is not None:
                policy.update(*told)
            action = as_arm(policy.select(), arms, f"action in round {len(played) + 1}")
            played.append(action)
            told = action, row[action]

    def wrapped(self, session, told, arms):
        action, reward = told
        return action, session.reward(one_reward(reward), int(action))


class Unwrapped(OneRoundLate):
    """The same, but for a session that it could be guarded by."""

    id = "unwrapped"
    wrapped = Feedback.wrapped


for _kind in (OneRoundLate, Unwrapped):  # from here on registered in the tests of this file only
    del FEEDBACKS._entries[_kind.id]


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    """Register the kinds for one test."""
    for one in (OneRoundLate, Unwrapped):
        monkeypatch.setitem(FEEDBACKS._entries, one.id, one)


HERE = Path(__file__).parent


def target(name):
    """Return the place of a policy, as the command line takes it."""
    return f"{HERE / 'late_policies.py'}:{name}"


def built(name):
    return Location(*target(name).rsplit(":", 1)).load()(np.random.default_rng(0))


OPTIONS = {"epsilon": 1.0, "arms": 2, "horizon": 3, "feedback": "lagged"}


def test_the_kind_is_short():
    assert len(inspect.getsource(OneRoundLate).splitlines()) <= 60


def test_every_reward_but_the_last_is_told_a_round_late():
    calls = []

    class Records:
        def select(self):
            calls.append("select")
            return 1

        def update(self, action, reward):
            calls.append((action, reward))

    kind, played = OneRoundLate(), []
    rounds = kind.rounds(np.array([[0.0, 0.25], [0.0, 0.5], [0.0, 0.75]]), 2, None)
    kind.play(Records(), iter(rounds), 2, played)
    assert calls == ["select", (1, 0.25), "select", (1, 0.5), "select"]
    assert played == [1, 1, 1]


@pytest.fixture
def sent_by_value():
    """Let worker processes, which cannot import this file, receive the class itself."""
    module = sys.modules[__name__]
    cloudpickle.register_pickle_by_value(module)
    yield
    cloudpickle.unregister_pickle_by_value(module)


@pytest.mark.chance(1e-6, "one verdict on a true claim at this error")
@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.usefixtures("sent_by_value")
def test_a_private_policy_is_consistent(jobs):
    """Workers need no registry."""
    report = privcheck.audit(target("Noisy"), runs=5000, jobs=jobs, error=1e-6, **OPTIONS)
    assert report.verdict == "consistent"
    assert report.feedback == "lagged"
    assert report.certificate.granted


@pytest.mark.parametrize("policy", ["Raw", "Overspends"])
def test_a_policy_with_too_little_noise_is_a_violation(policy):
    report = privcheck.audit(target(policy), runs=10_000, **OPTIONS)
    assert report.verdict == "violation"
    assert "begin 0" in report.witness.event or "pulls of arm" in report.witness.event
    assert 1 in report.witness.rounds
    assert json.loads(report.to_json())["feedback"] == "lagged"


@pytest.mark.chance(1e-9, "broken twins alone, which are far from the claim")
def test_releases_are_observed():
    report = privcheck.audit(target("Overspends"), runs=2000, pairs=8, observe="releases", **OPTIONS)
    assert report.verdict == "violation"
    assert report.epsilon_lower < 3.0


def test_a_private_policy_is_certified():
    certificate = privcheck.certify(target("Noisy"), **OPTIONS)
    assert certificate.granted
    assert certificate.epsilon_upper == 1.0
    assert certificate.ledger_epsilon == 1.0
    assert certificate.replay.divergences == 0
    assert certificate.replay.replays > 0


def test_a_policy_that_reads_raw_rewards_is_not_certified():
    certificate = privcheck.certify(target("Raw"), **OPTIONS)
    assert not certificate.granted
    assert {leak.function for leak in certificate.leaks} == {"moved"}
    assert certificate.leaks[0].data == (1,)
    divergence = certificate.replay.first_divergence
    assert divergence.round == 2


def test_a_policy_that_overspends_is_not_certified():
    certificate = privcheck.certify(target("Overspends"), **OPTIONS)
    assert not certificate.granted
    assert certificate.refusals
    assert not certificate.leaks


def guarded(policy):
    return privcheck.guard(built(policy), epsilon=1.0, feedback="lagged")


def test_the_guard_charges_the_round_whose_reward_is_told():
    service = guarded("Noisy")
    for _ in range(3):
        service.update(service.select(), 0.5)
    assert dict(service.ledger.totals) == {1: 1.0}
    assert (service.spent, service.left) == (1.0, 0.0)


def test_the_guard_stops_a_leak_and_what_would_overspend():
    leaking, spending = guarded("Raw"), guarded("Overspends")
    leaking.select()
    leaking.update(0, 0.5)
    with pytest.raises(LeakError, match="late_policies"):
        [leaking.update(leaking.select(), 0.5) for _ in range(3)]
    with pytest.raises(BudgetExceededError, match="at most epsilon = 1"):
        spending.update(spending.select(), 0.5)
    with pytest.raises(PrivcheckError, match=r"update\(\): got 1 arguments for feedback='lagged', expected \(action,"):
        guarded("Noisy").update(0)


def test_a_kind_that_wraps_nothing_is_audited_and_not_certified():
    options = OPTIONS | {"feedback": "unwrapped"}
    report = privcheck.audit(target("Raw"), runs=2000, **options)
    assert (report.verdict, report.certificate) == ("violation", None)
    for refusing in (
        lambda: privcheck.certify(target("Noisy"), **options),
        lambda: privcheck.guard(built("Noisy"), epsilon=1.0, feedback="unwrapped"),
    ):
        with pytest.raises(PrivcheckError, match="feedback: got 'unwrapped', expected one of ") as caught:
            refusing()
        assert caught.value.expected.endswith(", ".join(map(repr, FEEDBACKS.guarded)))


def test_messages_name_the_kind():
    with pytest.raises(PrivcheckError, match=f"one of {', '.join(map(repr, FEEDBACKS))}"):
        privcheck.audit(target("Noisy"), **OPTIONS | {"feedback": "late"})
    with pytest.raises(PrivcheckError, match="'row', 'reward' or 'group:k' for feedback='lagged'"):
        privcheck.audit(target("Noisy"), neighbours="context-reward", **OPTIONS)


class Contextual:
    def __init__(self, rng):
        pass

    def select(self, context):
        return 0

    def update(self, context, action, reward):
        pass


def test_a_policy_that_is_called_otherwise_is_told_how():
    kinds = ", ".join(FEEDBACKS)
    message = rf"round 1: got TypeError.*before, then select\(\) for feedback 'lagged'; .*, one of {kinds}"
    with pytest.raises(PrivcheckError, match=message):
        privcheck.audit(Contextual, runs=100, **OPTIONS)


@pytest.mark.parametrize(("policy", "audited", "certified"), [("Noisy", 0, 0), ("Raw", 1, 1)])
def test_the_command_line_takes_the_kind(policy, audited, certified, capsys):
    options = ["--epsilon", "1", "--arms", "2", "--horizon", "3", "--feedback", "lagged"]
    assert run(["audit", target(policy), *options, "--runs", "5000"]) == audited
    assert run(["certify", target(policy), *options]) == certified
    assert capsys.readouterr().err == ""


def test_it_is_gone_afterwards(monkeypatch):
    monkeypatch.undo()
    assert run(["audit", target("Noisy"), "--epsilon", "1", "--arms", "2", "--feedback", "lagged"]) == 2
