"""Families known by their means: divergences and private divergences against scipy's laws, quadrature and sums."""

import math
import warnings

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import minimize_scalar

from privcheck.bounds import Enclosure, PrivcheckError, d_epsilon, family, kl_bernoulli
from privcheck.bounds._gaussian_private_divergence import gaussian_private_divergence
from privcheck.bounds.families import (
    FAMILIES,
    Bernoulli,
    Exponential,
    Gaussian,
    Poisson,
    TwoPoint,
)

BUDGETS = [1e-6, 1e-3, 0.3, 1.0, 4.0, 1e3]
GAUSSIAN, WIDE = Gaussian(), Gaussian(variance=4.0)
PAIRS = [
    (Bernoulli(), 0.2, 0.7), (Bernoulli(), 0.9, 0.3), (TwoPoint(), -0.6, 0.4), (TwoPoint(), 0.5, -0.9),
    (GAUSSIAN, 0.0, 1.0), (GAUSSIAN, 2.0, -1.0), (WIDE, 0.0, 1.5), (Exponential(), 1.0, 2.0), (Exponential(), 3.0, 0.5),
    (Poisson(), 3.0, 5.0), (Poisson(), 4.0, 0.5), (Poisson(), 0.3, 40.0), (Poisson(), 0.0, 1.5),
]  # fmt: skip


def law(kind, mean):
    """Return scipy's law, and the points at which it is summed (None: integrate)."""
    if kind.id in ("bernoulli", "two-point"):
        low = -1 if kind.id == "two-point" else 0
        share = (mean + 1) / 2 if low else mean
        return stats.rv_discrete(values=([low, 1], [1 - share, share])), np.array([low, 1])
    if kind.id == "poisson":
        return stats.poisson(mean), np.arange(400)
    if kind.id == "exponential":
        return stats.expon(scale=mean), None
    return stats.norm(mean, math.sqrt(kind.variance)), None


def densities(kind, p, q):
    """Return weights and both densities on the atoms, or on a fine grid with Simpson's weights."""
    (first, points), (second, _) = law(kind, p), law(kind, q)
    if points is not None:
        return np.ones(len(points)), first.pmf(points), second.pmf(points)
    ends = (0, 40 * max(p, q)) if kind.id == "exponential" else (min(p, q) - 20, max(p, q) + 20)
    points = np.linspace(*ends, 400_001)
    weights = np.full(len(points), 2.0)
    weights[1::2], weights[[0, -1]] = 4.0, 1.0
    return weights * (points[1] - points[0]) / 3, first.pdf(points), second.pdf(points)


def log_ratio(a, b):
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.log(a) - np.log(b)


