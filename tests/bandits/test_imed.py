"""IMED against a trace worked out by hand, the theory floor's divergence and the lower bound's constant."""

import math

import numpy as np
import pytest

from privcheck.bandits import ALGORITHMS
from privcheck.bounds import kl_bernoulli
from privcheck.simulation import simulate


def test_by_hand(play):
    # Rewards: arm 0 pays 1, 0, 1, 1, ..., arm 1 always 0. After the first two rounds
    #   means 1 and 0:    0 + ln 1 = 0,  inf                       -> 0, which pays 0
    #   means 1/2 and 0:  0 + ln 2,      kl(0, 1/2) + ln 1 = ln 2  -> a tie, 0, which pays 1
    #   means 2/3 and 0:  0 + ln 3,      kl(0, 2/3) + ln 1 = ln 3  -> a tie, 0
    #   means 3/4 and 0:  0 + ln 4,      kl(0, 3/4) + ln 1 = ln 4  -> a tie, 0
    table = np.zeros((40, 2))
    table[:, 0] = 1.0
    table[2, 0] = 0.0
    actions = play.reference(ALGORITHMS["imed"](arms=2), table, None)
    assert actions == [0, 1] + [0] * 38
    assert play.kernel(ALGORITHMS["imed"](arms=2), table, np.random.default_rng(0))[0].tolist() == actions


def test_the_index_is_the_papers():
    policy = ALGORITHMS["imed"](arms=3).build(np.random.default_rng(0))
    for arm, rewards in enumerate([(1.0, 0.0, 1.0, 1.0), (0.0, 1.0), (0.0, 0.0, 0.0)]):
        for reward in rewards:
            policy.update(arm, reward)
    expected = [math.log(4), 2 * kl_bernoulli(0.5, 0.75) + math.log(2), 3 * kl_bernoulli(0.0, 0.75) + math.log(3)]
    assert [policy.index(arm) for arm in range(3)] == pytest.approx(expected)
    assert policy.select() == int(np.argmin(expected))


@pytest.mark.chance(1e-6, "differences of means that are 15 standard errors or more")
def test_it_beats_kl_ucb_and_ucb():
    """Mean regret by more than 8 combined standard errors, on one seed."""
    rows = {row["policy"]: row for row in simulate(["imed", "kl-ucb", "ucb"], "c2", horizon=20_000, runs=200).summary()}
    for better, worse in (("imed", "kl-ucb"), ("kl-ucb", "ucb")):
        gap = rows[worse]["mean"] - rows[better]["mean"]
        assert gap > 8 * math.hypot(rows[worse]["se"], rows[better]["se"])
