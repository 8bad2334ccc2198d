"""The strategies draw what they say, and what fails shrinks to the shortest, plainest example."""

import contextlib
from random import Random

import numpy as np
import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import run_state_machine_as_test

from privcheck import Contexts
from privcheck.accounting import Approximate, Charge, Concentrated, GaussianDP, Ledger, Pure
from privcheck.errors import PrivcheckError
from privcheck.mechanisms import MECHANISMS, Gaussian
from privcheck.privacy import check_rewards_range, relation
from privcheck.testing import (
    BanditMachine,
    PrivacyFailure,
    arm_sets,
    bandit_instances,
    budgets,
    contexts,
    load_profile,
    mechanisms,
    neighbouring_tables,
    reward_tables,
)
from privcheck.testing._bandit_machine import check_ledger

FEW = settings(max_examples=60, derandomize=True, deadline=None, database=None)
FIND = settings(
    max_examples=2000, derandomize=True, deadline=None, database=None, phases=(Phase.generate, Phase.shrink)
)
SPACE = Contexts(shape=(2, 2), norm=1.0)


@FEW
@given(data=st.data(), name=st.sampled_from(["row", "reward", "group:1", "group:3"]))
def test_neighbouring_tables_are_neighbours(data, name):
    arms, longest = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 6))
    shortest, rewards = data.draw(st.integers(1, longest)), data.draw(st.sampled_from([(0.0, 1.0), (-2.0, 3.0)]))
    options = {"arms": arms, "min_rounds": shortest, "max_rounds": longest, "rewards": rewards}
    first, second = data.draw(neighbouring_tables(name, **options))
    relation(name).check(first, second)
    assert shortest <= len(first) <= longest
    for table in (first, second, data.draw(reward_tables(**options))):
        check_rewards_range(table, rewards)
        assert table.shape[1] == arms


@FEW
@given(neighbouring_tables("report", arms=3))
def test_a_report_is_one_row(pair):
    assert [len(table) for table in pair] == [1, 1]
    with pytest.raises(PrivcheckError, match="1 for 'report'"):
        neighbouring_tables("report", min_rounds=2)


@FEW
@given(neighbouring_tables("context-reward", arms=2, max_rounds=4, contexts=SPACE))
def test_neighbours_with_contexts(pair):
    relation("context-reward").check(*pair)
    for table in pair:
        SPACE.check(table, arms=2)


def told_apart(name, bad, **options):
    """Return the plainest of three failures: what one shrinks to depends on modules that other tests have imported."""
    pairs = neighbouring_tables(name, **options)
    found = [find(pairs, lambda pair: bad(*pair), settings=FIND, random=Random(seed)) for seed in range(3)]
    return min(found, key=lambda pair: (len(pair[0]), (pair[0] != pair[1]).sum(), pair[0].sum() + pair[1].sum()))


@pytest.mark.parametrize("name", ["row", "reward", "group:3"])
@pytest.mark.parametrize("rounds", [1, 4])
def test_a_failing_pair_shrinks_to_the_shortest_with_one_differing_entry(name, rounds):
    first, second = told_apart(name, lambda one, two: len(one) >= rounds and (one != two).any(), arms=3)
    assert first.shape == (rounds, 3)
    assert (first != second).sum() == 1
    assert first.sum() + second.sum() == 1.0


@pytest.mark.parametrize("name", ["row", "reward"])
def test_only_what_the_failure_needs_stays(name):
    """It fails when the reward of arm 1 changes by more than a half after one in which arm 0 pays more than that."""

    def bad(one, two):
        changes = np.flatnonzero(abs(one[:, 1] - two[:, 1]) > 0.5)
        return any(one[:place, 0].max(initial=0.0) > 0.5 for place in changes)

    first, second = told_apart(name, bad, arms=2)
    assert first.shape == second.shape == (2, 2)
    assert first[0].tolist() == second[0].tolist() == [1.0, 0.0]
    assert abs(first[1, 1] - second[1, 1]) == 1.0  # hypothesis may leave a change of arm 0 in a row


def test_groups_keep_as_many_changes_as_the_failure_needs():
    first, second = told_apart("group:3", lambda one, two: (one != two).any(axis=1).sum() >= 2, arms=2)
    assert len(first) == 2
    assert (first != second).sum() == 2


@FEW
@given(data=st.data())
def test_contexts_and_arm_sets_are_within_their_norm(data):
    low = data.draw(st.sampled_from([-1.0, 0.0, 0.25]))
    space = Contexts(shape=data.draw(st.sampled_from([(3,), (2, 3)])), low=low, high=2.0, norm=1.0)
    assert space.checked(data.draw(contexts(space)), arms=2).shape == space.shape
    vectors = data.draw(arm_sets(arms=4, dimension=2, norm=0.5))
    assert vectors.shape == (4, 2)
    assert len(np.unique(vectors, axis=0)) == 4
    assert np.linalg.norm(vectors, axis=1).max() <= 0.5 * (1.0 + 1e-9)


