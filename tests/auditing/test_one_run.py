"""`privcheck.one_run`: what may not tell the coins, how good the bounds are, and bad input."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import stats

import privcheck
from privcheck import PrivcheckError
from privcheck.accounting.gaussian_profile import epsilon_of


def gaussian_run(mu, seed, canaries=1000):
    """Independent canaries, each with Gaussian noise: mu-GDP for each."""
    rng = np.random.default_rng(seed)
    included = rng.random(canaries) < 0.5
    return mu * included + rng.normal(size=canaries), included


def test_equal_scores_tell_nothing_even_if_the_included_come_first():
    found = privcheck.one_run(np.zeros(400), np.arange(400) < 200)
    assert found.epsilon_lower == 0.0
    assert abs(found.correct / found.guesses - 0.5) < 0.25


def test_the_order_of_canaries_does_not_matter():
    scores, included = gaussian_run(2.0, 1)
    order = np.argsort(scores)
    one, two = privcheck.one_run(scores, included), privcheck.one_run(scores[order], included[order])
    assert one == two


@pytest.mark.parametrize("mu", [1.0, 2.0, 3.0])
def test_most_of_epsilon_is_found_in_one_run_of_independent_canaries(mu):
    """The median over 20 fixed seeds, of 1000 canaries, of epsilon at delta 1e-5."""
    shares, limits = [], []
    for seed in range(20):
        found = privcheck.one_run(*gaussian_run(mu, seed), delta=1e-5, independent=True, guesses=300)
        shares.append(found.epsilon_if_gaussian / epsilon_of(mu, 1e-5))
        limits.append(found)
    assert np.median(shares) >= 0.7
    assert all(found.epsilon_lower <= epsilon_of(mu, 1e-5) for found in limits)


@pytest.mark.parametrize("independent", [False, True])
def test_the_truth_is_rarely_exceeded(independent):
    """200 runs at confidence .95: a correct limit exceeds the truth more than 27 times with probability below 1e-5."""
    assert stats.binom.sf(27, 200, 0.05) < 1e-5
    over = sum(
        privcheck.one_run(*gaussian_run(1.0, seed, 100), independent=independent, guesses=100).mu_lower > 1.0
        for seed in range(1000, 1200)
    )
    assert over <= 27
    assert not independent or over > 0, "a limit that is never above the truth is not at its confidence"


def test_a_false_claim_of_pure_privacy_is_refuted_and_a_true_one_is_not():
    rng = np.random.default_rng(3)
    included = rng.random(1000) < 0.5
    told = np.where(rng.random(1000) < np.exp(1.0) / (1.0 + np.exp(1.0)), included, ~included)  # epsilon is 1
    verdicts = [privcheck.one_run(told, included, epsilon=claim).verdict for claim in (0.5, 1.0)]
    assert verdicts == ["violation", "not refuted"]
    assert privcheck.one_run(told, included, epsilon=0.5, method="steinke").verdict == "violation"
    assert privcheck.one_run(told, included).verdict is None


def test_the_result_in_words_and_as_json():
    found = privcheck.one_run(*gaussian_run(3.0, 5), delta=1e-5, epsilon=1.0, independent=True)
    assert "the claim epsilon = 1 at delta = 1e-05 is refuted" in str(found)
    assert "its own fair coin, and affects no other's score, is taken on your word" in str(found)
    stored = json.loads(found.to_json())
    assert (stored["verdict"], stored["canaries"]) == ("violation", 1000)
    assert "fair coin is taken" in str(privcheck.one_run(*gaussian_run(3.0, 5), method="steinke"))


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
    ],
)
def test_bad_input_is_refused_in_one_line(scores, included, options, named):
    with pytest.raises(PrivcheckError) as raised:
        privcheck.one_run(scores, included, **options)
    assert named in str(raised.value)
    assert "\n" not in str(raised.value)
