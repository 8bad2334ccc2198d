"""The exact unconditional test: every step against an independent route, and its exact size by enumeration."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import rel_entr
from scipy.stats import binom, norm

from privcheck.errors import PrivcheckError
from privcheck.inference import _unconditional as approximate
from privcheck.inference import clopper_pearson, clopper_pearson_lower, delta_lower, epsilon_lower, p_value
from privcheck.inference._binomial_pair import boundary, log_ratio, probability_above, window
from privcheck.inference._supremum import interpolation_error, largest_probability, log_size

RUNS = 30
COUNTS = np.arange(RUNS + 1)
RATES = np.concatenate([[1e-9, 1e-4], np.geomspace(1e-3, 0.5, 30), np.linspace(0.55, 0.999, 10)])


def size(table, truth, p_of_q):
    """Return the largest probability, over q, of a limit above the truth."""
    above = table > truth + 1e-9
    return max(
        float(binom.pmf(COUNTS, RUNS, min(1.0, p_of_q(q))) @ above @ binom.pmf(COUNTS, RUNS, q))
        for q in RATES
        if p_of_q(q) <= 1.0
    )


@pytest.mark.parametrize("delta", [0.0, 1e-3, 0.05])
@pytest.mark.parametrize("level", [0.05, 1e-3])
def test_the_size_of_the_limit_of_epsilon_never_exceeds_the_level(delta, level):
    table = np.array([[epsilon_lower(k, l, RUNS, delta, level) for l in COUNTS] for k in COUNTS])
    found = [size(table, e, lambda q, e=e: math.exp(e) * q + delta) for e in (0.0, 0.1, 0.5, 1.0, 2.0, 3.0)]
    assert max(found) <= level
    assert max(found) > level / 2.0
    textbook = np.array([[clopper_pearson_lower(k, l, RUNS, level, delta) for l in COUNTS] for k in COUNTS])
    assert (table >= np.maximum(textbook, 0.0)).all()


@pytest.mark.parametrize(("epsilon", "level"), [(0.0, 0.05), (0.5, 0.05), (2.0, 0.05), (0.0, 1e-3), (0.5, 1e-3)])
def test_the_size_of_the_limit_of_delta_never_exceeds_the_level(epsilon, level):
    table = np.array([[delta_lower(k, l, RUNS, epsilon, level) for l in COUNTS] for k in COUNTS])
    found = [size(table, d, lambda q, d=d: math.exp(epsilon) * q + d) for d in (0.0, 1e-3, 0.01, 0.1, 0.3, 0.7)]
    assert level / 2.0 < max(found) <= level


@pytest.mark.chance(0.0, "sizes are enumerated")
@pytest.mark.parametrize("epsilon", [0.0, 1.0])
def test_the_size_of_the_p_value_never_exceeds_the_level(epsilon):
    delta, gamma = 0.01, 1e-4
    table = np.array([[p_value(k, l, RUNS, epsilon, delta, gamma) for l in COUNTS] for k in COUNTS])
    for level in (0.05, 0.01, 1e-3):
        assert size(-table, -level - 2e-9, lambda q: math.exp(epsilon) * q + delta) <= level


def test_a_region_without_the_observed_counts_is_caught(monkeypatch):
    """P(more telling counts) in place of P(at least as telling): the size exceeds the level."""
    level = 0.05
    monkeypatch.setattr(approximate, "boundary", lambda *arguments: boundary(*arguments) + 1)
    table = np.array([[epsilon_lower(k, l, RUNS, 1e-3, level) for l in COUNTS] for k in COUNTS])
    assert max(size(table, e, lambda q, e=e: math.exp(e) * q + 1e-3) for e in (0.1, 0.5, 1.0, 2.0, 3.0)) > level


def test_a_single_nuisance_value_is_caught(monkeypatch):
    """Taking the nuisance at its estimate instead of the worst in its interval: the size exceeds the level."""

    def at_estimate(n, r, delta, low, high, least, first, tolerance):
        q = 0.5 * (low + high)
        return probability_above(n, min(1.0, r * q + delta), q, least, first)

    level = 0.05
    monkeypatch.setattr(approximate, "largest_probability", at_estimate)
    monkeypatch.setattr(approximate, "NUISANCE_SHARE", 1e-4)
    table = np.array([[epsilon_lower(k, l, RUNS, 1e-3, level) for l in COUNTS] for k in COUNTS])
    assert max(size(table, e, lambda q, e=e: math.exp(e) * q + 1e-3) for e in (0.1, 0.5, 1.0, 2.0, 3.0)) > level


@pytest.mark.parametrize(("r", "delta"), [(1.0, 0.0), (math.e, 1e-5), (20.0, 0.01)])
def test_the_likelihood_ratio_is_scipys_minimum(r, delta):
    rng = np.random.default_rng(3)
    for _ in range(40):
        n = int(rng.integers(5, 10_000))
        l = int(rng.integers(0, n // 20 + 1))
        k = int(rng.integers(l, n + 1))
        x, y = max(k - 0.5, 0.0) / n, min(l + 0.5, n) / n
        if x <= r * y + delta:
            assert log_ratio(k, l, n, r, delta) == 0.0
            continue

        def distance(q, n=n, x=x, y=y):
            p = r * q + delta
            return n * (rel_entr([x, 1 - x], [p, 1 - p]).sum() + rel_entr([y, 1 - y], [q, 1 - q]).sum())

        found = minimize_scalar(distance, bounds=(y, (x - delta) / r), method="bounded", options={"xatol": 1e-13})
        assert log_ratio(k, l, n, r, delta) == pytest.approx(found.fun, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize(("r", "delta"), [(1.0, 0.0), (math.e, 1e-3), (20.0, 0.05)])
def test_the_boundary_is_the_brute_force_one_and_rises(r, delta):
    n = 60
    ratios = np.array([[log_ratio(k, l, n, r, delta) for l in range(n + 1)] for k in range(n + 1)])
    assert (np.diff(ratios, axis=0) >= -1e-9).all()
    assert (np.diff(ratios, axis=1) <= 1e-9).all()
    for ratio in (0.5, 1.35, 5.0):
        brute = [int(np.argmax(column)) if (column := ratios[:, l] >= ratio).any() else n + 1 for l in range(n + 1)]
        assert boundary(n, r, delta, ratio, 0, n).tolist() == brute
        assert boundary(n, r, delta, ratio, 7, n).tolist() == brute[7:]


@pytest.mark.chance(0.0, "no random numbers")
@pytest.mark.parametrize(("n", "p", "q"), [(50, 0.3, 0.1), (4000, 0.02, 0.004), (4000, 1.0, 0.5), (300, 1e-9, 0.0)])
def test_the_probability_above_a_boundary_is_scipys(n, p, q):
    first, last = window(n, q)
    least = boundary(n, math.e, 1e-3, 1.0, first, last)
    l = np.arange(first, last + 1)
    expected = binom.pmf(l, n, q) @ binom.sf(least - 1, n, p)
    assert probability_above(n, p, q, least, first) == pytest.approx(expected, rel=1e-8, abs=3e-12)


@pytest.mark.parametrize(
    ("k", "l", "n", "r", "delta"),
    [(466, 207, 10**5, 2.0, 1e-5), (9, 0, 1000, 2.0, 1e-3), (980, 330, 1000, 2.7, 0.01), (80, 1, 10**4, 20.0, 0.0)],
)
def test_the_supremum_leaves_no_gap(k, l, n, r, delta):
    """Against 4000 nuisance values: never below the largest, and above it by no more than the tolerance allows."""
    low, high = clopper_pearson(l, n, 0.0005)
    first, last = window(n, low)[0], window(n, high)[1]
    least = boundary(n, r, delta, 1.35, first, last)
    found = largest_probability(n, r, delta, low, high, least, first, 1e-4)
    rates = np.linspace(math.sqrt(low), min(math.sqrt(high), math.sqrt((1.0 - delta) / r)), 4000) ** 2
    scanned = max(probability_above(n, min(1.0, r * q + delta), q, least, first) for q in rates)
    assert scanned <= found + 1e-11
    assert found <= scanned + 1e-3


def test_the_bound_on_an_ellipse_and_the_interpolation_error_hold():
    """|f(s)| at complex s, summed term by term, stays below its bound; so does the error seen on a fine grid."""
    n, r, delta = 40, 2.0, 0.01
    least = boundary(n, r, delta, 1.35, 0, n)
    region = COUNTS_40[:, None] >= least[None, :]
    for x, y in [(0.3, 0.0), (0.2, 0.1), (0.5, 0.3), (0.05, 0.4)]:
        q = complex(x, y) ** 2
        p = r * q + delta
        value = abs(terms(n, p) @ region @ terms(n, q))
        assert value <= math.exp(n * log_size(x * x, y, r, delta)) * (1 + 1e-9)
    a, b = 0.2, 0.6
    nodes = 0.5 * (a + b) + 0.5 * (b - a) * np.cos(np.pi * np.arange(41) / 40)
    values = [probability_above(n, r * s * s + delta, s * s, least, 0) for s in nodes]
    fit = np.polynomial.Chebyshev.fit(nodes, values, 40, domain=[a, b])
    points = np.linspace(a, b, 501)
    truth = [probability_above(n, r * s * s + delta, s * s, least, 0) for s in points]
    assert np.abs(fit(points) - truth).max() <= interpolation_error(a, b, n, r, delta) + 1e-10
    assert interpolation_error(a, b, n, r, delta) < 1e-3


COUNTS_40 = np.arange(41)


def terms(n, p):
    """Return the binomial terms at a complex probability."""
    return np.array([math.comb(n, int(k)) * p**k * (1 - p) ** (n - k) for k in range(n + 1)])


@pytest.mark.chance(1e-6, "a count of limits above the truth, against its binomial quantile")
def test_a_gaussian_is_bounded_as_far_as_one_event_allows():
    """Event x <= -2.6 sigma of the Gaussian with epsilon(1e-5) = 1: ln((p - delta) / q) = 0.812."""
    n, rng = 10**5, np.random.default_rng(5)
    p, q = norm.cdf(-2.6), norm.cdf(-2.6 - 1.0 / 3.7306)
    counts = rng.binomial(n, [p, q], (100, 2)).tolist()
    limits = np.array([epsilon_lower(k, l, n, 1e-5, 0.05) for k, l in counts])
    textbook = np.array([clopper_pearson_lower(k, l, n, 0.05, 1e-5) for k, l in counts])
    assert limits.mean() > 0.665
    assert (limits > textbook).all()
    assert (limits > 0.812).sum() <= binom.isf(1e-6, 100, 0.05)


@pytest.mark.chance(0.0, "an identity that holds for all counts")
@pytest.mark.parametrize(("k", "l", "n", "delta"), [(466, 207, 10**5, 1e-5), (300, 40, 1000, 0.05)])
def test_limits_and_p_values_agree(k, l, n, delta):
    """Where the claim is the limit, the p-value, of nearly the same ordering, is near the level; both limits agree."""
    epsilon = epsilon_lower(k, l, n, delta, 0.05)
    assert p_value(k, l, n, epsilon, delta, 5e-4) == pytest.approx(0.05, rel=0.1)
    assert delta_lower(k, l, n, epsilon, 0.05) == pytest.approx(delta, rel=0.2, abs=1e-4)
    assert epsilon_lower(k + 1, l, n, delta, 0.05) > epsilon > epsilon_lower(k, l + 1, n, delta, 0.05)
    assert epsilon_lower(k, l, n, delta, 0.1) > epsilon > epsilon_lower(k, l, n, 2.0 * delta + 0.01, 0.05)


@pytest.mark.chance(0.0, "no random numbers")
def test_nothing_refuted_and_bad_input():
    assert epsilon_lower(0, 0, 10, 0.0, 0.05) == 0.0
    assert delta_lower(3, 3, 10, 0.0, 0.05) == 0.0
    assert p_value(0, 5, 10, 1.0, 0.1) == 1.0
    for wrong in [(11, 0, 10, 0.0, 0.05), (1, 0, 10, 1.0, 0.05), (1, 0, 10, 0.0, 1.0), (1, 0, 0, 0.0, 0.05)]:
        with pytest.raises(PrivcheckError):
            epsilon_lower(*wrong)
    with pytest.raises(PrivcheckError, match="epsilon"):
        delta_lower(1, 0, 10, -1.0, 0.05)
