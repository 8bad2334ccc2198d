"""Canaries whose coins are not fair: exact laws of correct guesses, and the largest probability of a right guess."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit, ndtr, ndtri

from privcheck.inference import _canary_guesses as canary_guesses
from privcheck.inference import (
    binomial_lower,
    coin_p_value,
    even_lower,
    gaussian_lower,
    independent_gaussian_lower,
    largest_bias,
    tradeoff_lower,
    unfixed_lower,
)

COINS = (0.5, 0.53, 0.6, 0.75, 0.9, 0.99)


def correct_guesses(guesses_in, guesses_out, q, epsilon):
    """The law of the number of correct guesses if each is right as often as epsilon allows for this coin."""
    odds = math.log(q / (1.0 - q))
    one = stats.binom.pmf(np.arange(guesses_in + 1), guesses_in, expit(epsilon + odds))
    two = stats.binom.pmf(np.arange(guesses_out + 1), guesses_out, expit(epsilon - odds))
    return np.convolve(one, two)


def exceeding(lower, law, truth):
    """The probability of a limit above the truth; limits rise with the number of correct guesses."""
    first = next((correct for correct in range(len(law)) if lower(correct) > truth), len(law))
    return float(law[first:].sum())


@pytest.mark.parametrize("q", COINS)
@pytest.mark.parametrize("level", [0.3, 0.05, 0.001])
@pytest.mark.parametrize("epsilon", [0.0, 0.5, 2.0])
def test_as_many_guesses_of_one_kind_as_of_the_other_hold_for_every_coin(q, level, epsilon):
    for each in (4, 10, 60):
        law = correct_guesses(each, each, q, epsilon)
        assert exceeding(lambda correct, n=2 * each: even_lower(correct, n, level), law, epsilon) <= level


def test_guesses_of_one_kind_do_not():
    """Of noise, with a coin of .6: guesses "in" alone are right too often."""
    for level in (0.05, 0.001):
        law = correct_guesses(120, 0, 0.6, 0.0)
        assert exceeding(lambda correct, level=level: even_lower(correct, 120, level), law, 0.0) > 2.0 * level


@pytest.mark.parametrize("q", COINS)
@pytest.mark.parametrize("delta", [0.0, 1e-3])
def test_a_known_bias_is_taken_off(q, delta):
    """Guesses "in" alone, the likelier side, about a tenth of the canaries; all of them cannot be right so often."""
    odds, level, guesses, canaries = math.log(q / (1.0 - q)), 0.05, 40, 400
    for epsilon in (0.0, 1.0):
        law = correct_guesses(guesses, 0, q, epsilon)
        for lower in (binomial_lower, tradeoff_lower, unfixed_lower):
            limits = [lower(correct, guesses, canaries, level, delta, bias=odds) for correct in range(guesses + 1)]
            assert exceeding(lambda correct, found=limits: found[correct], law, epsilon) <= level
            assert odds == 0.0 or limits[-1] < lower(guesses, guesses, canaries, level, delta)


@pytest.mark.parametrize("q", COINS)
@pytest.mark.parametrize("level", [0.05, 0.001])
def test_the_limit_of_the_bias_is_exceeded_as_rarely_as_it_says(q, level):
    canaries = 80
    law = stats.binom.pmf(np.arange(canaries + 1), canaries, q)
    for coin in (q, 1.0 - q):
        below = [largest_bias(k, canaries, level) < abs(math.log(coin / (1.0 - coin))) for k in range(canaries + 1)]
        chance = law if coin == q else law[::-1]
        assert float(chance @ below) <= level


@pytest.mark.chance(0.0, "sizes are enumerated")
def test_the_test_of_coins_is_exact():
    for q in (0.5, 0.3, 0.01):
        found = np.array([coin_p_value(k, 50, q) for k in range(51)])
        law = stats.binom.pmf(np.arange(51), 50, q)
        for level in (0.05, 1e-3, 1e-6):
            assert float(law[found <= level].sum()) <= level


def least_of(lower, claim, *arguments):
    """The function that a limit tests claims with: the least chance of a wrong guess, given that of a right one."""
    caught = {}

    def catch(correct, guesses, canaries, level, least):
        caught["least"] = least
        return 0.0

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(canary_guesses, "_last_refuted", catch)
        lower(5, 6, 7, 0.05, *arguments)
    of_claim = caught["least"](np.array([[claim]]))
    return lambda chance: float(of_claim(np.array([[chance]]))[0, 0])


@pytest.mark.parametrize("odds", [0.0, 0.1, 0.3, 1.0, 3.0])
@pytest.mark.parametrize("claim", [0.3, 1.0, 2.0])
def test_the_chance_of_a_wrong_guess_is_the_least_over_both_sides_of_a_coin(odds, claim):
    """Against a search over how the chance of a wrong guess is divided between guesses "in" and "out"."""
    q, delta = expit(odds), 0.01

    def approximate(x):
        return np.clip(np.minimum(np.exp(claim) * x + delta, 1.0 - np.exp(-claim) * (1.0 - delta - x)), 0.0, 1.0)

    families = [
        (lambda x: ndtr(ndtri(x) + claim), least_of(gaussian_lower, claim, odds), 2e-3),
        (approximate, least_of(tradeoff_lower, claim, delta, odds), 1e-4),
    ]
    for tradeoff, least, slack in families:
        for wrong in (0.001, 0.01, 0.1, 0.3):
            one = np.linspace(max(0.0, wrong - q), min(wrong, 1.0 - q), 4001)
            right = (q * tradeoff(one / (1.0 - q)) + (1.0 - q) * tradeoff((wrong - one) / q)).max()
            assert least(right) <= wrong + 1e-9, "a claim would be refuted that holds"
            assert least(right) >= wrong - slack


@pytest.mark.parametrize(("correct", "guesses", "canaries"), [(80, 100, 100), (95, 100, 1000), (60, 60, 1000)])
def test_tangents_lose_little_of_the_gaussian_curve(correct, guesses, canaries):
    def curve(claims):
        return lambda chance: np.asarray(ndtr(ndtri(chance) - claims))

    for level in (0.05, 0.001):
        exact = canary_guesses._last_refuted(correct, guesses, canaries, level, curve)
        assert exact - 2e-3 < gaussian_lower(correct, guesses, canaries, level) <= exact + 1e-5


def test_a_biased_coin_makes_the_best_test_right_more_often():
    """mu = 1 and q = .7: the threshold that is right most often, found by trying."""
    q, mu = 0.7, 1.0
    at = np.linspace(-6.0, 6.0, 100_001)
    best = (q * ndtr(mu - at) + (1.0 - q) * ndtr(at)).max()
    many = 1_000_000
    odds = math.log(q / (1.0 - q))
    found = independent_gaussian_lower(round(best * many), many, 0.4, odds)
    assert mu - 0.01 < found < mu + 1e-3
    assert independent_gaussian_lower(round(best * many), many, 0.4) > 1.2
    assert independent_gaussian_lower(round(q * many), many, 0.4, odds) == 0.0
