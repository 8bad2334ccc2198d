"""Divergences against mpmath, quadrature and scipy."""

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import rel_entr
from scipy.stats import norm

from privcheck.arrays import broadcast, checked_array
from privcheck.bounds import PrivcheckError, kl_bernoulli, kl_gaussian, tv_bernoulli, tv_gaussian
from privcheck.declared import POSITIVE, UNIT_INTERVAL

EDGES = [1e-300, 1e-12, 1e-12 * (1 + 1e-9), 1e-3, 0.3, 0.3 + 1e-9, 0.5, 0.7, 1 - 1e-3, 1 - 1e-9, 1 - 1e-12]


def exact_kl(p, q):
    with mpmath.workdps(400):
        p, q = mpmath.mpf(p), mpmath.mpf(q)
        return p * mpmath.log(p / q) + (1 - p) * mpmath.log((1 - p) / (1 - q))


@pytest.mark.parametrize("p", EDGES)
@pytest.mark.parametrize("q", EDGES)
def test_kl_bernoulli_keeps_its_digits(p, q):
    assert kl_bernoulli(p, q) == pytest.approx(float(exact_kl(p, q)), rel=5e-15, abs=0)


@settings(derandomize=True, deadline=None)
@given(p=st.floats(0, 1), q=st.floats(0, 1))
def test_kl_bernoulli_agrees_with_relative_entropy_and_pinsker(p, q):
    divergence = kl_bernoulli(p, q)
    assert divergence == pytest.approx(rel_entr(p, q) + rel_entr(1 - p, 1 - q), rel=1e-12, abs=1e-15)
    assert divergence >= 2 * tv_bernoulli(p, q) ** 2 * (1 - 1e-14)


@pytest.mark.parametrize(
    ("p", "q", "expected"),
    [(0, 0, 0.0), (1, 1, 0.0), (0.5, 0, np.inf), (0.5, 1, np.inf), (0, 1, np.inf), (1, 0, np.inf), (5e-324, 0, np.inf)],
)
def test_kl_bernoulli_at_the_ends(p, q, expected):
    assert kl_bernoulli(p, q) == expected


def test_kl_bernoulli_of_the_paper_instance():
    assert kl_bernoulli(0.1, 0.8) == pytest.approx(1.1457255, abs=5e-8)


@pytest.mark.parametrize(("mean", "other"), [(0.0, 0.3), (1.0, -1.0), (2.0, 6.0), (0.4, 0.4)])
def test_gaussian_divergences_against_quadrature(mean, other):
    lo, hi = min(mean, other) - 12, max(mean, other) + 12
    p, q = norm(mean), norm(other)
    kl, _ = quad(lambda x: p.pdf(x) * (p.logpdf(x) - q.logpdf(x)), lo, hi, points=[mean, other], limit=200)
    tv, _ = quad(lambda x: abs(p.pdf(x) - q.pdf(x)) / 2, lo, hi, points=[(mean + other) / 2], limit=200)
    assert kl_gaussian(mean, other) == pytest.approx(kl, abs=1e-9)
    assert tv_gaussian(mean, other) == pytest.approx(tv, abs=1e-9)


def test_tv_gaussian_keeps_its_digits_for_a_small_shift():
    assert tv_gaussian(0.0, 1e-9) == pytest.approx(1e-9 / np.sqrt(2 * np.pi), rel=1e-14)


@pytest.mark.parametrize("function", [kl_bernoulli, tv_bernoulli, kl_gaussian, tv_gaussian])
def test_arrays_broadcast_and_agree_with_numbers(function):
    p, q = np.array([[0.1], [0.9]]), np.array([0.2, 0.5, 0.9])
    table = function(p, q)
    assert table.shape == (2, 3)
    assert table.tolist() == [[function(float(a), float(b)) for b in q] for a in p[:, 0]]
    assert type(function(0.1, 0.2)) is float
    assert function([], 0.5).shape == (0,)


@pytest.mark.parametrize("function", [kl_bernoulli, tv_bernoulli])
@pytest.mark.parametrize(
    "bad", [-1e-9, 1 + 1e-9, np.nan, np.inf, "0.5", None, True, [0.5, 2.0], ["0.5"], [[0.1], [0.1, 0.2]], 1j]
)
def test_bernoulli_refuses_what_is_no_mean(function, bad):
    for arguments in ((bad, 0.5), (0.5, bad)):
        with pytest.raises(PrivcheckError) as caught:
            function(*arguments)
        assert caught.value.parameter == ("p" if arguments[0] is bad else "q")
        assert "a number in [0, 1]" in caught.value.expected


@pytest.mark.parametrize("bad", [np.nan, -np.inf, "0", None])
def test_gaussian_refuses_what_is_no_number(bad):
    with pytest.raises(PrivcheckError, match="other_mean"):
        kl_gaussian(0.0, bad)
    with pytest.raises(PrivcheckError, match="mean"):
        tv_gaussian(bad, 0.0)


def test_shapes_that_do_not_broadcast_are_refused():
    with pytest.raises(PrivcheckError, match=r"p and q: got shapes \(2,\), \(3,\)"):
        broadcast(p=([0.1, 0.2], UNIT_INTERVAL), q=([0.1, 0.2, 0.3], UNIT_INTERVAL))


def test_an_open_end_is_excluded_from_arrays():
    with pytest.raises(PrivcheckError, match=r"epsilon: got 0\.0, expected a finite number above 0"):
        checked_array("epsilon", [1.0, 0.0], POSITIVE)
