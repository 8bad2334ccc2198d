"""AdaC-UCB: its index, one Gaussian draw for each block, and broken twins that are refused."""

import math

import numpy as np
import pytest

from privcheck import audit, certify
from privcheck.bandits import ALGORITHMS
from privcheck.bandits.adac_ucb import AdaCUCBPolicy
from privcheck.environments import Bernoulli
from privcheck.mechanisms import Gaussian
from privcheck.simulation import simulate

SPEC = ALGORITHMS["adac-ucb"]


class CountingGenerator(np.random.Generator):
    """A Generator that remembers the scale of every normal draw."""

    def __init__(self, seed):
        super().__init__(np.random.PCG64(seed))
        self.scales = []

    def normal(self, loc=0.0, scale=1.0, size=None):
        drawn = super().normal(loc, scale, size)
        self.scales.extend([float(scale)] * np.size(drawn))
        return drawn


def test_the_index_is_a_tail_bound_of_rewards_and_noise_together():
    policy = SPEC(arms=2, rho=0.02, alpha=3.0).build(np.random.default_rng(0))
    policy.private_mean, policy.block_length = [0.25, 0.0], [40, 1]
    variance = 1.0 / (4.0 * 40) + Gaussian(sensitivity=1.0 / 40, mu=math.sqrt(0.04)).scale ** 2
    bonus = math.sqrt(2.0 * variance * 3.0 * math.log(170))
    assert policy.index(0, math.log(170)) == pytest.approx(0.25 + bonus, rel=1e-7)


@pytest.mark.chance(0.0, "scales of draws are compared, whatever is drawn")
def test_one_draw_for_each_closed_block(play):
    """Blocks have 1, 1, 2, 4, ... rewards; a mean of n has noise of standard deviation 1 / (n sqrt(2 rho))."""
    noise, spec = CountingGenerator(1), SPEC(arms=2, rho=0.02)
    actions = play.reference(spec, np.random.default_rng(2).random((512, 2)), noise)
    lengths, pulls, t = [], {}, 0
    while t < len(actions):
        arm = actions[t]
        length = pulls.get(arm, 1)
        pulls[arm] = pulls.get(arm, 0) + length
        t += length
        lengths += [length] * (t <= len(actions))
    assert noise.scales == pytest.approx([5.0 / length for length in lengths], rel=1e-8)


def test_without_privacy_it_is_adap_ucb(play):
    """With rho and epsilon large, both indices are those of UCB on blocks."""
    seen = set()
    for seed in range(10):
        table = np.random.default_rng(seed).uniform(size=(300, 3)) * [1.0, 0.8, 0.6]
        runs = [
            play.kernel(spec, table, np.random.default_rng(0))[0].tolist()
            for spec in (SPEC(arms=3, rho=1e16), ALGORITHMS["adap-ucb"](arms=3, epsilon=1e12))
        ]
        assert runs[0] == runs[1]
        seen.add(tuple(runs[0]))
    assert len(seen) > 5


@pytest.mark.chance(1e-6, "a difference of means below five standard errors")
def test_less_privacy_less_regret():
    means = Bernoulli((0.75, 0.5))
    low, high = (simulate(SPEC(arms=2, rho=rho), means, horizon=20_000, runs=200).summary()[0] for rho in (1e-4, 1.0))
    assert high["mean"] + 5 * (low["se"] + high["se"]) < low["mean"]
    assert low["mean"] < 0.25 * 20_000 / 2, "better than playing in turns"


class HalfTheVariance(AdaCUCBPolicy):
    """A broken twin: noise of the variance 1 / (4 rho n^2)."""

    def mechanism(self, n):
        return Gaussian.with_scale(super().mechanism(n).scale / math.sqrt(2.0))


class SensitivityOfTheSum(AdaCUCBPolicy):
    """A broken twin: it states the sensitivity of a mean of twice as many rewards."""

    def mechanism(self, n):
        return Gaussian(sensitivity=0.5 / n, mu=math.sqrt(2.0 * self.rho))


class ReleasedAgain(AdaCUCBPolicy):
    """A broken twin: each mean is released twice, and the second one used."""

    def _close_block(self, arm):
        total = self._block_sum
        super()._close_block(arm)
        self._block_sum = total
        super()._close_block(arm)


@pytest.mark.parametrize("twin", [HalfTheVariance, SensitivityOfTheSum, ReleasedAgain])
def test_broken_twins_are_refused(twin):
    def build(cls):
        return lambda rng: cls(2, 0.5, 3.1, rng)

    honest, broken = (certify(build(cls), rho=0.5, arms=2, horizon=14, runs=4) for cls in (AdaCUCBPolicy, twin))
    assert (honest.granted, honest.rho_upper, honest.ledger_rho) == (True, 0.5, pytest.approx(0.5, rel=1e-8))
    assert not broken.granted


@pytest.mark.chance(1e-6, "one bound at this level")
def test_an_audit_sees_a_twin_with_hardly_any_noise():
    """The twin has noise of a hundredth of the standard deviation: the streams tell which arm wins."""

    class Quiet(AdaCUCBPolicy):
        def mechanism(self, n):
            return Gaussian.with_scale(0.01 * super().mechanism(n).scale)

    streams = np.tile([0.0, 0.0], (4, 1)), np.tile([0.0, 0.0], (4, 1))
    streams[1][0, 0] = 1.0
    options = {"arms": 2, "runs": 4000, "streams": streams, "error": 1e-6, "confidence": 1.0 - 1e-6}
    assert audit(lambda rng: Quiet(2, 0.5, 0.1, rng), rho=0.5, **options).verdict == "violation"
    assert audit(lambda rng: AdaCUCBPolicy(2, 0.5, 0.1, rng), rho=0.5, **options).verdict != "violation"