@FEW
@given(data=st.data())
def test_budgets_instances_and_mechanisms(data):
    assert 0.2 <= data.draw(budgets(0.2, 3.0)) <= 3.0
    instance = data.draw(bandit_instances(min_arms=3, max_arms=5, least_gap=0.2, max_horizon=50))
    assert 3 <= instance.arms <= 5
    assert max(instance.gaps) >= 0.2 - 1e-12
    assert instance.arms <= instance.horizon <= 50
    name = data.draw(st.sampled_from(sorted(MECHANISMS)))
    assert isinstance(data.draw(mechanisms(name)), MECHANISMS[name])


def test_every_mechanism_is_drawn():
    seen = set()

    @settings(FIND, max_examples=600)
    @given(mechanisms())
    def draw(mechanism):
        seen.add(mechanism.id)

    draw()
    assert seen == set(MECHANISMS)


@pytest.mark.parametrize(
    ("call", "parameter"),
    [
        (lambda: neighbouring_tables("rows"), "neighbours"),
        (lambda: neighbouring_tables("context-reward"), "contexts"),
        (lambda: reward_tables(min_rounds=3, max_rounds=2), "min_rounds"),
        (lambda: reward_tables(arms=0), "arms"),
        (lambda: budgets(2.0, 1.0), "budgets"),
        (lambda: budgets(0.0), "budget"),
        (lambda: contexts("plain"), "space"),
        (lambda: mechanisms("laplacian"), "mechanism"),
        (lambda: load_profile("night"), "profile"),
    ],
)
def test_bad_input(call, parameter):
    with pytest.raises(PrivcheckError, match=f"^{parameter}: got "):
        call()


# The state machine


def played(factory_, steps=8, **options):
    machine = type("Machine", (BanditMachine,), {"factory": factory_, "horizon": 8} | options)
    few = settings(FIND, max_examples=15, stateful_step_count=steps)
    run_state_machine_as_test(machine, settings=few)


@pytest.mark.parametrize("neighbours", ["row", "reward"])
def test_the_machine_lets_a_correct_policy_pass(twins, neighbours):
    played(twins.Publisher, neighbours=neighbours)
    played(staticmethod(lambda rng: twins.Publisher(rng)), steps=20)


def test_the_machine_finds_overspending_and_peeking(twins):
    with pytest.raises(PrivacyFailure, match=r"round 2: .*takes the reward of round 1 to 2"):
        played(twins.PublisherOfSums)
    with pytest.raises(PrivacyFailure, match=r"round 3: ==: got a private value of rounds 1-2"):
        played(twins.Peeker)


def test_the_machine_does_not_rely_on_the_filter(twins, monkeypatch):
    """A guard whose filter lets everything pass: the sum of the ledger alone finds the overspending."""
    monkeypatch.setattr("privcheck.accounting._budget_filter.BudgetFilter.check", lambda *arguments: None)
    with pytest.raises(PrivacyFailure, match="above the budget 1"):
        played(twins.PublisherOfSums)


class Noisy:
    """Publishes every reward with noise of the Generator that it is built with."""

    loss = 1.0

    def __init__(self, rng, arms, horizon):
        self.rng, self.arms, self.horizon, self.arm = rng, arms, horizon, 0

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.arm = int(reward + self.rng.laplace(0.0, 1.0 / self.loss) > 0.5)


class TooQuiet(Noisy):
    loss = 2.0


def test_the_machine_charges_the_noise_that_a_policy_draws_from_its_generator():
    played(Noisy)
    with pytest.raises(PrivacyFailure, match=r"takes the reward of round 1 to 2, "):
        played(TooQuiet)


def test_the_machine_refuses_feedback_whose_answers_it_does_not_ask_for():
    with pytest.raises(PrivcheckError, match="feedback: got 'identification', expected one of 'bandit', 'full'"):
        played(Noisy, feedback="identification")


class OnceOrNothing(Noisy):
    """Publishes a statistic, and goes on without it if anything is wrong."""

    def update(self, action, reward):
        try:
            self.statistic = float(reward + self.rng.laplace(0.0, 1.0))
        except Exception:
            self.statistic = None


class TwiceOrOnce(OnceOrNothing):
    def update(self, action, reward):
        super().update(action, reward)
        super().update(action, reward)


class Compares(OnceOrNothing):
    def update(self, action, reward):
        with contextlib.suppress(Exception):
            self.text = f"{reward:.3f}"


