"""Infima over better laws on [0, 1] against convex and linear programmes, closed forms and brute force."""

import math
import warnings

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog, minimize
from scipy.special import rel_entr

from privcheck.bounds import FiniteLaw, PrivcheckError, d_epsilon, kl_bernoulli
from privcheck.bounds.families import Bounded, Finite

UNIT = Bounded()
BUDGETS = [1e-6, 1e-3, 0.1, 0.7, 2.0, 10.0, 1e3]
LAWS = [
    ((0.0, 0.5, 1.0), (0.1, 0.7, 0.2), 0.75),
    ((0.0, 0.5, 1.0), (0.1, 0.7, 0.2), 0.56),
    ((0.5,), (1.0,), 0.75),
    ((0.2, 0.4, 0.9), (0.3, 0.5, 0.2), 0.8),
    ((0.0, 0.3, 0.6), (0.25, 0.5, 0.25), 0.95),
    ((0.1, 0.2, 0.3, 0.4), (0.25, 0.25, 0.25, 0.25), 0.5),
]


def primal(law, best, points, epsilon=math.inf):
    """Smallest KL(R || Q) + epsilon TV(P, R), with mean(Q) >= best, by sequential quadratic programming."""
    p = np.array([law.weights[law.atoms == x].sum() for x in points])
    n, private = len(points), epsilon < math.inf

    def cost(z):
        q = np.maximum(z[:n], 1e-300)
        r = z[n : 2 * n] if private else p
        return rel_entr(np.maximum(r, 0), q).sum() + (epsilon * z[2 * n :].sum() if private else 0.0)

    rules = [
        {"type": "eq", "fun": lambda z: z[:n].sum() - 1},
        {"type": "ineq", "fun": lambda z: z[:n] @ points - best},
    ]
    start = 0.5 * p + 0.5 * np.eye(n)[-1]
    if start @ points < best:
        start = 0.02 * p + 0.98 * np.eye(n)[-1]
    if private:  # R, and slacks s >= P - R for the total variation
        rules += [
            {"type": "eq", "fun": lambda z: z[n : 2 * n].sum() - 1},
            {"type": "ineq", "fun": lambda z: z[2 * n :] - p + z[n : 2 * n]},
        ]
        start = np.concatenate((start, 0.5 * p + 0.5 * start, np.maximum(p - 0.5 * p - 0.5 * start, 0)))
    answers = []
    for shake in (0.0, 0.02):
        x0 = start + shake / n
        found = minimize(
            cost, x0, bounds=[(1e-13, 1)] * len(x0), constraints=rules, options={"maxiter": 2000, "ftol": 1e-13}
        )
        if max(abs(found.x[:n].sum() - 1), best - found.x[:n] @ points) < 1e-7:
            answers.append(found.fun)
    return min(answers)


@pytest.mark.parametrize(("atoms", "weights", "best"), LAWS)
def test_d_inf_is_the_value_of_the_primal_programme(atoms, weights, best):
    law = FiniteLaw(atoms, weights)
    points = np.unique([*atoms, 1.0])
    found = UNIT.d_inf(law, best)
    assert found.value == pytest.approx(primal(law, best, points), rel=2e-5)
    assert found.relative_width < 1e-9


@pytest.mark.parametrize(("atoms", "weights", "best"), LAWS)
@pytest.mark.parametrize("epsilon", [0.1, 0.7, 2.0])
def test_the_private_infimum_is_the_value_of_the_primal_programme(atoms, weights, best, epsilon):
    law = FiniteLaw(atoms, weights)
    points = np.unique([*atoms, 1.0])
    found = UNIT.d_epsilon_inf(law, best, epsilon)
    assert found.value == pytest.approx(primal(law, best, points, epsilon), rel=5e-4)
    assert found.relative_width < 1e-9


@pytest.mark.parametrize(("atoms", "weights", "best"), LAWS)
@pytest.mark.parametrize("epsilon", BUDGETS)
def test_no_point_of_a_fine_grid_of_the_dual_is_better(atoms, weights, best, epsilon):
    law = FiniteLaw(atoms, weights)
    slope = np.r_[np.linspace(0, 1, 100_001), np.logspace(-9, 0, 100_001)][:, None] / (1 - best)
    slope = slope[slope[:, 0] < 1 / (1 - best)]
    with np.errstate(divide="ignore"):
        entries = np.minimum(np.log(1 - slope * (law.atoms - best)), np.log(1 - slope * (1 - best)) + epsilon)
    largest = (entries @ law.weights).max()
    found = UNIT.d_epsilon_inf(law, best, epsilon)
    assert largest <= found.upper + 1e-15
    assert largest == pytest.approx(found.value, rel=1e-3)


