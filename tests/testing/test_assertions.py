"""The assertions against closed forms, and against broken twins that each has to catch."""

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import privcheck
from privcheck.errors import PrivcheckError
from privcheck.mechanisms import Gaussian, Laplace
from privcheck.testing import (
    PrivacyFailure,
    assert_certified,
    assert_law,
    assert_private,
    assert_regret_below,
    assert_sensitivity,
    assert_unchanged_by,
)
from privcheck.testing._regret_assertion import evidence, noticed, noticed_failures
from privcheck.testing._running import Running, running


def failing(assertion, *arguments, **options):
    with pytest.raises(PrivacyFailure) as caught:
        assertion(*arguments, **options)
    return str(caught.value)


# Audits and certificates


@pytest.mark.chance(1e-6, "one verdict on a true claim at this error")
def test_private_returns_the_audit_of_that_seed(twins):
    report = assert_private(twins.noisy_sum, 1.0, horizon=2, seed=5, runs=3000)
    again = privcheck.audit(twins.noisy_sum, epsilon=1.0, horizon=2, seed=5, runs=3000, error=1e-6)
    assert (report.epsilon_lower, report.error, report.verdict) == (again.epsilon_lower, 1e-6, "consistent")


def test_private_tells_the_witness_and_the_call_that_repeats_it(twins):
    text = failing(assert_private, twins.FollowerBroken, 1.0, arms=2, horizon=2, runs=2000, error=1e-4)
    assert "differ in round 1" in text
    assert "Event: the actions begin" in text
    assert "a true claim fails this test with probability at most 0.0001" in text
    call = "privcheck.audit(target, epsilon=1.0, arms=2, horizon=2, runs=2000, error=0.0001, seed=0)"
    call += "  # target: FollowerBroken"
    assert text.endswith((call, "--privcheck-seed=0")), "the call, or the test's command where the plugin is installed"


def test_private_says_that_the_given_law_is_not_followed(twins):
    """A law of twice the scale: seen with probability above 1 - 1e-30, and no verdict on a true claim."""
    text = failing(
        assert_private, twins.noisy_sum, 1.0, horizon=2, runs=2000, law=lambda data: stats.laplace(np.sum(data), 2.0)
    )
    assert "An inconclusive audit is no passing test: the outputs do not follow the given law" in text


@pytest.mark.chance(1e-9, "a claim of eight times the loss")
def test_private_fails_when_it_could_not(twins):
    """The resolution of 200 runs is below a claim of 8, however leaky the mechanism."""
    text = failing(assert_private, twins.noisy_sum, 8.0, horizon=2, runs=200)
    assert "inconclusive" in text
    needed = int(text.rpartition("runs=")[2].partition(" ")[0])
    assert assert_private(twins.noisy_sum, 8.0, horizon=2, runs=needed).verdict == "consistent"


def summed(data, rng, runs):
    return data.sum() + rng.laplace(size=runs)


@pytest.mark.chance(2e-6, "two verdicts on true claims at this error")
def test_private_says_what_it_takes_on_the_users_word():
    """It accused a private function of a claim about one row, and printed a probability of false failures beside it."""
    with pytest.raises(PrivacyFailure, match=r"provided that data which differ in 2 rows.*are neighbours"):
        assert_private(summed, 1.0, streams=([0.0, 0.0], [1.0, 1.0]), runs=20_000)
    with running(Running()) as told:
        single = lambda data, rng: float(data.sum() + rng.laplace())  # noqa: E731
        assert_private(single, 1.0, streams=([0.0, 0.0], [1.0, 0.0]), encode=lambda x: x, runs=4000)
        assert_private(Laplace(sensitivity=1.0, epsilon=1.0), 1.0, streams=(0.0, 1.0), runs=4000)
    assert "provided that no more of an output is published than what encode returns" in told.passed[0]
    assert "whether the two inputs are neighbours is taken on your word" in told.passed[1]


def test_an_audit_that_told_nothing_apart_says_so():
    with running(Running()) as test:
        assert_private(lambda data, rng, runs: np.zeros((runs, 1)), 1.0, horizon=2)
    assert "the audit could not tell any two streams apart" in test.passed[0]


