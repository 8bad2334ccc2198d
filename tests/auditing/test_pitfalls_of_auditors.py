"""What surveys of published auditors found wrong with them, as tests that this one passes; no auditor is named."""

import json
import math

import numpy as np
import pytest
from scipy.stats import binom

import privcheck
from privcheck.inference import (
    clopper_pearson_lower,
    conditional_binomial_lower,
    declared_thresholds,
    delta_lower,
    epsilon_lower,
    p_value,
    two_tails_interval,
)
from privcheck.inference._gaussian_fit import fit_gaussian
from privcheck.inference._tradeoff import tradeoff_region

PAIR = (np.zeros(1), np.ones(1))
LEVEL = 0.05
CHANCE = 1e-6
"""Probability with which a statistical test of this file fails by chance; the seeds are fixed."""


def normal(data, rng, runs):
    """The same law whatever the data."""
    return rng.normal(size=runs)


def laplace(data, rng, runs):
    return data.sum() + rng.laplace(size=runs)


# Levels that do not cover the search


@pytest.mark.chance(1e-6, "a count of wrong bounds, against its binomial quantile")
@pytest.mark.evidence
@pytest.mark.parametrize(
    ("options", "runs"), [({"streams": PAIR}, 50), ({"streams": PAIR}, 1000), ({"horizon": 13}, 500)]
)
@pytest.mark.parametrize("delta", [0.0, 1e-5])
def test_identical_laws_have_no_loss(evidence, delta, options, runs):
    """Both directions, all thresholds, and 24 pairs in the last case: a bound above 0 in at most 5 % of audits.

    An auditor that takes the best of all thresholds, or of 24 pairs, without correction "finds" a loss in a half of
    them or more.
    """
    repetitions = evidence(40, 1000)
    lower = [
        privcheck.audit(normal, epsilon=1.0, delta=delta, runs=runs, seed=seed, **options).epsilon_lower
        for seed in range(repetitions)
    ]
    assert sum(bound > 0.0 for bound in lower) <= binom.isf(CHANCE, repetitions, LEVEL)


@pytest.mark.chance(1e-6, "one bound at this level")
@pytest.mark.parametrize("runs", [1000, 10_000, 100_000])
def test_a_laplace_is_not_taken_for_a_gaussian(runs):
    """Its loss is 1 at every delta; a fitted Gaussian would say 2 or more at 1e-5."""
    report = privcheck.audit(laplace, epsilon=1.0, delta=1e-5, streams=PAIR, runs=runs, confidence=1.0 - CHANCE)
    assert report.epsilon_lower <= 1.0
    rng = np.random.default_rng(runs)
    samples = [shift + rng.laplace(size=runs) for shift in (1.0, 0.0)]
    fit = fit_gaussian(tradeoff_region(*samples, np.linspace(-2.0, 3.0, 11), LEVEL), LEVEL)
    assert fit.epsilon_lower(1e-5) is None


@pytest.mark.chance(1e-6, "a count of wrong bounds, against its binomial quantile")
@pytest.mark.evidence
@pytest.mark.parametrize("runs", [1000, 10_000])
def test_a_gaussian_fit_of_identical_laws_is_about_nothing(evidence, runs):
    """Even where the model holds, with mu = 0: refused, or a bound above 0 at most at the level that it states."""
    repetitions = evidence(200, 1000)
    rng = np.random.default_rng(9)
    above = 0
    for _ in range(repetitions):
        thresholds = declared_thresholds(rng.normal(size=runs), rng.normal(size=runs))
        region = tradeoff_region(rng.normal(size=runs), rng.normal(size=runs), thresholds, LEVEL)
        bound = fit_gaussian(region, LEVEL).epsilon_lower(1e-5)
        above += bound is not None and bound > 0.0
    assert above <= binom.isf(CHANCE, repetitions, LEVEL)


# Tests that are not monotone


@pytest.mark.chance(0.0, "no random numbers")
@pytest.mark.parametrize(("k", "l", "n"), [(9, 2, 100), (640, 320, 100_000), (30, 0, 1000), (500, 180, 1000)])
def test_a_larger_claim_is_never_refuted_more_easily(k, l, n):
    """The event stays the same for every claim, so a p-value rises with epsilon and with delta."""
    claims = np.linspace(0.0, 4.0, 41)
    of_epsilon = [p_value(k, l, n, epsilon, 0.0) for epsilon in claims]
    of_delta = [p_value(k, l, n, 0.5, delta) for delta in (0.0, 1e-4, 1e-3, 1e-2, 0.1)]
    assert (np.diff(of_epsilon) >= -1e-5).all()
    assert (np.diff(of_delta) >= -1e-5).all()
    limits = [conditional_binomial_lower(k, l, level) for level in (1e-6, 1e-3, 0.01, 0.05, 0.2, 0.5)]
    assert limits == sorted(limits)


# Atoms


