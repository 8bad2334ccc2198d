"""d_inf and t_inf against a brute-force infimum over better laws."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import rel_entr
from scipy.stats import norm

from privcheck.bounds import PrivcheckError, d_inf, t_inf


def infimum(divergence, best, top):
    """Smallest divergence to a law of mean in (best, top), by a bounded search and a grid."""
    search = minimize_scalar(divergence, bounds=(best, top), method="bounded", options={"xatol": 1e-12})
    return min(search.fun, *(divergence(m) for m in best + (top - best) * np.linspace(1e-9, 0.999, 400)))


@pytest.mark.parametrize(("mean", "best"), [(0.0, 0.4), (0.1, 0.8), (0.5, 0.75), (0.7, 0.75), (0.3, 0.999)])
def test_bernoulli(mean, best):
    kl = infimum(lambda m: rel_entr(mean, m) + rel_entr(1 - mean, 1 - m), best, 1.0)
    tv = infimum(lambda m: (abs(mean - m) + abs((1 - mean) - (1 - m))) / 2, best, 1.0)
    assert d_inf(mean, best) == pytest.approx(kl, rel=1e-5)
    assert t_inf(mean, best) == pytest.approx(tv, rel=1e-5)


@pytest.mark.parametrize(("mean", "best"), [(0.0, 0.4), (-2.0, 1.0), (0.5, 0.5 + 1e-3)])
def test_gaussian(mean, best):
    def tv(m):
        middle = (mean + m) / 2
        return norm.cdf(middle, mean) - norm.cdf(middle, m)

    assert d_inf(mean, best, "gaussian") == pytest.approx(
        infimum(lambda m: (m - mean) ** 2 / 2, best, best + 5), rel=1e-4
    )
    assert t_inf(mean, best, "gaussian") == pytest.approx(infimum(tv, best, best + 5), rel=1e-4)


def test_no_better_law_means_infinity_only_for_bernoulli_at_one():
    assert d_inf([0.2, 1.0], 1.0).tolist() == [np.inf, np.inf]
    assert t_inf([0.2, 1.0], 1.0).tolist() == [np.inf, np.inf]
    assert d_inf(0.0, 1.0, "gaussian") == 0.5


def test_an_arm_that_is_already_better_is_at_distance_zero():
    assert d_inf([0.75, 0.9], 0.75).tolist() == [0.0, 0.0]
    assert t_inf([0.75, 0.9], 0.75, "gaussian").tolist() == [0.0, 0.0]


@pytest.mark.parametrize("function", [d_inf, t_inf])
def test_bad_input(function):
    with pytest.raises(PrivcheckError, match="family: got 'bounded', expected one of 'bernoulli', 'two-point'"):
        function(0.1, 0.2, "bounded")
    with pytest.raises(PrivcheckError, match="best_mean"):
        function(0.1, 1.2)
    with pytest.raises(PrivcheckError, match="mean"):
        function(np.nan, 1.2, "gaussian")