@pytest.mark.parametrize(("atoms", "weights", "best"), LAWS)
def test_t_inf_is_the_value_of_the_linear_programme(atoms, weights, best):
    law, points = FiniteLaw(atoms, weights), np.unique([*np.linspace(0, 1, 101), *atoms])
    p = np.array([law.weights[np.isclose(law.atoms, x)].sum() for x in points])
    n = len(points)  # variables Q and slacks s >= P - Q
    found = linprog(
        np.r_[np.zeros(n), np.ones(n)],
        A_ub=np.vstack((np.c_[-np.eye(n), -np.eye(n)], np.r_[-points, np.zeros(n)])),
        b_ub=np.r_[-p, -best],
        A_eq=[np.r_[np.ones(n), np.zeros(n)]],
        b_eq=[1],
    )
    assert UNIT.t_inf(law, best).value == pytest.approx(found.fun, abs=1e-9)
    assert UNIT.t_inf(law, best).value >= best - law.mean - 1e-12


def test_a_smaller_support_makes_the_better_laws_farther():
    law = FiniteLaw((0.0, 0.5), (0.5, 0.5))
    small, large = Finite((0.0, 0.5, 0.8)), Finite((0.0, 0.5, 1.0))
    assert small.d_inf(law, 0.6).value == pytest.approx(primal(law, 0.6, np.array([0.0, 0.5, 0.8])), rel=1e-5)
    for quantity in ("d_inf", "t_inf"):
        assert getattr(small, quantity)(law, 0.6).value > getattr(large, quantity)(law, 0.6).value
        assert getattr(large, quantity)(law, 0.6) == getattr(UNIT, quantity)(law, 0.6)
    assert small.d_inf(law, 0.8).value == math.inf


EDGES = [1e-12, 1e-9, 1e-6, 1e-3, 0.3, 0.3 + 1e-6, 0.5, 0.7, 1 - 1e-3, 1 - 1e-6, 1 - 1e-9, 1 - 1e-12]


@pytest.mark.parametrize("epsilon", BUDGETS)
def test_two_atoms_give_the_bernoulli_closed_forms_at_all_edges(epsilon):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for p in EDGES:
            law = FiniteLaw((0.0, 1.0), (1 - p, p))
            for q in EDGES:
                if q <= p:
                    continue
                # the law's own mean is known to an ulp of 1 only, so compare with the width that is claimed
                allowed = max(1e-9, 4e-16 / (q - p), 3e-16 / min(p, 1 - p))
                for found, closed in (
                    (UNIT.d_inf(law, q), kl_bernoulli(p, q)),
                    (UNIT.d_epsilon_inf(law, q, epsilon), d_epsilon(p, q, epsilon)),
                ):
                    assert found.value == pytest.approx(closed, rel=4 * allowed)
                    if q - p >= 0.9e-6:
                        assert found.relative_width < 1e-9


@settings(derandomize=True, deadline=None, max_examples=150)
@given(
    atoms=st.lists(st.floats(0, 1), min_size=1, max_size=6),
    shares=st.lists(st.floats(0.01, 1), min_size=6, max_size=6),
    best=st.floats(0, 0.999),
    epsilon=st.floats(1e-6, 1e3),
    more=st.floats(1e-3, 10),
)
def test_properties(atoms, shares, best, epsilon, more):
    weights = np.array(shares[: len(atoms)])
    law = FiniteLaw(atoms, weights / weights.sum())
    d, t = UNIT.d_inf(law, best), UNIT.t_inf(law, best)
    private = UNIT.d_epsilon_inf(law, best, epsilon)
    gap = best - law.mean
    if gap <= 1e-15:
        assert max(d.lower, t.lower, private.lower) <= (max(gap, 0) + 1e-15) / (1 - best)  # by Jensen's inequality
        return
    assert 2 * gap**2 * (1 - 1e-6) - 1e-15 <= d.upper
    assert gap - 1e-15 <= t.upper
    assert private.lower <= min(d.upper, epsilon * t.upper) * (1 + 1e-12)
    assert UNIT.d_epsilon_inf(law, best, epsilon + more).upper >= private.lower
    assert UNIT.d_epsilon_inf(law, best + (1 - best) / 2, epsilon).upper >= private.lower
    if gap > 1e-6:
        assert max(d.relative_width, private.relative_width, t.relative_width) < 1e-9
    free = UNIT.free_epsilon(law, best)
    if free < 700:
        assert UNIT.d_epsilon_inf(law, best, free * (1 + 1e-9)).value == pytest.approx(d.value, rel=1e-8)
        if free > 1e-3 and gap > 1e-4:
            assert UNIT.d_epsilon_inf(law, best, free / 2).upper < d.lower


@pytest.mark.parametrize("best", [1.7390672356329075e-258, 1e-170, 1e-30, 5e-324])
@pytest.mark.parametrize("epsilon", [1e-3, 1.0, 50.0])
def test_a_mean_next_to_the_only_atom(best, epsilon):
    """The dual is `-ln(1 - l best)` for l up to 1, less what is clipped: `(1 - e^-epsilon) best` to first order."""
    law = FiniteLaw((0.0,), (1.0,))
    assert UNIT.d_inf(law, best).value == pytest.approx(best, rel=1e-12)
    first_order = -math.expm1(-epsilon) * best
    assert UNIT.d_epsilon_inf(law, best, epsilon).value == pytest.approx(first_order, rel=1e-12, abs=1e-323)


