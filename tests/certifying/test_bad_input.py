"""What a guarded session refuses: with a clear error, before any noise is drawn, and with nothing spent."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

import privcheck
from privcheck import LeakError, PolicyError, PrivcheckError, certify, guard
from privcheck.accounting import ReleaseRefusedError
from privcheck.certifying import Session
from privcheck.mechanisms import MECHANISMS, BinaryTree, Laplace, NoisyMax, RandomisedResponse
from privcheck.privacy import relation

REWARDS = (0.3125, 0.6875)


class Untouched(np.random.Generator):
    """Noise that nobody may draw."""

    def __init__(self):
        super().__init__(np.random.PCG64(0))
        self.before = self.bit_generator.state

    @property
    def untouched(self):
        return self.bit_generator.state == self.before


def start(budget=1.0):
    """Return a session in its second round, and the two rewards."""
    session = Session(relation("row"), (0.0, 1.0), budget, Untouched())
    rewards = []
    for session.round, value in enumerate(REWARDS, 1):
        rewards.append(session.reward(value, 0))
    return session, rewards


def spent_nothing(session):
    assert session.noise.untouched
    assert (session.ledger.releases, dict(session.ledger.totals)) == ([], {})


@dataclass(frozen=True)
class Concentrated(Laplace):
    notion: ClassVar[str] = "zCDP"


@dataclass(frozen=True)
class OfAnUnknownNorm(Laplace):
    sensitivity_norm: ClassVar[str] = "Wasserstein"


@dataclass(frozen=True)
class ChargesNaN(Laplace):
    def loss(self, sensitivity):
        return math.nan


@dataclass(frozen=True)
class PaysBack(Laplace):
    def loss(self, sensitivity):
        return -1.0


@dataclass(frozen=True)
class ChargesInfinity(Laplace):
    def loss(self, sensitivity):
        return math.inf


def test_the_mechanisms_of_this_file_are_not_registered():
    ours = {Concentrated, OfAnUnknownNorm, ChargesNaN, PaysBack, ChargesInfinity}
    assert ours.isdisjoint(MECHANISMS[name] for name in MECHANISMS)


@pytest.mark.parametrize("budget", [1.0, None])
@pytest.mark.parametrize(
    ("kind", "parameter", "words"),
    [
        (Concentrated, "mechanism", "a mechanism of zCDP privacy that charges Charge(epsilon=0.5) in a"),
        (OfAnUnknownNorm, "mechanism", "whose sensitivity is a Wasserstein in a release at test_bad_input.py:"),
        (ChargesNaN, "loss", "nan in a release at test_bad_input.py:"),
        (PaysBack, "loss", "-1.0 in a release at test_bad_input.py:"),
        (ChargesInfinity, "loss", "inf in a release at test_bad_input.py:"),
    ],
)
def test_what_this_ledger_cannot_add_up_is_refused(kind, parameter, words, budget):
    """Also without a budget: what is charged has to be right."""
    session, (reward, _) = start(budget)
    with session.active(), pytest.raises(ReleaseRefusedError) as caught:
        kind(sensitivity=1.0, epsilon=0.5).release(reward, None)
    assert caught.value.parameter == parameter
    assert words in str(caught.value)
    assert session.refusals == [caught.value]
    spent_nothing(session)


def test_a_mechanism_that_cannot_be_charged_is_not_certified():
    class Uses:
        def __init__(self, rng, arms, epsilon):
            self.mechanism = Concentrated(sensitivity=1.0, epsilon=epsilon)

        def select(self):
            return 0

        def update(self, action, reward):
            try:
                self.mechanism.release(reward, None)
            except PrivcheckError:
                Laplace(sensitivity=1.0, epsilon=0.5).release(reward, None)

    certificate = certify(Uses, epsilon=1.0, arms=2)
    assert (certificate.granted, certificate.epsilon_upper) == (False, None)
    assert "zCDP" in certificate.refusals[0]


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf, 0.0, -1.0])
def test_no_mechanism_has_such_a_scale_or_budget(number):
    for make in (
        lambda: Laplace.with_scale(number), lambda: Laplace(sensitivity=number, epsilon=1.0),
        lambda: Laplace(sensitivity=1.0, epsilon=number), lambda: NoisyMax.with_scale(number),
        lambda: NoisyMax(score_range=1.0, epsilon=number), lambda: BinaryTree.with_scale(number, horizon=4),
    ):  # fmt: skip
        with pytest.raises(PrivcheckError):
            make()


@pytest.mark.parametrize(
    "read",
    [
        lambda x, y: Laplace.with_scale(x), lambda x, y: Laplace(sensitivity=x, epsilon=1.0),
        lambda x, y: NoisyMax(score_range=1.0, epsilon=y), lambda x, y: Laplace.with_scale(1.0).draw(x, Untouched()),
        lambda x, y: Laplace.with_scale(1.0).release_batch(x, Untouched(), 3),
        lambda x, y: Laplace.with_scale(1.0).log_density(0.0, x),
        lambda x, y: NoisyMax.with_scale(1.0).probabilities([x, y]),
        lambda x, y: np.random.default_rng(0).laplace(x, 1.0) > 0.5,
        lambda x, y: np.random.default_rng(0).normal(0.5, x) > 0.5,
        lambda x, y: bool(np.random.default_rng(0).random() < x),
        lambda x, y: x + np.random.default_rng(0).laplace() > y,
        lambda x, y: np.argmax(np.random.default_rng(0).laplace(size=2) + np.array([x, y])),
        lambda x, y: BinaryTree.with_scale(1.0, horizon=y), lambda x, y: [1, 2][y],
    ],
)  # fmt: skip
def test_private_values_in_the_wrong_place_never_come_out(read):
    """Whatever the call, it does not return: it raises, and what it read is not in the message."""
    session, rewards = start()
    with pytest.raises((PrivcheckError, TypeError)) as caught, session.active():
        read(*rewards)
    assert not any(str(value) in str(caught.value) for value in REWARDS)
    assert session.leaks or isinstance(caught.value, PrivcheckError)
    spent_nothing(session)


def test_randomised_response_of_a_private_value_that_may_be_no_category_is_refused_and_charges_nothing():
    session, (reward, _) = start()
    mechanism = RandomisedResponse(epsilon=1.0, categories=2)
    with session.active(), pytest.raises(ReleaseRefusedError, match="a private value that may not be an integer"):
        mechanism.release(reward, None)
    spent_nothing(session)


def test_a_noisy_maximum_of_one_number_is_refused_without_a_charge():
    session, (reward, _) = start()
    with session.active(), pytest.raises(ReleaseRefusedError) as caught:
        NoisyMax(score_range=2.0, epsilon=1.0).release(reward, None)
    assert "a vector of shape (K,)" in str(caught.value)
    assert session.noise.untouched
    assert dict(session.ledger.totals) == {}


def test_ordinary_numbers_cost_nothing():
    """A public number may be released through a mechanism; there is nothing to charge, and no budget to exceed."""
    session, _ = start(1e-3)
    with session.active():
        outputs = [Laplace(sensitivity=1.0, epsilon=1.0).release(0.5, None) for _ in range(3)]
    assert len(set(outputs)) == 3
    assert (session.ledger.releases, session.refusals) == ([], [])


def test_a_value_without_data_costs_nothing():
    session, (reward, _) = start()
    with session.active():
        Laplace(sensitivity=1.0, epsilon=9.0).release(reward - reward, None)
        assert session.ledger.epsilon == 0.0
        Laplace(sensitivity=1.0, epsilon=1.0).release(privcheck.clip(reward, 0.0, 1.0), None)
    assert session.ledger.epsilon == 1.0


class FeedsATree:
    """One tree for the prefix sums of all rewards."""

    def __init__(self, rng, arms=2, epsilon=1.0, horizon=16, tree=BinaryTree, sensitivity=1.0):
        self.stream = tree(horizon=horizon, sensitivity=sensitivity, epsilon=epsilon).start(rng)

    def select(self):
        return 0

    def update(self, action, reward):
        self.stream.add(reward)


@pytest.mark.parametrize("horizon", [1, 5, 8, 16])
def test_a_tree_is_charged_its_nodes(horizon):
    """Each reward pays 1 / scale for every node that sums it, as counted here over the released nodes."""
    guarded = guard(FeedsATree(np.random.default_rng(0), horizon=horizon), epsilon=1.0)
    for _ in range(horizon):
        guarded.update(guarded.select(), 0.5)
    stream = guarded._policy.stream
    for item in range(horizon):
        nodes = sum(item in node.items for node in stream.released)
        assert guarded.ledger.totals[item + 1] == pytest.approx(nodes / stream.mechanism.scale, rel=1e-12)
    assert guarded.spent <= 1.0
    assert guarded.spent == pytest.approx(1.0, rel=1e-8)


def test_items_beyond_the_declared_sensitivity_cost_what_they_are():
    """The tree does not know the range of rewards; the ledger does, and the filter stops it."""
    guarded = guard(FeedsATree(np.random.default_rng(0), horizon=8), epsilon=1.0, rewards=(0.0, 2.0))
    for _ in range(3):
        guarded.update(guarded.select(), 1.5)
    with pytest.raises(privcheck.BudgetExceededError, match="budget"):
        guarded.update(guarded.select(), 1.5)
    assert guarded.spent <= 1.0


def test_a_leak_is_not_a_refusal_and_the_other_way_round():
    session, (reward, _) = start()
    with session.active():
        with pytest.raises(LeakError):
            bool(reward)
        with pytest.raises(ReleaseRefusedError):
            Laplace(sensitivity=0.5, epsilon=1.0).release(reward, None)
    assert (len(session.leaks), len(session.refusals)) == (1, 1)
    assert not isinstance(session.refusals[0], LeakError)
    spent_nothing(session)


@pytest.mark.parametrize("read", ["reward.size_of", "(reward + self.rng.laplace()).size_of", "getattr(reward, 'name')"])
def test_what_a_private_value_lacks_is_named_at_the_policy_s_own_line(read, tmp_path):
    """Not at the line of privcheck that raises it."""
    text = f"""\
