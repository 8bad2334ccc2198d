"""DP-GLR-IMED: its batches, its index, the algorithm that it becomes without privacy, and what it is for."""

import numpy as np
import pytest

from privcheck.bandits import ALGORITHMS
from privcheck.bounds import d_epsilon
from privcheck.bounds.divergences import kl_bernoulli
from privcheck.simulation.simulate import simulate

DPGLRIMED = ALGORITHMS["dp-glr-imed"]


def test_first_batches_and_ratio(play):
    spec = DPGLRIMED(arms=3, epsilon=0.5, first=3.2, ratio=2.0)
    assert spec.first_batch == 7
    actions = play.reference(spec, np.random.default_rng(0).random((400, 3)), np.random.default_rng(1))
    assert actions[:21] == [0] * 7 + [1] * 7 + [2] * 7
    pulls, t = [7, 7, 7], 21
    while t + pulls[actions[t]] <= 400:
        arm = actions[t]
        assert set(actions[t : t + pulls[arm]]) == {arm}
        t, pulls[arm] = t + pulls[arm], 2 * pulls[arm]
    assert t > 150
    assert DPGLRIMED(arms=2, epsilon=3.0, first=3.0).first_batch == 1
    assert DPGLRIMED(arms=2, epsilon=1e-300).first_batch == 2**52


def test_the_index_with_one_batch_each():
    """D_a(mu_a) = 0, so that the index is DP-IMED's: n_a d_epsilon(m_a, m*) + ln n_a."""
    policy = DPGLRIMED(arms=3, epsilon=0.8).build(np.random.default_rng(0))
    policy.private_means, policy.lengths, policy.pulls = [[0.7], [0.2], [0.6]], [[40], [25], [30]], [40, 25, 30]
    costs = [0.0, 25 * d_epsilon(0.2, 0.7, 0.8), 30 * d_epsilon(0.6, 0.7, 0.8)]
    indices = np.array(costs) + np.log(policy.pulls)
    assert policy.choose() == int(np.argmin(indices)) == 0
    assert policy.deviance(1, 0.7) == pytest.approx(25 * d_epsilon(0.2, 0.7, 0.8))
    policy.private_means[1], policy.lengths[1] = [0.2, 0.9], [12, 13]
    assert policy.choose() == 1, "two batches that disagree are less evidence than their sum"


@pytest.mark.parametrize("name", ["dp-glr-imed", "dp-imed"])
def test_without_privacy_and_batches_it_is_imed(name, play):
    """At ratio 1.05 batches have one reward up to 20 pulls; continuous rewards do not tie."""
    options = {"ratio": 1.05, "first": 1.0} if name == "dp-glr-imed" else {"ratio": 1.05}
    spec = ALGORITHMS[name](arms=3, epsilon=1e9, **options)
    seen = set()
    for seed in range(20):
        table = np.random.default_rng(seed).random((20, 3)) * [1.0, 0.9, 0.8]
        expected = play.reference(ALGORITHMS["imed"](arms=3), table, None)
        assert play.reference(spec, table, np.random.default_rng(0)) == expected
        assert play.kernel(spec, table, np.random.default_rng(0))[0].tolist() == expected
        seen.add(tuple(expected))
    assert len(seen) > 10


def test_two_agreeing_batches_are_as_much_evidence_as_one():
    policy = DPGLRIMED(arms=2, epsilon=50.0).build(np.random.default_rng(0))
    policy.private_means, policy.lengths = [[0.3, 0.3], [0.5]], [[10, 5], [15]]
    assert policy.deviance(0, 0.5) == pytest.approx(15 * kl_bernoulli(0.3, 0.5))


@pytest.mark.evidence
@pytest.mark.parametrize("epsilon", [0.1, 0.25, 0.5, 1.0])
def test_on_c2_it_beats_its_relatives_in_mean_and_upper_quantiles(epsilon, evidence):
    """T = 1e7, all in one run. A run in about 10,000 has a regret of more than 1e5: the mean is that of one seed."""
    names = ["dp-glr-imed", "dp-imed", "dp-kl-ucb"]
    found = simulate(names, "c2", horizon=1e7, runs=evidence(1500, 10_000), seed=3, epsilon=epsilon, checkpoints=1)
    regret = {result.policy: result.regret[:, -1] for result in found.results}
    own = regret.pop("dp-glr-imed")
    for other in regret.values():
        assert own.mean() < other.mean()
        assert (np.quantile(own, [0.95, 0.99]) < np.quantile(other, [0.95, 0.99])).all()
    assert np.quantile(own, 0.99) < 2 * np.median(own)
    if epsilon == 1.0:
        assert own.mean() < 140
        assert np.quantile(own, 0.95) < 200