@pytest.mark.parametrize(("kind", "p", "q"), PAIRS)
def test_divergences(kind, p, q):
    weights, a, b = densities(kind, p, q)
    kl = weights @ np.where(
        np.minimum(a, b) > 0, a * np.nan_to_num(log_ratio(a, b)), 0.0
    )  # what underflows is below 1e-290
    assert kind.kl(p, q) == pytest.approx(kl, rel=1e-8)
    assert kind.tv(p, q) == pytest.approx(weights @ np.abs(a - b) / 2, rel=1e-7)
    assert kind.hellinger(p, q) ** 2 == pytest.approx(1 - weights @ np.sqrt(a * b), abs=1e-9)
    for epsilon in (0.2, 0.6, 1.5):
        expected = weights @ np.maximum(a - math.exp(epsilon) * b, 0.0)
        assert kind.hockey_stick(p, q, epsilon) == pytest.approx(expected, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize(("kind", "p", "q"), PAIRS)
@pytest.mark.parametrize("epsilon", [0.1, 0.7, 2.0])
def test_private_divergence_is_the_maximum_over_clipped_log_ratios(kind, p, q, epsilon):
    """max over l of E_P g - ln E_Q e^g with g = clip(ln p/q - l, 0, epsilon), summed on a grid, by a bounded search."""
    weights, a, b = densities(kind, p, q)
    seen = (a > 0) | (b > 0)
    weights, a, b = weights[seen], a[seen], b[seen]
    ratio = log_ratio(a, b)

    def loss(level):
        clipped = np.clip(ratio - level, 0.0, epsilon)
        return -(weights * a) @ clipped + math.log1p((weights * b) @ np.expm1(clipped))

    found = kind.d_epsilon(p, q, epsilon)
    search = minimize_scalar(loss, bounds=(-epsilon, 0), method="bounded", options={"xatol": 1e-5 * epsilon})
    assert found.value == pytest.approx(-search.fun, rel=1e-6)
    assert found.relative_width < 1e-9


@pytest.mark.parametrize("epsilon", BUDGETS)
@pytest.mark.parametrize("gap", [1e-9, 1e-6, 1e-3, 0.1])
def test_small_gaps_keep_their_digits_and_warn_of_nothing(epsilon, gap):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for kind, p in ((GAUSSIAN, 0.0), (WIDE, 1.0), (Exponential(), 1.0), (Poisson(), 2.0), (Poisson(), 1e4)):
            for first, second in ((p, p + gap), (p + gap, p)):
                found = kind.d_epsilon(first, second, epsilon)
                assert found.relative_width < 1e-9
                assert found.lower <= min(kind.kl(first, second), epsilon * kind.tv(first, second)) * (1 + 1e-6)
                assert found.value > 0.5 * min(kind.kl(first, second), epsilon * kind.tv(first, second))


def gaussian_in_high_precision(shift, epsilon):
    """Normal distribution functions in 60 digits, and the level by bisection of the mass balance."""
    with mpmath.workdps(60):
        d, e = mpmath.mpf(shift), mpmath.mpf(epsilon)
        density = lambda x: mpmath.exp(-x * x / 2) / mpmath.sqrt(2 * mpmath.pi)  # noqa: E731
        positive_part = lambda t: t * mpmath.ncdf(t) + density(t)  # noqa: E731
        low, high = -e, mpmath.mpf(0)
        for _ in range(190):
            level = (low + high) / 2
            upper, lower = d / 2 - level / d, d / 2 - (level + e) / d
            surplus = mpmath.exp(level) * mpmath.ncdf(d - upper) - mpmath.ncdf(-upper)
            surplus -= mpmath.ncdf(lower) - mpmath.exp(level + e) * mpmath.ncdf(lower - d)
            low, high = (low, level) if surplus > 0 else (level, high)
        centre = d * d / 2 - level
        return float(level + d * (positive_part(centre / d) - positive_part((centre - e) / d)))


@pytest.mark.parametrize(
    ("shift", "epsilon"), [(1, 0.5), (1, 1e-6), (1e-6, 1e-6), (1e-3, 1e-4), (3, 2), (0.2, 0.05), (8, 1)]
)
def test_gaussian_private_divergence_in_high_precision(shift, epsilon):
    found = GAUSSIAN.d_epsilon(0.0, shift, epsilon)
    assert found.value == pytest.approx(gaussian_in_high_precision(shift, epsilon), rel=1e-12)
    assert WIDE.d_epsilon(-2 * shift, 0.0, epsilon).value == pytest.approx(found.value, rel=1e-9)


MEANS = {
    "bernoulli": (0.01, 0.99),
    "two-point": (-0.99, 0.99),
    "gaussian": (-3, 3),
    "exponential": (0.05, 20),
    "poisson": (0, 30),
}


@settings(derandomize=True, deadline=None, max_examples=120)
@given(
    name=st.sampled_from(sorted(MEANS)),
    shares=st.tuples(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1)),
    epsilon=st.floats(1e-4, 30),
    more=st.floats(0, 3),
)
def test_properties(name, shares, epsilon, more):
    kind = family(name)
    bottom, top = MEANS[name]
    p, q, r = sorted(bottom + (top - bottom) * share for share in shares)
    if q - p < 1e-6:
        return
    found = kind.d_epsilon(p, q, epsilon)
    kl, tv = kind.kl(p, q), kind.tv(p, q)
    assert 0 <= found.lower <= min(kl, epsilon * tv) * (1 + 1e-9)
    assert kind.d_epsilon(p, q, epsilon + more).upper >= found.lower * (1 - 1e-12)
    assert kind.d_epsilon(p, r, epsilon).upper >= found.lower * (1 - 1e-12)
    assert kind.tv(p, r) >= tv * (1 - 1e-9)
    assert 0 <= kind.hockey_stick(p, q, epsilon) <= tv
    assert 2 * tv**2 <= kl * (1 + 1e-9)
    assert 1 - math.sqrt(1 - tv**2) <= kind.hellinger(p, q) ** 2 * (1 + 1e-7) + 1e-15
    assert kind.hellinger(p, q) ** 2 <= tv * (1 + 1e-9)
    better = kind.d_epsilon_inf(p, q, epsilon)  # computed in another way: of two enclosures of one number each holds it
    assert max(better.lower, found.lower) <= min(better.upper, found.upper)
    assert better.value == pytest.approx(found.value, rel=1e-12)
    infinite = kind.d_inf(p, q)  # with ends of its own: `kl` is rounded
    assert infinite.lower * (1 - 1e-14) <= kl <= infinite.upper * (1 + 1e-14)
    assert infinite.value == pytest.approx(kl, rel=1e-12)
    assert kind.d_inf(q, p) == kind.t_inf(q, p) == kind.d_epsilon_inf(q, p, epsilon) == Enclosure.exactly(0.0)
    large = kind.d_epsilon(p, q, 1e3)
    assert large.value == pytest.approx(kl, rel=1e-9)
    if kind.free_epsilon(p, q) < math.inf:
        free = kind.free_epsilon(p, q)
        assert kind.d_epsilon(p, q, free * 1.000001).value == pytest.approx(kl, rel=1e-12)
        assert kind.d_epsilon(p, q, free * 0.9).value < kl