@pytest.mark.chance(0.0, "no random numbers decide")
def test_certified_finds_what_each_twin_does_wrong(twins):
    assert assert_certified(twins.Publisher, 1.0, arms=2, horizon=6).epsilon_upper == 1.0
    refused = failing(assert_certified, twins.PublisherOfSums, 1.0, arms=2, horizon=6)
    assert "takes the reward of round 1 to 2" in refused
    leaking = failing(assert_certified, twins.Peeker, 1.0, arms=2, horizon=6)
    assert "Leak at twins.py" in leaking
    assert "False failures: none by chance" in leaking
    nothing = failing(assert_certified, twins.Follower, 1.0, arms=2, horizon=6)
    assert "Leak at twins.py" in nothing


class Noisy:
    """Releases every reward once, with Gaussian noise of mu = 0.25."""

    def __init__(self, rng, mu=0.25):
        self.rng, self.told, self.released = rng, mu, 0.0

    def select(self):
        return int(self.released > 0.5)

    def update(self, action, reward):
        self.released = Gaussian.with_scale(4.0).release(reward, self.rng)


@pytest.mark.parametrize(
    ("enough", "too_little"),
    [
        ({"epsilon": 1.1, "delta": 1e-6}, {"epsilon": 1.0, "delta": 1e-6}),
        ({"rho": 0.03126}, {"rho": 0.03124}),
        ({"mu": 0.2501}, {"mu": 0.2499}),
    ],
)
def test_certified_speaks_every_notion(enough, too_little):
    assert assert_certified(Noisy, arms=2, horizon=4, runs=2, **enough).granted
    text = failing(assert_certified, Noisy, arms=2, horizon=4, runs=2, **too_little)
    assert "not certified: a release was refused" in text
    assert all(f"{name} = {value:g}" in text for name, value in too_little.items())


def test_certified_needs_a_budget():
    with pytest.raises(PrivcheckError, match="epsilon: got None, expected a budget: epsilon, rho or mu"):
        assert_certified(Noisy, arms=2)


def test_private_takes_a_delta():
    report = assert_private(Noisy, 3.0, delta=1e-6, arms=2, horizon=3, runs=400)
    assert (report.delta, report.certificate.epsilon_upper) == (1e-6, 3.0)


def test_the_other_assertions_tell_a_factory_its_budget():
    told = []

    def factory(rng, mu):
        told.append(mu)
        return Noisy(rng)

    assert assert_unchanged_by(factory, mu=0.5, horizon=3, streams=1) == 9
    assert assert_regret_below(factory, 4.0, (0.9, 0.5), mu=0.5, horizon=20, runs=100, error=0.1) < 6.0
    assert set(told) == {0.5}


# Sensitivity


def histogram(rewards):
    return np.histogram(rewards, bins=4, range=(0.0, 1.0))[0]


KNOWN = [
    (lambda rewards: rewards.sum(axis=0), 3.0, "L1", "row"),
    (lambda rewards: rewards.sum(axis=0), math.sqrt(3.0), "L2", "row"),
    (lambda rewards: rewards.sum(axis=0), 1.0, "max", "row"),
    (lambda rewards: rewards.sum(axis=0), 1.0, "L1", "reward"),
    (lambda rewards: rewards.sum(axis=0), 6.0, "L1", "group:2"),
    (histogram, 6.0, "L1", "row"),
    (histogram, 2.0, "L1", "reward"),
    (lambda rewards: rewards.sum(axis=0), 2.0, "range of score differences", "row"),
    (lambda rewards: rewards[:, 0].max(), 1.0, "L1", "row"),
    (lambda rewards: np.median(rewards[:, 0]), 1.0, "L1", "row"),
]
"""Statistics with their known sensitivity, for 3 arms."""


@pytest.mark.parametrize(("function", "bound", "norm", "neighbours"), KNOWN)
def test_sensitivity_is_found_and_nothing_above_it(function, bound, norm, neighbours):
    reached = assert_sensitivity(function, bound, norm, neighbours=neighbours, arms=3)
    assert reached == pytest.approx(1.0, abs=1e-9)
    text = failing(assert_sensitivity, function, 0.97 * bound, norm, neighbours=neighbours, arms=3)
    assert f"exceeds the declared {0.97 * bound:.6g}" in text
    assert "Two streams of " in text