@pytest.mark.chance(1e-8, "two counts within 6 standard errors")
@pytest.mark.parametrize("probabilities", [(0.142, 0.0205), (0.6, 0.25), (0.004, 0.0002)])
def test_an_atom_is_one_event_however_large(probabilities):
    """The bound is that of the atom itself: an event of a fixed mass would cut it, or thin it out.

    The two counts are 6 standard errors or less from their means.
    """
    runs = 100_000
    p, q = probabilities

    def atom(data, rng, runs):
        return np.where(rng.random(runs) < (p if data[0] < 0.5 else q), 7, rng.integers(0, 5, runs))

    report = privcheck.audit(atom, streams=PAIR, runs=runs)
    counted = report.counted_runs
    k, l = (round(counted * share) for share in probabilities)
    oracle = conditional_binomial_lower(k, l, LEVEL / 3.0)
    error = math.sqrt((1.0 - p) / k + (1.0 - q) / l)
    assert report.epsilon_lower >= oracle - 6.0 * error
    assert report.epsilon_lower == pytest.approx(oracle, abs=max(0.05, 6.0 * error))
    assert "7" in report.witness.event


# Few runs, extreme counts

LIMITS = {
    "conditional binomial": lambda k, l, n: conditional_binomial_lower(k, l, LEVEL),
    "Clopper-Pearson": lambda k, l, n: clopper_pearson_lower(k, l, n, LEVEL, 1e-5),
    "Berger-Boos": lambda k, l, n: epsilon_lower(k, l, n, 1e-5, LEVEL),
    "delta": lambda k, l, n: delta_lower(k, l, n, 1.0, LEVEL),
}


@pytest.mark.parametrize("name", LIMITS)
@pytest.mark.parametrize("runs", [12, 1000, 1_000_000])
def test_perfect_separation_and_no_events_have_a_finite_limit(name, runs):
    """No errors of either kind in all runs, or no event at all: a number, and none where there is no evidence."""
    limit = LIMITS[name]
    separated = limit(runs, 0, runs)
    assert 0.0 <= separated < math.inf
    assert separated > limit(runs, runs, runs)
    for k, l in ((0, 0), (0, runs), (runs, runs), (1, runs)):
        assert limit(k, l, runs) <= 0.0
    low, high = two_tails_interval(runs, 0, 0, 0, LEVEL)
    assert 0.0 < low < high == math.inf


@pytest.mark.chance(1e-6, "one verdict on a true claim at this error")
@pytest.mark.parametrize("mechanism", [normal, laplace, lambda data, rng, runs: rng.integers(0, 2, (runs, 3))])
@pytest.mark.parametrize("delta", [0.0, 1e-5])
def test_the_fewest_runs_are_enough_for_an_answer(mechanism, delta):
    """Twenty runs: four to learn from and four to choose on."""
    report = privcheck.audit(mechanism, epsilon=1.0, delta=delta, streams=PAIR, runs=20, error=CHANCE)
    assert report.verdict in ("consistent", "inconclusive")
    assert 0.0 <= report.epsilon_lower < math.inf


@pytest.mark.chance(0.0, "the outputs are the data")
@pytest.mark.parametrize("seed", [0, 1])
def test_an_output_that_tells_everything_has_a_finite_bound(seed):
    """One output on each input: no learned probability is 0 or NaN, and the bound is what the runs can show."""
    report = privcheck.audit(
        lambda data, rng, runs: np.full(runs, data[0]), epsilon=1.0, streams=PAIR, runs=200, seed=seed
    )
    assert report.verdict == "violation"
    assert 3.0 < report.epsilon_lower <= report.resolution.epsilon + 2.0
    assert json.loads(report.to_json())["epsilon_lower"] == report.epsilon_lower


# What was not seen


@pytest.mark.chance(1e-6, "a claim of 1 where the loss is 0 but for one run in 100,000")
def test_a_leak_too_rare_for_the_runs_is_named_by_the_resolution():
    """The data is put out in one run of 100,000: a thousand runs cannot see that, and the report says so."""
    rare = 1e-5

    def rarely(data, rng, runs):
        return np.where(rng.random(runs) < rare, 2 + int(data[0]), rng.integers(0, 2, runs))

    report = privcheck.audit(rarely, epsilon=1.0, streams=PAIR, runs=1000)
    assert report.verdict == "consistent"
    assert report.resolution.mass > 100.0 * rare
    assert report.resolution.epsilon < math.inf
    assert "private" not in str(report).lower()


def test_an_audit_is_of_its_own_runs():
    """Nothing is kept from an audit before: the seed and the options decide."""
    options = {"epsilon": 1.0, "streams": PAIR, "runs": 2000}
    first = privcheck.audit(laplace, seed=1, **options)
    other = privcheck.audit(laplace, seed=2, **options)
    again = privcheck.audit(laplace, seed=1, **options)
    assert first.epsilon_lower == again.epsilon_lower != other.epsilon_lower
