"""What the filter refuses under each notion, in one line, with nothing spent; and what it says is left."""

from __future__ import annotations

import math

import numpy as np
import pytest

from privcheck.accounting import (
    Approximate,
    BudgetExceededError,
    BudgetFilter,
    Charge,
    Concentrated,
    GaussianDP,
    Ledger,
    Pure,
    ReleaseRefusedError,
    accountant,
)
from privcheck.certifying import Session
from privcheck.errors import PrivcheckError
from privcheck.mechanisms import Laplace
from privcheck.mechanisms.base import Mechanism
from privcheck.privacy import relation

GAUSSIAN = Charge(rho=0.125, mu=0.5)
ALL = [Pure(1.0), Approximate(1.0, 1e-6), Concentrated(0.5), GaussianDP(1.0)]


def charged(budget_filter, *releases, group_size=1):
    ledger = budget_filter.new_ledger(group_size)
    for charges in releases:
        budget_filter.check(ledger, charges, "bandit.py:7")
        ledger.record(1, "laplace", 1.0, dict.fromkeys(charges, 1.0), charges, "bandit.py:7")
    return ledger


@pytest.mark.parametrize(
    ("budget", "charge", "said"),
    [
        (
            Pure(1.0), GAUSSIAN,
            "budget: got a release at bandit.py:7 without a bound on epsilon, expected one with a bound, for the "
            "budget epsilon = 1; use another mechanism, such as Laplace noise for a pure budget, or give a budget in "
            "the notion of this one",
        ),
        (Concentrated(0.5), Charge.total(math.inf, math.inf, math.inf), "without a bound on rho"),
        (GaussianDP(0.5), Charge(rho=0.1), "without a bound on mu"),
        (Approximate(0.5, 1e-6), Charge(rho=0.1), "without a bound on epsilon or mu"),
        *(
            (budget, Charge(0.1, delta=1e-9), "that sets aside delta = 1e-09, expected none under the budget")
            for budget in ALL
        ),
    ],
)  # fmt: skip
def test_what_no_budget_of_this_notion_pays_for(budget, charge, said):
    ledger = BudgetFilter(budget).new_ledger()
    with pytest.raises(ReleaseRefusedError) as caught:
        BudgetFilter(budget).check(ledger, {1: charge}, "bandit.py:7")
    assert said in str(caught.value)
    assert not isinstance(caught.value, BudgetExceededError)
    assert (ledger.releases, dict(ledger.paid)) == ([], {})


@pytest.mark.parametrize(
    ("budget", "accountants", "charge", "said"),
    [
        (
            Concentrated(0.5), None, Charge(rho=0.3),
            "budget: got a release at bandit.py:7 that takes the reward of round 1 to rho = 0.6, expected at most "
            "rho = 0.5 per datum; rho = 0.3 was charged before: release less often or with more noise",
        ),
        (GaussianDP(1.0), None, Charge(mu=0.8), "to mu = 1.13137, expected at most mu = 1 per datum; mu = 0.8 was"),
        (Approximate(1.0, 1e-6), None, Charge(0.6), "to epsilon = 1.2, expected at most epsilon = 1 at delta = 1e-06"),
        (Approximate(1.0, 1e-6), {"gdp": 0.5}, Charge(0.1, delta=3e-7), "to delta = 6e-07 set aside, expected at "),
    ],
)  # fmt: skip
def test_what_does_not_fit_any_more(budget, accountants, charge, said):
    found = BudgetFilter(budget, accountants)
    ledger = charged(found, {1: charge})
    with pytest.raises(BudgetExceededError) as caught:
        found.check(ledger, {1: charge, 2: charge}, "bandit.py:7")
    assert said in str(caught.value)
    assert len(ledger.releases) == len(ledger.paid) == 1
    found.check(ledger, {2: charge}, "bandit.py:7")


def test_what_is_left():
    for budget, charge, left in [
        (Pure(1.0), Charge(0.25), 0.75),
        (Concentrated(0.5), Charge(rho=0.2), 0.3),
        (GaussianDP(1.0), Charge(mu=0.6), 0.8),
        (Approximate(1.0, 1e-6), Charge(0.25), 0.75),
        (Approximate(1.0, 1e-6), Charge(mu=0.1), 1.0 - accountant("gdp").epsilon(Charge(mu=0.1), 1e-6)),
    ]:
        found = BudgetFilter(budget)
        ledger = charged(found, {1: charge}, {2: charge})
        assert found.left(found.new_ledger()) == pytest.approx(next(iter(vars(budget).values())))
        assert found.left(ledger) == pytest.approx(left)
    spent = charged(BudgetFilter(GaussianDP(1.0)), {1: Charge(mu=1.0 + 3e-10)})
    assert BudgetFilter(GaussianDP(1.0)).left(spent) == 0.0


