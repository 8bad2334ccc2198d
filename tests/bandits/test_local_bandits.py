"""Bandits under local privacy: the law of their reports, indices against other routes, regret, and broken twins."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import xlogy
from scipy.stats import binomtest, chi2_contingency

from privcheck import audit, certify
from privcheck.bandits import ALGORITHMS
from privcheck.bandits.ldp_imed import LDPIMEDPolicy
from privcheck.bandits.ldp_kl_ucb import LDPKLUCBPolicy
from privcheck.bandits.ldp_ucb import LaplaceReportsPolicy, LDPUCBPolicy
from privcheck.bandits.local_reports import contrast, least_chance, report, report_sum, reported, reporter
from privcheck.environments import Bernoulli
from privcheck.errors import PrivcheckError
from privcheck.kernels import compiled
from privcheck.mechanisms import Laplace, OneBit
from privcheck.simulation import simulate

LOCAL = ("ldp-ucb", "ldp-kl-ucb", "ldp-imed", "ldp-tt", "ctb-tt")

# Reports


def test_reference_and_compiled_reports_are_equal_draw_for_draw():
    for epsilon in (0.01, 0.5, 1.0, 4.0, 20.0):
        one, other = np.random.default_rng(0), np.random.default_rng(0)
        for reward in (*np.random.default_rng(1).random(300), *[0.0, 1.0] * 50):
            bit = reported(reporter(epsilon), reward, one)
            assert bit == report(reward, least_chance(epsilon), contrast(epsilon), other.random())


def test_the_chances_are_those_of_randomised_response():
    for epsilon in (0.1, 1.0, 5.0):
        p = math.exp(epsilon) / (1.0 + math.exp(epsilon))
        assert least_chance(epsilon) == pytest.approx(1.0 - p, rel=1e-7)
        assert contrast(epsilon) == pytest.approx(2.0 * p - 1.0, rel=1e-7)
        chances = np.exp([OneBit(epsilon=epsilon, radius=1.0).log_density(1, 2.0 * r - 1.0) for r in (0.0, 0.3, 1.0)])
        expected = least_chance(epsilon) + contrast(epsilon) * np.array([0.0, 0.3, 1.0])
        assert chances == pytest.approx(expected, rel=1e-12)


@compiled
def draw_sums(table, means, rewards, noise, q, spread, rounds, sums):
    for i in range(sums.shape[0]):
        sums[i] = report_sum(table, means, rewards, noise, q, spread, 0, 0, rounds)


@pytest.mark.chance(1e-9, "one chi-square test and one binomial test at 5e-10")
def test_sums_of_reports_at_once_have_the_law_of_single_reports():
    """Of Bernoulli(0.3) rewards: a Binomial of 12 at the chance q + (p - q) 0.3, in one step and one by one."""
    q, spread = least_chance(1.0), contrast(1.0)
    rng = np.random.default_rng(5)
    together = np.zeros(20_000)
    rewards, noise = np.random.default_rng(3), np.random.default_rng(4)
    draw_sums(np.zeros((0, 1)), np.array([0.3]), rewards, noise, q, spread, 12, together)
    bits = rng.random((20_000, 12)) < q + spread * (rng.random((20_000, 12)) < 0.3)
    counts = [np.bincount(sums.astype(int), minlength=13) for sums in (together, bits.sum(axis=1))]
    kept = [np.append(c[1:10], c[10:].sum() + c[0]) for c in counts]
    assert chi2_contingency(np.array(kept)).pvalue > 5e-10
    assert binomtest(int(together.sum()), 240_000, q + 0.3 * spread).pvalue > 5e-10


# Indices


def test_the_index_of_ldp_kl_ucb_is_the_largest_mean_that_the_likelihood_allows():
    """On a fine grid of means, reports outside [q, p] included, whose most likely mean is 0 or 1."""
    grid = np.linspace(0.0, 1.0, 200_001)
    for epsilon, ones, n, rounds in [(1.0, 40, 100, 500), (0.5, 3, 30, 90), (2.0, 29, 30, 60), (0.5, 400, 900, 10**4)]:
        policy = LDPKLUCBPolicy(2, epsilon, np.random.default_rng(0))
        policy.pulls, policy.sums, policy.rounds = [n, 1], [float(ones), 0.0], rounds
        chances = policy.q + (1.0 - 2.0 * policy.q) * grid
        likelihood = xlogy(ones, chances) + xlogy(n - ones, 1.0 - chances)
        largest = grid[likelihood.max() - likelihood <= math.log(rounds)].max()
        index = 1.0 - math.exp(-policy.index(0))
        assert (index - policy.q) / (1.0 - 2.0 * policy.q) == pytest.approx(largest, abs=1e-5)


def test_the_index_of_ldp_imed_is_a_likelihood_ratio():
    """On a fine grid of means, reports outside [q, p] included: what is lost if the mean is the best arm's."""
    grid = np.linspace(0.0, 1.0, 200_001)
    for epsilon, ones, n, best, pulls in [(1.0, 40, 100, 65, 100), (0.5, 3, 30, 50, 90), (2.0, 1, 30, 30, 30)]:
        policy = LDPIMEDPolicy(2, epsilon, np.random.default_rng(0))
        policy.pulls, policy.sums = [n, pulls], [float(ones), float(best)]
        chances = policy.q + (1.0 - 2.0 * policy.q) * grid
        likeliest = (xlogy(best, chances) + xlogy(pulls - best, 1.0 - chances)).argmax()
        likelihood = xlogy(ones, chances) + xlogy(n - ones, 1.0 - chances)
        assert likelihood.argmax() < likeliest
        lost = likelihood.max() - likelihood[likeliest]
        assert policy.index(0) == pytest.approx(lost + math.log(n), abs=2e-3)
        assert policy.index(1) == pytest.approx(math.log(pulls), abs=1e-12)


