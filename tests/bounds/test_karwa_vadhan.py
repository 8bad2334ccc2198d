"""The Karwa-Vadhan lemma against exact enumeration of mechanisms and linear programming."""

import itertools
import math

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq, linprog

from privcheck.bounds import (
    CLASSIC_EPSILON_LIMIT,
    PrivcheckError,
    d_epsilon,
    karwa_vadhan_classic,
    karwa_vadhan_kl,
    karwa_vadhan_kl_bernoulli,
    karwa_vadhan_sharp,
)

BITS = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=4)


def output_law(means, epsilon):
    """Law of the outputs of randomised response on independent Bernoulli bits, by summing over every input."""
    n = len(means)
    words = list(itertools.product((0, 1), repeat=n))
    data = np.array([math.prod(m if bit else 1 - m for m, bit in zip(means, x, strict=True)) for x in words])
    stay = 1 / (1 + math.exp(-epsilon))
    channel = np.array(
        [[math.prod(stay if a == b else 1 - stay for a, b in zip(x, y, strict=True)) for y in words] for x in words]
    )
    return data @ channel


def largest_log_ratio(p, q, epsilon):
    return float(np.max(np.log(output_law(p, epsilon) / output_law(q, epsilon))))


@settings(derandomize=True, deadline=None)
@given(p=st.lists(st.floats(1e-4, 1), min_size=1, max_size=4), epsilon=st.floats(0.05, 6))
def test_sharp_form_is_attained_by_randomised_response_against_zeros(p, epsilon):
    attained = largest_log_ratio(p, [0.0] * len(p), epsilon)
    assert karwa_vadhan_sharp(p, epsilon).epsilon_prime == pytest.approx(attained, rel=1e-9)


@settings(derandomize=True, deadline=None)
@given(bits=BITS, epsilon=st.floats(0.05, 8))
def test_every_form_covers_randomised_response(bits, epsilon):
    p, q = zip(*bits, strict=True)
    variations = np.abs(np.subtract(p, q))
    ratio = largest_log_ratio(p, q, epsilon)
    assert ratio <= karwa_vadhan_sharp(variations, epsilon).epsilon_prime + 1e-12
    if epsilon <= CLASSIC_EPSILON_LIMIT:
        assert ratio <= karwa_vadhan_classic(variations, epsilon).epsilon_prime + 1e-12
    first, second = output_law(p, epsilon), output_law(q, epsilon)
    kl = float(np.sum(first * np.log(first / second)))
    assert kl <= karwa_vadhan_kl_bernoulli(p, q, epsilon) + 1e-12
    assert karwa_vadhan_kl_bernoulli(p, q, epsilon) <= karwa_vadhan_kl(variations, epsilon) + 1e-12


def test_divergence_form_is_nearly_attained_when_the_budget_is_large():
    first, second = output_law([0.3, 0.6], 12.0), output_law([0.5, 0.2], 12.0)
    kl = float(np.sum(first * np.log(first / second)))
    assert 0.999 < kl / karwa_vadhan_kl_bernoulli([0.3, 0.6], [0.5, 0.2], 12.0) <= 1


@pytest.mark.parametrize(("epsilon", "p", "n"), [(4.0, 0.01, 1), (4.0, 0.01, 3), (3.0, 1e-4, 1), (2.92, 1e-6, 1)])
def test_the_printed_lemma_is_false_beyond_its_limit(epsilon, p, n):
    assert epsilon > CLASSIC_EPSILON_LIMIT
    assert largest_log_ratio([p] * n, [0.0] * n, epsilon) > 6 * epsilon * n * p
    with pytest.raises(PrivcheckError) as caught:
        karwa_vadhan_classic([p] * n, epsilon)
    assert caught.value.parameter == "epsilon"
    assert "karwa_vadhan_sharp" in caught.value.hint


def test_regression_numbers():
    assert largest_log_ratio([0.01], [0.0], 4.0) == pytest.approx(0.42917, abs=5e-6)
    assert karwa_vadhan_sharp([1e-4], 3.0).epsilon_prime == pytest.approx(0.0019067, abs=5e-8)
    assert karwa_vadhan_sharp([0.01] * 10, 4.0).epsilon_prime == pytest.approx(4.2917, abs=5e-5)


def test_the_limit_is_the_root():
    x = sympy.symbols("x", positive=True)
    root = sympy.nsolve((sympy.exp(x) - 1) / x - 6, x, 3, prec=30)
    assert pytest.approx(float(root), rel=1e-15) == CLASSIC_EPSILON_LIMIT
    assert karwa_vadhan_classic([0.5], CLASSIC_EPSILON_LIMIT).epsilon_prime == 3 * CLASSIC_EPSILON_LIMIT


def worst_event(p, q, epsilon, delta, factor):
    """Largest `E_P m - factor E_Q m` over (epsilon, delta)-DP events m on bit strings, by linear programming."""
    words = list(itertools.product((0, 1), repeat=len(p)))
    weight = [
        math.prod(m if b else 1 - m for m, b in zip(p, x, strict=True))
        - factor * math.prod(m if b else 1 - m for m, b in zip(q, x, strict=True))
        for x in words
    ]
    rows, limits = [], []
    for i, x in enumerate(words):
        for j, y in enumerate(words):
            if sum(a != b for a, b in zip(x, y, strict=True)) == 1:
                row = np.zeros(len(words))
                row[i], row[j] = 1, -math.exp(epsilon)
                # m(x) <= e^epsilon m(y) + delta, and the same for the complement 1 - m
                rows += [row, -row]
                limits += [delta, math.expm1(epsilon) + delta]
    solution = linprog(-np.array(weight), A_ub=np.array(rows), b_ub=limits, bounds=(0, 1), method="highs")
    assert solution.success
    return -solution.fun