class FirstMean:
    """Returns the mean of the first table that it is given, of whatever table: no change, and no sensitivity."""

    def __init__(self):
        self.known = {}

    def __call__(self, rewards):
        return self.known.setdefault("mean", rewards.mean())


class LargestSum(FirstMean):
    """Divides by the largest sum so far."""

    def __call__(self, rewards):
        self.known["top"] = max(self.known.get("top", 0.0), rewards.sum())
        return rewards.sum() / max(self.known["top"], 1.0)


class KnownSums(FirstMean):
    """The right twin: what it keeps is that of a table alone."""

    def __call__(self, rewards):
        return self.known.setdefault(rewards.tobytes(), rewards.sum())


def test_a_statistic_that_remembers_tables_has_no_sensitivity():
    for memory in (FirstMean(), LargestSum()):
        with pytest.raises(PrivcheckError, match="it keeps something between calls"):
            assert_sensitivity(memory, 2.0, pairs=100)
    right = KnownSums()
    assert assert_sensitivity(right, 2.0, pairs=100) == 1.0
    assert len(right.known) > 100, "what it keeps is put back afterwards"


def test_a_witness_of_sensitivity_is_the_shortest_with_one_entry():
    text = failing(assert_sensitivity, lambda rewards: 2.0 * rewards[:, 1].sum(), 1.0, arms=3, horizon=20)
    assert "Two streams of 1 round that differ in round 1:" in text
    drawn = [line.split()[-1] for line in text.splitlines() if " arm " in f" {line} "]
    assert sorted(drawn) == ["#", ".", ".", ".", ".", "."]


@given(length=st.integers(1, 12), share=st.floats(0.05, 0.95))
def test_a_bound_may_depend_on_the_table(length, share):
    reached = assert_sensitivity(
        lambda rewards: rewards[:, 0].mean(), lambda rewards: 1 / len(rewards), arms=1, horizon=length, pairs=50
    )
    assert reached == pytest.approx(1.0)
    failing(
        assert_sensitivity,
        lambda rewards: rewards[:, 0].mean(),
        lambda rewards: share / len(rewards),
        arms=1,
        horizon=length,
        pairs=50,
    )


def test_sensitivity_under_contexts_is_that_of_the_norm():
    space = privcheck.Contexts(shape=2, norm=1.0)

    def target(table):
        rewards, contexts = space.split(table, 1)
        return (rewards * contexts).sum(axis=0)

    options = {"arms": 1, "neighbours": "context-reward", "contexts": space, "horizon": 3}
    assert assert_sensitivity(target, 2.0, "L2", **options) > 0.8
    assert "change of" in failing(assert_sensitivity, target, 1.0, "L2", **options)


@pytest.mark.parametrize(
    ("options", "parameter"),
    [
        ({"norm": "L3"}, "norm"),
        ({"bound": -1.0}, "bound"),
        ({"pairs": 0}, "pairs"),
        ({"neighbours": "rows"}, "neighbours"),
        ({"function": lambda rewards: np.random.default_rng().random()}, "function"),
        ({"function": lambda rewards: math.nan}, "function"),
        ({"function": lambda rewards: np.fft.fft(rewards[:, 0])}, "function"),
        ({"function": lambda rewards: {"sum": rewards.sum()}}, "function"),
        ({"function": lambda rewards: [[1.0], [1.0, 2.0]]}, "function"),
        ({"function": lambda rewards: 2**62 + int(100 * rewards.sum())}, "function"),
    ],
)
def test_bad_input_of_sensitivity(options, parameter):
    arguments = {"function": lambda rewards: rewards.sum(), "bound": 2.0} | options
    with pytest.raises(PrivcheckError, match=f"^{parameter}: got "):
        assert_sensitivity(**arguments)


