"""Chains of comparisons against exact arithmetic: piecewise sums of polynomials times exponentials, in 60 digits."""

import itertools
import math

import mpmath
import numpy as np
import pytest
from scipy import integrate, stats

from privcheck.auditing._exact import comparisons
from privcheck.auditing._exact.comparisons import RELATIVE_ERROR, chain_probabilities


def product(one, two):
    found = {}
    for (r, p), a in one.items():
        for (s, q), b in two.items():
            found[r + s, p + q] = found.get((r + s, p + q), 0) + a * b
    return found


def antiderivative(terms):
    found = {}
    for (r, p), a in terms.items():
        if r == 0:
            found[0, p + 1] = found.get((0, p + 1), 0) + a / (p + 1)
            continue
        for i in range(p + 1):
            factor = (-1) ** i * mpmath.factorial(p) / mpmath.factorial(p - i) / mpmath.mpf(r) ** (i + 1)
            found[r, p - i] = found.get((r, p - i), 0) + a * factor
    return found


def value(terms, x):
    if mpmath.isinf(x):
        return mpmath.mpf(0)
    return sum(a * x**p * mpmath.exp(r * x) for (r, p), a in terms.items())


def exactly(centres, rates, replaced):
    """The recursion of `chain_probabilities` on closed forms: a dictionary {(rate, power): coefficient} per piece."""
    with mpmath.workdps(60):
        z = [mpmath.mpf(float(centre)) for centre in centres]
        ends = [-mpmath.inf, *sorted(set(z)), mpmath.inf]
        pieces = list(itertools.pairwise(ends))

        def density(k):
            half, n = mpmath.mpf(rates[k]) / 2, rates[k]
            signs = [1 if right <= z[k] else -1 for _, right in pieces]
            return [{(sign * n, 0): half * mpmath.exp(-sign * n * z[k])} for sign in signs]

        def tail(k):
            n = rates[k]
            left = {(0, 0): mpmath.mpf(1), (n, 0): -mpmath.exp(-n * z[k]) / 2}
            return [left if right <= z[k] else {(-n, 0): mpmath.exp(n * z[k]) / 2} for _, right in pieces]

        def above(held):
            found, beyond = [], mpmath.mpf(0)
            for (left, right), terms in reversed(list(zip(pieces, held, strict=True))):
                whole = antiderivative(terms)
                upper = {key: -a for key, a in whole.items()}
                upper[0, 0] = upper.get((0, 0), 0) + beyond + value(whole, right)
                found.append(upper)
                beyond = beyond + value(whole, right) - value(whole, left)
            return found[::-1], beyond

        held = density(0)
        for k, replaces in enumerate(replaced, start=1):
            others = above(held)[0] if replaces else tail(k)
            held = [product(a, b) for a, b in zip(density(k) if replaces else held, others, strict=True)]
        return above(held)[1]


def chains(count, seed):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        m = int(rng.integers(1, 7))
        rates = tuple(int(rate) for rate in rng.choice([1, 1, 2, 4, 8], m + 1))
        yield rng.normal(size=m + 1) * rng.choice([0.01, 1.0, 8.0]), rates, tuple(bool(x) for x in rng.random(m) < 0.5)


def largest_error(count=60, seed=0):
    worst = 0.0
    for centres, rates, replaced in chains(count, seed):
        truth = exactly(centres, rates, replaced)
        found = float(chain_probabilities(centres[None], rates, replaced)[0])
        worst = max(worst, abs(float((mpmath.mpf(found) - truth) / truth)))
    return worst


def test_sixty_digits_agree_within_the_stated_error():
    """Probabilities below 1e-50 are among them; the error bound keeps a margin of 100."""
    assert largest_error() < RELATIVE_ERROR / 100
    assert min(exactly(*chain) for chain in chains(60, 0)) < 1e-50


@pytest.mark.parametrize(("name", "wrong"), [("_STEP", 80.0), ("_REACH", 8.0)])
def test_a_coarse_rule_is_noticed(monkeypatch, name, wrong):
    monkeypatch.setattr(comparisons, name, wrong)
    assert largest_error() > RELATIVE_ERROR


@pytest.mark.parametrize("distance", [-3.0, 0.0, 0.4, 25.0])
def test_one_comparison_is_the_tail_of_a_difference(distance):
    """P(Z - Z' > x) = (2 + x) e^-x / 4 for independent Z, Z' of density exp(-|z|) / 2, x >= 0."""
    tail = (2 + abs(distance)) * math.exp(-abs(distance)) / 4
    smaller, larger = (chain_probabilities(np.array([[distance, 0.0]]), (1, 1), (b,))[0] for b in (False, True))
    assert min(smaller, larger) == pytest.approx(tail, rel=1e-13)
    assert (smaller < larger) == (distance > 0)


def test_two_comparisons_are_a_double_integral():
    """X_0 > X_1 and then X_1 < X_2, given X_1."""
    z, rates = (0.3, -0.5, 0.8), (1, 2, 4)
    laws = [stats.laplace(centre, 1 / rate) for centre, rate in zip(z, rates, strict=True)]
    expected = integrate.quad(
        lambda x: laws[1].pdf(x) * laws[0].sf(x) * laws[2].sf(x), -40, 40, points=z, epsabs=0, epsrel=1e-12
    )[0]
    assert chain_probabilities(np.array([z]), rates, (True, False))[0] == pytest.approx(expected, rel=1e-10)


def test_all_outcomes_add_up_to_one_and_batches_agree_with_single_chains():
    rng = np.random.default_rng(3)
    centres, rates = rng.normal(size=(5, 5)) * 3, (1, 2, 1, 4, 2)
    total = np.zeros(5)
    for replaced in itertools.product((False, True), repeat=4):
        found = chain_probabilities(centres, rates, replaced)
        single = [chain_probabilities(row[None], rates, replaced)[0] for row in centres]
        np.testing.assert_allclose(found, single, rtol=1e-13)
        total += found
    np.testing.assert_allclose(total, 1.0, rtol=1e-12)


def test_no_comparison_is_certain():
    assert chain_probabilities(np.zeros((2, 1)), (1,), ()).tolist() == [1.0, 1.0]