def test_two_point_laws_are_bernoulli_laws_of_half_the_gap():
    for m, n in [(-0.5, 0.3), (0.9, -0.9), (1 - 1e-12, 0.0), (-1 + 1e-12, -1 + 3e-12)]:
        with mpmath.workdps(50):
            p, q = (1 + mpmath.mpf(m)) / 2, (1 + mpmath.mpf(n)) / 2
            exact = p * mpmath.log(p / q) + (1 - p) * mpmath.log((1 - p) / (1 - q))
        assert TwoPoint().kl(m, n) == pytest.approx(float(exact), rel=1e-14)
        assert TwoPoint().tv(m, n) == abs(m - n) / 2
    assert TwoPoint().d_epsilon(-0.6, 0.4, 1.0).value == pytest.approx(d_epsilon(0.2, 0.7, 1.0), rel=1e-14)
    assert TwoPoint().d_inf(0.0, 1.0).value == math.inf
    assert Bernoulli().kl(0.5, [0.25, 1.0]).tolist() == [kl_bernoulli(0.5, 0.25), math.inf]


def test_arrays_broadcast():
    for kind, p, q in PAIRS:
        assert kind.kl([p, q], q).tolist() == [kind.kl(p, q), 0.0]
        assert kind.tv([[p], [q]], [p, q]).shape == (2, 2)
        assert kind.hockey_stick(p, q, [0.1, 0.2]).shape == (2,)


def test_poisson_probabilities():
    from privcheck.bounds.families.poisson import _probabilities

    for mean in (1e-12, 0.3, 17.0, 1234.5):
        counts = np.arange(0.0, 60 + 2 * mean)
        with mpmath.workdps(40):
            exact = [
                mpmath.exp(-mpmath.mpf(mean) + n * mpmath.log(mpmath.mpf(mean)) - mpmath.loggamma(n + 1))
                for n in counts
            ]
        found = _probabilities(counts, mean)
        assert found.sum() == pytest.approx(1, rel=1e-13)
        assert found.tolist() == pytest.approx([float(x) for x in exact], rel=1e-12, abs=1e-290)


@pytest.mark.parametrize(
    ("make", "parameter"),
    [
        (lambda: family("cauchy"), "family"),
        (lambda: family("gaussian", variance=0.0), "variance"),
        (lambda: family("gaussian", scale=1.0), "scale"),
        (lambda: Exponential().kl(0.0, 1.0), "p"),
        (lambda: Poisson().kl(1.0, -1.0), "q"),
        (lambda: TwoPoint().tv(0.0, 1.1), "q"),
        (lambda: GAUSSIAN.d_epsilon(0.0, math.inf, 1.0), "q"),
        (lambda: GAUSSIAN.d_epsilon(0.0, 1.0, 0.0), "epsilon"),
        (lambda: GAUSSIAN.d_epsilon(0.0, 1.0, math.inf), "epsilon"),
        (lambda: GAUSSIAN.hockey_stick(0.0, 1.0, -1.0), "epsilon"),
        (lambda: Bernoulli().d_inf(1.5, 0.5), "law"),
        (lambda: Enclosure(1.0, 0.0), "enclosure"),
        (lambda: Enclosure(math.nan, 0.0), "enclosure"),
    ],
)
def test_bad_input(make, parameter):
    with pytest.raises(PrivcheckError) as caught:
        make()
    assert caught.value.parameter == parameter


def test_every_family_is_known_by_its_id():
    assert all(known.id == name for name, known in FAMILIES.items())


@pytest.mark.parametrize("epsilon", [1e-3, 0.1, 0.5, 2.0])
def test_two_ways_to_the_gaussian_private_divergence_agree(epsilon):
    """By quadrature with a certificate here, by normal distribution functions there."""
    shifts = np.array([1e-3, 0.05, 0.7, 1.0, 4.0])
    values, _ = gaussian_private_divergence(shifts, epsilon)
    found = [GAUSSIAN.d_epsilon(0.0, float(shift), epsilon).value for shift in shifts]
    assert values.tolist() == pytest.approx(found, rel=1e-12)