@pytest.mark.parametrize(
    "function",
    [
        lambda rewards: [1e15, 10.0 * rewards[0, 0]],
        lambda rewards: [1e15 + 0.5, 1e4 * rewards[0, 0]],
        lambda rewards: 2**50 + int(10 * rewards[0, 0]),
        lambda rewards: [math.pi * 1e14, round(2.0 * rewards[0, 0])],
    ],
)
def test_a_large_entry_hides_no_change_of_another(function):
    assert "exceeds the declared 1" in failing(assert_sensitivity, function, 1.0)


@pytest.mark.parametrize("large", [0.0, 1e6, 1e10])
def test_rounding_of_large_numbers_is_no_change(large):
    def total(rewards):
        return large / 3.0 + math.fsum(rewards[:, 0] / 7.0)

    assert assert_sensitivity(total, 1.0 / 7.0) == pytest.approx(1.0)


def test_a_statistic_that_no_pair_changes_says_so():
    with running(Running("test_it")) as test:
        assert assert_sensitivity(lambda rewards: len(rewards), 1.0, pairs=50) == 0.0
    assert "nothing changed it" in test.passed[0]


# Post-processing


@pytest.mark.chance(0.0, "no random numbers decide")
def test_post_processing_and_twins_that_peek(twins):
    assert assert_unchanged_by(twins.Publisher, epsilon=1.0, horizon=6, streams=2) == 24
    text = failing(assert_unchanged_by, twins.Peeker, epsilon=1.0, horizon=6)
    assert "the actions differ although the coins and all releases are the same" in text
    assert "False failures: none by chance" in text


def test_functions_of_data_may_read_releases_only():
    sums = Laplace(sensitivity=1.0, epsilon=1.0)

    def rounded(data, rng):
        return round(sums.release(float(data[:, 0].sum()), rng)), rng.random()

    def compared(data, rng):
        return sums.release(float(data[:, 0].sum()), rng) > data[0, 1]

    def again_if_high(data, rng):
        first = sums.release(float(data[:, 0].sum()), rng)
        return first if data[0, 0] < 0.5 else sums.release(first, rng)

    assert assert_unchanged_by(rounded) > 0
    assert "Outputs: " in failing(assert_unchanged_by, compared)
    assert "happens on one stream only" in failing(assert_unchanged_by, again_if_high)


class Noised:
    """Plays the arm with the larger sum, with noise from the Generator that it is built with."""

    scale, kept = 1.0, 0.0

    def __init__(self, rng, arms=2):
        self.rng, self.sums, self.rounds = rng, [0.0] * arms, 0

    def select(self):
        return self.rounds if self.rounds < len(self.sums) else self.sums.index(max(self.sums))

    def update(self, action, reward):
        self.rounds += 1
        self.sums[action] = reward + self.rng.laplace(0.0, 1.0) + self.kept * reward


class NoisedAndRead(Noised):
    def update(self, action, reward):
        super().update(action, reward)
        self.rounds += int(reward > 0.9)


class Greedy(Noised):
    def update(self, action, reward):
        self.rounds += 1
        self.sums[action] = reward if self.rng.random() < 0.9 else 0.5


def test_noise_of_the_generator_is_no_unreleased_data():
    assert assert_unchanged_by(Noised, horizon=5, streams=1) == 15
    for broken in (NoisedAndRead, Greedy):
        assert "depends on data that were not released" in failing(assert_unchanged_by, broken, horizon=5)
    with pytest.raises(PrivcheckError, match="draws from rng and releases nothing"):
        assert_unchanged_by(lambda data, rng: data[0, 0] + rng.laplace(0.0, 1.0), horizon=3)
    assert "Outputs: " in failing(assert_unchanged_by, lambda data, rng: data[0, 0], horizon=3)


@pytest.mark.parametrize("target", [lambda data, rng: 3, type("Constant", (Noised,), {"update": lambda *told: None})])
def test_runs_in_which_nothing_was_released_say_so(target, twins):
    with running(Running("test_it")) as test:
        assert_unchanged_by(target, horizon=4)
        assert_unchanged_by(twins.Publisher, epsilon=1.0, horizon=4)
    assert "in 4 rounds, and nothing was released in them" in test.passed[0]
    assert "in 4 rounds when its releases are the same" in test.passed[1]


# Laws


