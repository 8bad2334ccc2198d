"""`calibrate` is the inverse of `Plan.at_delta`, for every mechanism with a budget."""

from __future__ import annotations

import math

import pytest

from privcheck.accounting import Approximate, BudgetFilter, Plan, taking_part
from privcheck.errors import PrivcheckError
from privcheck.mechanisms import planned

EPSILON, DELTA = 1.0, 1e-6
BUDGETS = {
    "pure": ({"epsilon": EPSILON}, None),
    "approximate": ({"epsilon": EPSILON, "delta": DELTA}, None),
    "by zcdp": ({"epsilon": EPSILON, "delta": DELTA}, {"zcdp": 1.0}),
    "by rdp": ({"epsilon": EPSILON, "delta": DELTA}, {"rdp:20": 1.0}),
    "rho": ({"rho": 0.1}, None),
    "mu": ({"mu": 0.5}, None),
}


def spent(plan: Plan, given: dict, accountants) -> tuple[float, float]:
    """What a plan costs in the notion of a budget, by the accountants of its filter, and what the budget allows."""
    if "delta" not in given:
        name = next(iter(given))
        return getattr(plan.total, name), given[name]
    budget = BudgetFilter(Approximate(EPSILON, DELTA), accountants)
    found = []
    for by, share in taking_part(budget):
        amount = sum(by.needs(release.charge.with_pairs(release.pairs)) * release.count for release in plan.releases)
        amount = amount if by.currency.name.startswith("rdp") else by.needs(plan.total)
        found.append(by.epsilon_of(amount, share * DELTA))
    return min(found), EPSILON


def can_be_calibrated(case, budget) -> bool:
    """Whether the noise bounds a number that the accountants of this budget add up."""
    charge = case.declare().charge(1.0)
    bounds = {"pure": charge.epsilon, "rho": charge.rho, "mu": charge.mu}
    least = bounds.get(budget, min(charge.epsilon, charge.mu if budget == "approximate" else charge.rho))
    return math.isfinite(least)


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("releases", [1, 50])
def test_calibrate_and_account_are_inverse(case, budget, releases):
    given, accountants = BUDGETS[budget]
    stated = {case.mechanism.sensitivity_name: 1.0} if case.mechanism.sensitivity_name == "score_range" else {}
    given_too = {"releases": releases, "accountants": accountants} | stated | case.options
    if not can_be_calibrated(case, budget):
        with pytest.raises(PrivcheckError, match=r"^(budget|mechanism): got"):
            case.mechanism.calibrate(**given, **given_too)
        return
    mechanism = case.mechanism.calibrate(**given, **given_too)
    plan = Plan([planned(mechanism, 1.0, releases)])
    amount, allowed = spent(plan, given, accountants)
    limit = getattr(mechanism, "epsilon", 0.0) == 20.0
    assert amount <= allowed * (1.0 + 1e-9)
    assert amount >= allowed * (1.0 - 1e-6) or limit
    if "delta" in given:
        account = plan.at_delta(DELTA)
        assert account.epsilon <= EPSILON * (1.0 + 1e-9)
        assert account.reason


def test_half_the_noise_is_seen(cases):
    """The broken twin: a mechanism that was calibrated for half of the releases costs more than its budget."""
    for case in cases.values():
        if case.mechanism.sensitivity_name == "score_range" or not math.isfinite(case.declare().charge(1.0).epsilon):
            continue
        mechanism = case.mechanism.calibrate(epsilon=EPSILON, delta=DELTA, releases=25, **case.options)
        plan = Plan([planned(mechanism, 1.0, 50)])
        assert spent(plan, {"epsilon": EPSILON, "delta": DELTA}, None)[0] > EPSILON * 1.2
