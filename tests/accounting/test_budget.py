"""A budget is given in one notion, positive and finite, or refused in one line."""

from __future__ import annotations

import math

import pytest

from privcheck.accounting import Approximate, BudgetFilter, Concentrated, GaussianDP, Pure, budget_of
from privcheck.errors import PrivcheckError


@pytest.mark.parametrize(
    ("given", "budget"),
    [
        ({}, None),
        ({"delta": 0.0}, None),
        ({"epsilon": 1}, Pure(1.0)),
        ({"epsilon": 0.5, "delta": 0.0}, Pure(0.5)),
        ({"epsilon": 0.5, "delta": 1e-6}, Approximate(0.5, 1e-6)),
        ({"rho": 0.5}, Concentrated(0.5)),
        ({"rho": 0.5, "delta": 0.0}, Concentrated(0.5)),
        ({"mu": 2.0}, GaussianDP(2.0)),
    ],
)
def test_numbers_make_a_budget(given, budget):
    assert budget_of(**given) == budget
    assert budget is None or BudgetFilter(budget).budget == budget


@pytest.mark.parametrize(
    ("given", "parameter", "said"),
    [
        ({"delta": 1e-6}, "delta", "delta = 1e-06 without epsilon"),
        ({"delta": 1e-6, "rho": 0.5}, "delta", "delta = 1e-06 with rho"),
        ({"delta": 1e-6, "mu": 0.5}, "delta", "delta = 1e-06 with mu"),
        ({"epsilon": 1.0, "rho": 0.5}, "budget", "epsilon and rho"),
        ({"epsilon": 1.0, "mu": 0.5, "rho": 0.5}, "budget", "epsilon and rho and mu"),
        *(
            ({name: value}, name, "expected a finite number above 0; a privacy budget is positive")
            for name in ("epsilon", "rho", "mu")
            for value in (0.0, -1.0, math.nan, math.inf, True, "-1", "one")
        ),
        *(
            ({name: "1"}, name, "expected a finite number above 0; write the number without quotation marks")
            for name in ("epsilon", "rho", "mu")
        ),
        *(
            ({"epsilon": 1.0, "delta": value}, "delta", "expected a number in [0, 1)")
            for value in (1.0, -0.1, math.nan)
        ),
        ({"epsilon": 0.0, "delta": 0.5}, "epsilon", "above 0"),
    ],
)
def test_what_is_no_budget_is_refused(given, parameter, said):
    with pytest.raises(PrivcheckError) as caught:
        budget_of(**given)
    assert caught.value.parameter == parameter
    assert said in str(caught.value)


@pytest.mark.parametrize("budget", [Pure(0.0), Approximate(0.0, 0.5), Concentrated(0.0), GaussianDP(0.0), "one", None])
def test_a_filter_needs_a_positive_budget(budget):
    with pytest.raises(PrivcheckError, match="expected a finite number above 0; a privacy budget is positive"):
        BudgetFilter(budget)


HALVES = {"gdp": 0.5, "zcdp": 0.5}


@pytest.mark.parametrize(
    ("budget", "accountants", "said"),
    [
        (1.0, HALVES, "accountants: got .*, expected none for a budget without delta"),
        (Concentrated(1.0), {}, "accountants: got {}, expected none"),
        (GaussianDP(1.0), {"gdp": 1.0}, "expected none for a budget without delta"),
        (Approximate(1.0, 0.1), {"pld": 1.0}, "accountant: got 'pld', expected one of gdp, pure, rdp, zcdp"),
        (Approximate(1.0, 0.1), {"rdp": 1.0}, "accountant: got 'rdp', expected rdp with its order, such as 'rdp:8'"),
        (Approximate(1.0, 0.1), {"rdp:x": 1.0}, "accountant: got 'rdp:x', expected rdp with its order"),
        (Approximate(1.0, 0.1), {"rdp:1": 1.0}, "order: got 1.0"),
        (Approximate(1.0, 0.1), {"gdp:2": 1.0}, "accountant: got 'gdp:2', expected gdp; only rdp has an order"),
        (Approximate(1.0, 0.1), {"pure": 0.5}, "share of pure: got 0.5, expected 0"),
        (Approximate(1.0, 0.1), {"gdp": 0.75, "zcdp": 0.5}, "accountants: got shares that add up to 1.25"),
        (Approximate(1.0, 0.1), {"gdp": 0.5, "zcdp": math.nextafter(0.5, 1.0)}, "expected at most 1"),
        (Approximate(1.0, 0.1), {"gdp": -0.5, "zcdp": 0.5}, "share of gdp: got -0.5"),
        (Approximate(1.0, 0.1), {"gdp": math.nan}, "share of gdp: got nan"),
    ],
)
def test_shares_that_do_not_fit_are_refused(budget, accountants, said):
    with pytest.raises(PrivcheckError, match=said):
        BudgetFilter(budget, accountants)


@pytest.mark.parametrize("accountants", [None, {}, HALVES, {"gdp": 0.5, "rdp:8": 0.25}, {"pure": 0.0, "gdp": 1.0}])
def test_what_is_not_shared_out_may_be_set_aside(accountants):
    found = BudgetFilter(Approximate(1.0, 0.1), accountants)
    assert found.shares == ({"gdp": 1.0} if accountants is None else accountants)
    assert found.set_aside == 0.1 * (1.0 - sum(found.shares.values()))


def test_what_may_be_set_aside_is_rounded_down():
    from fractions import Fraction

    for share in (0.1, 0.3, 0.7, 1.0 / 3.0, 0.9999999):
        found = BudgetFilter(Approximate(1.0, 0.1), {"gdp": share})
        assert Fraction(found.set_aside) + Fraction(share) * Fraction(0.1) <= Fraction(0.1)
        assert found.set_aside > 0.1 * (1.0 - share) * (1.0 - 1e-8)