class Policy:
    def __init__(self, rng, arms):
        self.rng = rng

    def select(self):
        return 0

    def update(self, action, reward):
        {read}
"""
    (tmp_path / "own.py").write_text(text)
    with pytest.raises(PolicyError, match=r"has no attribute '\w+' \(own\.py, line 9\), expected a policy that plays"):
        certify(f"{tmp_path}/own.py:Policy", epsilon=1.0, arms=2, horizon=4, runs=1)


class AddsTwo:
    """Adds noise to the sum of two rewards: right where one of them is replaced, and not where both are."""

    def __init__(self, rng, epsilon):
        self.rng, self.rewards, self.arm = rng, [], 0
        self.noise = Laplace(sensitivity=1.0, epsilon=epsilon)

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.rewards.append(reward)
        if len(self.rewards) == 2:
            self.arm, self.rewards = int(self.noise.release(sum(self.rewards), self.rng) > 1.0), []


def test_no_policy_that_sees_raw_rewards_is_certified_to_be_locally_private():
    """Under "report" the whole input may change, and this policy loses 2 then, where 1 was certified."""
    options = {"epsilon": 1.0, "arms": 2}
    for refused in (
        lambda: certify(AddsTwo, neighbours="report", horizon=4, runs=2, **options),
        lambda: certify(AddsTwo, neighbours="report", horizon=4, runs=2, primitives=["numpy"], **options),
        lambda: guard(AddsTwo, neighbours="report", **options),
    ):
        with pytest.raises(PrivcheckError, match="neighbours: got 'report', expected another neighbour relation"):
            refused()
    assert certify(AddsTwo, horizon=4, runs=2, **options).granted
