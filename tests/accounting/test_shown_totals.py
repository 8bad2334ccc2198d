"""What is shown of a budget that was granted: never more than the budget, although sums are rounded up."""

import json
import math

import numpy as np
import pytest

from privcheck import certify, guard
from privcheck.accounting import Approximate, BudgetFilter, Charge, Concentrated, GaussianDP, Pure, shown, spent
from privcheck.accounting.accountants.base import SLACK
from privcheck.mechanisms import Gaussian, Laplace

RELEASES = 43
FULL = {
    "pure": (Pure(1.0), Charge(1.0 / RELEASES), "epsilon"),
    "zcdp": (Concentrated(1.0), Charge(rho=1.0 / RELEASES), "rho"),
    "gdp": (GaussianDP(1.0), Charge(mu=math.sqrt(1.0 / RELEASES)), "mu"),
}


def filled(budget, charge, data=(1,), group_size=1):
    """A filter, and the ledger of as many releases as use its budget up."""
    strict = BudgetFilter(budget)
    ledger = strict.new_ledger(group_size)
    for number in range(RELEASES):
        strict.check(ledger, dict.fromkeys(data, charge), "a.py:1")
        ledger.record(number, "any", 1.0, dict.fromkeys(data, 1.0), dict.fromkeys(data, charge), "a.py:1")
    return strict, ledger


@pytest.mark.parametrize("data", [(1,), ((1, 0),), tuple(range(40))], ids=["round", "arm", "many"])
@pytest.mark.parametrize("kind", FULL)
def test_a_budget_that_is_used_up_is_shown_as_itself(kind, data):
    budget, charge, name = FULL[kind]
    strict, ledger = filled(budget, charge, data)
    assert 1.0 < ledger.sums.largest(name) < 1.0 + SLACK  # otherwise this would test nothing
    assert spent(strict, ledger).amount == 1.0
    copied = shown(strict, ledger)
    assert getattr(copied.total, name) == 1.0
    assert all(getattr(total, name) == 1.0 for total in copied.paid.values())
    assert ledger.sums.largest(name) > 1.0  # what the filter reads is as it was
    assert copied.releases == ledger.releases


@pytest.mark.parametrize("kind", FULL)
def test_what_no_filter_accepted_is_shown_as_it_is(kind):
    """The broken twin of a filter: one that records without asking."""
    budget, charge, name = FULL[kind]
    strict, ledger = filled(budget, charge)
    ledger.record(1, "any", 1.0, {1: 1.0}, {1: charge}, "a.py:1")
    assert spent(strict, ledger).amount > 1.0 + SLACK
    assert getattr(shown(strict, ledger).total, name) > 1.0 + SLACK


def test_releases_below_the_slack_are_not_free():
    """Were the sums lowered that the filter reads, each of these would start again from the budget."""
    strict, ledger = filled(*FULL["pure"][:2])
    tiny, taken = {1: Charge(SLACK / 4.0)}, 0
    while strict.fits(ledger, tiny) and taken < 20:
        ledger.record(1, "any", 1.0, {1: 1.0}, tiny, "a.py:1")
        shown(strict, ledger)
        taken += 1
    assert 2 <= taken <= 4
    assert spent(strict, ledger).amount == 1.0


def test_groups_and_several_accountants():
    strict, ledger = filled(Pure(1.0), Charge(0.5 / RELEASES), (1, 2), group_size=2)
    assert ledger.epsilon > 1.0
    assert spent(strict, ledger).amount == 1.0
    strict, ledger = filled(Approximate(1.0, 1e-6), Charge(1.0 / RELEASES))
    assert ledger.epsilon > 1.0
    assert spent(strict, ledger).amount < 1.0  # by gdp
    budget = Approximate(1.0, 1e-6)
    least = Gaussian.calibrate(epsilon=1.0, delta=1e-6, releases=RELEASES).charge(1.0)
    strict, ledger = filled(budget, least)
    assert 1.0 - 1e-6 < spent(strict, ledger).amount <= 1.0


class Tenths:
    """A policy that releases the first reward so often that its budget is used up."""

    def __init__(self, rng):
        self.rng, self.round, self.first = rng, 0, 0.0

    def select(self):
        return self.round % 2

    def update(self, action, reward):
        self.round += 1
        if self.round == 1:
            self.first = reward
        Laplace(sensitivity=1.0, epsilon=1.0 / RELEASES).release(self.first, self.rng)


def test_a_guard_and_a_certificate_show_no_more_than_the_budget():
    policy = guard(Tenths(np.random.default_rng(0)), epsilon=1.0, noise="float", rng=np.random.default_rng(1))
    for _ in range(RELEASES):
        policy.update(policy.select(), 1.0)
    assert (policy.spent, policy.left, policy.ledger.epsilon) == (1.0, 0.0, 1.0)
    assert max(policy.ledger.totals.values()) == 1.0
    certificate = certify(Tenths, epsilon=1.0, arms=2, horizon=RELEASES, runs=2)
    assert certificate.upper == Pure(1.0)
    found = json.loads(certificate.to_json())
    assert found["ledger_epsilon"] == 1.0
    assert max(found["ledger"]["totals"].values()) == 1.0