def test_arms_that_may_still_have_mean_1_take_turns(play):
    """While all indices are 1 the order of arms decides nothing, which at a small budget lasts for long."""
    spec = ALGORITHMS["ldp-kl-ucb"](arms=4, epsilon=0.05)
    table = np.random.default_rng(0).random((400, 4))
    actions = play.kernel(spec, table, np.random.default_rng(1))[0].tolist()
    assert actions == [0, 1, 2, 3] * 100 == play.reference(spec, table, np.random.default_rng(1))


@pytest.mark.chance(4e-6, "1,800 reports, each of which is wrong with probability 2e-9")
def test_without_privacy_ldp_kl_ucb_is_kl_ucb_and_ldp_ucb_is_ucb(play):
    """At epsilon = 20 a report of a bit is wrong with probability 2e-9; after a 0, no index is that of the mean 1."""
    for local, limit in (("ldp-kl-ucb", "kl-ucb"), ("ldp-ucb", "ucb")):
        seen = set()
        for seed in range(3):
            table = (np.random.default_rng(seed).random((300, 3)) < [0.8, 0.5, 0.6]).astype(float)
            table[:3] = 0.0
            expected = play.reference(ALGORITHMS[limit](arms=3), table, None)
            actions = play.kernel(ALGORITHMS[local](arms=3, epsilon=20.0), table, np.random.default_rng(0))[0].tolist()
            assert actions == expected
            seen.add(tuple(expected))
        assert len(seen) == 3


def test_without_privacy_the_index_of_ldp_imed_is_that_of_imed():
    """At epsilon = 20, up to n kl(mean, q) where a mean is 0; ties of the two are not the same."""
    rng = np.random.default_rng(0)
    ours, theirs = LDPIMEDPolicy(3, 20.0, rng), ALGORITHMS["imed"](arms=3).build(rng)
    for _ in range(50):
        pulls = rng.integers(1, 200, 3)
        sums = [float(rng.integers(0, n + 1)) for n in pulls]
        sums[0] = float(max(1, pulls[0] - 1))
        if max(s / n for s, n in zip(sums, pulls, strict=True)) == 1.0:
            continue
        for policy in (ours, theirs):
            policy.pulls, policy.sums = pulls.tolist(), sums
        assert [ours.index(a) for a in range(3)] == pytest.approx([theirs.index(a) for a in range(3)], abs=1e-5)


def test_laplace_reports_have_the_bonuses_of_the_published_code():
    policy = LaplaceReportsPolicy(2, 0.5, np.random.default_rng(0))
    policy.pulls, policy.sums, policy.rounds = [50, 60], [30.0, 20.0], 110
    bonus = math.sqrt(2.0 * math.log(110) / 50) + math.sqrt(32.0 * math.log(110) / (0.25 * 50))
    assert policy.index(0) == pytest.approx(0.6 + bonus, rel=1e-12)
    policy.pulls = [50, 18]
    assert 18 <= 4.0 * math.log(111) < 50
    assert policy.select() == 1


@pytest.mark.parametrize("name", LOCAL)
def test_a_budget_at_which_a_report_hides_nothing_is_refused(name):
    with pytest.raises(PrivcheckError, match=r"epsilon.*got 20\.5.*protects next to nothing"):
        ALGORITHMS[name](arms=2, epsilon=20.5)


# Broken twins


class ReportedTwice(LDPKLUCBPolicy):
    """A broken twin: each reward is reported twice, and the mean of both reports is used."""

    def report(self, reward):
        return 0.5 * (super().report(reward) + super().report(reward))


class TwiceTheBudget(LDPKLUCBPolicy):
    """A broken twin: reports at 2 epsilon."""

    def report(self, reward):
        return reported(reporter(2.0 * self.epsilon), reward, self.noise)