@settings(derandomize=True, deadline=None, max_examples=40)
@given(
    bits=st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=2),
    epsilon=st.floats(0.1, 6),
    delta=st.floats(1e-3, 0.2),
)
def test_delta_prime_covers_every_private_event(bits, epsilon, delta):
    p, q = zip(*bits, strict=True)
    sharp = karwa_vadhan_sharp(np.abs(np.subtract(p, q)), epsilon, delta)
    assert worst_event(p, q, epsilon, delta, math.exp(sharp.epsilon_prime)) <= sharp.delta_prime + 1e-7
    if epsilon <= CLASSIC_EPSILON_LIMIT:
        classic = karwa_vadhan_classic(np.abs(np.subtract(p, q)), epsilon, delta)
        assert sharp.delta_prime <= classic.delta_prime * (1 + 1e-9) + 1e-15


@pytest.mark.parametrize("p", [0.1, 0.5, 1.0])
def test_delta_prime_is_attained_by_one_bit(p):
    sharp = karwa_vadhan_sharp([p], 1.0, 0.05)
    assert worst_event([p], [0.0], 1.0, 0.05, math.exp(sharp.epsilon_prime)) == pytest.approx(
        sharp.delta_prime, abs=1e-8
    )


def test_classic_values_follow_the_printed_formula():
    result = karwa_vadhan_classic([0.1, 0.2], 0.5, 1e-3)
    assert result.epsilon_prime == pytest.approx(6 * 0.5 * 0.3)
    assert result.delta_prime == pytest.approx(4 * math.exp(0.9) * 1e-3 * 0.3)


@settings(derandomize=True, deadline=None)
@given(p=st.floats(0, 1), rounds=st.integers(1, 50), epsilon=st.floats(1e-6, 1e3))
def test_sharp_form_never_exceeds_group_privacy(p, rounds, epsilon):
    result = karwa_vadhan_sharp(np.full(rounds, p), epsilon).epsilon_prime
    assert 0 <= result <= rounds * epsilon * (1 + 1e-12)
    assert result >= rounds * math.log1p(p * math.expm1(min(epsilon, 30.0))) * (1 - 1e-12)


def test_extremes():
    assert karwa_vadhan_sharp([1.0, 0.0], 1e4).epsilon_prime == pytest.approx(1e4)
    assert karwa_vadhan_sharp([0.5], 1e4).epsilon_prime == pytest.approx(1e4 - math.log(2))
    assert karwa_vadhan_sharp([1.0] * 5, 500.0, 0.1).delta_prime == math.inf
    assert karwa_vadhan_sharp([0.0], 1.0, 0.1).delta_prime == 0.0
    assert karwa_vadhan_classic([1.0] * 200, 1.0, 0.1).delta_prime == math.inf
    assert karwa_vadhan_kl_bernoulli(0.2, 0.7, 1.0) == d_epsilon(0.2, 0.7, 1.0)


@pytest.mark.parametrize("function", [karwa_vadhan_classic, karwa_vadhan_sharp])
@pytest.mark.parametrize(
    ("variations", "epsilon", "delta", "parameter"),
    [
        ([0.1, 1.5], 1.0, 0.0, "total_variations"),
        ([-0.1], 1.0, 0.0, "total_variations"),
        ([math.nan], 1.0, 0.0, "total_variations"),
        ([0.1], 0.0, 0.0, "epsilon"),
        ([0.1], math.nan, 0.0, "epsilon"),
        ([0.1], 1.0, 1.0, "delta"),
        ([0.1], 1.0, -0.1, "delta"),
    ],
)
def test_bad_input(function, variations, epsilon, delta, parameter):
    with pytest.raises(PrivcheckError) as caught:
        function(variations, epsilon, delta)
    assert caught.value.parameter == parameter


def test_bad_input_of_the_divergence_forms():
    with pytest.raises(PrivcheckError, match="epsilon"):
        karwa_vadhan_kl([0.1], -1.0)
    with pytest.raises(PrivcheckError, match="epsilon"):
        karwa_vadhan_kl_bernoulli([0.1], [0.2], [1.0, 2.0])
    with pytest.raises(PrivcheckError, match="q: got"):
        karwa_vadhan_kl_bernoulli([0.1], [1.2], 1.0)


def test_budgets_up_to_which_the_constant_6_holds():
    """The lemma itself, by `(e^x - 1)/x = 6`; the ratio inequality of its proof, by its best constant `2 sinh(x)/x`."""
    assert brentq(lambda x: math.expm1(x) / x - 6, 1, 5) == pytest.approx(2.9183005, abs=5e-8)
    assert pytest.approx(brentq(lambda x: math.expm1(x) / x - 6, 1, 5), rel=1e-12) == CLASSIC_EPSILON_LIMIT
    ratio_limit = brentq(lambda x: 2 * math.sinh(x) / x - 6, 1, 5)
    assert ratio_limit == pytest.approx(2.8384464, abs=5e-8)

    def worst(epsilon):
        p = np.geomspace(1e-9, 1, 2000)
        return np.max((np.log1p(p * np.expm1(epsilon)) - np.log1p(p * np.expm1(-epsilon))) / (6 * epsilon * p))

    assert worst(ratio_limit - 1e-4) < 1 < worst(ratio_limit + 1e-4)
