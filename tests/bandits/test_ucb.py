"""UCB1 and KL-UCB against traces worked out by hand."""

import math

import numpy as np
import pytest

from privcheck.bandits import ALGORITHMS


def test_ucb1_by_hand(play):
    # Rewards: arm 0 always 1, arm 1 always 0. After the first two rounds the indices of arms 0 and 1 are
    #   t=2: 1 + sqrt(2 ln 2)   = 2.177,  sqrt(2 ln 2)   = 1.177 -> 0
    #   t=3: 1 + sqrt(2 ln 3/2) = 2.048,  sqrt(2 ln 3)   = 1.482 -> 0
    #   t=4: 1 + sqrt(2 ln 4/3) = 1.961,  sqrt(2 ln 4)   = 1.665 -> 0
    #   t=5: 1 + sqrt(2 ln 5/4) = 1.897,  sqrt(2 ln 5)   = 1.794 -> 0
    #   t=6: 1 + sqrt(2 ln 6/5) = 1.847,  sqrt(2 ln 6)   = 1.893 -> 1
    #   t=7: 1 + sqrt(2 ln 7/5) = 1.882,  sqrt(2 ln 7/2) = 1.395 -> 0
    table = np.tile([1.0, 0.0], (8, 1))
    expected = [0, 1, 0, 0, 0, 0, 1, 0]
    assert play.reference(ALGORITHMS["ucb"](arms=2), table, None) == expected
    assert play.kernel(ALGORITHMS["ucb"](arms=2), table, np.random.default_rng(0))[0].tolist() == expected


def test_kl_ucb_by_hand(play):
    # Rewards all 0: kl(0, q) = -ln(1 - q), so the index is ln t / n: the least played arm, the lowest of equals.
    table = np.zeros((9, 3))
    expected = [0, 1, 2] * 3
    assert play.reference(ALGORITHMS["kl-ucb"](arms=3), table, None) == expected
    assert play.kernel(ALGORITHMS["kl-ucb"](arms=3), table, np.random.default_rng(0))[0].tolist() == expected


def test_kl_ucb_solves_its_equation():
    policy = ALGORITHMS["kl-ucb"](arms=2).build(np.random.default_rng(0))
    for reward in (1.0, 0.0, 0.0, 1.0):
        policy.update(0, reward)
    policy.update(1, 1.0)
    q = -math.expm1(-policy.index(0))
    assert 4 * (0.5 * math.log(0.5 / q) + 0.5 * math.log(0.5 / (1 - q))) == pytest.approx(math.log(5))
    assert policy.index(1) == math.inf


@pytest.mark.parametrize("name", ["ucb", "kl-ucb", "imed"])
@pytest.mark.parametrize("reward", [0.0, 1.0])
def test_ties_go_to_the_lowest_arm(name, reward, play):
    table = np.full((400, 4), reward)
    actions = play.kernel(ALGORITHMS[name](arms=4), table, np.random.default_rng(0))[0].tolist()
    assert actions == play.reference(ALGORITHMS[name](arms=4), table, None)
    assert actions[:5] == [0, 1, 2, 3, 0]


@pytest.mark.parametrize("name", ["ucb", "kl-ucb", "imed"])
def test_noise_is_ignored(name, play):
    table = np.random.default_rng(1).random((100, 3))
    runs = [play.kernel(ALGORITHMS[name](arms=3), table, np.random.default_rng(seed))[0].tolist() for seed in (0, 1)]
    assert runs[0] == runs[1]
