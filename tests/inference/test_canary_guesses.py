"""Lower limits from the guesses of one run: against linear programmes, exact laws and the closed form."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import linprog
from scipy.special import expit

from privcheck.errors import PrivcheckError
from privcheck.inference import _canary_guesses as canary_guesses
from privcheck.inference import (
    binomial_lower,
    gaussian_lower,
    independent_gaussian_lower,
    tradeoff_lower,
)
from privcheck.inference._canary_guesses import binomial_p_value


def largest_probability(correct, guesses, canaries, epsilon, delta):
    """The largest P(at least so many correct) of all laws of the number of correct guesses that keep, for every i,
    both inequalities of (epsilon, delta)-DP between right(i) and wrong(i - 1): a linear programme.
    """
    numbers = np.arange(guesses + 1)
    rows, sides = [], []
    for i in range(1, guesses + 1):
        right = np.where(numbers >= i, numbers / canaries, 0.0)
        wrong = np.where(numbers >= i - 1, (guesses - numbers) / canaries, 0.0)
        rows.append(right - math.exp(epsilon) * wrong)
        sides.append(delta)
        rows.append(math.exp(epsilon) * right - wrong)  # of the complements: 1 - wrong <= e^eps (1 - right) + delta
        sides.append(math.exp(epsilon) - 1.0 + delta)
    found = linprog(-(numbers >= correct).astype(float), A_ub=rows, b_ub=sides, A_eq=[np.ones(guesses + 1)], b_eq=[1.0])
    assert found.success
    return -found.fun


@pytest.mark.parametrize(("guesses", "canaries"), [(6, 6), (8, 20), (15, 15), (15, 40)])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 0.0), (1.0, 0.01), (2.0, 0.001), (0.0, 0.05)])
def test_a_claim_is_refuted_where_no_law_is_left(guesses, canaries, epsilon, delta):
    """The recursion against linear programmes over all laws of the number of correct guesses."""
    for correct in range(1, guesses + 1):
        most = largest_probability(correct, guesses, canaries, epsilon, delta)
        for level in (0.001, 0.05, 0.3):
            limit = tradeoff_lower(correct, guesses, canaries, level, delta)
            if most < level * (1.0 - 1e-6):
                assert limit > epsilon - 1e-5, (correct, level, most)
            elif most > level * (1.0 + 1e-6):
                assert limit < epsilon + 1e-5, (correct, level, most)


def exceeding(lower, guesses, chances, truth):
    """The probability, under the law of the number of correct guesses, that a limit exceeds the truth."""
    return sum(chance for correct, chance in enumerate(chances) if lower(correct) > truth)


@pytest.mark.parametrize("level", [0.05, 0.001])
@pytest.mark.parametrize("epsilon", [0.0, 1.0, 3.0])
@pytest.mark.parametrize(("guesses", "canaries"), [(50, 50), (30, 200)])
def test_randomised_response_is_not_overestimated_and_barely_underestimated(guesses, canaries, epsilon, level):
    """Its correct guesses are binomial, so the size is enumerated; a truth that is .5 smaller is exceeded often."""
    law = stats.binom(guesses, expit(epsilon))
    chances = law.pmf(np.arange(guesses + 1))
    for lower in (
        lambda correct: binomial_lower(correct, guesses, canaries, level),
        lambda correct: tradeoff_lower(correct, guesses, canaries, level),
    ):
        assert exceeding(lower, guesses, chances, epsilon) <= level
    closed = next(k for k in range(guesses + 2) if law.sf(k - 1) <= level)
    if closed <= guesses:
        assert binomial_lower(closed, guesses, canaries, level) == pytest.approx(epsilon, abs=0.25)


def revealing(guesses, epsilon, delta):
    """The law of correct guesses if all canaries are revealed with probability delta: (epsilon, delta)-DP for each."""
    chances = stats.binom.pmf(np.arange(guesses + 1), guesses, expit(epsilon)) * (1.0 - delta)
    chances[-1] += delta
    return chances


@pytest.mark.parametrize("delta", [0.01, 0.04])
def test_canaries_that_are_revealed_together_are_covered_by_delta(delta):
    """A limit for pure privacy, and one for independent canaries, exceed the truth with probability delta."""
    guesses, level = 60, 0.02
    for epsilon in (0.0, 0.5, 1.5):
        chances = revealing(guesses, epsilon, delta)
        for lower in (binomial_lower, tradeoff_lower):
            limits = [lower(correct, guesses, guesses, level, delta) for correct in range(guesses + 1)]
            assert exceeding(lambda correct, known=limits: known[correct], guesses, chances, epsilon) <= level
    pure = [binomial_lower(correct, guesses, guesses, level / 2) for correct in range(guesses + 1)]
    assert exceeding(lambda correct: pure[correct], guesses, revealing(guesses, 0.0, 0.04), 0.0) > level


def test_certain_guesses_of_pure_privacy_in_closed_form():
    for guesses, level in ((10, 0.05), (300, 0.001)):
        chance = level ** (1 / guesses)
        assert binomial_lower(guesses, guesses, 500, level) == pytest.approx(math.log(chance / (1 - chance)), abs=0.006)


def test_one_guess_of_one_canary_under_a_gaussian_trade_off():
    """P(correct) <= Phi(mu / 2): with one guess the recursion has one step, and the closed form is its solution."""
    for level in (0.5, 0.4):
        assert gaussian_lower(1, 1, 1, level) == 0.0
    law = stats.norm.cdf(1.0 / 2)
    assert independent_gaussian_lower(1, 1, 0.05) == 0.0
    many = 4000
    assert 0.9 < independent_gaussian_lower(round(law * many), many, 0.05) < 1.0
    assert 0.0 < gaussian_lower(round(law * many), many, many, 0.05) < 1.0


def test_limits_grow_with_correct_guesses_and_fall_with_delta_and_confidence():
    for lower in (binomial_lower, tradeoff_lower):
        by_correct = [lower(correct, 40, 100, 0.05, 1e-4) for correct in range(41)]
        assert by_correct == sorted(by_correct)
        assert by_correct[20] == 0.0
        assert by_correct[40] > 2.0
        by_delta = [lower(38, 40, 100, 0.05, delta) for delta in (0.0, 1e-5, 1e-3, 0.1)]
        assert by_delta == sorted(by_delta, reverse=True)
    mu = [gaussian_lower(correct, 40, 100, 0.05) for correct in range(41)]
    assert mu == sorted(mu)
    assert mu[40] < gaussian_lower(40, 40, 100, 0.4)


@pytest.mark.chance(0.0, "no random numbers")
@pytest.mark.parametrize("delta", [0.0, 1e-300, 1e-3])
@pytest.mark.parametrize(("correct", "guesses", "epsilon"), [(2300, 2331, 1.0), (14640, 14664, 3.0), (1178, 1214, 0.0)])
def test_tiny_p_values_are_not_below_the_exact_ones(correct, guesses, epsilon, delta):
    """scipy's survival function is 0 from about 1e-255 on."""
    chance = Fraction(float(expit(epsilon)))
    terms = (
        math.comb(guesses, k) * chance.numerator**k * (chance.denominator - chance.numerator) ** (guesses - k)
        for k in range(correct, guesses + 1)
    )
    exact = Fraction(sum(terms), chance.denominator**guesses)
    found = binomial_p_value(correct, guesses, guesses, epsilon, delta)
    assert exact <= Fraction(found)
    assert delta > 0.0 or found < 1e3 * exact


@pytest.mark.chance(0.0, "no random numbers")
def test_p_values_are_those_of_the_theorem_term_by_term():
    correct, guesses, canaries, epsilon, delta = 37, 45, 90, 1.0, 1e-3

    def tail(v):
        return float(stats.binom.sf(v - 1, guesses, expit(epsilon)))

    worst = max((tail(correct - i) - tail(correct)) / i for i in range(1, canaries + 1))
    expected = tail(correct) + 2 * canaries * delta * worst
    assert binomial_p_value(correct, guesses, canaries, epsilon, delta) == pytest.approx(min(1.0, expected), rel=1e-12)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ((3, 2, 5, 0.05), "correct"),
        ((1, 6, 5, 0.05), "guesses"),
        ((1, 2, 0, 0.05), "canaries"),
        ((1, 2, 5, 0.7), "level"),
    ],
)
def test_impossible_counts_are_refused(arguments, named):
    for lower in (canary_guesses.binomial_lower, canary_guesses.tradeoff_lower, canary_guesses.gaussian_lower):
        with pytest.raises(PrivcheckError, match=named):
            lower(*arguments)
