"""DP-UCB: the bonus covers the noise of each private sum, and on request tree and bonus are as published."""

import math

import numpy as np
import pytest
from scipy import stats

from privcheck.bandits import ALGORITHMS
from privcheck.environments import environment
from privcheck.errors import PrivcheckError
from privcheck.inference._laplace_sums import log_tail
from privcheck.simulation._engine import play as simulated

DPUCB = ALGORITHMS["dp-ucb"]


@pytest.mark.parametrize("tree", ["k-ary", "binary"])
@pytest.mark.parametrize("horizon", [2, 3, 81, 1000])
def test_there_is_a_bonus_for_every_number_of_nodes(tree, horizon):
    algorithm = DPUCB(arms=3, epsilon=1.0, horizon=horizon, tree=tree)
    stream, degree = algorithm.mechanism.start(np.random.default_rng(0)), algorithm.mechanism.degree
    nodes = []
    for _ in range(horizon):
        stream.add(0.5)
        nodes.append(stream.summed_nodes)
    expected = [sum(t // degree**v % degree for v in range(20)) for t in range(1, horizon + 1)]
    assert nodes == expected
    assert max(nodes) < len(algorithm.privacy_bonuses)


def test_the_published_bonus():
    algorithm = DPUCB(arms=4, epsilon=0.5, horizon=1000, tree="binary", gamma=0.2)
    log = math.log(1000)
    assert algorithm.privacy_bonuses[5] == pytest.approx(log**2 * math.log(4 * 1000 * log / 0.2) * 4 / 0.5, rel=1e-14)


def test_the_bonus_of_the_k_ary_tree_is_exceeded_with_the_stated_probability():
    algorithm = DPUCB(arms=5, epsilon=0.5, horizon=1000, budget="full", gamma=0.2)
    for nodes in (1, 7, 20):
        in_units_of_the_scale = algorithm.privacy_bonuses[nodes] / algorithm.mechanism.scale
        assert 2 * math.exp(log_tail(in_units_of_the_scale, nodes)) == pytest.approx(0.2 / 5000, rel=1e-9)


@pytest.mark.chance(1e-6, "one binomial test")
def test_few_runs_leave_the_bonus_and_half_of_it_is_left_often():
    """All T sums of an arm stay within Lambda but with probability gamma / K = 0.05; fails falsely with 1e-6."""
    algorithm = DPUCB(arms=2, epsilon=1.0, horizon=200, budget="full", gamma=0.1)
    noise = algorithm.mechanism.release_batch(np.zeros(200), np.random.default_rng(1), 400)
    degree = algorithm.mechanism.degree
    nodes = [sum(t // degree**v % degree for v in range(9)) for t in range(1, 201)]
    bonus = np.array(algorithm.privacy_bonuses)[nodes]
    left, left_half = ((np.abs(noise) > factor * bonus).any(axis=1).sum() for factor in (1.0, 0.5))
    assert stats.binomtest(int(left), 400, 0.05, alternative="greater").pvalue > 1e-6
    assert stats.binomtest(int(left_half), 400, 0.05, alternative="greater").pvalue < 1e-6


def test_the_k_ary_tree_has_less_regret_than_the_published_one():
    """C2, T = 1e5: 20 runs each, whose ranges do not overlap."""
    regret = {}
    for tree in ("k-ary", "binary"):
        algorithm = DPUCB(arms=5, epsilon=1.0, horizon=100_000, budget="full", tree=tree)
        regret[tree] = simulated(algorithm, environment("c2"), checkpoints=np.array([100_000]), runs=20, seed=0, key=())
    assert 5.0 * regret["k-ary"].max() < regret["binary"].min()


def test_the_tree_is_read_from_a_description():
    from privcheck.bandits.base import split_description

    text = DPUCB(arms=2, epsilon=1.0, horizon=16).describe()
    assert text.endswith("tree=k-ary)")
    assert split_description(text)[1]["tree"] == "k-ary"
    with pytest.raises(PrivcheckError, match="tree: got 'ternary', expected one of 'k-ary', 'binary'"):
        DPUCB(arms=2, epsilon=1.0, horizon=16, tree="ternary")
