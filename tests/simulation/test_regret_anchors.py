"""Regret agrees with another implementation, and orders the algorithms as theory says."""

import math

import pytest

from privcheck.simulation import simulate

# mean +- standard error of 400 runs of an independent event-driven simulator that shares no code, alpha = 3.1
ANCHORS = [
    ("adap-ucb", "c2", 1.0, 1e6, 1655, 9),
    ("adap-ucb", "c2", 0.1, 1e6, 7640, 10),
    ("adap-ucb", "c1", 1.0, 1e6, 3993, 35),
    ("adap-ucb", "c1", 0.1, 1e6, 10203, 92),
    ("adap-ucb", "c2", 1.0, 1e7, 2172, 13),
    ("adap-ucb", "c2", 0.1, 1e7, 7770, 21),
    ("adap-ucb", "c1", 1.0, 1e7, 6431, 18),
    ("adap-kl-ucb", "c2", 1.0, 1e6, 1547, 7),
    ("adap-kl-ucb", "c2", 0.1, 1e6, 7471, 21),
    ("adap-kl-ucb", "c1", 1.0, 1e6, 3399, 18),
    ("adap-kl-ucb", "c1", 0.1, 1e6, 8212, 72),
    ("adap-kl-ucb", "c2", 1.0, 1e7, 1878, 14),
    ("adap-kl-ucb", "c1", 1.0, 1e7, 5450, 38),
]


@pytest.mark.chance(1e-6, "a difference of means within 5 standard errors")
@pytest.mark.parametrize(("policy", "place", "epsilon", "horizon", "mean", "se"), ANCHORS)
def test_agrees_with_another_implementation(policy, place, epsilon, horizon, mean, se):
    """Within five combined standard errors: a false-failure probability of 6e-7 for a blindly chosen seed."""
    row = simulate(policy, place, horizon=horizon, runs=4000, epsilon=epsilon, checkpoints=1).summary()[0]
    assert abs(row["mean"] - mean) < 5 * math.hypot(row["se"], se)


@pytest.mark.parametrize("policy", ["adap-ucb", "adap-kl-ucb"])
def test_regret_is_quantised_where_the_privacy_bonus_dominates(policy):
    """C1, epsilon = 0.1, T = 1e7: four arms x 65,536 pulls x 0.05 in practically all runs."""
    final = simulate(policy, "c1", horizon=1e7, runs=1000, epsilon=0.1, checkpoints=1).results[0].regret[:, -1]
    assert abs(final - 4 * 65_536 * 0.05).min() < 1e-6
    assert (abs(final - 4 * 65_536 * 0.05) < 1e-6).mean() > 0.99


def test_privacy_costs_regret():
    rows = {
        row["policy"]: row
        for row in simulate(["ucb", "kl-ucb", "adap-ucb"], "c2", horizon=50_000, runs=60, epsilon=1.0).summary()
    }
    assert rows["kl-ucb"]["q95"] < rows["ucb"]["q05"]
    assert rows["ucb"]["q95"] < rows["adap-ucb"]["q05"]
