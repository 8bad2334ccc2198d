"""The laws of the environments: single draws and sums in kernels against scipy, means, gaps, theory instances.

Every accepting test has a false-failure probability of 1e-6 for a seed chosen blindly; seeds are fixed.
"""

import math

import numpy as np
import pytest
from scipy import stats

from privcheck.bounds import evaluate
from privcheck.environments import Bernoulli, Beta, FiniteSupport, Gaussian, RewardTable, TruncatedGaussian, TwoPoint
from privcheck.kernels import law_sum, law_table
from privcheck.simulation import simulate

LEVEL = 1e-6
DRAWS = 20_000

FINITE = FiniteSupport((0.9, 0.0, 0.25, 1.0), ((0.1, 0.2, 0.7, 0.0), (0.4, 0.1, 0.0, 0.5)))


def truncated(m, s):
    return stats.truncnorm(-m / s, (1 - m) / s, loc=m, scale=s)


class Clipped:
    """A Gaussian clipped to [0, 1]."""

    def __init__(self, mean, deviation):
        self.law = stats.norm(mean, deviation)

    def cdf(self, x):
        return np.where(x < 0, 0.0, np.where(x < 1, self.law.cdf(x), 1.0))


CONTINUOUS = [
    (Beta((0.75, 0.2), 3.0), [stats.beta(2.25, 0.75), stats.beta(0.6, 2.4)]),
    (TruncatedGaussian((0.75, 0.0), 0.2), [truncated(0.75, 0.2), truncated(0.0, 0.2)]),
    (TruncatedGaussian((1.0, 0.3), 0.9), [truncated(1.0, 0.9), truncated(0.3, 0.9)]),
    (Gaussian((2.0, -1.0), 1.5), [stats.norm(2.0, 1.5), stats.norm(-1.0, 1.5)]),
]


@pytest.mark.chance(2e-6, "a Kolmogorov test of each arm at 1e-6")
@pytest.mark.parametrize(("place", "laws"), CONTINUOUS, ids=lambda value: getattr(value, "id", ""))
def test_continuous_laws_against_scipy(place, laws):
    table = place.table(np.random.default_rng(0), DRAWS)
    for arm, law in enumerate(laws):
        assert place.means[arm] == pytest.approx(law.mean())
        assert stats.kstest(table[:, arm], law.cdf).pvalue > LEVEL
        assert stats.kstest(table[:, arm], laws[1 - arm].cdf).pvalue < LEVEL, "the other arm's law is noticed"


@pytest.mark.chance(6e-6, "a Kolmogorov and two binomial tests of each arm at 1e-6")
def test_clipping_is_clipping():
    table = Gaussian((0.8, 0.1), 0.5, outside="clip").table(np.random.default_rng(0), DRAWS)
    assert table.min() == 0
    assert table.max() == 1
    for arm, mean in enumerate((0.8, 0.1)):
        law = Clipped(mean, 0.5)
        inside = table[(table[:, arm] > 0) & (table[:, arm] < 1), arm]
        low, high = law.law.cdf(0), law.law.cdf(1)
        assert (
            stats.kstest(inside, lambda x, law=law, low=low, high=high: (law.cdf(x) - low) / (high - low)).pvalue
            > LEVEL
        )
        for atom, mass in ((0.0, low), (1.0, 1 - high)):
            assert stats.binomtest(int((table[:, arm] == atom).sum()), DRAWS, mass).pvalue > LEVEL
    assert Gaussian((0.8, 0.1), 0.5, outside="clip").means == (0.8, 0.1)


@pytest.mark.chance(2e-6, "a chi-square test of each arm at 1e-6")
@pytest.mark.parametrize("place", [FINITE, TwoPoint((0.5, 0.3), 0.2, 0.7)], ids=["finite", "two-point"])
@pytest.mark.parametrize("count", [1, 3, 40])
def test_finite_laws_and_their_sums_are_multinomial(place, count):
    """The law of the sum by convolution, against draws; the other arm's law is told apart."""
    laws = place.laws()
    rng = np.random.default_rng(count)
    exact = []
    for weights in laws.parameters:
        law = {0.0: 1.0}
        for _ in range(count):
            nxt: dict[float, float] = {}
            for value, mass in law.items():
                for atom, weight in zip(laws.atoms, weights, strict=True):
                    key = round(value + atom, 9)
                    nxt[key] = nxt.get(key, 0.0) + mass * weight
            law = nxt
        exact.append(law)
    for arm in (0, 1):
        draws = np.round([law_sum(laws, rng, arm, count) for _ in range(DRAWS)], 9)
        assert _fits(draws, exact[arm]) > LEVEL
        assert _fits(draws, exact[1 - arm]) < LEVEL
        assert place.means[arm] == pytest.approx(laws.atoms @ laws.parameters[arm])


