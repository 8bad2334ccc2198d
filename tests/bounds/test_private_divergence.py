"""d_epsilon against numerical minimisation, symbolic calculus and high precision."""

import mpmath
import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.special import rel_entr

from privcheck.bounds import PrivcheckError, d_epsilon, d_epsilon_minimiser, kl_bernoulli

MEANS = st.floats(0, 1)
INNER = st.floats(1e-6, 1 - 1e-6)
BUDGETS = st.floats(1e-6, 1e3)


def objective(z, p, q, epsilon):
    return rel_entr(z, q) + rel_entr(1 - z, 1 - q) + epsilon * abs(p - z)


@settings(derandomize=True, deadline=None, max_examples=200)
@given(p=INNER, q=INNER, epsilon=st.floats(1e-3, 20))
def test_is_the_minimum_over_the_intermediate_law(p, q, epsilon):
    value, z = d_epsilon(p, q, epsilon), d_epsilon_minimiser(p, q, epsilon)
    search = minimize_scalar(
        objective, bounds=sorted((p, q)), args=(p, q, epsilon), method="bounded", options={"xatol": 1e-13}
    )
    smallest = min(search.fun, objective(p, p, q, epsilon), objective(q, p, q, epsilon))
    assert value == pytest.approx(smallest, rel=1e-8, abs=1e-12)
    assert min(p, q) <= z <= max(p, q)
    assert objective(z, p, q, epsilon) == pytest.approx(value, rel=1e-9, abs=1e-14)


def test_no_point_of_a_fine_grid_over_all_laws_is_better():
    grid = np.linspace(0, 1, 20001)
    for p, q, epsilon in [(0.2, 0.7, 1.0), (0.7, 0.2, 1.0), (0.0, 0.5, 0.1), (0.9, 0.05, 3.0), (0.4, 0.6, 5.0)]:
        values = objective(grid, p, q, epsilon)
        assert d_epsilon(p, q, epsilon) <= values.min() + 1e-15
        assert d_epsilon(p, q, epsilon) == pytest.approx(values.min(), abs=1e-6)


def high_precision(p, q, epsilon):
    """Closed form as printed, in 700 digits, where nothing cancels."""
    with mpmath.workdps(700):
        p, q, epsilon = (mpmath.mpf(x) for x in (p, q, epsilon))
        p, q = (1 - p, 1 - q) if p > q else (p, q)
        if mpmath.log(q / (1 - q)) - mpmath.log(p / (1 - p)) > epsilon:
            return float(-mpmath.log(1 - q * (1 - mpmath.exp(-epsilon))) - epsilon * p)
        return float(p * mpmath.log(p / q) + (1 - p) * mpmath.log((1 - p) / (1 - q)))


@pytest.mark.parametrize("epsilon", [1e-6, 1e-3, 0.5, 3.0, 27.0, 1e3])
def test_keeps_its_digits_at_the_edges(epsilon):
    means = [1e-300, 1e-12, 1.5e-12, 1e-6, 0.3, 0.3 + 1e-7, 0.3 + 3e-7, 0.5, 1 - 1e-6, 1 - 1.5e-12, 1 - 1e-12]
    pairs = [(p, q) for p in means for q in means if p != q]
    got = d_epsilon([p for p, _ in pairs], [q for _, q in pairs], epsilon)
    assert got.tolist() == pytest.approx([high_precision(p, q, epsilon) for p, q in pairs], rel=2e-14, abs=0)


@settings(derandomize=True, deadline=None, max_examples=300)
@given(p=MEANS, q=MEANS, epsilon=BUDGETS, more=st.floats(0, 10))
def test_bounds_and_monotonicity_in_the_budget(p, q, epsilon, more):
    value = d_epsilon(p, q, epsilon)
    assert 0 <= value <= min(kl_bernoulli(p, q), epsilon * abs(p - q)) * (1 + 1e-12)
    assert d_epsilon(p, q, epsilon + more) >= value * (1 - 1e-12)
    assert (value == 0) == (p == q) or abs(p - q) < 1e-150


@settings(derandomize=True, deadline=None)
@given(p=INNER, q=INNER)
def test_limits_in_the_budget(p, q):
    assert d_epsilon(p, q, 1e3) == kl_bernoulli(p, q)
    assert d_epsilon(p, q, 1e-9) == pytest.approx(1e-9 * abs(p - q), rel=1e-2, abs=1e-17)