def test_the_machine_finds_refusals_and_leaks_whose_error_the_policy_catches():
    played(OnceOrNothing)
    with pytest.raises(PrivacyFailure, match=r"round 1: .*takes the reward of round 1 to 2, .*caught this error"):
        played(TwiceOrOnce)
    with pytest.raises(PrivacyFailure, match=r"round 1: .*got a private value of round 1 .*caught this error"):
        played(Compares)


class Contextual:
    def __init__(self, rng):
        self.rng = rng

    def select(self, context):
        return int(context.sum() > 0)

    def update(self, context, action, reward):
        pass


def test_the_machine_drives_other_kinds_of_feedback():
    played(Contextual, feedback="contextual", neighbours="context-reward", contexts=Contexts(shape=2, norm=1.0))


def ledger(*charges):
    made = Ledger()
    for round_number, losses in charges:
        charges = {datum: Charge(loss) for datum, loss in losses.items()}
        made.record(round_number, "laplace", 1.0, losses, charges, "bandit.py:7")
    return made


def test_the_check_of_a_ledger_can_fail():
    check_ledger(ledger((1, {1: 0.5}), (2, {1: 0.5, 2: 1.0})), 1.0, 2)
    with pytest.raises(PrivacyFailure, match="above the budget"):
        check_ledger(ledger((1, {1: 0.5}), (2, {1: 0.6})), 1.0, 2)
    with pytest.raises(PrivacyFailure, match="charges round 3"):
        check_ledger(ledger((2, {3: 0.5})), 1.0, 2)
    cooked = ledger((1, {1: 0.5}))
    cooked.paid = Ledger(paid={1: Charge(0.1)}).paid
    with pytest.raises(PrivacyFailure, match="do not add up"):
        check_ledger(cooked, 1.0, 1)


def gaussian(*scales):
    made = Ledger()
    for round_number, mu in enumerate(scales, 1):
        made.record(round_number, "gaussian", 1.0 / mu, {1: 1.0}, {1: Charge(mu=mu, rho=mu**2 / 2)}, "bandit.py:7")
    return made


@pytest.mark.parametrize(
    ("budget", "accountants", "enough"),
    [
        (GaussianDP(0.5), None, True),
        (GaussianDP(0.499), None, False),
        (Concentrated(0.125), None, True),
        (Concentrated(0.1249), None, False),
        (Approximate(2.4, 1e-6), None, True),
        (Approximate(2.2, 1e-6), None, False),
        (Approximate(2.4, 1e-6), {"gdp": 0.1}, False),
        (Approximate(2.6, 1e-6), {"zcdp": 1.0}, True),
        (Pure(5.0), None, False),
    ],
)
def test_the_check_of_a_ledger_speaks_every_notion(budget, accountants, enough):
    """0.3 and 0.4 add up to a mu of 0.5, of which epsilon at 1e-6 is 2.254 in closed form."""
    spent = gaussian(0.3, 0.4)
    if enough:
        check_ledger(spent, budget, 2, accountants)
    else:
        with pytest.raises(PrivacyFailure, match="above the budget"):
            check_ledger(spent, budget, 2, accountants)
    cooked = gaussian(0.3, 0.4)
    cooked.paid = gaussian(0.3).paid
    with pytest.raises(PrivacyFailure, match=r"do not add up|above the budget"):
        check_ledger(cooked, budget, 2, accountants)


class GaussianShop:
    """Releases every reward twice, with Gaussian noise for the budget that it is told."""

    twice = 2

    def __init__(self, rng, epsilon=None, delta=0.0, rho=None, mu=None):
        self.rng, self.last, self.seen = rng, 0.0, 0.0
        budget = {"epsilon": epsilon, "delta": delta or None, "rho": rho, "mu": mu}
        self.noise = Gaussian.calibrate(**budget, sensitivity=1.0, releases=self.twice)

    def select(self):
        return int(self.seen > 1.0)

    def update(self, action, reward):
        self.seen, self.last = self.noise.release(self.last + reward, self.rng), reward


class OneReleaseCounted(GaussianShop):
    """The broken twin: it calibrates for one release of each reward and makes two."""

    twice = 1


GAUSSIAN_BUDGETS = [{"epsilon": 1.0, "delta": 1e-6}, {"epsilon": None, "rho": 0.1}, {"epsilon": None, "mu": 0.5}]


@pytest.mark.parametrize("budget", GAUSSIAN_BUDGETS)
def test_the_machine_speaks_every_notion(budget):
    played(GaussianShop, **budget)
    with pytest.raises(PrivacyFailure, match="round 2"):
        played(OneReleaseCounted, **budget)


@pytest.mark.parametrize(("name", "examples"), [("dev", 25), ("ci", 100), ("deep", 2000)])
def test_profiles(name, examples):
    before = settings.get_current_profile_name()
    try:
        load_profile(name)
        assert (settings().max_examples, settings().deadline) == (examples, None)
        assert settings().derandomize == (name == "ci")
    finally:
        settings.load_profile(before)
