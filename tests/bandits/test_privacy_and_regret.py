"""What epsilon does to the regret: less privacy, less regret, and without privacy the relatives that have none."""

import math

import numpy as np
import pytest
from scipy.stats import mannwhitneyu

from privcheck.bandits import ALGORITHMS
from privcheck.bandits.kl_index import kl_index
from privcheck.bandits.private_index import private_index
from privcheck.environments import environment
from privcheck.simulation._engine import play as simulated

HUGE = 1e12
PRIVATE = [name for name in ALGORITHMS if ALGORITHMS[name].private and ALGORITHMS[name].feedback in ("bandit", "full")]


LONGER: dict[str, int] = {}
"""Horizons of algorithms that learn too slowly for the usual one: their regret does not depend on epsilon by then."""


@pytest.mark.chance(1e-6, "the power of a rank test")
@pytest.mark.parametrize("name", PRIVATE)
def test_regret_falls_with_the_budget(name):
    """C2: budgets of 0.1 and 2.5, a one-sided rank test; where it finds nothing, the chance of p < 1e-4 is 1e-4."""
    cls = ALGORITHMS[name]
    horizon, runs = (10**6, 300) if cls.simulation_engine == "event" else (10_000, 16)
    horizon = LONGER.get(name, horizon)
    regret = []
    for key, budget in enumerate((0.1, 2.5)):
        values = {"arms": 5, cls.budget_name(): budget, "horizon": horizon}
        spec = cls(**{parameter: value for parameter, value in values.items() if cls.declares(parameter)})
        regret.append(
            simulated(spec, environment("c2"), checkpoints=np.array([horizon]), runs=runs, seed=1, key=(key,))
        )
    level = mannwhitneyu(regret[0][:, 0], regret[1][:, 0], alternative="greater").pvalue
    means = " and ".join(f"{values.mean():,.0f}" for values in regret)
    assert level < 1e-4, (
        f"the regret of {name} after {horizon:,} rounds is {means} at budgets of 0.1 and 2.5: it does not fall (p = "
        f"{level:.2g}). Does its noise depend on epsilon? If it learns too slowly, give it more rounds in LONGER here"
    )


@pytest.mark.parametrize("name", ["dp-ucb", "dp-ucb-hybrid"])
def test_the_trees_without_noise_are_ucb(name, play):
    spec = play.example(ALGORITHMS[name], epsilon=HUGE)
    table = np.random.default_rng(0).random((500, 3)) * [1.0, 0.9, 0.8]
    expected = play.reference(ALGORITHMS["ucb"](arms=3), table, None)
    assert play.reference(spec, table, np.random.default_rng(1)) == expected
    assert play.kernel(spec, table, np.random.default_rng(1))[0].tolist() == expected
    assert len(set(expected)) == 3


def ucb_of_last_blocks(table, alpha):
    """Play UCB on the mean of an arm's last block; an arm plays in blocks of as many rounds as it has played."""
    arms, actions = table.shape[1], []
    means, lengths, pulls = np.zeros(arms), np.zeros(arms), [0] * arms
    while len(actions) < len(table):
        t = len(actions)
        index = means + np.sqrt(alpha * math.log(t + 1) / (2 * np.maximum(lengths, 1)))
        arm = pulls.index(0) if 0 in pulls else int(np.argmax(index))
        lengths[arm] = max(pulls[arm], 1)
        block = table[t : t + int(lengths[arm]), arm]
        pulls[arm] += len(block)
        means[arm] = block.mean()
        actions += [arm] * len(block)
    return actions


def test_adap_ucb_without_noise_is_ucb_of_the_last_blocks(play):
    table = np.random.default_rng(2).random((700, 3)) * [1.0, 0.9, 0.8]
    spec = ALGORITHMS["adap-ucb"](arms=3, epsilon=HUGE, alpha=2.5)
    assert play.reference(spec, table, np.random.default_rng(3)) == ucb_of_last_blocks(table, 2.5)


def lazily(table, score):
    """Play the arm with the largest score(mean and length of its last full block of 1, 2, 4, ..., t) in every round."""
    arms, actions = table.shape[1], []
    rewards = [[] for _ in range(arms)]
    blocks = [(0.0, 0)] * arms
    for t, row in enumerate(table):
        arm = t if t < arms else int(np.argmax([score(mean, n, t + 1) for mean, n in blocks]))
        actions.append(arm)
        rewards[arm].append(row[arm])
        if len(rewards[arm]) == max(1, 2 * blocks[arm][1]):
            blocks[arm] = (float(np.mean(rewards[arm])), len(rewards[arm]))
            rewards[arm] = []
    return actions


def test_the_lazy_algorithms_without_noise_are_lazy_ucb_and_thompson_sampling(play):
    table = np.random.default_rng(4).random((400, 3)) * [1.0, 0.9, 0.8]
    lazy_ucb, lazy_ts = (ALGORITHMS[name](arms=3, epsilon=HUGE) for name in ("lazy-ucb", "lazy-dp-ts"))
    by_index = lazily(table, lambda mean, n, t: mean + math.sqrt(3 * math.log(t) / n))
    assert play.reference(lazy_ucb, table, np.random.default_rng(5)) == by_index
    coins = np.random.default_rng(2)
    by_draw = lazily(table, lambda mean, n, t: coins.beta(mean * n + 1, (1 - mean) * n + 1))
    assert play.reference(lazy_ts, table, np.random.default_rng(5)) == by_draw


def test_the_private_index_without_privacy_is_that_of_kl_ucb():
    for mean in (0.0, 0.2, 0.9):
        for level in (0.01, 0.5, 3.0):
            assert private_index(mean, level, HUGE) == pytest.approx(kl_index(mean, level), rel=1e-12)


def test_successive_elimination_stops_paying_for_privacy():
    """From some epsilon on the epochs are as long as they have to be without privacy."""
    runs = {}
    for epsilon in (0.1, 1e3, 1e6):
        spec = ALGORITHMS["dp-se"](arms=5, epsilon=epsilon, horizon=10**6)
        runs[epsilon] = simulated(spec, environment("c2"), checkpoints=np.array([10**6]), runs=100, seed=0)[:, 0]
    assert runs[1e3].tolist() == runs[1e6].tolist()
    assert runs[0.1].mean() > 1.3 * runs[1e6].mean()
