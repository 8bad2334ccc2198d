"""Every filter against the exact law of adaptive trees of releases, by enumeration; and against broken twins."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from release_trees import Answer, Rounded, Told, hockey_stick, largest_loss, leaves, renyi

from privcheck.accounting import Approximate, BudgetFilter, Charge, Concentrated, GaussianDP, Ledger, Pure
from privcheck.accounting._gaussian_profile import log_delta
from privcheck.accounting._totals import Totals
from privcheck.accounting.accountants.base import ACCOUNTANTS, SLACK

ROOM = 1.0 + 2.0 * SLACK
"""What a total may exceed a budget by: the noise of mechanisms pays for it, that of these trees does not."""


def random_policy(seed, releases, data):
    """Return a policy that proposes releases at random, but as a function of the outcomes so far."""

    def proposals(history):
        rng = np.random.default_rng([seed, *history])
        for number in rng.permutation(len(releases)).tolist():
            touched = [datum for datum in data if rng.random() < 0.7]
            yield releases[number], touched or [data[0]]

    return proposals


HALVES = {"gdp": 0.5, "zcdp": 0.5}
BUDGETS = [
    (Pure(1.0), None, [Answer(0.4), Answer(0.7), Answer(0.2), Rounded(0.3)]),
    (Concentrated(0.5), None, [Answer(0.8), Answer(0.3), Rounded(0.6, 4), Rounded(0.9, 4)]),
    (GaussianDP(1.0), None, [Answer(0.4), Answer(0.7), Rounded(0.6, 4), Rounded(0.8, 4)]),
    (Approximate(1.0, 0.1), None, [Answer(0.5), Answer(0.9), Rounded(0.5, 4), Rounded(0.8, 4)]),
    (Approximate(1.0, 0.1), {"gdp": 0.5}, [Answer(0.5), Told(0.03), Rounded(0.4, 4), Told(0.02)]),
    (Approximate(1.0, 0.1), {"gdp": 0.4, "zcdp": 0.4}, [Answer(0.6), Told(0.01), Rounded(0.4, 4), Rounded(0.6, 4)]),
    (Approximate(1.5, 0.1), {"rdp:4": 0.6, "rdp:16": 0.2}, [Answer(0.9), Told(0.02), Rounded(0.4, 4), Answer(0.2)]),
    (Approximate(1.0, 0.1), {}, [Answer(0.5), Told(0.06), Told(0.04), Rounded(0.4)]),
]


def test_every_accountant_is_compared_with_exact_deltas():
    shares = {name.partition(":")[0] for _, shares, _ in BUDGETS for name in shares or {}}
    assert shares | {"pure"} == set(ACCOUNTANTS), "add a row with a share of the new accountant to BUDGETS"


def check_private(budget, p, q):
    if isinstance(budget, Pure):
        assert largest_loss(p, q) <= budget.epsilon * ROOM
    elif isinstance(budget, Concentrated):
        for order in (1.01, 1.5, 2.0, 4.0, 16.0, 64.0):
            assert renyi(p, q, order) <= budget.rho * order * ROOM + 1e-12
    elif isinstance(budget, GaussianDP):
        for epsilon in np.linspace(0.0, 4.0, 17).tolist():
            assert hockey_stick(p, q, epsilon) <= math.exp(log_delta(epsilon, budget.mu * ROOM)) + 1e-12
    else:
        assert hockey_stick(p, q, budget.epsilon) <= budget.delta * ROOM + 1e-12


@pytest.mark.parametrize(("budget", "accountants", "releases"), BUDGETS)
@pytest.mark.parametrize("seed", range(4))
def test_a_filtered_run_is_as_private_as_its_budget(budget, accountants, releases, seed):
    policy = random_policy(seed, releases, [1, 2])
    p, q, refused = leaves(BudgetFilter(budget, accountants), policy, {1: 0, 2: 1}, {1: 1, 2: 1}, depth=3)
    assert refused > 0
    assert hockey_stick(p, q, 0.0) > 0.0
    check_private(budget, p, q)


@pytest.mark.parametrize(("budget", "accountants", "releases"), [*BUDGETS[:4], (BUDGETS[5][0], HALVES, BUDGETS[5][2])])
@pytest.mark.parametrize("seed", range(3))
def test_a_group_of_two_is_protected_together(budget, accountants, releases, seed):
    releases = [release for release in releases if not isinstance(release, Told)]
    policy = random_policy(seed, [half(release) for release in releases], [1, 2])
    p, q, _ = leaves(BudgetFilter(budget, accountants), policy, {1: 0, 2: 1}, {1: 1, 2: 0}, depth=3, group_size=2)
    assert hockey_stick(p, q, 0.0) > 0.0
    check_private(budget, p, q)


def half(release):
    return Answer(release.epsilon / 2.0) if isinstance(release, Answer) else replace(release, mu=release.mu / 2.0)


def same_again(release):
    def proposals(history):
        yield release, [1]

    return proposals


class Forgetful(Ledger):
    """Forgets every second release."""

    def record(self, *arguments):
        release = super().record(*arguments)
        if len(self.releases) % 2 == 0:
            self.paid = Totals(1, self.sums.currencies)
            for kept in self.releases[:-1]:
                self.sums.add(kept.charges)
        return release


TIGHT = [
    (Pure(1.0), Answer(0.5)),
    (Concentrated(0.5), Rounded(1.0 / math.sqrt(2.0), 24)),
    (GaussianDP(1.0), Rounded(1.0 / math.sqrt(2.0), 24)),
    (Approximate(1.0, 0.1269367376), Rounded(1.0 / math.sqrt(2.0), 24)),
]
"""Two releases exhaust the budget, and a third would break it by far."""


@pytest.mark.parametrize(("budget", "release"), TIGHT)
def test_two_releases_exhaust_the_budget(budget, release):
    p, q, refused = leaves(BudgetFilter(budget), same_again(release), {1: 0}, {1: 1}, depth=3)
    assert refused > 0, "a third release was refused"
    check_private(budget, p, q)
    assert len(p) == len(release.law(0)) ** 2, "two were made"


@pytest.mark.parametrize(("budget", "release"), TIGHT)
def test_a_ledger_that_forgets_is_caught(monkeypatch, budget, release):
    def forgetful(self, group_size=1, what="reward"):
        return Forgetful(group_size, what, paid=Totals(group_size, self.currencies))

    monkeypatch.setattr(BudgetFilter, "new_ledger", forgetful)
    release = Rounded(release.mu, 12) if isinstance(release, Rounded) else release
    p, q, _ = leaves(BudgetFilter(budget), same_again(release), {1: 0}, {1: 1}, depth=3)
    with pytest.raises(AssertionError):
        check_private(budget, p, q)


def test_a_sum_that_adds_too_little_is_caught(monkeypatch):
    """The largest mu instead of the root of the sum of squares."""
    import privcheck.accounting._currencies as currencies

    monkeypatch.setattr("privcheck.accounting.accountants.gdp.MU", replace(currencies.MU, add=np.maximum))
    budget, release = TIGHT[3][0], Rounded(0.9, 12)
    p, q, _ = leaves(BudgetFilter(budget), same_again(release), {1: 0}, {1: 1}, depth=3)
    with pytest.raises(AssertionError):
        check_private(budget, p, q)


def test_a_sum_that_adds_mu_itself_would_waste_half_the_budget(monkeypatch):
    import privcheck.accounting._currencies as currencies

    monkeypatch.setattr("privcheck.accounting.accountants.gdp.MU", replace(currencies.MU, add=lambda a, b: a + b))
    p, _, _ = leaves(BudgetFilter(GaussianDP(1.0)), same_again(TIGHT[2][1]), {1: 0}, {1: 1}, depth=3)
    assert len(p) == 24, "only one release was made"


def test_set_aside_probabilities_that_are_not_added_are_caught(monkeypatch):
    monkeypatch.setattr("privcheck.accounting._budget_filter.DELTA", replace(Totals().currencies[3], add=np.maximum))
    budget = BudgetFilter(Approximate(1.0, 0.1), {})
    p, q, _ = leaves(budget, same_again(Told(0.06)), {1: 0}, {1: 1}, depth=3)
    with pytest.raises(AssertionError):
        check_private(budget.budget, p, q)


def test_set_aside_probabilities_and_shares_are_used_up_exactly():
    """All of delta can be told, and a share less of it if an accountant has it."""
    for accountants, allowed in (({}, 0.1), ({"gdp": 0.5}, 0.05), (None, 0.0)):
        found = BudgetFilter(Approximate(1.0, 0.1), accountants)
        p, q, _ = leaves(found, same_again(Told(0.05)), {1: 0}, {1: 1}, depth=3)
        assert hockey_stick(p, q, 1.0) == pytest.approx(1.0 - (1.0 - 0.05) ** round(allowed / 0.05), abs=1e-12)
        check_private(found.budget, p, q)


def test_an_event_that_is_set_aside_composes_with_what_is_charged():
    charge = Answer(0.5).charge + Told(0.05).charge + Charge(mu=0.1, rho=0.005)
    assert (charge.epsilon, charge.delta) == (math.inf, 0.05)
    assert charge.mu == pytest.approx(math.hypot(Charge(0.5).mu, 0.1))
