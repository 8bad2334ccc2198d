"""Rewards turned into coins: their law, what they leave as it was, and their privacy."""

import numpy as np
import pytest
from scipy.stats import ks_2samp

from privcheck import audit, certify
from privcheck.bandits import ALGORITHMS
from privcheck.bandits.geometric_batches import GeometricBatchesPolicy
from privcheck.bandits.reward_coins import toss, tossed
from privcheck.declared import declared_fields
from privcheck.mechanisms import Laplace

WITH_COINS = [
    name for name in ALGORITHMS if any(field.name == "rewards" for field in declared_fields(ALGORITHMS[name]))
]


class Fixed:
    """A source of one uniform draw."""

    def __init__(self, uniform):
        self.uniform = uniform

    def random(self):
        return self.uniform


def test_who_tosses():
    assert {
        "dp-exact-tt",
        "dp-glr-imed",
        "dp-imed",
        "dp-kl-ucb",
        "dp-tt",
        "gaussian-glr-imed",
        "lazy-dp-ts",
        "top-two",
    } == set(WITH_COINS)


@pytest.mark.parametrize("reward", [0.0, 0.1, 0.3, 0.5, 2 / 3, 0.999, 1.0])
def test_a_coin_shows_1_up_to_the_reward(reward):
    """On a grid of uniform draws, and where floating point rounds: the smallest and the largest draw."""
    uniforms = (np.arange(2000) + 0.5) / 2000
    outcomes = [toss(reward, Fixed(u)) for u in uniforms]
    assert outcomes == [tossed(reward, u) for u in uniforms] == (uniforms < reward).tolist()
    for u in (0.0, 2.0**-53, 1.0 - 2.0**-53):
        assert toss(reward, Fixed(u)) == tossed(reward, u)
        assert toss(reward, Fixed(u)) in (0, 1)
    assert (toss(0.0, Fixed(2.0**-40)), toss(1.0, Fixed(1.0 - 2.0**-53)), toss(1.0, Fixed(0.0))) == (0, 1, 1)


@pytest.mark.parametrize("name", ["dp-glr-imed", "dp-imed", "dp-kl-ucb", "gaussian-glr-imed"])
def test_binary_rewards_are_their_own_coins(name, play):
    table = (np.random.default_rng(0).random((300, 3)) < [0.2, 0.5, 0.8]).astype(float)
    plain, coin = (play.example(ALGORITHMS[name], rewards=rewards) for rewards in ("plain", "coin"))
    expected = play.reference(plain, table, np.random.default_rng(1))
    assert play.reference(coin, table, np.random.default_rng(1)) == expected
    halved = table / 2.0
    assert play.reference(coin, halved, np.random.default_rng(1)) != play.reference(
        plain, halved, np.random.default_rng(1)
    )


@pytest.mark.parametrize("name", WITH_COINS)
def test_every_reward_costs_one_coin(name, play):
    expected = np.random.default_rng(4)
    expected.random()
    for reward in (0.0, 1.0, 1 / 3):
        coins = np.random.default_rng(4)
        policy = play.example(ALGORITHMS[name], rewards="coin").build(coins, noise=np.random.default_rng(5))
        policy.update(policy.select(), reward)
        assert coins.bit_generator.state == expected.bit_generator.state


@pytest.mark.chance(1e-6, "one Kolmogorov-Smirnov test")
@pytest.mark.parametrize("name", [name for name in WITH_COINS if ALGORITHMS[name].feedback == "bandit"])
def test_coins_of_constant_rewards_are_bernoulli_rewards(name, play):
    """Pulls of the better of two arms, 4000 runs of either kind, by Kolmogorov and Smirnov.

    The rewards themselves, constants, give other numbers of pulls, which the test sees.
    """
    horizon, runs, means = 120, 4000, np.array([0.6, 0.4])
    rng, pulls = np.random.default_rng(6), {}
    options = {"arms": 2} | ({"strength": 20.0} if ALGORITHMS[name].private else {})
    for kind, table in [("coin", np.tile(means, (horizon, 1))), ("bernoulli", np.zeros((0, 2)))]:
        spec = play.example(ALGORITHMS[name], rewards="coin" if kind == "coin" else "plain", **options)
        actions = np.zeros((runs, horizon), np.int8)
        nothing = np.zeros(0, np.int64), np.zeros((runs, 0))
        spec.kernel(spec.kernel_parameters(), table, means, rng, rng, rng, horizon, runs, actions, *nothing)
        pulls[kind] = (actions == 0).sum(axis=1)
        if kind == "coin":
            plain = play.kernel(play.example(ALGORITHMS[name], **options), table, rng, runs, rng)
            pulls["plain"] = (plain == 0).sum(axis=1)
    assert ks_2samp(pulls["coin"], pulls["bernoulli"]).pvalue > 1e-6
    assert ks_2samp(pulls["plain"], pulls["bernoulli"]).pvalue < 1e-6


@pytest.mark.parametrize("name", [name for name in WITH_COINS if ALGORITHMS[name].private])
def test_certified_at_exactly_its_budget(name, play):
    short = {"first": 1, "delta": 0.49} if name == "dp-exact-tt" else {}  # so that all of its lines run
    spec = play.example(ALGORITHMS[name], arms=2, rewards="coin", **short)
    certificate = certify(spec, horizon=24, runs=6, **{spec.budget_name(): 1.0})
    assert (certificate.granted, certificate.coverage) == (True, "all-executions-under-guard")
    assert (certificate.leaks, certificate.refusals, certificate.replay.divergences) == ([], [], 0)
    assert getattr(certificate, f"ledger_{spec.budget_name()}") == pytest.approx(1.0, rel=1e-8)


class SkipsCoins(GeometricBatchesPolicy):
    """A broken twin: no coin for rewards of 0 and 1, so that later coins tell what the rewards were."""

    def __init__(self, rng):
        super().__init__(2, 1.0, 2.0, rng)
        self.rng = rng

    def update(self, action, reward):
        super().update(action, toss(reward, self.rng) if 0.0 < reward < 1.0 else reward)

    def choose(self):
        return int(self.rng.random() < 0.5)


class TossesTwice(SkipsCoins):
    """A broken twin: two coins of one reward, each released with the whole budget."""

    def update(self, action, reward):
        for _ in range(2):
            Laplace(sensitivity=1.0, epsilon=1.0).release(toss(reward, self.rng), self.rng)


@pytest.mark.parametrize("twin", [SkipsCoins, TossesTwice])
def test_broken_twins_are_refused(twin):
    certificate = certify(twin, epsilon=1.0, arms=2, horizon=12, runs=4)
    assert not certificate.granted
    assert certificate.leaks if twin is SkipsCoins else certificate.refusals


@pytest.mark.chance(1e-6, "one verdict on a true claim at this error")
def test_an_audit_with_coins_stays_below_the_claim():
    """With half the claim the same runs refute it."""
    spec = ALGORITHMS["dp-imed"](arms=2, epsilon=1.0, rewards="coin")
    report = audit(spec, epsilon=1.0, horizon=12, runs=20_000, error=1e-6)
    assert report.verdict == "consistent"
    assert audit(spec, epsilon=0.5, horizon=12, runs=20_000).verdict == "violation"
