"""Adaptive adversaries of continual release: what only they show, their correct twins, and what they may not do."""

import math

import numpy as np
import pytest

import privcheck
from privcheck import AuditReport, PrivcheckError
from privcheck.cli import run
from privcheck.reporting._text.repeating import repeat_audit

pytestmark = pytest.mark.long

COINS = 8
HORIZON = COINS + 2
OPTIONS = {"epsilon": 0.5, "delta": 0.01, "arms": 2, "horizon": HORIZON, "runs": 2000}
SURE = {"error": 1e-6, "confidence": 1.0 - 1e-6}


class Echo:
    """Plays coins, and the first reward at the end if each later reward was the action of the round before.

    On a fixed table that happens with probability 2^-8 = 0.0039 at most: it is (0, 0.0039)-DP there.
    """

    kept = 1.0

    def __init__(self, rng):
        self.rng, self.actions, self.rewards = rng, [], []

    def select(self):
        action = int(self.rng.random() < 0.5)
        if self.actions[:COINS] == self.rewards[1:] and len(self.actions) == HORIZON - 1:
            action = int(self.rewards[0] > 0.5) if self.rng.random() < self.kept else 1 - int(self.rewards[0] > 0.5)
        return action

    def update(self, action, reward):
        self.actions.append(action)
        self.rewards.append(reward)


class PrivateEcho(Echo):
    """Its last action is randomised response with epsilon 0.5, whoever chooses the rewards."""

    kept = math.exp(0.5) / (1.0 + math.exp(0.5))


def follow(actions, side):
    """Give the side away in the first round, and repeat the last action from there on."""
    return actions[-1] if actions else side


FOLLOW = privcheck.Adversary(follow)


@pytest.mark.chance(2e-6, "two verdicts on true claims, 1e-6 each; the leak is certain in every run of the games")
@pytest.mark.parametrize("seed", range(2))
def test_only_an_adaptive_adversary_shows_the_leak(seed):
    found = privcheck.audit(Echo, streams=FOLLOW, seed=seed, **OPTIONS)
    assert found.verdict == "violation"
    assert found.epsilon_lower > 3.0
    assert "the adversary follow: side 0 vs side 1" in found.witness.streams
    twin = privcheck.audit(PrivateEcho, streams=FOLLOW, seed=seed, **OPTIONS, **SURE)
    assert twin.verdict == "consistent"
    first = np.zeros((HORIZON, 2))
    second = first.copy()
    second[0] = 1.0
    fixed = privcheck.audit(Echo, streams=(first, second), seed=seed, **OPTIONS, **SURE)
    assert fixed.verdict != "violation"


class Leader:
    """Follow the leader under full information; the noise is drawn with the first rewards and kept.

    All later actions are a function of the difference of two sums with that noise, which moves by 2 with the secret
    rewards: a loss of at most 2 / scale.
    """

    scale = 0.5

    def __init__(self, rng, arms):
        self.rng, self.sums = rng, np.zeros(arms)

    def select(self):
        return int(np.argmax(self.sums))

    def update(self, action, rewards):
        if not self.sums.any():
            self.sums = self.rng.laplace(scale=self.scale, size=len(rewards))
        self.sums = self.sums + np.asarray(rewards)


class QuietLeader(Leader):
    scale = 4.0


@pytest.mark.chance(2e-6, "verdict and bound of one audit of a true claim, 1e-6 each; the other loss is far above")
def test_full_information():
    """True losses: at most 4 and 0.5."""

    def against_the_leader(actions, side):
        return [side, 1.0 - side] if not actions else [float(actions[-1] == 1), float(actions[-1] == 0)]

    options = {"epsilon": 1.0, "arms": 2, "horizon": 3, "feedback": "full", "runs": 2000}
    adversary = privcheck.Adversary(against_the_leader)
    leaky, private = (privcheck.audit(policy, streams=adversary, **options, **SURE) for policy in (Leader, QuietLeader))
    assert leaky.verdict == "violation"
    assert private.verdict == "consistent"


