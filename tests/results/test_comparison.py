"""Comparisons: intervals that cover, tests that keep their level and have power, and what is refused."""

import math

import numpy as np
import pytest
from scipy import stats

from privcheck.bandits import ALGORITHMS
from privcheck.environments import Bernoulli
from privcheck.errors import PrivcheckError
from privcheck.results import PolicyResult, Simulation
from privcheck.results._comparison import QUANTILES, compare, quantile_interval

PLACE = Bernoulli((0.75, 0.5))


def sample(**regrets):
    """Return a simulation whose final regrets are given."""
    rounds = np.array([1000])
    results = tuple(
        PolicyResult(name, ALGORITHMS["ucb"](arms=2), rounds, np.array(values, float)[:, None], 0.0, "step")
        for name, values in regrets.items()
    )
    return Simulation(PLACE, 1000, len(results[0].regret), 0, rounds, results)


@pytest.mark.chance(0.0, "an identity that holds for all samples")
def test_one_comparison_against_scipy():
    rng = np.random.default_rng(0)
    first, second = rng.gamma(3.0, 10.0, 200), rng.gamma(2.0, 12.0, 200)
    (found,) = compare(sample(a=first, b=second))
    welch = stats.ttest_ind(first, second, equal_var=False)
    assert (found.first, found.second) == ("a", "b")
    assert found.mean.value == pytest.approx(first.mean() - second.mean())
    assert (found.mean.low, found.mean.high) == pytest.approx(tuple(welch.confidence_interval(0.95)))
    assert found.p_mean == pytest.approx(welch.pvalue)
    assert found.p_order == pytest.approx(stats.mannwhitneyu(first, second, method="asymptotic").pvalue)
    assert found.better == pytest.approx((first[:, None] < second).mean())
    assert found.q95.value == pytest.approx(np.quantile(first, 0.95) - np.quantile(second, 0.95))
    assert found.q99.low < found.q99.value < found.q99.high


def test_pairs_baseline_and_adjustment():
    rng = np.random.default_rng(1)
    simulation = sample(**{name: rng.gamma(shape, 5.0, 60) for name, shape in (("a", 3), ("b", 4), ("c", 6))})
    everything, against = compare(simulation), compare(simulation, baseline="b")
    assert [(c.first, c.second) for c in everything] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert [(c.first, c.second) for c in against] == [("a", "b"), ("c", "b")]
    raw = stats.ttest_ind(*(r.regret[:, 0] for r in simulation.results[:2]), equal_var=False)
    assert against[0].p_mean >= raw.pvalue * (1 - 1e-9)
    assert [c.p_mean for c in everything] == pytest.approx(_holm_by_hand(simulation), rel=1e-9)
    assert everything[0].mean.low < against[0].mean.low < raw.confidence_interval(0.95).low
    narrow = compare(simulation, confidence=0.5)[0]
    assert narrow.mean.low > everything[0].mean.low
    assert narrow.median.high <= everything[0].median.high


def _holm_by_hand(simulation):
    """Sort, multiply by the number of hypotheses that are left, and take running maxima."""
    samples = [result.regret[:, 0] for result in simulation.results]
    raw = [stats.ttest_ind(samples[i], samples[j], equal_var=False).pvalue for i, j in ((0, 1), (0, 2), (1, 2))]
    factors = {index: 3 - rank for rank, index in enumerate(np.argsort(raw))}
    scaled = [min(1.0, p * factors[i]) for i, p in enumerate(raw)]
    return [max(s for s, q in zip(scaled, raw, strict=True) if q <= p) for p in raw]


LAWS = {
    "exponential": (lambda rng, n: rng.exponential(1.0, n), lambda q: -math.log1p(-q)),
    "three values": (
        lambda rng, n: rng.choice([0.0, 1.0, 7.0], n, p=[0.6, 0.37, 0.03]),
        lambda q: {0.5: 0, 0.95: 1, 0.99: 7}[q],
    ),
}


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("quantile", QUANTILES)
@pytest.mark.parametrize("runs", [20, 300])
def test_intervals_for_quantiles_cover_at_any_number_of_runs(law, quantile, runs):
    """1000 intervals of error 0.1: more than 154 failures have a probability below 1e-7."""
    draw, truth = LAWS[law]
    rng = np.random.default_rng(2)
    failures = 0
    for _ in range(1000):
        low, high = quantile_interval(np.sort(draw(rng, runs)), quantile, 0.1, 1e9)
        failures += not low <= truth(quantile) <= high
    assert failures <= 154


def test_a_quantile_interval_that_is_too_short_is_noticed():
    rng = np.random.default_rng(3)
    misses = [np.quantile(x, 0.45) <= math.log(2) <= np.quantile(x, 0.55) for x in rng.exponential(1.0, (1000, 300))]
    assert 1000 - sum(misses) <= 154
    misses = [np.quantile(x, 0.48) <= math.log(2) <= np.quantile(x, 0.52) for x in rng.exponential(1.0, (1000, 300))]
    assert 1000 - sum(misses) > 154