def _fits(draws, law):
    """Return the p-value of a chi-square test of goodness of fit, rare values pooled; 0 for an impossible value."""
    values = sorted(value for value, mass in law.items() if mass > 0)
    if not set(draws) <= set(values):
        return 0.0
    observed, expected, cells = [], [], [0.0, 0]
    counts = dict(zip(*np.unique(draws, return_counts=True), strict=True))
    for value in values:
        cells[0] += law[value] * len(draws)
        cells[1] += counts.get(value, 0)
        if cells[0] >= 20:
            expected.append(cells[0])
            observed.append(cells[1])
            cells = [0.0, 0]
    expected[-1] += cells[0]
    observed[-1] += cells[1]
    expected = np.array(expected) * (len(draws) / np.sum(expected))
    return float(stats.chisquare(observed, expected).pvalue)


@pytest.mark.chance(3e-6, "four means within 5 standard errors, 6e-7 each, and four variances within 6.9")
def test_sums_of_other_laws_have_the_moments_of_independent_draws():
    """Mean within 5 standard errors; variance within 8 %, seven of its standard errors."""
    for place, variance in (
        (Beta((0.75, 0.2), 3.0), [0.75 * 0.25 / 4, 0.2 * 0.8 / 4]),
        (Gaussian((2.0, -1.0), 1.5), [2.25, 2.25]),
    ):
        rng = np.random.default_rng(1)
        for arm in (0, 1):
            sums = np.array([law_sum(place.laws(), rng, arm, 50) for _ in range(15_000)])
            assert abs(sums.mean() - 50 * place.means[arm]) < 5 * math.sqrt(50 * variance[arm] / 15_000)
            assert sums.var() == pytest.approx(50 * variance[arm], rel=0.08)


@pytest.mark.chance(2e-6, "two correlations within 5 standard errors")
def test_arms_and_rounds_are_independent():
    """Correlations of 20,000 pairs within five standard errors."""
    table = law_table(Beta((0.75, 0.2), 3.0).laws(), np.random.default_rng(2), DRAWS)
    assert abs(np.corrcoef(table[:, 0], table[:, 1])[0, 1]) < 5 / math.sqrt(DRAWS)
    assert abs(np.corrcoef(table[1:, 0], table[:-1, 0])[0, 1]) < 5 / math.sqrt(DRAWS)


def test_a_reward_table_is_played_as_it_is():
    rewards = np.array([[1.0, 0.0], [0.5, 0.25], [0.0, 0.5]])
    place = RewardTable(rewards)
    rewards[:] = 9.0
    assert place.means == (0.5, 0.25)
    assert place.longest == 3
    assert place.table(np.random.default_rng(0), 2).tolist() == [[1.0, 0.0], [0.5, 0.25]]


@pytest.mark.parametrize(
    ("place", "family"),
    [(Bernoulli((0.7, 0.4)), "bernoulli"), (FINITE, "bounded"), (TwoPoint((0.5, 0.3)), "bounded"),
     (Gaussian((0.7, 0.4)), "gaussian")],
)  # fmt: skip
def test_the_theory_is_that_of_the_family(place, family):
    instance = place.instance(1.0, 1000)
    assert instance.family == family
    assert instance.means == pytest.approx(place.means)
    assert any(bound.constant for bound in evaluate(instance))


@pytest.mark.parametrize("place", [Beta((0.7, 0.4)), Gaussian((0.7, 0.4), outside="clip"), RewardTable([[0.0, 1.0]])])
def test_no_theory_is_better_than_that_of_another_law(place):
    assert place.instance(1.0, 1000) is None


def test_a_table_in_column_order_is_played_row_by_row():
    """Fortran's order of memory is no other table."""
    rewards = np.random.default_rng(3).random((200, 3))
    played = [
        simulate("ucb", RewardTable(table), horizon=200, runs=1, checkpoints=200).results[0].regret
        for table in (rewards, np.asfortranarray(rewards), rewards.tolist())
    ]
    assert np.array_equal(played[0], played[1])
    assert np.array_equal(played[0], played[2])
