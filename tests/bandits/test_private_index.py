"""The compiled private divergence and its index against the theory floor, and the regret of the two that use them."""

import math

import numpy as np
import pytest

from privcheck.bandits.geometric_batches import next_total
from privcheck.bandits.private_index import private_divergence, private_index, private_index_by_bisection
from privcheck.bounds import d_epsilon
from privcheck.simulation import simulate


@pytest.mark.parametrize("epsilon", [0.01, 0.3, 1.0, 4.0])
def test_against_the_theory_floor(epsilon):
    rng = np.random.default_rng(0)
    for p, q in [*np.sort(rng.random((300, 2)), axis=1).tolist(), [0.0, 0.5], [0.5, 1.0], [0.0, 1.0], [0.4, 0.4]]:
        level = d_epsilon(p, q, epsilon)
        assert private_divergence(p, q, epsilon) == pytest.approx(level, abs=1e-14)
        if q < 1.0 and level > 1e-6:
            assert -math.expm1(-private_index(p, level, epsilon)) == pytest.approx(q, abs=1e-9)
            assert -math.expm1(-private_index_by_bisection(p, level, epsilon)) == pytest.approx(q, abs=1e-9)


def test_a_level_that_reaches_1_has_an_infinite_index():
    assert private_index(0.3, 0.71, 1.0) == private_index_by_bisection(0.3, 0.71, 1.0) == math.inf
    assert private_index(0.3, 0.69, 1.0) < math.inf


def test_batches():
    assert [next_total(n, 1.5) for n in (0, 1, 2, 3, 5)] == [1, 2, 3, 5, 8]


@pytest.mark.chance(1e-6, "a difference of means within 5 standard errors")
@pytest.mark.parametrize(
    ("policy", "place", "epsilon", "horizon", "mean", "se"),
    [
        ("dp-kl-ucb", "c2", 1.0, 1e6, 149, 2), ("dp-kl-ucb", "c2", 1.0, 1e7, 185, 3),
        ("dp-kl-ucb", "c1", 1.0, 1e6, 548, 11), ("dp-se", "c2", 1.0, 1e6, 3799, 20),
        ("dp-se", "c1", 1.0, 1e7, 11644, 18),
    ],
)  # fmt: skip
def test_agrees_with_another_implementation(policy, place, epsilon, horizon, mean, se):
    """400 runs of a simulator that shares no code, within five standard errors."""
    row = simulate(policy, place, horizon=horizon, runs=4000, epsilon=epsilon, checkpoints=1).summary()[0]
    assert abs(row["mean"] - mean) < 5 * math.hypot(row["se"], se)