def test_with_few_runs_a_high_quantile_is_bounded_by_the_largest_regret_only():
    (found,) = compare(sample(a=[1.0, 2.0, 3.0], b=[5.0, 6.0, 7.0]))
    assert (found.q99.low, found.q99.high) == (2.0 - 250.0, 250.0 - 6.0), "P(B < 2) = 0.0003 and P(B < 3) = 0.03"


@pytest.mark.chance(
    2e-7,
    "two counts of false alarms, against binomial tails of 7e-9, with a factor of 10 for approximate p-values",
)
def test_equal_policies_are_rarely_called_different():
    """Three equal policies, 300 times, at level 0.05: more than 40 false alarms have a probability below 1e-7."""
    rng = np.random.default_rng(4)
    alarms = {"mean": 0, "order": 0}
    for _ in range(300):
        found = compare(sample(**{name: rng.gamma(2.0, 5.0, 50) for name in "abc"}))
        alarms["mean"] += min(c.p_mean for c in found) < 0.05
        alarms["order"] += min(c.p_order for c in found) < 0.05
    assert alarms["mean"] <= 40
    assert alarms["order"] <= 40


def test_constant_regret_makes_no_warning():
    (equal,) = compare(sample(a=[3.0] * 5, b=[3.0] * 5))
    (apart,) = compare(sample(a=[3.0] * 5, b=[4.0] * 5))
    assert (equal.p_mean, equal.mean.value, equal.better) == (1.0, 0.0, 0.5)
    assert (apart.mean.value, apart.better) == (-1.0, 1.0)
    assert apart.p_order == pytest.approx(2 / math.comb(10, 5)), "as of a permutation test: p = 0 needs a law"
    assert apart.mean.low < -1.0 < 0.0 < apart.mean.high, "five runs do not rule out that one in two has another regret"


@pytest.mark.parametrize("runs", [5, 20, 50, 100])
@pytest.mark.parametrize("chance", [0.02, 0.01])
def test_intervals_for_means_allow_for_failures_that_no_run_shows(runs, chance):
    """A regret of 10, and of 110 in one run of 50 or 100, beside one that is always 12: over all outcomes, exactly."""
    truth, missed = 10.0 + 100.0 * chance - 12.0, 0.0
    for failures in range(runs + 1):
        weight = stats.binom(runs, chance).pmf(failures)
        if weight > 1e-9:
            (found,) = compare(sample(a=[110.0] * failures + [10.0] * (runs - failures), b=[12.0] * runs))
            missed += weight * (not found.mean.low <= truth <= found.mean.high)
    assert missed <= 0.05


@pytest.mark.parametrize("runs", [5, 20, 50, 300, 2000])
def test_equal_means_of_which_one_rests_on_rare_failures_are_rarely_called_different(runs):
    """A regret of 10, and of 110 in one run of 50, has the mean 12; where neither sample varies p-values hold."""
    (found,) = compare(sample(a=[10.0] * runs, b=[12.0] * runs))
    assert stats.binom(runs, 0.02).pmf(0) <= found.p_mean


def test_enough_equal_runs_tell_two_policies_apart():
    """Half of the range apart, and 40 runs: other regrets in a quarter of the runs of each are ruled out."""
    (found,) = compare(sample(a=[200.0] * 40, b=[50.0] * 40))
    assert 0.0 < found.mean.low < 150.0 < found.mean.high
    assert found.p_mean < 1e-4
    (wide,) = compare(sample(a=[200.0] * 40, b=[50.0] * 40), confidence=1.0 - found.p_mean * 0.999)
    (narrow,) = compare(sample(a=[200.0] * 40, b=[50.0] * 40), confidence=1.0 - found.p_mean * 1.001)
    assert wide.mean.low <= 0.0 < narrow.mean.low, "the p-value is that of the interval that ends at 0"


@pytest.mark.parametrize("runs", [2, 3, 5])
@pytest.mark.parametrize("chance", [0.2, 0.5])
def test_p_values_of_few_runs_of_two_values_hold_exactly(runs, chance):
    """Over all outcomes of two equal policies whose regret is 0 or 1, where neither sample varies, or one is above."""
    weights = stats.binom(runs, chance).pmf
    for level in (0.01, 0.05, 0.2):
        apart = 0.0
        for one, two in ((0, runs), (runs, 0)):
            (found,) = compare(sample(a=[1.0] * one + [0.0] * (runs - one), b=[1.0] * two + [0.0] * (runs - two)))
            apart += weights(one) * weights(two) * (min(found.p_mean, found.p_order) <= level)
        assert apart <= level


@pytest.mark.parametrize(
    ("simulation", "options", "parameter"),
    [
        (sample(a=[1.0, 2.0]), {}, "policies"),
        (sample(a=[1.0], b=[2.0]), {}, "runs"),
        (sample(a=[1.0, 2.0], b=[2.0, 3.0]), {"baseline": "c"}, "baseline"),
        *[
            (sample(a=[1.0, 2.0], b=[2.0, 3.0]), {"confidence": bad}, "confidence")
            for bad in (0, 1, 1.5, math.nan, "95")
        ],
    ],
)
def test_refused(simulation, options, parameter):
    with pytest.raises(PrivcheckError) as caught:
        compare(simulation, **options)
    assert caught.value.parameter == parameter
