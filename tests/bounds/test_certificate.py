"""The certificate of an allocation: never below what a fine grid of alternatives finds, and narrow at the optimum."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privcheck.bounds._gaussian_private_divergence import gaussian_private_divergence
from privcheck.bounds.jourdan_azize_2025.optimality_certificate import shortfall
from privcheck.bounds.jourdan_azize_2025.transport import transport

GRID = np.unique(np.concatenate((np.linspace(0, 1, 2001), np.logspace(-8, 0, 500), 1 - np.logspace(-8, 0, 500))))


def smallest(arms, pulls, others):
    """Smallest sum of the costs over the arms and a grid of common means."""
    found = [arms.among(np.full(len(GRID), arm)).costs(GRID) for arm in range(len(others))]
    return min(float(np.min(pulls * down + n * up)) for (down, up), n in zip(found, others, strict=True))


@settings(derandomize=True, deadline=None, max_examples=60)
@given(
    family=st.sampled_from(["bernoulli", "gaussian"]),
    means=st.lists(st.integers(1, 98), min_size=1, max_size=4).map(lambda m: [x / 100 for x in m]),
    scale=st.floats(-2, 2),
    epsilon=st.floats(-3, 2),
    place=st.floats(0.01, 1),
    effort=st.floats(0.5, 1.5),
)
def test_the_bound_holds_wherever_the_search_began(family, means, scale, epsilon, place, effort):
    """Any numbers of pulls and any place to begin, also where costs are not convex."""
    scale = 10**scale if family == "gaussian" else 1.0
    arms = transport(family, scale * np.array([0.99, *means]), 10**epsilon)
    down, up = arms.costs(np.full(len(means), 0.5))
    pulls, others = effort / float(down.min()), effort / up
    bound = shortfall(arms, pulls, others, np.full(len(means), place))
    truth = 1 - smallest(arms, pulls, others)
    assert bound >= truth - 1e-13
    assert bound <= 3 * max(truth, 0.0) + 1e-4


@settings(derandomize=True, deadline=None, max_examples=200)
@given(at=st.floats(-3, 1.6), to=st.floats(-3, 1.6), epsilon=st.floats(-3, 2))
def test_the_parabola_stays_below_gaussian_costs(at, to, epsilon):
    at, to = 10**at, 10**to
    arms = transport("gaussian", np.array([max(at, to), 0.0]), 10**epsilon)
    x, y = (np.array([shift / max(at, to)]) for shift in (at, to))
    _, _, value, slope = arms.tangents(x)
    bend = arms.bends(x)[1]
    below = value + slope * (y - x) - bend * (y - x) ** 2 / 2
    assert below[0] <= gaussian_private_divergence(to, 10**epsilon)[0] * (1 + 1e-12) + 1e-300


def test_without_the_bend_a_tangent_is_above_gaussian_costs():
    """So the bend is needed: far out the divergence is concave."""
    (at, to), slopes = gaussian_private_divergence([2.0, 6.0], 0.5)
    assert at + 4 * slopes[0] > 1.1 * to


@pytest.mark.parametrize("family", ["bernoulli", "gaussian"])
def test_too_few_pulls_are_reported_in_full(family):
    arms = transport(family, np.array([0.8, 0.3]), math.inf)
    down, up = arms.costs(np.array([0.5]))
    for share in (0.2, 0.7):
        pulls = share / (2 * down[0])
        found = shortfall(arms, pulls, share / (2 * up), np.array([0.5]))
        assert found >= 1 - smallest(arms, pulls, share / (2 * up)) >= 1 - share - 1e-12