@pytest.mark.chance(1e-6, "one verdict on a true claim at this error")
def test_a_shipped_algorithm_is_played_too():
    found = privcheck.audit(
        "rnm-ftnl", epsilon=1.0, arms=2, horizon=4, feedback="full", streams=FOLLOW, runs=1000, **SURE
    )
    assert found.verdict in ("consistent", "inconclusive")
    assert (found.feedback, found.arms, found.horizon) == ("full", 2, 4)


def test_the_same_seed_gives_the_same_report_and_it_is_read_back():
    options = OPTIONS | {"runs": 200, "streams": FOLLOW}
    one, two = (privcheck.audit(Echo, jobs=jobs, **options) for jobs in (1, 2))
    assert one.epsilon_lower == two.epsilon_lower
    again = AuditReport.from_json(one.to_json())
    assert again.to_json() == one.to_json()
    call = repeat_audit(one)
    assert "streams=adversary" in str(call.python)
    assert "--streams ADVERSARY.py:NAME" in str(call.command)
    assert f"horizon={HORIZON}" in str(call.python)
    assert "feedback" not in str(call.python)


def test_a_sequential_audit_plays_the_games():
    found = privcheck.audit(Echo, streams=FOLLOW, sequential=True, **OPTIONS)
    assert found.verdict == "violation"


@pytest.mark.parametrize(
    ("rewards", "message"),
    [
        (lambda actions, side: side, "tables that differ in 10 rows .*expected at most 1 for neighbours='row'"),
        (lambda actions, side: side if len(actions) in (1, 4) else 0.0, "tables that differ in 2 rows"),
        (lambda actions, side: 2.0, "rewards: got 2"),
        (lambda actions, side: [0.0, 0.0, 1.0], r"streams: got rewards of shape \(3,\), expected one number or 2"),
        (lambda actions, side: 1 / 0, "streams: got ZeroDivisionError"),
        (lambda actions: 0.0, "streams: got TypeError"),
    ],
)
def test_what_an_adversary_may_not_do(rewards, message):
    with pytest.raises(PrivcheckError, match=message):
        privcheck.audit(Echo, streams=privcheck.Adversary(rewards), **OPTIONS)


def test_two_rounds_of_a_person_may_differ():
    twice = privcheck.Adversary(lambda actions, side: side if len(actions) in (0, 4) else actions[-1])
    found = privcheck.audit(Echo, streams=twice, **OPTIONS | {"neighbours": "group:2", "runs": 200})
    assert found.verdict is not None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"feedback": "semi-bandit"}, "feedback"),
        ({"observe": "releases"}, "observe: got 'releases'"),
        ({"guarded": True}, "guarded: got True"),
        ({"neighbours": "report"}, "neighbours: got 'report', expected another neighbour relation for a policy"),
        ({"neighbours": "add-remove"}, "neighbours: got 'add-remove', expected a relation that replaces data"),
    ],
)
def test_options_without_such_games_are_refused(options, message):
    with pytest.raises(PrivcheckError, match=message):
        privcheck.audit(Echo, streams=FOLLOW, **OPTIONS | options)


def test_a_mechanism_and_no_function_are_refused():
    with pytest.raises(PrivcheckError, match="feedback"):
        privcheck.audit(lambda data, rng: rng.normal(), epsilon=1.0, streams=FOLLOW)
    with pytest.raises(PrivcheckError, match="rewards: got an object of type int, expected a function"):
        privcheck.Adversary(3)


FILE = """
import privcheck

class Told:
    def __init__(self, rng):
        self.rng, self.told = rng, 0.0

    def select(self):
        return int(self.told > 0.5)

    def update(self, action, reward):
        self.told = reward if self.rng.random() < 0.9 else 1.0 - reward

adversary = privcheck.Adversary(lambda actions, side: side if not actions else 0.0)
"""


def test_the_command_line_takes_the_place_of_an_adversary(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(FILE)
    options = ["--arms", "2", "--horizon", "3", "--runs", "2000", "--streams", "mine.py:adversary"]
    assert run(["audit", "mine.py:Told", "--epsilon", "1", *options]) == 1
    told = " ".join(capsys.readouterr().out.split())
    assert "--streams mine.py:adversary" in told
    assert run(["audit", "mine.py:Told", "--epsilon", "2.3", *options]) == 0
