"""DP-GLR-IMED: its batches, its index, the algorithm that it becomes without privacy, and what it is for."""

import numpy as np
import pytest

from privcheck import certify
from privcheck.bandits import ALGORITHMS
from privcheck.bandits.dp_glr_imed import DPGLRIMEDPolicy
from privcheck.bounds import d_epsilon, kl_bernoulli
from privcheck.environments import Bernoulli
from privcheck.simulation import simulate

DPGLRIMED = ALGORITHMS["dp-glr-imed"]


def released(arms, epsilon, sums):
    """Return a policy that has been given private sums: arm, length, sum."""
    policy = DPGLRIMED(arms=arms, epsilon=epsilon).build(np.random.default_rng(0))
    for arm, length, private_sum in sums:
        policy.pulls[arm] += length
        policy.take_in(arm, length, private_sum)
    return policy


def test_first_batches_in_turns_and_totals(play):
    spec = DPGLRIMED(arms=3, epsilon=0.5, first=3.2, second=10.0, ratio=2.0)
    assert (spec.first_batch, spec.second_total) == (7, 20)
    actions = play.reference(spec, np.random.default_rng(0).random((700, 3)), np.random.default_rng(1))
    assert actions[:21] == [0, 1, 2] * 7
    pulls, t, totals = [7, 7, 7], 21, {7: 20, 20: 40, 40: 80, 80: 160, 160: 320, 320: 640}
    while t + totals[pulls[actions[t]]] <= 700:
        arm = actions[t]
        length = totals[pulls[arm]] - pulls[arm]
        assert set(actions[t : t + length]) == {arm}
        t, pulls[arm] = t + length, pulls[arm] + length
    assert t > 300
    assert DPGLRIMED(arms=2, epsilon=3.0, first=3.0).first_batch == 1
    tiny = DPGLRIMED(arms=2, epsilon=1e-300)
    assert (tiny.first_batch, tiny.second_total) == (2**52, 2**52)


def test_releases_in_the_first_batches():
    """Every arm's first batch is released in the round of its last reward, and holds this arm's rewards alone."""
    policy = DPGLRIMEDPolicy(3, 1e9, 1.5, np.random.default_rng(0), None, first=5, second=0)
    table = np.random.default_rng(1).random((15, 3))
    for t, row in enumerate(table):
        assert [len(means) for means in policy.released] == [int(t >= 13 + a) for a in range(3)]
        policy.update(arm := policy.select(), float(row[arm]))
    for a in range(3):
        assert policy.released[a][0] == pytest.approx(table[a::3, a].mean(), abs=1e-7)


class ReleasesEveryTurn(DPGLRIMEDPolicy):
    """A broken twin: it shows the sums of the first batches while they are open, whenever every arm had its turn."""

    def update(self, action, reward):
        super().update(action, reward)
        if self.rounds % self.arms == 0 and 0 in self.pulls:
            self.estimates = [self.publish(total) for total in self._batch_sums]


def test_sums_of_open_batches_are_no_business_of_anybody():
    def build(cls):
        return lambda rng: cls(2, 1.0, 1.5, rng, None, first=4, second=0)

    honest, twin = (
        certify(build(cls), epsilon=1.0, arms=2, horizon=14, runs=4) for cls in (DPGLRIMEDPolicy, ReleasesEveryTurn)
    )
    assert (honest.leaks, honest.refusals, honest.ledger_epsilon) == ([], [], pytest.approx(1.0, rel=1e-8))
    assert not twin.granted
    assert twin.refusals


