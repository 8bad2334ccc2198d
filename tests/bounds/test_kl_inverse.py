"""The upper inverse of the Bernoulli divergence against a root finder on an independent formula."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import entropy

from privcheck.bounds import PrivcheckError, kl_upper_inverse


def oracle(p, level):
    def excess(q):
        return entropy([p, 1 - p], [q, 1 - q]) - level

    top = 1 - 1e-15
    return top if excess(top) <= 0 else brentq(excess, p, top, xtol=1e-15, rtol=1e-14)


@settings(derandomize=True, deadline=None)
@given(p=st.floats(0.001, 0.999), level=st.floats(1e-4, 10))
def test_agrees_with_a_root_finder(p, level):
    assert kl_upper_inverse(p, level) == pytest.approx(oracle(p, level), abs=2e-13)


@settings(derandomize=True, deadline=None)
@given(p=st.floats(0, 1), level=st.floats(0, 50), more=st.floats(0, 5))
def test_stays_between_the_mean_and_one_and_grows_with_the_level(p, level, more):
    q = kl_upper_inverse(p, level)
    assert p <= q <= 1
    assert kl_upper_inverse(p, level + more) >= q


@pytest.mark.parametrize("p", [1e-12, 1e-6, 0.5, 1 - 1e-6])
@pytest.mark.parametrize("level", [1e-18, 1e-10, 1e-3])
def test_small_levels_keep_their_digits(p, level):
    # with kl(p, q) = (q - p)^2 / (2 p (1-p)) + ..., checked where the next term is negligible
    half_width = math.sqrt(2 * level * p * (1 - p))
    if half_width < 1e-4 * min(p, 1 - p):
        assert kl_upper_inverse(p, level) - p == pytest.approx(half_width, rel=1e-4, abs=4e-16 * max(p, 1e-300))
    else:
        assert kl_upper_inverse(p, level) > p


def test_closed_cases():
    assert kl_upper_inverse(0.0, 1e-12) == pytest.approx(1e-12, rel=1e-11)
    assert kl_upper_inverse(0.0, math.log(2)) == pytest.approx(0.5, rel=1e-15)
    assert kl_upper_inverse(0.4, 0.0) == 0.4
    assert kl_upper_inverse(1.0, 3.0) == 1.0
    assert kl_upper_inverse(0.5, 1e6) < 1.0  # kl(p, 1) is infinite
    assert kl_upper_inverse(0.0, 1e6) < 1.0


@pytest.mark.parametrize(
    ("p", "level", "parameter"),
    [
        (-0.1, 1, "p"),
        (1.1, 1, "p"),
        (math.nan, 1, "p"),
        ("a", 1, "p"),
        (0.5, -1, "level"),
        (0.5, math.inf, "level"),
        (0.5, math.nan, "level"),
    ],
)
def test_bad_input(p, level, parameter):
    with pytest.raises(PrivcheckError) as caught:
        kl_upper_inverse(p, level)
    assert caught.value.parameter == parameter
