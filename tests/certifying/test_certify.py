"""`privcheck.certify` on the shipped policies: granted where it holds, refused with a reason where it does not."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

import privcheck
from privcheck import PrivcheckError, certify
from privcheck.bandits import ALGORITHMS, kl_index, rnm_ftnl, ucb
from privcheck.bandits.adap_ucb import AdaPUCB
from privcheck.bandits.rnm_ftnl_published import RNMFTNLPublished
from privcheck.certifying import _explored_streams as explored
from privcheck.mechanisms import Laplace
from privcheck.results import Certificate

GRANTED = ["adap-ucb", "adap-kl-ucb", "rnm-ftnl"]
EXAMPLE = Path(__file__).parents[2] / "examples" / "running_mean_bandit.py"


@pytest.mark.parametrize("arms", [2, 5])
@pytest.mark.parametrize("name", GRANTED)
def test_what_is_private_is_granted(name, arms):
    certificate = certify(name, epsilon=1.0, arms=arms, horizon=24)
    assert (certificate.granted, certificate.coverage) == (True, "all-executions-under-guard")
    assert certificate.epsilon_upper == 1.0
    assert certificate.ledger_epsilon == 1.0
    assert (certificate.replay.divergences, certificate.replay.first_divergence) == (0, None)
    assert 0.5 < certificate.replay.largest_loss <= 1.0
    assert (certificate.leaks, certificate.refusals, certificate.notes) == ([], [], [])
    assert len(certificate.ledger.releases) >= 4
    assert (certificate.arms, certificate.horizon, certificate.executions, certificate.delta) == (arms, 24, 20, 0.0)
    assert str(certificate).endswith("certified, epsilon <= 1 on every guarded execution")


@pytest.mark.parametrize("epsilon", [0.1, 0.3, 1.0, 7.0])
@pytest.mark.parametrize("name", GRANTED)
def test_the_ledger_charges_the_declared_epsilon_to_the_last_digit(name, epsilon):
    certificate = certify(name, epsilon=epsilon, arms=3, runs=5)
    assert certificate.epsilon_upper == certificate.ledger_epsilon == epsilon
    assert certificate.replay.largest_loss <= epsilon


def test_the_published_noise_is_refused_at_the_claim(line_of):
    certificate = certify("rnm-ftnl-published", epsilon=1.0, arms=3)
    assert (certificate.granted, certificate.coverage, certificate.epsilon_upper) == (False, "explored", None)
    assert certificate.leaks == []
    line = line_of(Path(rnm_ftnl.__file__), ".release(")
    (refusal,) = certificate.refusals
    assert f"rnm_ftnl.py:{line} that takes the reward of round 1 to 2, expected at most epsilon = 1" in refusal
    assert refusal in str(certificate)


def test_the_published_noise_is_certified_for_what_it_is():
    """Scale 1 / epsilon is right for twice the claim, and for the claim when a neighbour changes one entry."""
    built = RNMFTNLPublished(arms=3, epsilon=1.0)
    twice = certify(built, epsilon=2.0)
    assert (twice.granted, twice.epsilon_upper, twice.ledger_epsilon) == (True, 2.0, 2.0)
    assert 1.0 < twice.replay.largest_loss <= 2.0
    one_entry = certify(built, epsilon=1.0, neighbours="reward")
    assert (one_entry.granted, one_entry.epsilon_upper, one_entry.ledger_epsilon) == (True, 1.0, 1.0)
    assert one_entry.neighbours == "reward"
    assert one_entry.replay.largest_loss <= 1.0


@pytest.mark.parametrize(
    ("name", "module", "code"),
    [("ucb", ucb, "return indices.index(max(indices))"), ("kl-ucb", kl_index, "if mean >= 1.0:")],
)
def test_what_is_not_private_leaks_at_its_line(name, module, code):
    certificate = certify(name, epsilon=1.0, arms=3)
    assert (certificate.granted, certificate.coverage, certificate.epsilon_upper) == (False, "explored", None)
    assert certificate.replay.divergences > certificate.replay.replays / 2
    (leak,) = certificate.leaks
    assert leak.file == module.__file__
    assert Path(leak.file).read_text(encoding="utf-8").splitlines()[leak.line - 1].strip() == code == leak.code
    assert leak.kind == "comparison"
    assert f"1 leak at {Path(leak.file).name}:{leak.line}" in str(certificate)
    (note,) = certificate.notes
    assert note.startswith("nothing was released: draw noise")


def test_the_divergence_of_a_policy_that_is_not_private_is_real():
    """The two streams differ in one round before the divergence, and UCB itself plays what is reported."""
    seen = certify("ucb", arms=3, seed=4).replay.first_divergence
    (changed,) = np.flatnonzero((seen.first != seen.second).any(axis=1))
    assert changed + 1 < seen.round
    for table, actions in ((seen.first, seen.actions_first), (seen.second, seen.actions_second)):
        policy = ALGORITHMS["ucb"](arms=3).build(np.random.default_rng(0))
        played = []
        for row in table[: seen.round]:
            played.append(policy.select())
            policy.update(played[-1], row[played[-1]])
        assert tuple(played) == actions
    assert seen.actions_first[:-1] == seen.actions_second[:-1]
    assert seen.actions_first[-1] != seen.actions_second[-1]


def test_a_group_of_two_pays_twice():
    explored = certify(AdaPUCB(arms=2, epsilon=1.0), neighbours="group:2")
    assert (explored.ledger_epsilon, explored.epsilon_upper) == (2.0, None)
    assert 1.0 < explored.replay.largest_loss <= 2.0
    assert certify(AdaPUCB(arms=2, epsilon=1.0), epsilon=2.0, neighbours="group:2").epsilon_upper == 2.0
    refused = certify(AdaPUCB(arms=2, epsilon=1.0), epsilon=1.99, neighbours="group:2")
    assert not refused.granted
    assert "expected at most epsilon = 1.99" in refused.refusals[0]


def test_the_example_is_not_certified(line_of):
    certificate = certify(f"{EXAMPLE}:RunningMeanBandit", epsilon=1.0, arms=2)
    assert (certificate.granted, certificate.epsilon_upper) == (False, None)
    (refusal,) = certificate.refusals
    line = line_of(EXAMPLE, "self.published[arm] = self.sums[arm] / n + noise")
    assert f"{EXAMPLE.name}:{line} that takes the reward of round 2 to 2" in refusal
    assert (certificate.leaks, certificate.replay.divergences) == ([], 0)


def test_without_a_budget_nothing_is_certified():
    certificate = certify(AdaPUCB(arms=2, epsilon=0.5))
    assert (certificate.granted, certificate.coverage) == (False, "explored")
    assert certificate.epsilon_claimed is certificate.epsilon_upper is None
    assert (certificate.ledger_epsilon, certificate.leaks, certificate.replay.divergences) == (0.5, [], 0)
    assert "no budget was given" in str(certificate)


class SometimesTwice:
    """Releases the first reward again when its first release is high: what it spends differs between executions."""

    def __init__(self, rng):
        self.first = True

    def select(self):
        return 0

    def update(self, action, reward):
        if self.first and Laplace(sensitivity=1.0, epsilon=0.75).release(reward, None) > 0.5:
            Laplace(sensitivity=1.0, epsilon=0.75).release(reward, None)
        self.first = False


def test_the_dearest_execution_counts():
    """With seed 0 some of the 20 executions spend 0.75 and others 1.5."""
    explored = certify(SometimesTwice, arms=2)
    assert explored.ledger_epsilon == explored.ledger.epsilon == 1.5
    assert {certify(SometimesTwice, arms=2, runs=1, seed=s).ledger_epsilon for s in range(8)} == {0.75, 1.5}
    assert not certify(SometimesTwice, epsilon=1.0, arms=2).granted
    assert certify(SometimesTwice, epsilon=1.5, arms=2).granted


def test_more_budget_than_is_spent():
    certificate = certify(AdaPUCB(arms=2, epsilon=0.5), epsilon=3.0)
    assert (certificate.epsilon_upper, certificate.ledger_epsilon) == (3.0, 0.5)


@pytest.mark.parametrize("name", ["adap-ucb", "rnm-ftnl-published", "ucb"])
def test_json_holds_every_field_of_the_object(name):
    certificate = certify(name, epsilon=1.0, arms=3)
    found = json.loads(certificate.to_json(), parse_constant=lambda constant: pytest.fail(constant))
    assert next(iter(found)) == "schema_version"
    assert list(found)[1:] == list(Certificate.__dataclass_fields__)
    for field in ("granted", "coverage", "epsilon_upper", "ledger_epsilon", "refusals", "notes", "arms", "horizon"):
        assert found[field] == getattr(certificate, field)
    assert found["rewards"] == [0.0, 1.0]
    assert len(found["ledger"]["releases"]) == len(certificate.ledger.releases)
    assert found["replay"]["divergences"] == certificate.replay.divergences
    assert [leak["line"] for leak in found["leaks"]] == [leak.line for leak in certificate.leaks]


@pytest.mark.parametrize("name", ["adap-ucb", "ucb"])
def test_the_same_seed_gives_the_same_certificate(name):
    first, again, other = (certify(name, epsilon=1.0, arms=3, seed=seed).to_json() for seed in (3, 3, 4))
    assert first == again
    assert json.loads(first) | {"seed": 4} != json.loads(other)


@pytest.mark.chance(2e-6, "a verdict and a bound at 1e-6")
@pytest.mark.parametrize("neighbours", ["row", "reward"])
@pytest.mark.parametrize("name", [*GRANTED, "rnm-ftnl-published"])
def test_an_audit_never_refutes_a_certificate(name, neighbours):
    """A certificate is a promise: the audited lower bound stays below it.

    With seeds 0 to 5 the least of the lower bounds of adap-kl-ucb under "reward" is 0.75 at confidence .95.
    """
    spec = ALGORITHMS[name](arms=3, epsilon=1.0)
    budget = 2.0 if name == "rnm-ftnl-published" and neighbours == "row" else 1.0
    certificate = certify(spec, epsilon=budget, neighbours=neighbours, horizon=6, runs=3)
    levels = {"error": 1e-6, "confidence": 1.0 - 1e-6}
    report = privcheck.audit(spec, epsilon=budget, neighbours=neighbours, horizon=6, runs=100_000, **levels)
    assert certificate.granted
    assert report.epsilon_lower <= certificate.epsilon_upper
    assert report.epsilon_lower > 0.1
    assert report.verdict != "violation"


@pytest.mark.parametrize(
    ("options", "parameter"),
    [
        ({"epsilon": math.nan}, "epsilon"), ({"epsilon": math.inf}, "epsilon"), ({"epsilon": 0.0}, "epsilon"),
        ({"epsilon": -1.0}, "epsilon"), ({"epsilon": "1"}, "epsilon"), ({"delta": 1.0}, "delta"),
        ({"delta": -0.1}, "delta"), ({"arms": 1}, "arms"), ({"horizon": 0}, "horizon"), ({"horizon": 2}, "horizon"),
        ({"rewards": (1.0, 0.0)}, "rewards range"), ({"rewards": (0.0, math.nan)}, "rewards range"),
        ({"rewards": (0.0, 2.0)}, "rewards"), ({"neighbours": "group:0"}, "neighbours"),
        ({"neighbours": "column"}, "neighbours"), ({"feedback": "none"}, "feedback"), ({"runs": 0}, "runs"),
        ({"runs": -3}, "runs"), ({"runs": 1.5}, "runs"), ({"runs": "many"}, "runs"), ({"seed": -1}, "seed"),
    ],
)  # fmt: skip
def test_bad_settings_are_refused_by_name(options, parameter):
    with pytest.raises(PrivcheckError) as caught:
        certify("adap-ucb", **{"epsilon": 1.0, "arms": 3} | options)
    assert caught.value.parameter == parameter


@pytest.mark.parametrize(
    ("target", "options", "parameter"),
    [
        ("adap-ucp", {"epsilon": 1.0}, "target"), ("adap-ucb", {}, "epsilon"), (3, {"arms": 2}, "target"),
        (f"{EXAMPLE}:RunningMeanBandit", {"epsilon": 1.0}, "arms"), (f"{EXAMPLE}:Nothing", {"arms": 2}, "target"),
        (AdaPUCB(arms=2, epsilon=1.0), {"arms": 3}, "arms"),
    ],
)  # fmt: skip
def test_bad_targets_are_refused_by_name(target, options, parameter):
    with pytest.raises(PrivcheckError) as caught:
        certify(target, **options)
    assert caught.value.parameter == parameter


class LeaksBySomeCoins:
    """Steers by raw rewards when its first coin is below 0.3, as with seed 2 but neither with 0 nor with 1."""

    def __init__(self, rng, arms, epsilon):
        self.arm, self.leaks = 0, rng.random() < 0.3

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.arm = int(reward > 0.5) if self.leaks else 0


def test_replay_tries_several_seeds(monkeypatch):
    several = certify(LeaksBySomeCoins, epsilon=1.0, arms=2, horizon=16, runs=4)
    assert several.replay.replays == 4 * 16 * 3
    assert several.replay.divergences == 4 * 15
    monkeypatch.setattr(explored, "REPLAYED_SEEDS", 2)
    assert certify(LeaksBySomeCoins, epsilon=1.0, arms=2, horizon=16, runs=4).replay.divergences == 0