def test_what_is_left_of_mu_fits():
    """Of a group as well, where mu itself adds up and not its square; and for numbers whose squares are not floats."""
    for mu, group_size, paid in [(2.0, 1, 0.5), (2.0, 2, 0.5), (3.0, 3, 0.25), (1e200, 1, 1e199), (1e-200, 1, 1e-201)]:
        found = BudgetFilter(GaussianDP(mu))
        ledger = charged(found, {1: Charge(mu=paid)}, {2: Charge(mu=paid)}, group_size=group_size)
        left = found.left(ledger)
        assert left > 0.0
        for datum in (1, 3):
            found.check(ledger, {datum: Charge(mu=left)}, "bandit.py:8")


def test_a_refusal_names_a_charge_beyond_every_use():
    found = BudgetFilter(Approximate(1.0, 1e-6))
    with pytest.raises(BudgetExceededError):
        found.check(found.new_ledger(), {1: Charge(mu=1e160)}, "bandit.py:7")


def test_many_gaussian_releases_fit_where_their_epsilons_would_not():
    budget = BudgetFilter(Approximate(1.0, 1e-6))
    mu = accountant("gdp").limit(budget.budget, 1.0) / math.sqrt(50.0)
    release = {1: Charge(mu=mu, rho=mu * mu / 2.0)}
    ledger = charged(budget, *[release] * 50)
    assert 50 * accountant("gdp").epsilon(release[1], 1e-6) > 5.0
    with pytest.raises(BudgetExceededError):
        budget.check(ledger, release, "bandit.py:7")


@pytest.mark.parametrize("budget", ALL)
def test_a_pure_release_pays_in_every_currency(budget):
    ledger = charged(BudgetFilter(budget), {1: Charge(0.2)}, {1: Charge(0.2)})
    total, exact = ledger.paid[1], Charge(0.2) + Charge(0.2)
    assert total.epsilon == 0.4
    assert total.rho >= exact.rho
    assert total.mu >= exact.mu
    kept = {"Pure": "epsilon", "Approximate": "mu", "Concentrated": "rho", "GaussianDP": "mu"}[type(budget).__name__]
    assert getattr(total, kept) == pytest.approx(getattr(exact, kept))


def test_only_what_the_budget_needs_is_kept():
    kept = {budget: [c.name for c in BudgetFilter(budget).currencies] for budget in ALL}
    assert list(kept.values()) == [["epsilon"], ["epsilon", "mu"], ["epsilon", "rho"], ["epsilon", "mu"]]
    orders = BudgetFilter(Approximate(1.0, 1e-6), {"rdp:8": 0.25, "zcdp": 0.5})
    assert [c.name for c in orders.currencies] == ["epsilon", "rdp:8", "rho", "delta"]
    with pytest.raises(PrivcheckError, match="ledger: got a ledger that does not add up rdp:8, expected one that does"):
        orders.check(Ledger(), {1: Charge(0.1)}, "bandit.py:7")


@pytest.mark.parametrize(("charge", "name"), [(Charge(0.1, delta=1e-9), "delta"), (Charge(0.1), "rdp:8")])
def test_groups_refuse_what_has_no_rule_for_groups(charge, name):
    found = BudgetFilter(Approximate(1.0, 1e-6), {"gdp": 0.5} if name == "delta" else {"rdp:8": 1.0})
    with pytest.raises(PrivcheckError, match=f"{name}: got a charge of {name} = .*, expected 0 when groups of data"):
        found.check(found.new_ledger(2), {1: charge}, "bandit.py:7")


@pytest.mark.parametrize(
    ("budget", "charge"),
    [(Pure(1.0), Charge(0.5)), (Concentrated(1.0), Charge(rho=0.25)), (GaussianDP(1.0), Charge(mu=0.5))],
)
def test_groups_add_epsilon_mu_and_the_root_of_rho(budget, charge):
    found = BudgetFilter(budget)
    ledger = charged(found, {1: charge, 2: charge}, group_size=2)
    assert found.left(ledger) == pytest.approx(0.0, abs=1e-6)
    with pytest.raises(BudgetExceededError):
        charged(found, {1: charge, 2: charge}, {3: charge + Charge(1e-3)}, group_size=2)