@settings(derandomize=True, deadline=None)
@given(p=st.integers(0, 2**20), q=st.integers(0, 2**20), epsilon=BUDGETS)
def test_reflection(p, q, epsilon):
    p, q = p / 2**20, q / 2**20  # dyadic, so that 1-p and 1-q are exact
    assert d_epsilon(p, q, epsilon) == d_epsilon(1 - p, 1 - q, epsilon)


@settings(derandomize=True, deadline=None)
@given(p=st.floats(0, 0.9), a=st.floats(0, 1), b=st.floats(0, 1), epsilon=st.floats(0.01, 10))
def test_convex_and_increasing_in_the_alternative(p, a, b, epsilon):
    low, high = sorted(p + (0.999 - p) * x for x in (a, b))
    left, middle, right = d_epsilon(p, [low, (low + high) / 2, high], epsilon)
    assert left <= middle + 1e-14
    assert middle <= right + 1e-14
    assert middle <= (left + right) / 2 + 1e-13


def test_derivative_and_continuity_symbolically():
    p, q, epsilon, z = sympy.symbols("p q epsilon z", positive=True)
    private = -sympy.log(1 - q * (1 - sympy.exp(-epsilon))) - epsilon * p
    kl = p * sympy.log(p / q) + (1 - p) * sympy.log((1 - p) / (1 - q))
    slope = (1 - sympy.exp(-epsilon)) / (1 - q * (1 - sympy.exp(-epsilon)))
    assert sympy.simplify(sympy.diff(private, q) - slope) == 0
    assert sympy.simplify(sympy.diff(kl, q) - (q - p) / (q * (1 - q))) == 0
    minimiser = q * sympy.exp(-epsilon) / (1 - q + q * sympy.exp(-epsilon))
    stationary = sympy.log(z / q) - sympy.log((1 - z) / (1 - q)) + epsilon
    assert sympy.simplify(sympy.expand_log(sympy.simplify(stationary.subs(z, minimiser)), force=True)) == 0
    # the two slopes meet where the minimiser is p itself
    assert sympy.simplify(slope.subs(p, minimiser) - ((q - p) / (q * (1 - q))).subs(p, minimiser)) == 0
    numeric = sympy.lambdify((q, epsilon), slope)
    step = 1e-6
    for p0, q0, e0 in [(0.2, 0.7, 1.0), (0.1, 0.5, 0.3), (0.0, 0.9, 2.0)]:
        finite = (d_epsilon(p0, q0 + step, e0) - d_epsilon(p0, q0 - step, e0)) / (2 * step)
        assert finite == pytest.approx(numeric(q0, e0), rel=1e-7)


def test_regression_numbers_and_extreme_arguments():
    assert d_epsilon(0.2, 0.7, 1.0) == pytest.approx(0.3842648, abs=5e-8)
    assert d_epsilon(0.7, 0.2, 1.0) == pytest.approx(0.4046055, abs=5e-8)
    assert d_epsilon(0.0, 1.0, 1e3) == 1e3
    assert d_epsilon(1.0, 0.0, 0.5) == 0.5
    assert d_epsilon_minimiser(0.25, 1.0, 1e3) == 1.0
    assert d_epsilon_minimiser(0.75, 0.0, 1e3) == 0.0


def test_arrays_broadcast():
    table = d_epsilon([[0.1], [0.6]], [0.2, 0.5, 0.9], 0.7)
    assert table.shape == (2, 3)
    assert table[1, 2] == d_epsilon(0.6, 0.9, 0.7)
    assert type(d_epsilon(0.1, 0.2, 1)) is float


@pytest.mark.parametrize("function", [d_epsilon, d_epsilon_minimiser])
@pytest.mark.parametrize(
    ("arguments", "parameter"),
    [
        ((-0.1, 0.5, 1.0), "p"),
        ((0.5, 1.1, 1.0), "q"),
        ((0.5, np.nan, 1.0), "q"),
        ((0.5, 0.5, 0.0), "epsilon"),
        ((0.5, 0.5, -1.0), "epsilon"),
        ((0.5, 0.5, np.inf), "epsilon"),
        ((0.5, 0.5, [1.0, np.nan]), "epsilon"),
        ((0.5, 0.5, "1"), "epsilon"),
    ],
)
def test_bad_input(function, arguments, parameter):
    with pytest.raises(PrivcheckError) as caught:
        function(*arguments)
    assert caught.value.parameter == parameter
