"""Several accountants cost the sum of their shares: a game in which the best of them at full delta is not enough."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import norm

from privcheck.accounting import Approximate, BudgetExceededError, BudgetFilter, Charge, accountant, rho_of_pure
from privcheck.errors import PrivcheckError


def answer(odds):
    """Return P(answer | datum) of randomised response with epsilon = ln(odds), indexed [datum][answer]."""
    kept = Fraction(odds, odds + 1)
    return [[kept, 1 - kept], [1 - kept, kept]]


def told(delta):
    """Return the law of a mechanism that tells the datum with probability delta, and otherwise nothing."""
    return [[1 - delta, delta, 0], [1 - delta, 0, delta]]


def exact_delta(first, then, odds):
    """Return the smallest delta at epsilon = ln(odds) of a release, and another that its outcome selects."""
    leaves = [
        [first[datum][one] * then[one][datum][two] for one in range(2) for two in range(len(then[one][0]))]
        for datum in range(2)
    ]
    return max(
        sum(max(p - odds * q, Fraction(0)) for p, q in zip(leaves[a], leaves[1 - a], strict=True)) for a in range(2)
    )


FIRST, ODDS = answer(2), 7
BY_ANSWER = answer(4)
DELTA = Fraction(1, 15)
BY_TELLING = told(DELTA)


def test_the_minimum_over_exact_accountants_is_no_filter():
    """Each accountant knows the exact delta of one composition, and takes the other continuation for unbounded.

    After the answer 0 the policy asks again, after the answer 1 it has the datum told with probability delta. On
    either execution one accountant, which is exact, finds a delta of 1/15; the game has 4/45.
    """
    assert exact_delta(FIRST, [BY_ANSWER, BY_ANSWER], ODDS) == DELTA
    assert exact_delta(FIRST, [BY_TELLING, BY_TELLING], ODDS) == DELTA
    game = exact_delta(FIRST, [BY_ANSWER, BY_TELLING], ODDS)
    assert game == Fraction(4, 45)
    assert DELTA < game <= 2 * DELTA, "the sum of the shares covers it"


@pytest.mark.parametrize("odds", [Fraction(101, 100), 2, 5])
def test_how_far_the_game_goes(odds):
    """1 / (1 + e^epsilon_0) more than delta, up to one half."""
    target = odds * 3
    second = answer(odds * 4 - 1)
    delta = exact_delta(answer(odds), [second, second], target)
    game = exact_delta(answer(odds), [second, told(delta)], target)
    assert game == delta * (1 + Fraction(1, odds + 1))


# The shipped accountants "gdp" and "zcdp", each at full delta

EPSILON, DELTAS = 5.0, 0.1
FIRST_SHARE = 0.5
BUDGET = Approximate(EPSILON, DELTAS)


def rest_of_the_budget():
    """Return mu of the first release, and what may follow: mu by "gdp", or epsilon of an answer by "zcdp"."""
    mu, rho = (accountant(name).limit(BUDGET, 1.0) * (1.0 - 1e-12) for name in ("gdp", "zcdp"))
    first = FIRST_SHARE * mu
    left = rho - first**2 / 2.0
    epsilon = brentq(lambda epsilon: rho_of_pure(epsilon) - left, 1e-9, 50.0) * (1.0 - 1e-12)
    return first, math.sqrt(mu**2 - first**2) * (1.0 - 1e-12), epsilon


def gaussian_delta(epsilon, mu):
    return norm.cdf(mu / 2.0 - epsilon / mu) - np.exp(epsilon) * norm.cdf(-mu / 2.0 - epsilon / mu)


def answer_delta(epsilon, of):
    kept = 1.0 / (1.0 + math.exp(-of))
    other = 1.0 - kept
    return np.maximum(kept - np.exp(epsilon) * other, 0.0) + np.maximum(other - np.exp(epsilon) * kept, 0.0)


def game_of_shipped_accountants():
    """Return the exact delta if the outcome of a Gaussian release selects what follows, and if a Gaussian always does.

    By the trapezoidal rule, whose error for such an integrand is far below 1e-6 of the result.
    """
    first, gaussian, epsilon = rest_of_the_budget()
    y, step = np.linspace(-12.0, 12.0, 100_001, retstep=True)
    left = EPSILON - (first * y + first**2 / 2.0)
    weights = norm.pdf(y) * step
    always = gaussian_delta(left, gaussian)
    return [float(np.sum(weights * law)) for law in (np.maximum(always, answer_delta(left, epsilon)), always)]


def charges():
    first, gaussian, epsilon = rest_of_the_budget()
    return [{1: charge} for charge in (normal(first), normal(gaussian), Charge(epsilon))]


def normal(mu):
    return Charge(rho=mu * mu / 2.0, mu=mu)


class NaiveFilter(BudgetFilter):
    """The broken twin: every accountant has all of delta."""

    set_aside = 0.0

    def _check_shares(self):
        pass


def passes(budget_filter, *releases):
    ledger = budget_filter.new_ledger()
    for release in releases:
        try:
            budget_filter.check(ledger, release, "game.py:1")
        except BudgetExceededError:
            return False
        ledger.record(1, "game", 1.0, dict.fromkeys(release, 1.0), release, "game.py:1")
    return True


def test_such_a_game_exists_for_the_shipped_accountants():
    """A Gaussian release, then another one or randomised response, whichever shows more of what is left."""
    first, gaussian, answered = charges()
    for name, second in (("gdp", gaussian), ("zcdp", answered)):
        assert passes(BudgetFilter(BUDGET, {name: 1.0}), first, second)
        assert not passes(BudgetFilter(BUDGET, {"gdp": 0.5, "zcdp": 0.5}), first, second)
    assert not passes(BudgetFilter(BUDGET, {"gdp": 1.0}), first, answered)
    assert not passes(BudgetFilter(BUDGET, {"zcdp": 1.0}), first, gaussian)
    game, honest = game_of_shipped_accountants()
    assert honest == pytest.approx(DELTAS, rel=1e-6), "one accountant alone keeps the budget, just"
    assert game > DELTAS * (1.0 + 2e-4)


def test_the_naive_filter_lets_the_game_pass():
    naive = NaiveFilter(BUDGET, {"gdp": 1.0, "zcdp": 1.0})
    first, gaussian, answered = charges()
    assert passes(naive, first, gaussian)
    assert passes(naive, first, answered)
    with pytest.raises(PrivcheckError, match="shares that add up to 2, expected at most 1"):
        BudgetFilter(BUDGET, {"gdp": 1.0, "zcdp": 1.0})


def test_data_may_be_accepted_by_different_accountants():
    """The proof is for one datum at a time."""
    found = BudgetFilter(BUDGET, {"gdp": 0.5, "zcdp": 0.5})
    mu = accountant("gdp").limit(BUDGET, 0.5)
    rho = accountant("zcdp").limit(BUDGET, 0.5)
    only_gaussian, only_concentrated = Charge(mu=mu, rho=2.0 * rho), Charge(mu=2.0 * mu, rho=rho)
    assert passes(found, {1: only_gaussian, 2: only_concentrated})
    assert not passes(found, {1: only_gaussian + only_concentrated})
    assert not passes(found, {1: only_gaussian}, {1: only_concentrated})