class HalfTheScale(LaplaceReportsPolicy):
    """A broken twin: Laplace noise of half the scale."""

    def report(self, reward):
        return Laplace(sensitivity=1.0, epsilon=2.0 * self.epsilon).release(reward, self.noise)


class ComparesRewards(LDPIMEDPolicy):
    """A broken twin: the report is right, and the last reward decides whether the arm is played again."""

    def update(self, action, reward):
        super().update(action, reward)
        self.again = action if reward > 0.5 else None

    def select(self):
        return super().select() if 0 in self.pulls or self.again is None else self.again


class Unreported(LDPUCBPolicy):
    """A broken twin: the learner sees the reward."""

    def report(self, reward):
        return reward


def build(cls, epsilon=1.0):
    return lambda rng: cls(2, epsilon, rng)


@pytest.mark.parametrize("honest", [LDPKLUCBPolicy, LDPIMEDPolicy, LDPUCBPolicy, LaplaceReportsPolicy])
def test_honest_policies_are_certified(honest):
    certificate = certify(build(honest), epsilon=1.0, arms=2, horizon=24, runs=6)
    assert (certificate.granted, certificate.epsilon_upper) == (True, 1.0)
    assert certificate.ledger_epsilon == pytest.approx(1.0, rel=1e-8)


@pytest.mark.parametrize("twin", [ReportedTwice, TwiceTheBudget, HalfTheScale, ComparesRewards, Unreported])
def test_broken_twins_are_refused(twin):
    certificate = certify(build(twin), epsilon=1.0, arms=2, horizon=24, runs=6)
    assert not certificate.granted
    assert certificate.leaks if twin in (ComparesRewards, Unreported) else certificate.refusals


@pytest.mark.chance(5e-6, "five verdicts, two of them on a true claim at 1e-6")
def test_audits_find_the_broken_twins_in_their_actions():
    """Two rewards, one report each: the third action tells which is larger."""
    streams = np.zeros((4, 2)), np.zeros((4, 2))
    streams[1][1] = 1.0

    def found(cls, error):
        return audit(build(cls), epsilon=1.0, arms=2, streams=streams, runs=6000, error=error)

    assert [found(honest, 1e-6).verdict for honest in (LDPKLUCBPolicy, LDPIMEDPolicy)] == ["consistent"] * 2
    twins = (TwiceTheBudget, ComparesRewards, Unreported)
    assert [found(twin, 1e-3).verdict for twin in twins] == ["violation"] * len(twins)


# Regret


@pytest.mark.chance(1e-6, "means of hundreds of runs, ten standard errors from the limits")
@pytest.mark.parametrize("means", [(0.75, 0.625, 0.5, 0.375, 0.25), (0.25, 0.375, 0.5, 0.625, 0.75)])
def test_ldp_kl_ucb_has_less_regret_than_the_rate_and_than_ldp_ucb(means):
    """On C2 in both orders, T = 2e4, epsilon = 1: the order of arms decides ties, and nothing else."""
    options = {"horizon": 2e4, "runs": 200, "seed": 3, "epsilon": 1.0, "checkpoints": 1}
    imed, ours, theirs, laplace = (
        simulate(policy, Bernoulli(means), **options).results[0].regret[:, -1]
        for policy in ("ldp-imed", "ldp-kl-ucb", "ldp-ucb", "ldp-ucb(reports='laplace')")
    )
    assert 200.0 < ours.mean() < 435.7 * math.log(2e4) / math.log(1e5)
    assert 100.0 < imed.mean() < 0.8 * ours.mean()
    assert 2.0 * ours.mean() < theirs.mean() < laplace.mean()


@pytest.mark.parametrize("name", ["ldp-kl-ucb", "ldp-imed"])
def test_local_policies_play_the_rewards_of_any_law(name):
    """Reports on continuous rewards: Beta(2, 1) has mean 2/3, more than a coin of mean 1/2."""
    table = np.random.default_rng(0).beta(2.0, 1.0, (4000, 2)) * [1.0, 0.0] + [0.0, 0.5]
    actions = ALGORITHMS[name](arms=2, epsilon=2.0).symbols(table, 3, [np.random.default_rng(i) for i in range(3)])
    assert (actions == 0).mean() > 0.7


def test_the_rate_is_a_minimum_over_reports():
    """Among the one-bit reports that keep epsilon, randomised response tells two means apart best."""
    q = least_chance(1.0)

    def divergence(low, high):
        one, other = (low + (high - low) * m for m in (0.5, 0.75))
        return one * math.log(one / other) + (1.0 - one) * math.log((1.0 - one) / (1.0 - other))

    def private(low):
        return min(low * math.e, 1.0 - (1.0 - low) / math.e)

    best = minimize_scalar(lambda low: -divergence(low, private(low)), bounds=(0.01, 0.6), method="bounded")
    assert best.x == pytest.approx(q, abs=1e-4)