def test_few_samples_say_how_little_they_could_have_shown():
    with running(Running("test_it")) as test:
        assert_law(np.linspace(-0.5, 0.5, 20), stats.laplace())
        assert_law(np.random.default_rng(0).laplace(size=(64, 2)), Pairs())
    assert "20 samples, not shown to have another law" in test.passed[0]
    near = float(test.passed[0].split()[-1])
    assert stats.kstwo.sf(near, 20) == pytest.approx(1e-6, rel=0.5)
    assert "at a distance" not in test.passed[1]


class Pairs:
    """Two independent Laplace numbers."""

    def logpdf(self, x):
        return stats.laplace.logpdf(x).sum(axis=-1)

    def support(self):
        return [(-np.inf, np.inf)] * 2


# Regret


class Stuck:
    """Plays the worse arm with a given probability in every run: the law of its regret is known."""

    share = 0.5

    def __init__(self, rng):
        self.arm = int(rng.random() < self.share)

    def select(self):
        return self.arm

    def update(self, action, reward):
        pass


@pytest.mark.chance(1e-6, "an assertion at 1e-6; the other bound is missed by fewer than 130 of 400 runs, at 1e-12")
def test_policies_that_keep_what_they_learned_have_no_mean_regret():
    """A twin whose runs cannot be repeated at all is no such policy."""

    class Greedy:
        def __init__(self, rng):
            self.sums, self.pulls = np.ones(2), np.ones(2)

        def select(self):
            return int(np.argmax(self.sums / self.pulls))

        def update(self, action, reward):
            self.sums[action] += reward
            self.pulls[action] += 1

    class Coins(Greedy):
        def select(self):
            return int(np.random.default_rng().integers(2))

    made = []

    def one_for_all(rng):
        made[:] = made or [Greedy(rng)]
        return made[0]

    with pytest.raises(PrivcheckError, match="a factory that builds a new policy for every run"):
        assert_regret_below(one_for_all, 60.0, (0.9, 0.5), horizon=200)
    assert assert_regret_below(Greedy, 60.0, (0.9, 0.5), horizon=200) < 60.0
    assert assert_regret_below(Coins, 60.0, (0.9, 0.5), horizon=200) > 30.0


def test_regret_above_the_bound_is_caught_and_within_it_is_not():
    """The expected regret is 0.5 x 50 x 0.4 = 10, and the mean of 400 runs has a standard error of 0.5."""
    assert assert_regret_below(Stuck, 10.0, (0.9, 0.5), horizon=50) == pytest.approx(10.0, abs=3.0)
    text = failing(assert_regret_below, Stuck, 4.0, (0.9, 0.5), horizon=50)
    assert "the expected regret is above the bound 4" in text
    assert "a policy within the bound fails this test with probability at most 1e-06" in text


@pytest.mark.parametrize("options", [{"bound": 20.0}, {"bound": 10.0, "runs": 5}])
def test_a_regret_that_no_policy_could_show_fails_the_test(options):
    assert "this test could not have failed" in failing(
        assert_regret_below, Stuck, environment=(0.9, 0.5), horizon=50, **options
    )


@pytest.mark.chance(1e-6, "a count of wrong tests, against its binomial quantile")
@pytest.mark.parametrize("mean", [0.05, 0.5, 0.9])
def test_evidence_against_a_true_mean_is_rare_and_against_a_false_one_is_not(mean):
    """400 seeded samples at level 0.05."""
    rng = np.random.default_rng(0)
    samples = (rng.random((400, 300)) < mean).astype(float)
    wrong = np.mean([evidence(sample, mean, 0.05) >= 20.0 for sample in samples])
    assert wrong <= stats.binom.isf(1e-6, 400, 0.05) / 400
    assert all(evidence(sample, mean / 2, 0.05) >= 20.0 for sample in samples[:50] if mean > 0.1)


