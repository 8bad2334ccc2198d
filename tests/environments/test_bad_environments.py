"""Descriptions that describe no bandit are refused in one line."""

import math

import numpy as np
import pytest

import privcheck
from privcheck.environments import (
    Beta,
    Environment,
    FiniteSupport,
    Gaussian,
    RewardTable,
    TruncatedGaussian,
    TwoPoint,
    environment,
)
from privcheck.errors import PrivcheckError

HALVES = ((0.5, 0.5), (0.25, 0.75))

CASES = [
    *[(make, "means", bad) for make in (lambda m: Beta(m), lambda m: TwoPoint(m), lambda m: Gaussian(m))
      for bad in ((), (0.5,), (0.5, math.nan), (0.5, math.inf), "0.5, 0.4", None, 0.5, {0.5, 0.4}, (0.5,) * 128)],
    *[(lambda m: Beta(m), "means", bad) for bad in ((0.5, 1.0), (0.0, 0.5), (0.5, -0.1))],
    *[(lambda c: Beta((0.5, 0.4), c), "concentration", bad) for bad in (0, -1, math.nan, math.inf, "1")],
    *[(lambda m: TruncatedGaussian(m), "locations", bad) for bad in ((0.5,), (0.5, 1.5), (0.5, math.nan))],
    *[(lambda s: TruncatedGaussian((0.5, 0.4), s), "deviation", bad) for bad in (0, -1, math.nan)],
    *[(lambda s: Gaussian((0.5, 0.4), s), "deviation", bad) for bad in (0, -1, math.inf)],
    *[(lambda o: Gaussian((0.5, 0.4), outside=o), "outside", bad) for bad in ("ignore", None, True)],
    (lambda m: TwoPoint(m, 0.2, 0.7), "means", (0.1, 0.5)),
    (lambda m: TwoPoint(m, 0.2, 0.7), "means", (0.5, 0.8)),
    (lambda h: TwoPoint((0.5, 0.5), 0.5, h), "high", 0.5),
    (lambda h: TwoPoint((0.5, 0.5), 0.5, h), "high", 1.1),
    *[(lambda x: FiniteSupport(x, HALVES), "support", bad)
      for bad in ((), (0.5, 0.5), (0.5, 1.1), (0, math.nan), "01")],
    *[(lambda w: FiniteSupport((0.0, 1.0), w), "weights", bad)
      for bad in ((), HALVES[:1], ((0.5, 0.6), (0.5, 0.5)), ((1.5, -0.5), (0.5, 0.5)), ((0.5, math.nan), (0.5, 0.5)),
                  ((0.5, 0.5), (1.0,)), ((1.0,), (1.0,)), 3)],
    *[(lambda x: RewardTable(x), "rewards", bad)
      for bad in ([], [[0.5]], [[0.5, 2.0]], [[0.5, math.nan]], [0.5, 0.5], [["a", "b"]], np.zeros((0, 2)), None)],
]  # fmt: skip


@pytest.mark.parametrize(("make", "parameter", "bad"), CASES)
def test_refused(make, parameter, bad):
    with pytest.raises(PrivcheckError) as caught:
        make(bad)
    assert caught.value.parameter == parameter
    assert "\n" not in str(caught.value)


def test_environments_with_parameters_ask_for_them_by_name():
    with pytest.raises(PrivcheckError, match=r"build it with its support and weights, as in FiniteSupport"):
        environment("finite-support")
    with pytest.raises(PrivcheckError, match=r"build it with its rewards"):
        environment("reward-table")


def test_the_longest_lists_are_accepted():
    assert Beta((0.5,) * 127).arms == 127
    assert FiniteSupport((0.5,), ((1.0,), (1.0,))).means == (0.5, 0.5)


class Drawn:
    """Rewards of an environment of one's own."""

    means = (0.75, 0.5)

    def table(self, rng, horizon):
        return (rng.random((horizon, 2)) < self.means).astype(float)


class Derived(Drawn, Environment):
    pass


class First:
    def __init__(self, rng):
        pass

    def select(self):
        return 1

    def update(self, action, reward):
        pass


def test_an_environment_of_ones_own_is_derived_and_needs_no_id():
    found = privcheck.simulate({"first": First}, Derived(), horizon=10, runs=2)
    assert (found.summary()[0]["mean"], repr(found)) == (
        pytest.approx(2.5),
        "<Simulation of first on Derived, 2 arms: 2 runs of 10 rounds>",
    )
    assert found.to_json()
    with pytest.raises(PrivcheckError, match=r"derive its class from privcheck\.environments\.Environment"):
        privcheck.simulate({"first": First}, Drawn(), horizon=10, runs=2)