@pytest.mark.parametrize("horizon", [2, 3, 4, 17, 20, 21, 22, 60])
@pytest.mark.parametrize("rewards", ["plain", "coin"])
def test_regret_of_the_first_batches(horizon, rewards, play):
    """Checkpoints in every round, across the end of the turns; horizons shorter than a turn; actions as well."""
    spec = DPGLRIMED(arms=3, epsilon=1.0, first=7.0, rewards=rewards)
    means, checkpoints = np.array([0.2, 0.9, 0.5]), np.arange(1, horizon + 1)
    actions, regret = np.zeros((4, horizon), np.int8), np.zeros((4, horizon))
    streams = [np.random.default_rng(i) for i in range(3)]
    arguments = spec.kernel_parameters(), np.zeros((0, 3)), means, *streams, horizon, 4, actions, checkpoints, regret
    spec.kernel(*arguments)
    assert (actions[:, :21] == np.arange(min(horizon, 21)) % 3).all()
    assert np.allclose(regret, np.cumsum(0.9 - means[actions], axis=1), rtol=1e-12, atol=1e-12)
    table = np.random.default_rng(5).random((horizon, 3))
    expected = play.reference(spec, table, np.random.default_rng(3))
    assert play.kernel(spec, table, np.random.default_rng(3))[0].tolist() == expected


@pytest.mark.chance(1e-10, "two means of 400 that are 8 standard errors below")
def test_at_short_horizons_it_is_no_worse_than_uniform_play_whatever_the_order():
    """K = 20, epsilon .01, T = 1e4: uniform play loses 4512.5, DP-IMED 4206 to 4330; one batch of 10 / epsilon an arm,
    lowest arm first, would lose 6625 in this order.

    The mean is 3900 and its standard error below 35: false failure below 1e-12.
    """
    means = (*np.linspace(0.05, 0.8, 19).tolist(), 0.9)
    for order in (means, means[::-1]):
        result = simulate("dp-glr-imed", Bernoulli(order), horizon=10_000, runs=400, epsilon=0.01).results[0]
        assert result.regret[:, -1].mean() < 4200


def test_the_index_with_one_batch_each():
    """D_a(mu_a) = 0, so that the index is DP-IMED's: n_a d_epsilon(m_a, m*) + ln n_a."""
    policy = released(3, 0.8, [(0, 40, 28.0), (1, 25, 5.0), (2, 30, 18.0)])
    costs = [0.0, 25 * d_epsilon(0.2, 0.7, 0.8), 30 * d_epsilon(0.6, 0.7, 0.8)]
    indices = np.array(costs) + np.log(policy.pulls)
    assert policy.choose() == int(np.argmin(indices)) == 0
    assert policy.deviance(1, 0.7) == pytest.approx(25 * d_epsilon(0.2, 0.7, 0.8))
    policy = released(3, 0.8, [(0, 40, 28.0), (1, 12, 2.4), (1, 13, 11.7), (2, 30, 18.0)])
    assert policy.pulls == [40, 25, 30]
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
    policy = released(2, 50.0, [(0, 10, 3.0), (0, 5, 1.5), (1, 15, 7.5)])
    assert policy.deviance(0, 0.5) == pytest.approx(15 * kl_bernoulli(0.3, 0.5))


@pytest.mark.evidence
@pytest.mark.parametrize("epsilon", [0.1, 0.25, 0.5, 1.0])
def test_on_c2_it_beats_its_relatives_in_mean_and_upper_quantiles(epsilon, evidence):
    """T = 1e7, all in one run. A regret of more than 1e5, in one run of 10,000, is cut off far above all others."""
    names = ["dp-glr-imed", "dp-imed", "dp-kl-ucb"]
    found = simulate(names, "c2", horizon=1e7, runs=evidence(1500, 10_000), seed=3, epsilon=epsilon, checkpoints=1)
    regret = {result.policy: np.minimum(result.regret[:, -1], 2000.0 / epsilon) for result in found.results}
    own = regret.pop("dp-glr-imed")
    for other in regret.values():
        assert own.mean() < other.mean()
        assert (np.quantile(own, [0.95, 0.99]) < np.quantile(other, [0.95, 0.99])).all()
    assert np.quantile(own, 0.99) < 2 * np.median(own)
    if epsilon == 1.0:
        assert own.mean() < 140
        assert np.quantile(own, 0.95) < 200