@pytest.mark.parametrize(("spread", "mean"), [(0.0, 0.1), (0.02, 0.1), (0.3, 0.3)])
def test_what_a_passing_test_of_regret_would_have_noticed_is_true(spread, mean):
    """Regrets that hardly vary are noticed late, since no bet may stake more than three quarters."""
    values = np.clip(0.98 * mean + spread * np.random.default_rng(0).standard_normal(400), 0.0, 1.0)
    told = noticed(values, mean, 1e-6)

    def moved(to):
        ends = np.linspace(0.0, 1.0, 20_001)
        means = np.array([np.minimum(1.0, values + end).mean() for end in ends[::100]])
        return np.minimum(1.0, values + np.interp(to, means, ends[::100]))

    assert evidence(moved(told + 0.01), mean, 1e-6) >= 1e6 > evidence(moved(told - 0.01), mean, 1e-6)


@pytest.mark.chance(1e-8, "binomial tails of 300 samples whose chances are about 0.5 and 0.02")
@pytest.mark.parametrize("mean", [0.02, 0.1])
def test_a_test_notices_a_policy_that_fails_more_often_at_the_second_mean_that_it_tells(mean):
    """A regret that is 0 or the largest: about half of the samples of the told mean are evidence, of the first none."""
    rng = np.random.default_rng(0)
    values = (np.arange(400) % round(1 / mean) == 0).astype(float)
    shares = [
        np.mean([evidence((rng.random(400) < told).astype(float), mean, 1e-6) >= 1e6 for _ in range(300)])
        for told in (noticed(values, mean, 1e-6), noticed_failures(values, mean, 1e-6))
    ]
    assert shares[0] < 0.15
    assert 0.25 < shares[1] < 0.75


def test_a_test_of_regret_that_passes_tells_both_means():
    with running(Running()) as test:
        assert_regret_below(Stuck, 12.0, (0.9, 0.5), horizon=50)
    near, far = re.findall(r"of (?:about )?([\d.]+), had", test.passed[0])
    assert 12.0 < float(near) < float(far) < 20.0


def test_evidence_is_the_capital_of_the_bets_played_one_by_one():
    rng, level, mean = np.random.default_rng(1), 1e-3, 0.3
    values = rng.beta(2, 3, 80)
    capital, most, seen = 1.0, 1.0, []
    deviations = 0.25
    for value in values:
        bet = min(math.sqrt(2 * math.log(1 / level) / (len(values) * deviations / (len(seen) + 1))), 0.75 / mean)
        capital *= 1.0 + bet * (value - mean)
        most = max(most, capital)
        seen.append(value)
        deviations += (value - (0.5 + sum(seen)) / (len(seen) + 1)) ** 2
    assert evidence(values, mean, level) == pytest.approx(most)


class Publishes:
    """Releases each reward once, and plays by what was released."""

    def __init__(self, rng):
        self.rng, self.arm, self.noise = rng, 0, Laplace(sensitivity=1.0, epsilon=1.0)

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.arm = int(self.noise.release(reward, self.rng) > 0.5)


class OtherCoins(Publishes):
    """Draws coins from another Generator than its own."""

    def select(self):
        return int(np.random.random() < 0.5)  # noqa: NPY002


class CountsRuns(Publishes):
    """Keeps a number between runs."""

    rounds = 0

    def select(self):
        CountsRuns.rounds += 1
        return CountsRuns.rounds % 7 % 2


def test_what_differs_on_the_same_data_is_not_blamed_on_them():
    """The failure said that actions depend on data that were not released, by no chance at all."""
    assert assert_unchanged_by(Publishes, arms=2, horizon=6) > 0
    for target in (OtherCoins, CountsRuns, lambda data, rng: np.random.random()):  # noqa: NPY002
        with pytest.raises(PrivcheckError, match="something else on the same data"):
            assert_unchanged_by(target, arms=2, horizon=6)


def test_a_report_is_one_row_all_of_which_may_change():
    assert assert_sensitivity(lambda table: table[:, 0].sum(), 1.0, neighbours="report", pairs=50) == 1.0
    with pytest.raises(PrivcheckError, match="neighbours: got 'add-remove', expected a relation of tables of one size"):
        assert_sensitivity(lambda table: table[:, 0].sum(), 1.0, neighbours="add-remove", pairs=50)
    with pytest.raises(PrivcheckError, match="expected at least 5 for neighbours='group:5'"):
        assert_sensitivity(lambda table: table.sum(), 5.0, neighbours="group:5", horizon=3)
