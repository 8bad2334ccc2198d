"""How characteristic times are found: roots against scipy, warm starts, means next to 0 and 1."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

from privcheck.bounds import characteristic_time
from privcheck.bounds.jourdan_azize_2025.characteristic_time import _fewest
from privcheck.bounds.jourdan_azize_2025.falling_root import falling_root
from privcheck.bounds.jourdan_azize_2025.transport import transport


@settings(derandomize=True, deadline=None, max_examples=60)
@given(
    family=st.sampled_from(["bernoulli", "gaussian"]),
    offsets=st.lists(st.floats(-12, -0.1), min_size=2, max_size=6, unique=True),
    near_one=st.booleans(),
    epsilon=st.none() | st.floats(-6, 3).map(lambda power: 10**power),
    beta=st.none() | st.floats(0.05, 0.95),
)
def test_close_to_0_and_1_a_certificate_is_narrow_and_never_empty(family, offsets, near_one, epsilon, beta):
    """Warnings are errors in these tests: none is given for means that are 1e-12 from 0 or 1."""
    means = np.array([1 - 10**x if near_one else 10**x for x in offsets])
    if len(set(means.tolist())) < len(means):
        return
    time = characteristic_time(family, means, epsilon, beta=beta)
    assert 0 < time.value < time.upper
    assert sum(time.allocation) == pytest.approx(1)
    closest = means.max() - np.sort(means)[-2]
    assert time.gap < (1e-9 if closest >= 1e-6 else 1e-6)  # a common mean is then known to 1e-16 of a wider gap only


def test_falling_roots_against_scipy():
    powers = np.array([0.3, 1.0, 3.0, 25.0])
    found = falling_root(lambda x: 0.01 - x**powers, np.zeros(4), np.ones(4))
    assert found == pytest.approx([brentq(lambda x, k=k: 0.01 - x**k, 0, 1, xtol=1e-14) for k in powers], rel=1e-9)


def test_falling_roots_at_an_end():
    """One sign only; and undefined at both ends, where it counts as positive below and negative above."""
    assert falling_root(lambda x: np.array([1.0, -1.0]) - 0 * x, np.zeros(2), np.ones(2)).tolist() == [1.0, 0.0]

    def undefined(x):
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.log(1 - x) - np.log(x) + 0 * (x / x)

    assert falling_root(undefined, np.zeros(1), np.ones(1)) == pytest.approx([0.5])


def test_a_warm_start_does_not_change_the_time():
    """The places for fewer and for more pulls enclose those in between, also for costs that are not convex."""
    for family, means in (("bernoulli", (0.95, 0.9, 0.9, 0.9, 0.5)), ("gaussian", (3.0, 1.0, 0.5, -4.0))):
        arms = transport(family, np.array(means), 0.7)
        fewest = _fewest(arms)
        places = [arms.cheapest(fewest * (1 + share)) for share in (0.01, 0.1, 0.5, 2.0, 20.0)]
        for less, more in itertools.pairwise(places):
            assert (less <= more + 1e-9).all()
        warm = arms.cheapest(fewest * 1.5, places[1], places[3])
        assert warm == pytest.approx(places[2], rel=1e-6)
