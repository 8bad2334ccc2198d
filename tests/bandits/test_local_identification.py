"""Best-arm identification under local privacy: likelihoods, thresholds, agreement until the end, errors, twins."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq, minimize_scalar
from scipy.special import betainc, betaln, xlogy
from scipy.stats import binom

from privcheck import certify, identify
from privcheck.bandits import ALGORITHMS
from privcheck.bandits.ctb_tt import CTBTTPolicy, mixture_rate, transport
from privcheck.bandits.ldp_tt import LDPTTPolicy
from privcheck.bandits.local_reports import contrast, least_chance, reported, reporter
from privcheck.bandits.report_likelihood import common_mean, log_mixture
from privcheck.bounds import characteristic_time

LOCAL = ("ldp-tt", "ctb-tt")

# Likelihoods


def test_the_mixture_is_a_difference_of_beta_integrals():
    rng = np.random.default_rng(0)
    for _ in range(200):
        epsilon, n = 10.0 ** rng.uniform(-1.5, 1.2), int(10.0 ** rng.uniform(0.0, 5.0))
        q, spread = least_chance(epsilon), contrast(epsilon)
        ones = int(rng.binomial(n, q + spread * rng.random()))
        a, b = ones + 1, n - ones + 1
        mass = betainc(a, b, q + spread) - betainc(a, b, q)
        if mass < 1e-4:
            continue  # a difference of two numbers near 1
        expected = betaln(a, b) + math.log(mass / spread)
        assert log_mixture(ones, n, q, spread) == pytest.approx(expected, abs=1e-9)


def test_the_mixture_of_reports_that_no_mean_explains():
    """The share of ones is outside [q, p], by a little and by far; against adaptive quadrature."""
    for epsilon, ones, n in [(0.5, 0, 40), (0.5, 40, 40), (0.1, 70, 100), (1.0, 10, 300), (2.0, 2990, 3000)]:
        q, spread = least_chance(epsilon), contrast(epsilon)

        def likelihood(chance, s=ones, k=n):
            return float(xlogy(s, chance) + xlogy(k - s, 1.0 - chance))

        top = max(likelihood(q), likelihood(1.0 - q))
        ends = (q, 1.0 - q)
        value = quad(lambda c, f=likelihood, most=top: math.exp(f(c) - most), *ends, epsrel=1e-12, limit=500)[0]
        assert log_mixture(ones, n, q, spread) == pytest.approx(top + math.log(value / spread), abs=1e-8)


@pytest.mark.parametrize("epsilon", [0.3, 3.0])
def test_reference_and_kernel_have_one_likelihood(epsilon):
    rng = np.random.default_rng(1)
    for _ in range(40):
        policy = LDPTTPolicy(2, epsilon, 0.1, 1.02, rng)
        for arm in range(2):
            n = int(rng.integers(1, 2000))
            policy.pulls[arm] = n
            policy.take_in(arm, n, float(rng.binomial(n, rng.random())))
            mixture = log_mixture(policy.ones[arm], n, policy.q, contrast(epsilon))
            assert policy.mixture[arm] == pytest.approx(mixture, abs=1e-7)
        ones, pulls = np.array(policy.ones), np.array(policy.pulls, float)
        for leader, arm in ((0, 1), (1, 0)):
            assert policy.null(leader, arm) == pytest.approx(common_mean(ones, pulls, leader, arm, policy.q), abs=1e-9)


def test_the_null_is_the_largest_likelihood_with_the_arms_in_the_other_order():
    """Brute force on a grid of pairs of means m <= v."""
    rng = np.random.default_rng(2)
    for _ in range(60):
        q, pulls = least_chance(10.0 ** rng.uniform(-1.0, 0.5)), rng.integers(1, 60, 2).astype(float)
        ones = np.floor(rng.random(2) * (pulls + 1.0))
        chances = np.linspace(q, 1.0 - q, 1501)
        one, other = (xlogy(s, chances) + xlogy(n - s, 1.0 - chances) for s, n in zip(ones, pulls, strict=True))
        brute = (np.maximum.accumulate(one) + other).max()
        assert brute <= common_mean(ones, pulls, 0, 1, q) + 1e-9
        assert brute == pytest.approx(common_mean(ones, pulls, 0, 1, q), abs=1e-3)


def test_the_mixture_divided_by_the_likelihood_is_a_martingale():
    """Its mean over all reports is 1, at every true mean: what the proof of delta-correctness rests on.

    The broken twin leaves out the factor 1 / (p - q) of the law of means.
    """
    for epsilon, n in ((0.5, 30), (2.0, 80)):
        q, spread = least_chance(epsilon), contrast(epsilon)
        ones = np.arange(n + 1)
        mixtures = np.array([log_mixture(s, n, q, spread) for s in ones])
        for mean in (0.0, 0.3, 1.0):
            chance = q + spread * mean
            likelihood = xlogy(ones, chance) + xlogy(n - ones, 1.0 - chance)
            average = (binom.pmf(ones, n, chance) * np.exp(mixtures - likelihood)).sum()
            assert average == pytest.approx(1.0, rel=1e-8)


# CTB-TT


def test_the_transport_cost_is_a_minimum():
    for s, n, r, m in [(70, 100, 40, 90), (9, 9, 1, 400), (500, 900, 1, 2)]:

        def cost(u, s=s, n=n, r=r, m=m):
            def nats(k, total):
                return xlogy(k, k / total / u) + xlogy(total - k, (1 - k / total) / (1 - u))

            return float(nats(s, n) + nats(r, m))

        found = minimize_scalar(cost, bounds=(1e-6, 1 - 1e-6), method="bounded", options={"xatol": 1e-12}).fun
        assert transport(s, n, r, m) == pytest.approx(found, rel=1e-7)
        assert transport(r, m, s, n) == 0.0


def test_the_proven_threshold_is_what_its_proof_needs():
    """Above x + 2 ln 2 + ln(n m) / 2, x = ln((K - 1) / delta), up to 1e12 reports; T as in Kaufmann and Koolen."""
    for x in np.log([2.0, 10.0, 1e3, 1.26e11]):
        for n in np.logspace(0.0, 12.0, 60):
            for m in np.logspace(0.0, 12.0, 60):
                level = 2.0 * mixture_rate(0.5 * x) + 3.0 * math.log1p(math.log(n)) + 3.0 * math.log1p(math.log(m))
                assert level > x + 2.0 * math.log(2.0) + 0.5 * math.log(n * m)

    def inverse(y):
        return brentq(lambda u: u - math.log(u) - y, 1.0, 10.0 * y + 10.0, xtol=1e-14)

    for x in (0.35, 2.0, 12.0):
        root = inverse(0.5 * (inverse(1.0 + x) + math.log(math.pi**2 / 3.0)))
        if root >= 1.0 / math.log(1.5):
            assert mixture_rate(x) == pytest.approx(2.0 * root * math.exp(1.0 / root), rel=1e-12)
    assert mixture_rate(8.0) == pytest.approx(8.0 + 4.0 * math.log(1.0 + 8.0 + 4.0), rel=0.05), "as the paper has it"


def test_the_bound_on_the_beta_mixture():
    """Krichevsky and Trofimov: the largest likelihood is at most 2 sqrt(n) times the Beta(1/2, 1/2) mixture."""
    for n in (1, 2, 3, 10, 1000, 10**6):
        ones = np.unique(np.linspace(0, n, 1001).astype(int))
        top = xlogy(ones, ones / n) + xlogy(n - ones, 1.0 - ones / n)
        mixture = betaln(ones + 0.5, n - ones + 0.5) - math.log(math.pi)
        assert (top - mixture).max() <= math.log(2.0 * math.sqrt(n)) + 1e-9


# Agreement until the end


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("ldp-tt", {"epsilon": 3.0}),
        ("ldp-tt", {"epsilon": 8.0, "ratio": 1.5}),
        ("ctb-tt", {"epsilon": 6.0}),
        ("ctb-tt", {"epsilon": 3.0, "threshold": "experimental"}),
    ],
)
def test_it_stops_and_the_kernel_agrees(name, options, play):
    spec, stopped = ALGORITHMS[name](arms=3, delta=0.3, **options), 0
    for seed in range(4):
        table = (np.random.default_rng(seed).random((1500, 3)) < [0.1, 0.95, 0.2]).astype(float)
        expected = play.reference(spec, table, np.random.default_rng(seed))
        assert play.kernel(spec, table, np.random.default_rng(seed))[0].tolist() == expected
        stopped += expected[-1] == 1
    assert stopped >= 3


@pytest.mark.chance(1e-6, "means of a hundred runs, compared at ten standard errors")
def test_batches_of_reports_stop_when_single_reports_do():
    """Rewards of a law without sums at once: Bernoulli rewards by a table of each run, and by Binomials."""
    spec = ALGORITHMS["ldp-tt"](arms=2, epsilon=3.0, delta=0.1)
    together = identify(spec, [0.7, 0.4], horizon=1e5, delta=0.1, runs=400, seed=1).to_arrays()["stop"][0].ravel()
    single = []
    for seed in range(100):
        table = (np.random.default_rng(seed).random((4000, 2)) < [0.7, 0.4]).astype(float)
        symbols = spec.symbols(table, 1, [np.random.default_rng([seed, i]) for i in range(3)])[0]
        single.append(int((symbols[:-1] < 2).sum()))
    error = math.hypot(np.std(together) / 20.0, np.std(single) / 10.0)
    assert abs(together.mean() - np.mean(single)) < 5.5 * error


# Stopping times and errors


@pytest.mark.chance(1e-6, "a binomial count of wrong runs at 2.5e-7 of a proved bound")
@pytest.mark.parametrize(
    ("name", "means", "epsilon", "delta"),
    [
        ("ldp-tt", (0.6, 0.4), 1.0, 0.3),
        ("ldp-tt", (1.0, 0.9, 0.9), 2.0, 0.3),
        ("ldp-tt", (0.6, 0.4, 0.4), 0.1, 0.1),
        ("ctb-tt", (0.8, 0.2), 4.0, 0.3),
    ],
)
def test_errors_are_within_delta(name, means, epsilon, delta):
    """2,000 runs on hard instances: a true error rate of delta would be refuted only with probability 2.5e-7."""
    (found,) = identify(name, means, horizon=1e8, delta=delta, runs=2000, seed=4, epsilon=epsilon).summary()
    assert found["cut"] == 0.0
    assert found["error_rate"] * 2000 <= binom.isf(2.5e-7, 2000, delta)
    assert found["mean"] > 0.5 * bound_of(means, epsilon, delta)


def bound_of(means, epsilon, delta):
    """The lower bound of locally private policies: reports are Bernoulli, and no private report tells more."""
    chances = [least_chance(epsilon) + contrast(epsilon) * mean for mean in means]
    return characteristic_time("bernoulli", chances, None).value * math.log(1.0 / (2.4 * delta))


@pytest.mark.chance(1e-6, "a count of wrong runs, thirty standard errors above the limit")
def test_a_twin_that_stops_early_is_caught():
    """Told that delta is 0.499, it is wrong more often than a claim of 0.01 allows: counts of errors have power."""
    (found,) = identify("ldp-tt", (0.52, 0.48), horizon=1e8, delta=0.499, runs=2000, seed=5, epsilon=1.0).summary()
    assert binom.isf(1e-6, 2000, 0.01) < found["error_rate"] * 2000 <= binom.isf(1e-6, 2000, 0.499)


@pytest.mark.chance(1e-6, "a mean several standard errors from its limit")
def test_ldp_tt_needs_a_third_of_the_reports_of_ctb_tt():
    options = {"horizon": 1e7, "delta": 0.01, "epsilon": 2.0, "seed": 6}
    ours, theirs = (
        identify(name, (0.8, 0.5, 0.4), runs=runs, **options).summary()[0]["mean"]
        for name, runs in (("ldp-tt", 400), ("ctb-tt", 60))
    )
    assert bound_of((0.8, 0.5, 0.4), 2.0, 0.01) < ours < 0.45 * theirs


# Broken twins


class TwiceTheBudget(LDPTTPolicy):
    """A broken twin: reports at 2 epsilon."""

    def __init__(self, *args):
        super().__init__(*args)
        self.reporter = reporter(2.0)


class ReportedTwice(CTBTTPolicy):
    """A broken twin: each reward is reported twice, and both bits are counted."""

    def update(self, action, reward):
        self.ones[action] += reported(self.reporter, reward, self.noise)
        super().update(action, reward)


class Unreported(CTBTTPolicy):
    """A broken twin: the learner counts the reward itself."""

    def update(self, action, reward):
        self.ones[action] += reward
        super().update(action, reward)


def build(cls):
    if issubclass(cls, LDPTTPolicy):
        return lambda rng: cls(2, 1.0, 0.1, 1.02, rng)
    return lambda rng: cls(2, 1.0, 0.1, rng, rng)


OPTIONS = {"epsilon": 1.0, "arms": 2, "feedback": "identification"}


@pytest.mark.parametrize("cls", [LDPTTPolicy, CTBTTPolicy])
def test_honest_policies_are_certified(cls):
    certificate = certify(build(cls), horizon=12, runs=3, **OPTIONS)
    assert (certificate.granted, certificate.epsilon_upper) == (True, 1.0)


@pytest.mark.parametrize("twin", [TwiceTheBudget, ReportedTwice, Unreported])
def test_broken_twins_are_refused(twin):
    certificate = certify(build(twin), horizon=24, runs=6, **OPTIONS)
    assert not certificate.granted
    assert certificate.leaks if twin is Unreported else certificate.refusals
