"""What is said about bad input: what, got, expected and what to do, in one line."""

import math

import numpy as np
import pytest

from privcheck.accounting import (
    Approximate,
    BudgetFilter,
    Charge,
    GaussianDP,
    Ledger,
    Plan,
    PlannedRelease,
    Pure,
    accountant,
    convert,
)
from privcheck.errors import PrivcheckError
from privcheck.mechanisms import BinaryTree, DiscreteLaplace, Gaussian, Laplace

BUDGET = Approximate(1.0, 1e-6)
GIVEN = {"epsilon": 1.0, "delta": 1e-6}
SHARES = "one of gdp, pure, rdp, zcdp"
SAID = {
    "no budget": (lambda: Gaussian.calibrate(), "budget: got nothing", "calibrate(epsilon=1, delta=1e-06)"),
    "epsilon alone": (lambda: Gaussian.calibrate(epsilon=1.0), "whose noise bounds rho and mu", "give delta with"),
    "delta 0": (lambda: Gaussian.calibrate(epsilon=1.0, delta=0.0), "got epsilon = 1 for", "give delta with epsilon"),
    "delta alone": (lambda: Gaussian.calibrate(delta=1e-6), "got delta = 1e-06 without epsilon", "only epsilon"),
    "two notions": (lambda: Gaussian.calibrate(epsilon=1.0, rho=1.0), "got epsilon and rho", "in one notion"),
    "delta with mu": (lambda: Gaussian.calibrate(mu=1.0, delta=1e-6), "delta = 1e-06 with mu", "only epsilon"),
    "no share": (lambda: Gaussian.calibrate(**GIVEN, accountants={"gdp": 0.0}), "at delta = 1e-06", "a share of it"),
    "beyond floats": (lambda: Laplace.calibrate(mu=1e-200), "got mu = 1e-200", "floating-point numbers"),
    "pld": (lambda: BudgetFilter(BUDGET, {"pld": 1.0}), f"'pld', expected {SHARES}", "privcheck account"),
    "names": (lambda: BudgetFilter(BUDGET, ["gdp"]), "got ['gdp'], expected shares", "as in {'gdp': 0.5"),
    "name of no type": (lambda: BudgetFilter(BUDGET, {3: 1.0}), f"got 3, expected {SHARES}", "'rdp:8'"),
    "misspelt": (lambda: accountant("zcpd"), f"got 'zcpd', expected {SHARES}", "did you mean 'zcdp'"),
    "unlike any": (lambda: accountant("moments"), "got 'moments'", "such as 'gdp' or 'rdp:8'"),
    "order 1": (lambda: accountant("rdp:1"), "order: got 1.0, expected a number in (1, 1e+06]", "as in 'rdp:8'"),
    "above delta": (lambda: BudgetFilter(BUDGET, {"gdp": 0.7, "zcdp": 0.7}), "to 1.4, expected at most 1", "share"),
    "barely above": (
        lambda: BudgetFilter(BUDGET, {f"rdp:{order}": 0.1 for order in range(2, 12)}), "to just above 1", "share",
    ),
    "one twice": (lambda: BudgetFilter(BUDGET, {"rdp:8": 0.5, "rdp:8.0": 0.5}), "one share of rdp:8", "add them"),
    "share nan": (lambda: BudgetFilter(BUDGET, {"gdp": math.nan}), "share of gdp: got nan", "a share of delta"),
    "no charge": (
        lambda: BudgetFilter(GaussianDP(1.0)).check(Ledger(), {1: 0.5}, "a.py:1"), "charge: got 0.5", "return Charge",
    ),
    "empty charge": (Charge, "charge: got nothing, expected epsilon, rho or mu", "for example Charge(0.5)"),
    "a plan of a number": (lambda: Plan(3), "releases: got 3, expected at least one PlannedRelease", "planned"),
    "a plan of charges": (
        lambda: Plan([PlannedRelease(Charge(0.5)), Charge(0.5)]), "releases: got Charge(epsilon=0.5)", "planned",
    ),
    "delta 1": (lambda: Approximate(1.0, 1.0), "delta: got 1.0, expected a number in [0, 1)", "far below one"),
    "mu infinite": (lambda: GaussianDP(math.inf), "mu: got inf", "such as 0.5"),
    "epsilon nan": (lambda: Pure(math.nan), "epsilon: got nan", "such as 1.0"),
    "delta below": (lambda: convert(BUDGET, Approximate, delta=1e-7), "of the guarantee, 1e-06", "no"),
    "half an integer": (lambda: DiscreteLaplace.calibrate(epsilon=1, sensitivity=0.5), "sensitivity: got 0.5", "give"),
    "beyond the horizon": (
        lambda: BinaryTree(sensitivity=1.0, epsilon=1.0, horizon=2).draw([1.0] * 3, np.random.default_rng(0)),
        "got 3", "horizon",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SAID)
def test_what_was_got_and_what_to_do(name):
    call, got, hint = SAID[name]
    with pytest.raises(PrivcheckError) as caught:
        call()
    text = str(caught.value)
    assert "\n" not in text
    assert ": got " in text
    assert ", expected " in text
    assert got in text
    assert hint in text.rpartition(", expected ")[2]
    assert "1e-6" not in text
