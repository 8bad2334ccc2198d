"""`privcheck.one_run`: what may not tell the coins, how good the bounds are, and bad input."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import stats

import privcheck
from privcheck import PrivcheckError
from privcheck.accounting import epsilon_of
from privcheck.inference import (
    gaussian_lower,
    independent_gaussian_lower,
)
from privcheck.inference._canary_guesses import binomial_p_value


def gaussian_run(mu, seed, canaries=1000):
    """Independent canaries, each with Gaussian noise: mu-GDP for each."""
    rng = np.random.default_rng(seed)
    included = rng.random(canaries) < 0.5
    return mu * included + rng.normal(size=canaries), included


def test_equal_scores_tell_nothing_even_if_the_included_come_first():
    found = privcheck.one_run(np.zeros(400), np.arange(400) < 200)
    assert found.epsilon_lower == 0.0
    assert found.even
    assert abs(found.correct / found.guesses - 0.5) < 0.25


def test_the_order_of_canaries_does_not_matter():
    scores, included = gaussian_run(2.0, 1)
    order = np.argsort(scores)
    one, two = privcheck.one_run(scores, included), privcheck.one_run(scores[order], included[order])
    assert one == two


@pytest.mark.chance(1e-6, "a count of limits above the truth, against its binomial quantile")
@pytest.mark.parametrize("mu", [1.0, 2.0, 3.0])
def test_most_of_epsilon_is_found_in_one_run_of_independent_canaries(mu):
    """The median over 20 fixed seeds, of 1000 canaries, of epsilon at delta 1e-5."""
    shares, limits = [], []
    for seed in range(20):
        found = privcheck.one_run(*gaussian_run(mu, seed), delta=1e-5, independent=True, guesses=300)
        shares.append(found.epsilon_if_gaussian / epsilon_of(mu, 1e-5))
        limits.append(found)
    assert np.median(shares) >= 0.7
    assert sum(found.epsilon_lower > epsilon_of(mu, 1e-5) for found in limits) <= stats.binom.isf(1e-6, 20, 0.05)


@pytest.mark.chance(1e-6, "a count of limits above the truth, against its binomial quantile")
@pytest.mark.parametrize("independent", [False, True])
def test_the_truth_is_rarely_exceeded(independent):
    """200 runs at confidence .95, of which a correct limit exceeds the truth in at most .05."""
    limits = [
        privcheck.one_run(*gaussian_run(1.0, seed, 100), independent=independent, guesses=100).mu_lower
        for seed in range(1000, 1200)
    ]
    assert sum(limit > 1.0 for limit in limits) <= stats.binom.isf(1e-6, 200, 0.05)
    assert not independent or max(limits) > 0.8, "one limit in eight is: a limit that never comes near wastes its level"


@pytest.mark.chance(1e-7, "medians of 20 runs: 294 of 300 others have a bound above 1.5, and at most 68 guesses")
def test_few_canaries_that_are_given_away_are_found_by_learning():
    """Each included canary is named with probability .05, others e^4 times as rarely: medians over 20 fixed seeds."""
    learned, fixed = [], []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        included = rng.random(2000) < 0.5
        named = rng.random(2000) < np.where(included, 0.05, 0.05 * np.exp(-4.0))
        learned.append(privcheck.one_run(named, included, delta=1e-5))
        fixed.append(privcheck.one_run(named, included, delta=1e-5, guesses=1000).epsilon_lower)
    assert np.median([found.epsilon_lower for found in learned]) > 1.5 > 0.5 > np.median(fixed)
    assert np.median([found.learned for found in learned]) == 1.0
    assert np.median([found.guesses for found in learned]) < 200


@pytest.mark.chance(1e-6, "one verdict on a true claim at this error")
def test_a_false_claim_of_pure_privacy_is_refuted_and_a_true_one_is_not():
    rng = np.random.default_rng(3)
    included = rng.random(3000) < 0.5
    told = np.where(rng.random(3000) < np.exp(1.0) / (1.0 + np.exp(1.0)), included, ~included)  # epsilon is 1
    verdicts = [privcheck.one_run(told, included, epsilon=claim, error=1e-6).verdict for claim in (0.5, 1.0)]
    assert verdicts == ["violation", "not refuted"]
    assert privcheck.one_run(told, included, epsilon=0.5, method="steinke").verdict == "violation"
    assert privcheck.one_run(told, included).verdict is None


def test_the_result_in_words_and_as_json():
    found = privcheck.one_run(*gaussian_run(3.0, 5), delta=1e-5, epsilon=1.0, independent=True)
    assert "the claim epsilon = 1 at delta = 1e-05 is refuted" in str(found)
    assert "Provided that each canary was included by a coin of its own" in str(found)
    assert f"{found.included} of 1000 were, p-value" in str(found)
    assert "given the coins, scores are independent of each other" in str(found)
    stored = json.loads(found.to_json())
    assert (stored["verdict"], stored["canaries"]) == ("violation", 1000)
    assert "the number of guesses" not in str(found)
    given = privcheck.one_run(*gaussian_run(3.0, 5), guesses=100)
    assert "that the number of guesses was fixed without looking at the coins" in str(given)
    steinke = str(privcheck.one_run(*gaussian_run(3.0, 5), method="steinke"))
    assert "for fair coins" in steinke
    assert "given the coins" not in steinke


@pytest.mark.parametrize(
    ("scores", "included", "options", "named"),
    [
        (np.zeros(30), np.zeros(29), {}, "one for each of the 30 scores"),
        (np.zeros(19), np.zeros(19), {}, "at least 20"),
        (np.full(30, np.nan), np.zeros(30), {}, "none NaN"),
        (np.zeros((30, 2)), np.zeros(30), {}, "scores: got an array of shape"),
        (["a"] * 30, np.zeros(30), {}, "scores: got something other than numbers"),
        (np.zeros(30), np.full(30, 0.5), {}, "included: got something other than coins"),
        (np.zeros(30), ["yes"] * 30, {}, "included"),
        (np.zeros(30), np.zeros(30), {"guesses": 31}, "guesses"),
        (np.zeros(30), np.zeros(30), {"guesses": (0, 0)}, "guesses"),
        (np.zeros(30), np.zeros(30), {"guesses": (20, 20)}, "guesses"),
        (np.zeros(30), np.zeros(30), {"guesses": (1, 2, 3)}, "guesses"),
        (np.zeros(30), np.zeros(30), {"guesses": "many"}, "guesses"),
        (np.zeros(30), np.zeros(30), {"method": "canary"}, "method"),
        (np.zeros(30), np.zeros(30), {"delta": 1.0}, "delta"),
        (np.zeros(30), np.zeros(30), {"epsilon": -1.0}, "epsilon"),
        (np.zeros(30), np.zeros(30), {"confidence": 0.3}, "confidence"),
        (np.zeros(30), np.zeros(30), {"error": 0.9}, "error"),
        (np.zeros(30), np.zeros(30), {"coins": "unfair"}, "coins"),
        (np.zeros(30), np.zeros(30), {"inclusion": 0.0}, "inclusion: got 0.0, expected a number in (0, 1)"),
        (np.zeros(30), np.zeros(30), {"inclusion": 1.0}, "inclusion"),
        (np.zeros(30), np.zeros(30), {"inclusion": 0.3, "coins": "fair"}, "inclusion: got 0.3, expected 0.5"),
        (np.zeros(30), np.zeros(30), {"guesses": (8, 4)}, "as many guesses of one kind as of the other"),
        (np.zeros(30), np.zeros(30), {"guesses": 1}, "guesses"),
        (np.zeros(30), np.zeros(30), {}, "included: got 0 of 30 canaries, for fair coins (p-value 2e-09)"),
    ],
)
def test_bad_input_is_refused_in_one_line(scores, included, options, named):
    with pytest.raises(PrivcheckError) as raised:
        privcheck.one_run(scores, included, **options)
    assert named in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("scores", "coins"),
    [
        ([10**400] * 40, [True, False] * 20),
        (["1", "2"] * 20, [True, False] * 20),
        (np.array(["1", 2] * 20, object), [True, False] * 20),
        (np.full(40, 1j), [True, False] * 20),
        (np.arange(40).astype("M8[s]"), [True, False] * 20),
        (range(40), [[True], [True, False]] * 20),
    ],
)
def test_what_is_no_number_or_no_coin_is_refused(scores, coins):
    with pytest.raises(PrivcheckError):
        privcheck.one_run(scores, coins)


def test_infinite_scores_are_the_highest_and_the_lowest():
    """All 40 guesses are right: the threshold between plus and minus infinity is 0."""
    coins = np.arange(40) < 20
    found = privcheck.one_run(np.where(coins, np.inf, -np.inf), coins, independent=True)
    assert (found.correct, found.guesses) == (found.guesses, 40)
    assert found.mu_lower > privcheck.one_run(np.zeros(40), coins, independent=True).mu_lower == 0.0


@pytest.mark.chance(0.0, "no random numbers")
def test_the_binomial_test_with_delta_takes_blocks_upwards():
    """The p-value is that of the formula with every term, and at most 2 per cent of the term of delta above it."""
    correct, guesses, canaries, epsilon, delta = 800, 1000, 1000, 0.5, 1e-3
    law = stats.binom(guesses, 1.0 / (1.0 + np.exp(-epsilon)))
    fewer = np.arange(1, correct + 1)
    exact = law.sf(correct - 1)
    term = 2 * canaries * delta * ((law.sf(correct - fewer - 1) - exact) / fewer).max()
    found = binomial_p_value(correct, guesses, canaries, epsilon, delta)
    assert exact + term <= found * (1.0 + 1e-12) <= exact + 1.0201 * term


def test_a_shared_choice_breaks_the_limit_for_independent_canaries_alone():
    """With probability 1/16 all scores are right with probability .9 each, and otherwise they tell nothing.

    No canary affects another's score. By its two corners the mechanism is not mu-GDP for any mu below 0.91; when the
    draw comes, more often than 1 time in 20, 180 of 200 guesses are right.
    """
    low, high = stats.norm.ppf([0.1 / 16, 0.9 / 16])
    assert 0.91 < high - low < 0.92
    correct, canaries = 180, 200
    assert independent_gaussian_lower(correct, canaries, 0.05) > 2.0
    assert gaussian_lower(correct, canaries, canaries, 0.05) < 0.91


# Coins that are not what was said of them


def noise(q, seed, canaries=400, **options):
    """Scores that tell nothing, of canaries that were included with probability q."""
    rng = np.random.default_rng(seed)
    return privcheck.one_run(rng.normal(size=canaries), rng.random(canaries) < q, **options)


@pytest.mark.chance(1e-6, "a number of coins of which fewer than 290 or more than 390 has probability below 1e-6")
@pytest.mark.parametrize("q", [0.85, 0.9, 1.0])
def test_what_cannot_be_fair_coins_is_refused(q):
    """At .9 all bounds of noise were above 0, up to 2.5; all canaries included were called a violation of 3.8."""
    for options in ({}, {"delta": 1e-5}, {"coins": "fair"}, {"epsilon": 1.0}, {"inclusion": 0.5}):
        with pytest.raises(PrivcheckError, match=r"included: got \d+ of 400 canaries, for fair coins"):
            noise(q, 0, **options)
    if q < 1.0:
        assert noise(q, 0, inclusion=q).coins_p_value > 1e-6


@pytest.mark.chance(0.0, "refused for every noise: the coins alone are tested, and their seeds are fixed")
@pytest.mark.parametrize("canaries", [100, 1000])
@pytest.mark.parametrize("named", [np.repeat, np.tile])
def test_a_canary_that_is_named_several_times_is_refused(named, canaries):
    """Of 20 rows for each of 40 canaries, noise was called a violation of up to 1.9 in 7 of 20.

    A list of 1,030 canaries and more has more orders than a float can count.
    """
    rng = np.random.default_rng(0)
    included, scores = rng.permutation(canaries) < canaries // 2, rng.normal(size=canaries)
    with pytest.raises(PrivcheckError, match="included: got each coin 8 times"):
        privcheck.one_run(named(scores, 8), named(included, 8))


@pytest.mark.chance(0.0, "refused for every noise: the coins alone are tested")
def test_one_coin_for_two_canaries_is_refused():
    """One of each pair is included, and each score is 1-DP: the difference of two showed more than 1 in most runs, and
    5 of 20 were called violations."""
    rng = np.random.default_rng(0)
    first = rng.random(200) < 0.5
    included = np.stack([first, ~first], axis=1).ravel()
    noisy = (included + rng.laplace(size=400)).reshape(-1, 2)
    difference = noisy[:, 0] - noisy[:, 1]
    scores = np.stack([difference, -difference], axis=1).ravel()
    with pytest.raises(PrivcheckError, match="included: got neighbours of which one was included"):
        privcheck.one_run(scores, included, epsilon=1.0)


@pytest.mark.chance(1e-7, "a p-value of 40 fixed seeds below 1e-6 / 400")
def test_coins_of_their_own_are_taken_in_any_usual_order():
    for seed in range(40):
        rng = np.random.default_rng(seed)
        included = rng.random(400) < (0.5, 0.9, 0.99)[seed % 3]
        for order in (np.arange(400), np.argsort(included), np.argsort(~included)):
            assert noise_of(included[order], rng).included == included.sum()
    batches = np.concatenate([np.sort(np.random.default_rng(seed).random(40) < 0.5) for seed in range(20)])
    assert noise_of(batches, rng).canaries == 800


def noise_of(included, rng):
    quotient = np.clip(included.mean(), 0.01, 0.99)
    return privcheck.one_run(rng.normal(size=len(included)), included, inclusion=quotient, method="steinke", guesses=20)


@pytest.mark.chance(3e-6, "three counts of bounds of noise that are above 0, against their binomial quantiles")
@pytest.mark.parametrize("options", [{"method": "steinke"}, {"coins": "fair", "method": "steinke"}, {"delta": 1e-5}])
@pytest.mark.parametrize("q", [0.5, 0.56])
def test_coins_that_are_a_little_unfair_show_nothing(q, options):
    """No test sees a coin of .53, and bounds for fair coins were above 0 in 5 of 60; of .56 in most."""
    number = 20 if "delta" in options else 60
    found = [noise(q, seed, **options) for seed in range(number) if seed != 0]
    most = stats.binom.isf(1e-6, number, 0.05)
    assert sum(bound.epsilon_lower > 0.0 for bound in found) <= most
    assert sum((bound.mu_lower or 0.0) > 0.0 for bound in found) <= most


@pytest.mark.chance(1e-9, "a bound of 60 of which the half is above .6, measured on other seeds: medians are .73, .78")
@pytest.mark.parametrize("q", [0.5, 0.7])
def test_randomised_response_is_seen_whatever_the_coin(q):
    bounds = []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        included = rng.random(1000) < q
        told = np.where(rng.random(1000) < 1.0 / (1.0 + np.exp(-1.0)), included, ~included)
        bounds.append(privcheck.one_run(told, included, inclusion=q, method="steinke").epsilon_lower)
    assert np.median(bounds) > 0.5
    assert sum(bound > 1.0 for bound in bounds) <= stats.binom.isf(1e-9, 30, 0.05)


@pytest.mark.chance(0.0, "no random numbers")
def test_a_bound_without_the_new_fields_is_read():
    found = privcheck.one_run(*gaussian_run(1.0, 2))
    old = json.loads(found.to_json())
    for name in ("coins", "inclusion", "included", "coins_p_value", "even"):
        del old[name]
    read = privcheck.OneRunBound.from_json(json.dumps(old))
    assert (read.included, read.even) == (None, False)
    assert "its own fair coin" in str(read)
    assert privcheck.OneRunBound.from_json(found.to_json()) == found