def to_sixty_digits(law, best, epsilon):
    """Maximise the dual by ternary search over v, where l = 1 - e^-v is the share of its largest value."""
    with mpmath.workdps(60):
        points = [(mpmath.mpf(w), (mpmath.mpf(x) - best) / (1 - mpmath.mpf(best))) for x, w in law]

        def dual(v):
            t = -mpmath.expm1(-v)
            return sum(w * min(mpmath.log1p(-t * s), epsilon - v) for w, s in points)

        low, high = mpmath.mpf(0), mpmath.mpf(100)
        for _ in range(320):
            first, second = low + (high - low) / 3, high - (high - low) / 3
            low, high = (first, high) if dual(first) < dual(second) else (low, second)
        return dual(low)


@pytest.mark.parametrize("epsilon", [1e-9, 1e-6, 1e-3, 1.0, 30.0, math.inf])
@pytest.mark.parametrize(
    ("law", "best"),
    [
        ([(0.0, 1.0)], 2e-15),
        ([(0.0, 1.0)], 1e-9),
        ([(0.9, 1.0)], 0.9 + 1e-12),
        ([(0.3, 0.25), (0.9, 0.75)], 0.75 + 1e-15),
        ([(0.0, 0.5), (1e-5, 0.25), (1.0, 0.25)], 0.5),
        ([(1e-5, 0.5), (1 - 2**-40, 0.5)], 0.9),
    ],
)
def test_the_ends_enclose_what_sixty_digits_say(law, best, epsilon):
    """Next to the mean, and at small budgets, the logarithms are of numbers next to one."""
    given = FiniteLaw(*zip(*law, strict=True))
    found = UNIT.d_inf(given, best) if epsilon == math.inf else UNIT.d_epsilon_inf(given, best, epsilon)
    truth = to_sixty_digits(law, best, epsilon)
    assert found.lower * (1 - 1e-15) <= truth <= found.upper * (1 + 1e-15)
    assert found.relative_width < 1e-9 or best == 0.75 + 1e-15


def test_small_and_large_budgets():
    law = FiniteLaw((0.0, 0.5, 1.0), (0.1, 0.7, 0.2))
    assert UNIT.d_epsilon_inf(law, 0.75, 1e3).value == UNIT.d_inf(law, 0.75).value
    assert UNIT.d_epsilon_inf(law, 0.75, 1e-6).value == pytest.approx(1e-6 * 0.3, rel=1e-5)
    assert UNIT.free_epsilon(FiniteLaw((0.5,), (1.0,)), 0.75) == math.inf


def test_a_large_empirical_law_agrees_with_its_merged_atoms():
    rng = np.random.default_rng(5)
    rewards = np.round(rng.beta(2, 3, 100_000), 3)
    values, counts = np.unique(rewards, return_counts=True)
    merged = FiniteLaw(values, counts / len(rewards))
    law = FiniteLaw.empirical(rewards)
    best = law.mean + 1e-3
    assert UNIT.d_inf(law, best).value == pytest.approx(UNIT.d_inf(merged, best).value, rel=1e-9)
    assert UNIT.d_inf(law, best).relative_width < 1e-9


@pytest.mark.parametrize(
    ("make", "parameter"),
    [
        (lambda: FiniteLaw((0.1, 1.2), (0.5, 0.5)), "atoms"),
        (lambda: FiniteLaw((0.1, 0.2), (0.5, -0.5)), "weights"),
        (lambda: FiniteLaw((0.1, 0.2), (0.5, 0.4)), "weights"),
        (lambda: FiniteLaw((0.1, 0.2), (1.0,)), "atoms and weights"),
        (lambda: FiniteLaw((), ()), "atoms and weights"),
        (lambda: FiniteLaw.empirical([]), "atoms and weights"),
        (lambda: FiniteLaw.empirical([0.5, math.nan]), "rewards"),
        (lambda: UNIT.d_inf(0.5, 0.75), "law"),
        (lambda: UNIT.d_inf(FiniteLaw((0.5,), (1.0,)), math.nan), "best"),
        (lambda: UNIT.d_epsilon_inf(FiniteLaw((0.5,), (1.0,)), 0.75, 0.0), "epsilon"),
        (lambda: Finite((0.0,)), "support"),
        (lambda: Finite((0.0, 0.0)), "support"),
        (lambda: Finite((0.0, 1.0)).d_inf(FiniteLaw((0.5,), (1.0,)), 0.75), "law"),
    ],
)
def test_bad_input(make, parameter):
    with pytest.raises(PrivcheckError) as caught:
        make()
    assert caught.value.parameter == parameter