@pytest.mark.parametrize(
    ("budget", "charge"),
    [(Concentrated(1.0), Charge(rho=0.5)), (GaussianDP(1.0), Charge(mu=math.sqrt(0.5)))],
)
def test_groups_of_data_that_are_released_apart_add_rho_and_the_square_of_mu(budget, charge):
    found = BudgetFilter(budget)
    ledger = charged(found, {1: charge}, {2: charge}, {3: charge}, group_size=2)
    assert found.left(ledger) == pytest.approx(0.0, abs=1e-6)
    with pytest.raises(BudgetExceededError):
        charged(found, {1: charge}, {2: charge}, {3: charge + Charge(1e-3)}, group_size=2)
    with pytest.raises(BudgetExceededError):
        charged(found, {1: charge, 2: charge}, group_size=2)


class Noisy(Mechanism):
    """Gaussian noise, as a user would write it."""

    notion, sensitivity_norm, scale = "gaussian", "L2", 4.0

    def charge(self, sensitivity):
        mu = sensitivity / self.scale
        return Charge(rho=mu * mu / 2.0, mu=mu)

    def draw(self, value, rng, *, secure=False):
        return value + rng.normal(0.0, self.scale, np.shape(value))


class Misnamed(Laplace):
    notion = "zcdp"


class WithoutDelta(Noisy):
    """A mechanism that calls itself approximate, but whose `loss` says that it is pure."""

    notion = "approximate"

    def loss(self, sensitivity):
        return sensitivity / self.scale


def released(budget, mechanism, times=1, **options):
    session = Session(relation("row"), (0.0, 1.0), budget, np.random.default_rng(0), **options)
    reward = session.reward(0.5, 0)
    with session.active():
        for _ in range(times):
            mechanism.release(reward, None)
    return session


def test_a_session_takes_a_budget_in_any_notion():
    assert released(Concentrated(0.5), Noisy(), 16).ledger.total.rho == pytest.approx(0.5)
    assert released(GaussianDP(1.0), Noisy(), 16).ledger.total.mu == pytest.approx(1.0)
    session = released(Approximate(2.0, 1e-6), Noisy(), 2, accountants={"gdp": 0.5, "zcdp": 0.5})
    assert session.ledger.epsilon == math.inf
    assert session.ledger.worst_datum == 0
    assert session.expects_refusal is False
    with pytest.raises(BudgetExceededError, match=r"rho = 0\.53125, expected at most rho = 0\.5"):
        released(Concentrated(0.5), Noisy(), 17)


@pytest.mark.parametrize(
    ("budget", "mechanism", "said"),
    [
        (1.0, Noisy(), "without a bound on epsilon"),
        (Pure(1.0), Noisy(), "without a bound on epsilon"),
        (Concentrated(1.0), Misnamed.with_scale(2.0), "a mechanism of zcdp privacy that charges Charge.epsilon=0.5."),
        (None, Misnamed.with_scale(2.0), "expected a notion of privacy and a charge that agree"),
        (1.0, WithoutDelta(), "a mechanism of approximate privacy that charges no delta"),
        (Approximate(1.0, 1e-6), WithoutDelta(), "a mechanism of approximate privacy that charges no delta"),
    ],
)
def test_a_session_refuses_before_noise_is_drawn(budget, mechanism, said):
    noise = np.random.default_rng(0)
    session = Session(relation("row"), (0.0, 1.0), budget, noise)
    reward, before = session.reward(0.5, 0), noise.bit_generator.state
    with session.active(), pytest.raises(ReleaseRefusedError, match=said) as caught:
        mechanism.release(reward, None)
    assert session.refusals == [caught.value]
    assert (session.ledger.releases, len(session.ledger.paid), noise.bit_generator.state) == ([], 0, before)


def test_without_a_budget_every_notion_is_recorded():
    session = released(None, Noisy(), 4)
    session.round = 1
    with session.active():
        Laplace.with_scale(2.0).release(session.reward(0.5, 0), None)
    assert session.ledger.total.mu == pytest.approx(max(0.5, Charge(0.5).mu))
    assert (session.ledger.epsilon, session.ledger.worst_datum) == (math.inf, 1)
