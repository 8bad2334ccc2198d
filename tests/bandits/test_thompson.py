"""Thompson sampling: its posterior by enumeration, and the coin for rewards between 0 and 1."""

import math

import numpy as np
import pytest
from scipy import integrate, stats

from privcheck.bandits import ALGORITHMS

RUNS = 40_000


@pytest.mark.chance(2e-6, "three binomial shares within 5 standard errors")
def test_the_third_action_has_the_posteriors_probability(play):
    """Two arms, rewards all 1: P(arm 0) by quadrature, for each history of two actions.

    Three binomial comparisons within 5 standard errors: false-failure probability below 2e-6; the seed is fixed.
    """
    actions = play.kernel(
        ALGORITHMS["thompson"](arms=2), np.ones((3, 2)), np.random.default_rng(0), RUNS, np.random.default_rng(1)
    )
    for pulls in (0, 1, 2):
        first, second = stats.beta(1 + pulls, 1), stats.beta(3 - pulls, 1)
        wins = integrate.quad(lambda x, f=first, s=second: f.pdf(x) * s.cdf(x), 0, 1)[0]
        chosen = actions[(actions[:, :2] == 0).sum(axis=1) == pulls, 2] == 0
        assert len(chosen) > 1000
        assert abs(chosen.mean() - wins) < 5 * math.sqrt(wins * (1 - wins) / len(chosen))


@pytest.mark.chance(6e-7, "a binomial count within 5 standard deviations")
def test_rewards_between_0_and_1_become_coins_of_that_mean():
    policy = ALGORITHMS["thompson"](arms=2).build(np.random.default_rng(3))
    for _ in range(10_000):
        policy.update(1, 0.3)
    assert policy.successes[1] + policy.failures[1] == 10_000
    assert policy.successes[1] == int(policy.successes[1])
    assert abs(policy.successes[1] - 3000) < 5 * math.sqrt(10_000 * 0.3 * 0.7)


def test_binary_rewards_cost_no_coin():
    rng, untouched = np.random.default_rng(4), np.random.default_rng(4)
    policy = ALGORITHMS["thompson"](arms=2).build(rng)
    for reward in (0.0, 1.0, 1.0):
        policy.update(0, reward)
    assert rng.bit_generator.state == untouched.bit_generator.state
    assert (policy.successes, policy.failures) == ([2.0, 0.0], [1.0, 0.0])
