"""RNM-FTNL with two arms in closed form: binomial mixtures of the tail of a difference of two Laplace variables."""

import math

import numpy as np
import pytest
from scipy import integrate, stats

from privcheck.bandits import ALGORITHMS
from privcheck.environments import Bernoulli
from privcheck.simulation._engine import play


def tail(x):
    """P(Z - Z' > x) for independent Z, Z' of density exp(-|z|) / 2: (2 + x) e^-x / 4 for x >= 0."""
    return (2 + x) * math.exp(-x) / 4 if x >= 0 else 1.0 - tail(-x)


def exact_regret(means, epsilon, noise_scale, epochs):
    """Expected pseudo-regret after each epoch; epoch s has 2^s rounds, the first plays arm 0."""
    gaps = max(means) - np.array(means)
    total, probability_1, result = 0.0, 0.0, []
    for s in range(epochs):
        n = 2**s
        total += n * ((1 - probability_1) * gaps[0] + probability_1 * gaps[1])
        result.append(total)
        first, second = (stats.binom(n, mean).pmf(np.arange(n + 1)) for mean in means)
        wins = [[tail((i - j) / (noise_scale / epsilon)) for j in range(n + 1)] for i in range(n + 1)]
        probability_1 = float(first @ np.array(wins) @ second)
    return np.array(result)


@pytest.mark.parametrize("x", [-3.0, -0.5, 0.0, 0.2, 1.0, 6.0])
def test_the_closed_form_is_the_integral(x):
    value = integrate.quad(lambda z: stats.laplace.pdf(z) * stats.laplace.sf(x + z), -60, 60, points=[-x, 0.0])[0]
    assert tail(x) == pytest.approx(value, abs=1e-9)


@pytest.mark.chance(4e-6, "seven means of 40,000 within 5 standard errors, 6e-7 each")
@pytest.mark.parametrize(("policy", "scale"), [("rnm-ftnl", 2.0), ("rnm-ftnl-published", 1.0)])
@pytest.mark.parametrize(("means", "epsilon"), [((0.4, 0.7), 0.5), ((0.6, 0.5), 1.0)])
def test_expected_regret(policy, scale, means, epsilon):
    """Within five standard errors after every one of 7 epochs: false-failure probability below 4e-6 per case."""
    spec, ends = ALGORITHMS[policy](arms=2, epsilon=epsilon), 2 ** np.arange(1, 8) - 1
    regret = play(spec, Bernoulli(means), checkpoints=ends, runs=40_000, seed=0)
    expected, se = exact_regret(means, epsilon, scale, 7), regret.std(axis=0) / math.sqrt(40_000) + 1e-12
    assert (np.abs(regret.mean(axis=0) - expected) < 5 * se).all()
    wrong = exact_regret(means, epsilon, 3.0 - scale, 7)
    assert (np.abs(regret.mean(axis=0) - wrong) > 8 * se)[-1], "the other noise would be noticed"
