"""Conversions between notions, against enumerated mechanisms, 60-digit arithmetic and dp-accounting."""

from __future__ import annotations

import math
from itertools import product

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from privcheck.accounting import Approximate, Concentrated, GaussianDP, Pure, convert, delta_at, mu_of_pure, rho_of_pure
from privcheck.accounting._gaussian_profile import log_delta
from privcheck.errors import PrivcheckError

EPSILONS = [1e-6, 0.01, 0.5, 1.0, 3.0, 12.0]


def randomised_response(epsilon: float, aside: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """The worst case of (epsilon, aside)-DP: four outputs, two of which reveal the input (Kairouz et al. 2015)."""
    high = (1.0 - aside) / (1.0 + math.exp(-epsilon))
    low = (1.0 - aside) / (1.0 + math.exp(epsilon))
    return np.array([aside, high, low, 0.0]), np.array([0.0, low, high, aside])


def hockey_stick(first: np.ndarray, second: np.ndarray, epsilon: float) -> float:
    return float(np.maximum(first - math.exp(epsilon) * second, 0.0).sum())


@pytest.mark.parametrize(("epsilon", "aside"), list(product(EPSILONS, [0.0, 1e-6, 0.1])))
def test_approximate_privacy_is_that_of_the_worst_mechanism(epsilon, aside):
    pair = randomised_response(epsilon, aside)
    for fraction in (0.0, 0.2, 0.9, 1.0, 1.5):
        exact = hockey_stick(*pair, fraction * epsilon)
        found = convert(Approximate(epsilon, aside), Approximate, epsilon=fraction * epsilon).delta
        assert exact * (1.0 - 1e-9) - 1e-15 <= found <= exact * (1.0 + 1e-9) + 1e-15
    for delta in (aside, aside + 1e-8, aside + 0.05):
        found = convert(Approximate(epsilon, aside), Approximate, delta=delta).epsilon
        assert hockey_stick(*pair, found) <= delta * (1.0 + 1e-9) + 1e-15
        if found > 0.0:
            assert hockey_stick(*pair, found * (1.0 - 1e-6)) > delta - 1e-15


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_pure_privacy_as_concentrated(epsilon):
    """The Renyi divergences of randomised response lie below rho alpha, and touch it as alpha falls to 1."""
    rho = convert(Pure(epsilon), Concentrated).rho
    high, low = 1.0 / (1.0 + math.exp(-epsilon)), 1.0 / (1.0 + math.exp(epsilon))
    for alpha in (1.0 + 1e-4, 1.1, 1.5, 2.0, 3.0, 10.0, 100.0):
        exponents = [alpha * math.log(p) + (1.0 - alpha) * math.log(q) for p, q in ((high, low), (low, high))]
        divergence = float(np.logaddexp(*exponents)) / (alpha - 1.0)
        assert divergence <= rho * alpha * (1.0 + 1e-9) + 1e-11
    assert rho == pytest.approx(high * epsilon - low * epsilon, rel=1e-9)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_pure_privacy_as_gaussian(epsilon):
    """The trade-off function of randomised response lies above that of N(0, 1) and N(mu, 1), and touches it."""
    mu = convert(Pure(epsilon), GaussianDP).mu
    false_alarms = np.concatenate([np.linspace(0.0, 1.0, 2001), [1.0 / (1.0 + math.exp(epsilon))]])
    response = np.maximum.reduce(
        [np.zeros_like(false_alarms), 1.0 - math.exp(epsilon) * false_alarms, math.exp(-epsilon) * (1.0 - false_alarms)]
    )
    gaussian = norm.cdf(norm.isf(false_alarms) - mu)
    assert (gaussian <= response * (1.0 + 1e-9) + 1e-15).all()
    assert gaussian[-1] == pytest.approx(response[-1], rel=1e-9)


def test_gaussian_profile_against_60_digits():
    mpmath = pytest.importorskip("mpmath")
    rng = np.random.Generator(np.random.PCG64(1))
    for _ in range(300):
        mu, epsilon = 10.0 ** rng.uniform(-5.0, 1.5), float(rng.choice([0.0, 10.0 ** rng.uniform(-5.0, 2.5)]))
        if epsilon / mu > 50.0:
            continue
        with mpmath.workdps(60 + int((epsilon / mu) ** 2)):
            tail = mpmath.mpf(epsilon) / mpmath.mpf(mu)
            exact = mpmath.ncdf(-tail + mpmath.mpf(mu) / 2) - mpmath.exp(epsilon) * mpmath.ncdf(
                -tail - mpmath.mpf(mu) / 2
            )
            error = float(mpmath.mpf(log_delta(epsilon, mu)) - mpmath.log(exact))
            size = 1.0 + abs(float(mpmath.log(exact)))
        assert 0.0 <= error <= 2e-11 * size


def test_published_figures():
    assert convert(GaussianDP(math.sqrt(20.0) / 4.0), Approximate, delta=1e-6).epsilon == pytest.approx(5.550859868)
    assert convert(GaussianDP(1.0), Approximate, epsilon=1.0).delta == pytest.approx(0.1269367, rel=1e-6)


@pytest.mark.parametrize("rho", [1e-4, 0.01, 0.1, 1.0, 10.0])
@pytest.mark.parametrize("delta", [1e-12, 1e-6, 0.01])
def test_concentrated_privacy(rho, delta):
    """Above the exact epsilon of the Gaussian mechanism, which has this rho, and below Bun and Steinke's formula."""
    found = convert(Concentrated(rho), Approximate, delta=delta).epsilon
    exact = convert(GaussianDP(math.sqrt(2.0 * rho)), Approximate, delta=delta).epsilon
    assert exact <= found <= rho + 2.0 * math.sqrt(rho * -math.log(delta))
    back = convert(Concentrated(rho), Approximate, epsilon=found).delta
    assert back == pytest.approx(delta, rel=1e-6) if found else back <= delta


@pytest.mark.parametrize("rho", [0.01, 0.1, 1.0])
def test_concentrated_privacy_against_dp_accounting(rho):
    """Its orders are a grid, so its epsilon is never smaller, and larger by less than 1 % where the grid is fine."""
    rdp = pytest.importorskip("dp_accounting.rdp")
    orders = 1.0 + np.geomspace(0.05, 500.0, 4000)
    theirs = rdp.compute_epsilon(orders, rho * orders, 1e-6)[0]
    ours = convert(Concentrated(rho), Approximate, delta=1e-6).epsilon
    assert ours * (1.0 - 1e-9) <= theirs <= 1.01 * ours


amounts = st.one_of(st.just(0.0), st.floats(1e-12, 1e4))
guarantees = st.one_of(
    st.builds(Pure, amounts),
    st.builds(Approximate, amounts, st.floats(0.0, 0.99)),
    st.builds(Concentrated, amounts),
    st.builds(GaussianDP, st.one_of(st.just(0.0), st.floats(1e-12, 50.0))),
)


@given(guarantees, st.floats(1e-15, 0.999))
def test_epsilon_and_delta_are_inverse_to_each_other(guarantee, delta):
    if isinstance(guarantee, Approximate):
        delta = max(delta, guarantee.delta)
    found = convert(guarantee, Approximate, delta=delta)
    assert math.isfinite(found.epsilon)
    back = convert(guarantee, Approximate, epsilon=found.epsilon).delta
    assert back <= delta * (1.0 + 1e-6) + 1e-12
    smaller = convert(guarantee, Approximate, delta=min(0.9999, delta * 1.5)).epsilon
    assert smaller <= found.epsilon * (1.0 + 1e-9)


@given(st.floats(1e-9, 700.0))
def test_a_chain_of_conversions_is_never_stronger_than_the_direct_one(epsilon):
    """Pure to Gaussian to concentrated loses; so does pure to Gaussian to approximate."""
    gaussian = convert(Pure(epsilon), GaussianDP)
    assert convert(gaussian, Concentrated).rho >= convert(Pure(epsilon), Concentrated).rho * (1.0 - 1e-9)
    direct = convert(Pure(epsilon), Approximate, delta=1e-6).epsilon
    assert convert(gaussian, Approximate, delta=1e-6).epsilon >= direct * (1.0 - 1e-9)


@pytest.mark.parametrize(
    ("guarantee", "to", "options"),
    [
        (GaussianDP(1.0), Pure, {}),
        (Concentrated(1.0), Pure, {}),
        (Concentrated(1.0), GaussianDP, {}),
        (Approximate(1.0, 1e-6), Concentrated, {}),
        (Pure(1.0), Approximate, {}),
        (Pure(1.0), Approximate, {"delta": 0.1, "epsilon": 1.0}),
        (Pure(1.0), Concentrated, {"delta": 0.1}),
        (GaussianDP(1.0), Approximate, {"delta": 0.0}),
        (GaussianDP(1.0), Approximate, {"delta": 1.0}),
        (Approximate(1.0, 1e-3), Approximate, {"delta": 1e-6}),
        (1.0, Approximate, {"delta": 1e-6}),
        (Pure(1.0), Pure(1.0), {}),
    ],
)
def test_impossible_conversions_are_refused(guarantee, to, options):
    with pytest.raises(PrivcheckError):
        convert(guarantee, to, **options)


@pytest.mark.parametrize("value", [-1.0, math.nan, math.inf, "1", True])
@pytest.mark.parametrize("notion", [Pure, Concentrated, GaussianDP])
def test_amounts_are_checked(notion, value):
    with pytest.raises(PrivcheckError):
        notion(value)


@pytest.mark.parametrize("mu", [7.9, 8.1, 30.0, 500.0, 1e4, 1e6])
def test_gaussian_profiles_of_large_mu_are_not_below_the_exact_ones(mu):
    mpmath = pytest.importorskip("mpmath")
    compared = 0
    for epsilon in (part * mu * mu / 2.0 + more * mu for part in (0.0, 0.3, 0.99, 1.0, 1.1) for more in (0.0, 3.0)):
        with mpmath.workdps(80):
            x, size = mpmath.mpf(epsilon) / mu - mpmath.mpf(mu) / 2, mpmath.mpf(mu)
            if x < 400:
                exact = mpmath.log(mpmath.ncdf(-x) - mpmath.exp(mpmath.mpf(epsilon)) * mpmath.ncdf(-x - size))
                error = float((mpmath.mpf(log_delta(epsilon, mu)) - exact) / (1 + abs(exact)))
                assert 0.0 <= error < 2.2e-11
                compared += 1
    assert compared >= 8


@pytest.mark.parametrize("guarantee", [Pure(50.0), Approximate(1e3, 0.25), Concentrated(1e6), GaussianDP(40.0)])
def test_a_delta_above_all_floats_below_1_is_refused(guarantee):
    """The largest of them would be below the exact value."""
    with pytest.raises(PrivcheckError, match="floats below 1"):
        convert(guarantee, Approximate, epsilon=0.0)
    assert delta_at(guarantee, 0.0) == 1.0


@pytest.mark.parametrize("mu", [3.0, 10.0, 15.0])
def test_a_gaussian_delta_near_1_keeps_the_digits_of_what_is_left(mu):
    with mpmath.workdps(60):
        rest = 2 * mpmath.ncdf(-mpmath.mpf(mu) / 2)
        found = convert(GaussianDP(mu), Approximate, epsilon=0.0).delta
        assert 0 <= mpmath.mpf(found) - (1 - rest) <= 1e-10 * rest + mpmath.mpf(2) ** -52


def test_a_delta_below_all_others_takes_no_time():
    assert convert(GaussianDP(1e-315), Approximate, delta=5e-324).epsilon < 1e-300


@pytest.mark.parametrize("mu", [1e-300, 1e-12, 1e18, 1e60])
def test_gaussian_profiles_of_any_mu_are_numbers(mu):
    for epsilon in (0.0, 1.0, 1e9):
        assert log_delta(epsilon, mu) <= 0.0
    assert convert(GaussianDP(mu), Approximate, delta=1e-6).epsilon >= 0.0


@pytest.mark.parametrize(
    ("guarantee", "epsilon"), [(GaussianDP(0.1), 4.0), (GaussianDP(1e-200), 1.0), (Concentrated(1e-4), 1.0)]
)
def test_a_delta_below_every_float_is_not_zero(guarantee, epsilon):
    """It would turn into pure privacy, which no Gaussian noise has."""
    found = convert(guarantee, Approximate, epsilon=epsilon)
    assert 0.0 < found.delta < 1e-300
    with pytest.raises(PrivcheckError):
        convert(found, Pure)


@pytest.mark.parametrize("epsilon", [5e-324, 1e-300, 1e-17, 1e-16, 9e-9, 1.7e-8, 1e-6, 3.3e-5, 1e-3, 0.9])
def test_what_a_small_epsilon_implies_is_not_below_the_exact_value(epsilon):
    with mpmath.workdps(60):
        half = mpmath.mpf(epsilon) / 2
        mu = 2 * mpmath.sqrt(2) * mpmath.erfinv(mpmath.tanh(half))
        assert mu <= mu_of_pure(epsilon) <= mu * (1 + mpmath.mpf("2e-11")) + mpmath.mpf("1e-323")
        rho = epsilon * mpmath.tanh(half)
        assert rho <= rho_of_pure(epsilon) <= rho * (1 + mpmath.mpf("2e-11")) + mpmath.mpf("1e-323")


def test_an_underflow_is_not_no_loss():
    assert convert(GaussianDP(1e-200), Concentrated).rho > 0.0 == convert(GaussianDP(0.0), Concentrated).rho


@pytest.mark.parametrize(
    ("epsilon", "aside", "delta"),
    [
        (0.41956651895393166, 0.0, 0.20675903401208037),
        (35.99171490351621, 0.10718929373365646, 0.9999999999999987),
        *((epsilon, 0.0, math.tanh(epsilon / 2.0) * (1.0 - 1e-12)) for epsilon in (1e-5, 0.3, 1.0, 3.0, 12.0)),
    ],
)
def test_what_is_left_of_epsilon_near_the_largest_delta(epsilon, aside, delta):
    found = convert(Approximate(epsilon, aside), Approximate, delta=delta).epsilon
    with mpmath.workdps(60):
        share = (mpmath.mpf(delta) - mpmath.mpf(aside)) / (1 - mpmath.mpf(aside))
        exact = epsilon + mpmath.log(1 - share * (1 + mpmath.exp(-mpmath.mpf(epsilon))))
        assert exact <= found <= exact * (1 + mpmath.mpf("2e-11")) + 1e-14 * epsilon


def test_gaussian_privacy_beyond_every_use_has_an_epsilon():
    assert convert(GaussianDP(1e100), Approximate, delta=1e-6).epsilon == pytest.approx(5e199)
