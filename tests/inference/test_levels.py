"""Levels: every limit covers at each level that is accepted, and levels at which some do not are refused."""

import math

import numpy as np
import pytest
from scipy.special import betainc, betaincinv
from scipy.stats import binom

from privcheck.errors import PrivcheckError
from privcheck.inference import (
    SequentialTest,
    anytime_limits,
    clopper_pearson,
    clopper_pearson_lower,
    conditional_binomial_lower,
    delta_lower,
    epsilon_lower,
    p_value,
    two_tails_interval,
    two_tails_lower,
    two_tails_p_value,
)
from privcheck.inference._gaussian_fit import fit_gaussian
from privcheck.inference._tradeoff import tradeoff_region

REGION = tradeoff_region(np.arange(100.0), np.arange(100.0), np.arange(10.0, 90.0, 10.0), 0.05)
TAKES_A_LEVEL = {
    "conditional_binomial_lower": lambda level: conditional_binomial_lower(5, 2, level),
    "clopper_pearson": lambda level: clopper_pearson(5, 10, level),
    "anytime_limits": lambda level: anytime_limits(5, 10, level),
    "clopper_pearson_lower": lambda level: clopper_pearson_lower(5, 2, 10, level),
    "two_tails_interval": lambda level: two_tails_interval(5, 2, 3, 1, level),
    "two_tails_lower": lambda level: two_tails_lower(5, 2, 3, 1, level),
    "epsilon_lower": lambda level: epsilon_lower(5, 2, 10, 1e-5, level),
    "delta_lower": lambda level: delta_lower(5, 2, 10, 1.0, level),
    "p_value": lambda level: p_value(5, 2, 10, 1.0, 0.0, level),
    "tradeoff_region": lambda level: tradeoff_region([1.0, 2.0], [0.0, 1.0], [0.5], level),
    "fit_gaussian": lambda level: fit_gaussian(REGION, level),
    "lower_bound": lambda level: SequentialTest(1.0).lower_bound(level),
}


@pytest.mark.parametrize("name", TAKES_A_LEVEL)
@pytest.mark.parametrize("level", [0.0, 0.501, 0.7, 1.0, -0.1, math.nan])
def test_a_level_outside_its_domain_is_refused(name, level):
    with pytest.raises(PrivcheckError, match=r"(level|gamma): got .*, expected a number in \(0, 0\.5\]"):
        TAKES_A_LEVEL[name](level)


@pytest.mark.parametrize("name", TAKES_A_LEVEL)
@pytest.mark.parametrize("level", [1e-300, 1e-17, 1e-3, 0.5])
def test_every_level_of_the_domain_is_accepted(name, level):
    TAKES_A_LEVEL[name](level)


@pytest.mark.parametrize("n", [10, 1000])
def test_above_one_half_the_conditional_test_accuses_a_constant(n):
    """Its p-value for n against n is just above one half, always; this is why such levels are refused."""
    limits = {level: float(betaincinv(n, n + 1, level)) for level in (0.5, 0.5 + 0.6 / math.sqrt(n))}
    assert [limit > 0.5 for limit in limits.values()] == [False, True]
    assert conditional_binomial_lower(n, n, 0.5) <= 0.0
    assert betainc(n, n + 1, 0.5) > 0.5


@pytest.mark.chance(0.0, "sizes are enumerated")
@pytest.mark.parametrize("n", [1, 4, 25])
@pytest.mark.parametrize("epsilon", [0.0, 0.7])
def test_the_p_value_is_valid_at_every_level(n, epsilon):
    """Exact: P(p-value <= u) <= u for every u in (0, 1), not only below one half."""
    counts = np.arange(n + 1)
    found = np.array([[two_tails_p_value(int(k), int(l), 0, 0, epsilon) for l in counts] for k in counts])
    for q in [0.05, 0.3, math.exp(-epsilon)]:
        law = np.outer(binom.pmf(counts, n, math.exp(epsilon) * q), binom.pmf(counts, n, q))
        for u in np.unique(found):
            assert law[found <= u].sum() <= u + 1e-12


@pytest.mark.parametrize("level", [0.5, 0.3])
@pytest.mark.parametrize("delta", [0.0, 0.05])
def test_the_size_of_berger_boos_at_large_levels(level, delta):
    n = 12
    counts = np.arange(n + 1)
    table = np.array([[epsilon_lower(int(k), int(l), n, delta, level) for l in counts] for k in counts])
    for epsilon in (0.0, 0.5, 1.5):
        r, sizes = math.exp(epsilon), []
        for q in np.linspace(1e-3, (1.0 - delta) / r, 60):
            law = np.outer(binom.pmf(counts, n, r * q + delta), binom.pmf(counts, n, q))
            sizes.append(law[table > epsilon + 1e-9].sum())
        assert 0.0 < max(sizes) <= level
