"""The private divergence of general laws against convex programmes, random test functions and data processing."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import rel_entr

from privcheck.bounds import FiniteLaw, d_epsilon
from privcheck.bounds._clipping import atoms, clipped_divergence
from privcheck.bounds.families import Bounded

# subnormal numbers carry fewer digits than the tests compare
SHARES = st.lists(st.just(0.0) | st.floats(1e-290, 1), min_size=4, max_size=4).filter(lambda x: sum(x) > 0.1)


def law(shares, points=(0.0, 0.3, 0.6, 1.0)):
    return FiniteLaw(points, np.array(shares) / np.sum(shares))


def divergence(p, q, epsilon):
    return Bounded().d_epsilon(p, q, epsilon)


def programme(p, q, epsilon):
    """min over R and slacks s >= P - R of KL(R || Q) + epsilon sum s."""
    n = len(p)
    found = minimize(
        lambda z: rel_entr(np.maximum(z[:n], 0), q).sum() + epsilon * z[n:].sum(),
        np.r_[(p + q) / 2, np.maximum(p - q, 0) / 2],
        bounds=[(0, 1)] * (2 * n),
        constraints=[
            {"type": "eq", "fun": lambda z: z[:n].sum() - 1},
            {"type": "ineq", "fun": lambda z: z[n:] - p + z[:n]},
        ],
        options={"maxiter": 1000, "ftol": 1e-14},
    )
    return found.fun


@pytest.mark.parametrize("seed", range(12))
def test_agrees_with_a_convex_programme(seed):
    rng = np.random.default_rng(seed)
    p, q, epsilon = rng.dirichlet(np.ones(5)), rng.dirichlet(np.ones(5)), float(rng.uniform(0.05, 3))
    found = clipped_divergence(atoms(p, q), epsilon)
    assert found.value == pytest.approx(programme(p, q, epsilon), rel=1e-5)
    assert found.relative_width < 1e-11


@settings(derandomize=True, deadline=None, max_examples=80)
@given(p=SHARES, q=SHARES, epsilon=st.floats(1e-6, 1e3), seed=st.integers(0, 2**32 - 1))
def test_feasible_points_of_both_sides_stay_on_their_side(p, q, epsilon, seed):
    first, second = law(p), law(q)
    found = divergence(first, second, epsilon)
    rng = np.random.default_rng(seed)
    test_function = rng.uniform(0, epsilon, 4)
    with np.errstate(under="ignore"):
        dual = first.weights @ test_function - test_function.max()
        dual -= np.log(second.weights @ np.exp(test_function - test_function.max()) + 1e-300)
    assert dual <= found.upper * (1 + 1e-12) + 1e-12 * epsilon + 1e-15  # the rounding of the logarithm above
    between = rng.uniform() * first.weights + rng.uniform() * second.weights + 1e-3 * rng.dirichlet(np.ones(4))
    between /= between.sum()
    primal = rel_entr(between, second.weights).sum() + epsilon * np.abs(between - first.weights).sum() / 2
    assert found.lower <= primal * (1 + 1e-12)


@settings(derandomize=True, deadline=None, max_examples=80)
@given(p=SHARES, q=SHARES, epsilon=st.floats(1e-6, 1e3), more=st.floats(0, 5))
@example(p=[0.0, 1.0, 0.0, 1.0], q=[1.39e-137, 1.0, 0.0, 1.0], epsilon=1.0, more=0.0)
def test_properties(p, q, epsilon, more):
    first, second = law(p), law(q)
    found = divergence(first, second, epsilon)
    unit = Bounded()
    kl, tv = unit.kl(first, second), unit.tv(first, second)
    assert found.lower <= min(kl, epsilon * tv) * (1 + 1e-12)
    assert divergence(first, second, epsilon + more).upper >= found.lower
    merged = [FiniteLaw((0.0, 0.3, 1.0), np.r_[x.weights[:2], x.weights[2:].sum()]) for x in (first, second)]
    assert divergence(*merged, epsilon).lower <= found.upper * (1 + 1e-12)  # data processing
    assert unit.hockey_stick(first, second, 0.0) == pytest.approx(tv, abs=1e-15)
    assert unit.hockey_stick(first, second, 0.3) <= tv * (1 + 1e-14)
    assert unit.hellinger(first, second) ** 2 <= tv * (1 + 1e-12) + 1e-300
    assert tv <= np.sqrt(kl / 2) * (1 + 1e-12)


@settings(derandomize=True, deadline=None, max_examples=40)
@given(p=SHARES, q=SHARES, other=SHARES, epsilon=st.floats(1e-2, 10))
def test_convex_in_the_pair(p, q, other, epsilon):
    middle = divergence(law(np.array(law(p).weights + law(other).weights)), law(q), epsilon)
    ends = divergence(law(p), law(q), epsilon).upper + divergence(law(other), law(q), epsilon).upper
    assert middle.lower <= ends / 2 * (1 + 1e-12) + 1e-30


@pytest.mark.parametrize("epsilon", [1e-6, 1e-2, 1.0, 30.0, 1e3])
@pytest.mark.parametrize("shift", [1e-9, 1e-6, 1e-3, 0.4])
def test_two_atoms_give_the_bernoulli_closed_form(epsilon, shift):
    p, q = 0.25, 0.25 + shift
    laws = [FiniteLaw((0.0, 1.0), (1 - x, x)) for x in (p, q)]
    assert divergence(*laws, epsilon).value == pytest.approx(d_epsilon(p, q, epsilon), rel=max(1e-11, 1e-15 / shift))


def test_laws_that_share_no_atom():
    laws = FiniteLaw((0.0,), (1.0,)), FiniteLaw((1.0,), (1.0,))
    assert divergence(*laws, 0.7).value == pytest.approx(0.7, rel=1e-12)
    assert Bounded().kl(*laws) == np.inf
    assert Bounded().tv(*laws) == 1.0


def test_a_broken_clipping_is_noticed():
    """Without the renormalisation of R the two sides no longer meet."""
    p, q = np.array([0.8, 0.2]), np.array([0.3, 0.7])
    cells = atoms(p, q)
    cut = lambda level: tuple(x[:1] for x in cells(level))  # noqa: E731 - a law that lost an atom
    assert clipped_divergence(cells, 1.0).relative_width < 1e-12
    assert clipped_divergence(cut, 1.0).value != pytest.approx(clipped_divergence(cells, 1.0).value, rel=1e-3)
