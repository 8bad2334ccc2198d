"""The KL-UCB index: Newton, bisection and an independent root finder on kl itself."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import rel_entr

from privcheck.bandits.kl_index import excess, kl_index, kl_index_by_bisection

MEANS = [0.0, 1e-300, 1e-12, 1e-4, 0.01, 0.3, 0.5, 0.7, 0.99, 1 - 1e-9]
LEVELS = [0.0, 1e-12, 1e-7, 1e-3, 0.1, 1.0, 4.0, 30.0, 600.0]


def kl(p, q):
    return rel_entr(p, q) + rel_entr(1.0 - p, 1.0 - q)


def away_from_one(mean, level):
    """Whether the root can be found in q; next to 1 it cannot, which is why indices are compared as -ln(1 - q)."""
    return kl(mean, 1.0 - 1e-10) > level


PAIRS = [
    (mean, level)
    for mean in (0.0, 0.001, 0.2, 0.5, 0.8, 0.999)
    for level in (1e-4, 0.01, 0.2, 1.0, 5.0)
    if away_from_one(mean, level)
]


@pytest.mark.parametrize(("mean", "level"), PAIRS)
def test_against_a_root_finder_on_kl(mean, level):
    q = brentq(lambda q: kl(mean, q) - level, mean, 1.0 - 1e-13, xtol=1e-15, rtol=1e-14)
    assert -math.expm1(-kl_index(mean, level)) == pytest.approx(q, abs=1e-11)
    assert -math.expm1(-kl_index_by_bisection(mean, level)) == pytest.approx(q, abs=1e-11)


@pytest.mark.parametrize("mean", MEANS)
@pytest.mark.parametrize("level", LEVELS)
def test_newton_is_bisection(mean, level):
    newton, bisection = kl_index(mean, level), kl_index_by_bisection(mean, level)
    # an error d in kl moves the root by d / slope, and next to the mean, where the slope is 0, by sqrt(d)
    rounding = 4e-16 * (1.0 + level + bisection)
    slope = max(1.0 - mean - mean / math.expm1(min(bisection, 700.0)) if bisection > 0 else 0.0, 1e-300)
    variance = mean / (1.0 - mean)
    assert (
        abs(newton - bisection)
        <= 1e-13 * bisection + min(rounding / slope, 2.0 * math.sqrt(variance * rounding)) + 1e-15
    )
    assert newton >= -math.log1p(-mean)


def test_a_mean_of_one_has_an_infinite_index():
    assert kl_index(1.0, 0.5) == kl_index_by_bisection(1.0, 0.5) == math.inf


def test_random_states_of_a_run():
    rng = np.random.default_rng(0)
    for _ in range(3000):
        n = int(rng.integers(1, 10**6))
        mean, level = rng.integers(0, n) / n, math.log(rng.integers(2, 10**7)) / n
        x = kl_index(mean, level)
        assert abs(excess(mean, level, x)) <= 1e-13 * (1.0 + level + x)


def test_the_index_grows_with_the_mean_and_the_level():
    means = np.linspace(0.0, 0.999, 200)
    assert (np.diff([kl_index(m, 0.3) for m in means]) > 0).all()
    assert (np.diff([kl_index(0.4, c) for c in np.geomspace(1e-6, 100, 200)]) > 0).all()
