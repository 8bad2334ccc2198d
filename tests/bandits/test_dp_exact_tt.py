"""DP-Exact-TT: kernel and reference, stopping times, errors, and broken twins that are caught."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import binom, binomtest, ks_2samp
from scipy.stats import t as student

from privcheck import audit, certify, guard
from privcheck.bandits import ALGORITHMS
from privcheck.bandits.grid_top_two import GridTopTwoPolicy, costs_of_pair, planned_total
from privcheck.bandits.mean_grid import POINTS, add_sum
from privcheck.bounds import d_epsilon
from privcheck.environments import Bernoulli
from privcheck.errors import PrivcheckError
from privcheck.kernels import generators
from privcheck.simulation._identify import play_stops

DPExactTT = ALGORITHMS["dp-exact-tt"]
RNG = np.random.default_rng
MU1, MU2 = (0.95, 0.9, 0.9, 0.9, 0.5), (0.75, 0.7, 0.7, 0.7, 0.7)


def test_it_stops_and_the_kernel_agrees(play):
    """Tables on which it stops: the reference sums over all values, the kernel uses incomplete beta functions."""
    spec, stopped = DPExactTT(arms=3, epsilon=2.0, delta=0.1, first=4.0), 0
    for seed in range(20):
        table = (np.random.default_rng(seed).random((500, 3)) < [0.2, 0.9, 0.4]).astype(float)
        expected = play.reference(spec, table, np.random.default_rng(seed))
        assert play.kernel(spec, table, np.random.default_rng(seed))[0].tolist() == expected
        end = expected.index(3) if 3 in expected else 500
        assert set(expected[end:-1]) <= {3}
        stopped += end < 500
        assert expected[-1] == (1 if end < 500 else 3)
    assert stopped > 10


def test_longer_batches_agree_and_are_those_of_an_oracle(play):
    """While noise dominates: the reference, the kernel, and lengths from the divergence minimised on a fine grid."""
    options, longer = {"arms": 2, "epsilon": 0.2, "delta": 0.3}, 0
    for seed in range(6):
        table = (np.random.default_rng(seed).random((1500, 2)) < [0.3, 0.6]).astype(float)
        shown = []
        for worth in (4.5, 1e-9):
            spec = DPExactTT(worth=worth, **options)
            expected = play.reference(spec, table, np.random.default_rng(seed))
            assert play.kernel(spec, table, np.random.default_rng(seed))[0].tolist() == expected
            shown.append(expected)
        longer += shown[0] != shown[1]
    assert longer > 0
    u = np.linspace(0.0, 1.0, 100_001)[1:-1]
    for epsilon, pulls, ahead, behind in [(0.01, 1000, 0.6, 0.4), (0.3, 34, 0.9, 0.1), (1.0, 10, 0.7, 0.2)]:
        usual = -(-3 * pulls // 2)
        share = 8.0 / (8.0 + (usual - pulls) * epsilon**2)
        rate = sum(d_epsilon(np.full(len(u), mean), u, epsilon) for mean in (ahead, behind)).min()
        for nats in (1.0, 4.5, 9.0):
            length = min(share * nats / rate, 2.0 * share * pulls)
            found = planned_total(pulls, ahead, behind, 1.5, pulls, epsilon, nats)
            assert abs(found - max(usual, pulls + np.ceil(length))) <= 1
            assert planned_total(pulls, behind, ahead, 1.5, pulls, epsilon, nats) == max(
                usual, pulls + np.ceil(2.0 * share * pulls)
            )
        assert planned_total(pulls, ahead, behind, 1.5, pulls, epsilon, 0.0) == usual


@pytest.mark.parametrize("epsilon", [8.0, 10.0, 14.0, 20.0, 25.0])
def test_rounding_decides_nothing_when_noise_hardly_hides_a_sum(play, epsilon):
    """Arms of equal counts and sums differ by what e^-epsilon leaves of the noise, and divergences by its square."""
    spec = DPExactTT(arms=2, epsilon=epsilon, delta=1e-9)
    for seed in range(25):
        table = (np.random.default_rng(seed).random((250, 2)) < 0.5).astype(float)
        expected = play.reference(spec, table, np.random.default_rng(seed))
        assert play.kernel(spec, table, np.random.default_rng(seed))[0].tolist() == expected, seed


@pytest.mark.parametrize("epsilon", [1e-3, 2.0, 20.0, np.inf])
def test_the_costs_of_a_pair_keep_their_digits(epsilon):
    """Gaps down to 1e-9: the reference has 40 digits. The twin divides divergences that cancelled."""
    policy, rng, twin = GridTopTwoPolicy(2, epsilon, 0.1, 1.5, np.random.default_rng(0), None, 1), RNG(0), 0.0
    for gap, end in product((0.3, 0.05, 1e-3, 1e-5, 1e-7, 1e-9), (1e-4, 0.2, 0.5, 0.69)):
        n, m = rng.integers(1, 10**6, 2).tolist()
        for low, high in ((end, end + gap), (1.0 - end - gap, 1.0 - end)):
            found, expected = costs_of_pair(high, low, n, m, policy.drawn), policy.least_costs(high, low, n, m)
            assert found == pytest.approx(expected, rel=1e-8, abs=0.0)
            u = (n * high + m * low) / (n + m)
            naive = high * np.log(high / u) + (1.0 - high) * np.log((1.0 - high) / (1.0 - u))
            twin = max(twin, abs(naive / expected[0] - 1.0))
    assert costs_of_pair(1.0, 0.0, 1, 3, policy.drawn) == pytest.approx(policy.least_costs(1.0, 0.0, 1, 3), rel=1e-12)
    assert twin > 1e-3


def test_the_largest_likelihood_at_the_end_of_the_kept_points():
    """Points that were dropped keep what they had: a likelihood that swings by 40 nats must not read it."""
    policy, sums = GridTopTwoPolicy(2, 1.0, 0.1, 1.5, np.random.default_rng(0), None, 200), [(200, 0.0), (500, 500.0)]
    likelihood, window, pulls = np.zeros(len(policy.points)), np.array([0, len(policy.points) - 1]), 0
    for length, total in sums:
        end, pulls = window[1], pulls + length
        policy.pulls[0] = pulls
        policy.take_in(0, length, total)
        _, estimate = add_sum(likelihood, window, policy.points, policy.slack, total, length, pulls, policy.drawn)
        assert policy.estimate(0) == pytest.approx(estimate, abs=1e-12)
    assert likelihood[: end + 1].argmax() == end < len(policy.points) - 1


@pytest.mark.parametrize(("means", "epsilon"), [((0.9, 0.1), 1e-6), ((0.6, 0.4), 1e-5), ((0.6, 0.4), 1e-9)])
def test_it_stops_at_any_budget(means, epsilon):
    """While noise dominates, epsilon t is all that matters: some 20 and 150 on average here."""
    stops = play_stops(DPExactTT(arms=2, epsilon=epsilon), Bernoulli(means), np.array([0.1]), 10**14, 6, seed=0)[:, 0]
    assert (stops[:, 0] > 0).all()
    assert (stops[:, 0] * epsilon).max() < 600


@pytest.mark.parametrize("epsilon", [1e-6, 0.01, 10.0])
def test_how_close_means_may_be(epsilon):
    """Half way between two points of the grid, at one of them, and elsewhere; a gap below the spacing is too small."""
    for cell, gap in product((500.0, 500.5, 205.5, 40.0), (0.0033, 0.0005)):
        middle = np.sin(cell * 0.5 * np.pi / POINTS) ** 2
        means, spec = (middle + 0.5 * gap, middle - 0.5 * gap), DPExactTT(arms=2, epsilon=epsilon)
        stops = play_stops(spec, Bernoulli(means), np.array([1e-6]), 10**15, 2, seed=0)[:, 0, 0]
        assert gap < 0.001 or (stops > 0).all(), (cell, gap)
        if cell == 500.5 and gap < 0.001:
            assert (stops == 0).all()


@pytest.mark.chance(1e-5, "two means, four and a half standard errors apart and more")
@pytest.mark.evidence
def test_longer_batches_end_earlier_at_very_high_privacy(evidence):
    """Five arms at epsilon 0.001: dp-se-bai takes 443,890 +- 4,891 rounds, a constant ratio 519,233 +- 6,152."""
    runs, means = evidence(100, 400), (0.6, 0.4, 0.4, 0.4, 0.4)
    longer, usual = (
        play_stops(
            DPExactTT(arms=5, epsilon=0.001, worth=worth), Bernoulli(means), np.array([0.1]), 10**8, runs, seed=3
        )[:, 0, 0]
        for worth in (4.5, 1e-9)
    )
    assert min(longer.min(), usual.min()) > 0
    assert longer.mean() < usual.mean()
    assert longer.mean() < 443_890 + student.isf(5e-7, runs - 1) * np.hypot(longer.std() / np.sqrt(runs), 4891)


def test_one_run_is_scored_against_every_delta():
    spec, streams = DPExactTT(arms=3, epsilon=1.0), [generators(0) for _ in range(3)]
    means, nothing = np.array([0.9, 0.6, 0.5]), np.zeros((0, 0))
    both = spec.stops(nothing, means, streams[0], 10**6, 1, np.array([0.001, 0.1]))[0]
    each = [
        spec.stops(nothing, means, s, 10**6, 1, np.array([d]))[0, 0]
        for s, d in zip(streams[1:], [0.001, 0.1], strict=True)
    ]
    assert both.tolist() == np.array(each).tolist()
    assert both[1, 0] < both[0, 0]


@pytest.mark.chance(1e-6, "one Kolmogorov-Smirnov test")
def test_events_and_steps_have_one_law():
    """Kolmogorov and Smirnov at 1e-6; half of the noise is told apart."""

    def times(rows, epsilon, seed):
        spec, streams, means = DPExactTT(arms=2, epsilon=epsilon, delta=0.3), generators(seed), np.array([0.8, 0.3])
        if not rows:
            return spec.stops(np.zeros((0, 0)), means, streams, 2000, 400, np.array([0.3]))[:, 0, 0]
        found = []
        for _ in range(400):
            table = (streams.rewards.random((2000, 2)) < means).astype(float)
            found.append(spec.stops(table, means, streams, 2000, 1, np.array([0.3]))[0, 0, 0])
        return found

    assert ks_2samp(times(False, 0.5, 1), times(True, 0.5, 2)).pvalue > 1e-6
    assert ks_2samp(times(False, 0.5, 1), times(True, 1.0, 2)).pvalue < 1e-6


BARS = [
    (MU1, 0.1, 29377, 379),
    (MU1, 1.0, 8160, 155),
    (MU2, 1.0, 27282, 498),
    (MU2, 0.1, 48779, 856),
]
"""Means and standard errors of 200 runs of an independent prototype, at delta 0.01.

It plays the same arms, and stops on a mixture over all pairs of means, in any order, and all releases: up to a fifth
later.
"""


@pytest.mark.chance(2e-6, "a mean within the quantile of Student's law, and a binomial count of wrong runs")
@pytest.mark.evidence
@pytest.mark.parametrize(("means", "epsilon", "bar", "error"), BARS)
def test_the_mean_stopping_time_is_somewhat_below_that_of_the_prototype(means, epsilon, bar, error, evidence):
    """Up to the errors of both, ours by Student's law; no run is cut or 30 medians long, and few are wrong."""
    spec, runs = DPExactTT(arms=5, epsilon=epsilon), evidence(32, 200)
    stops = play_stops(spec, Bernoulli(means), np.array([0.01]), 10**7, runs, seed=0)[:, 0]
    times = stops[:, 0]
    assert (times > 0).all()
    margin = student.isf(5e-7, runs - 1) * np.hypot(times.std(ddof=1) / np.sqrt(runs), error)
    assert 0.8 * bar - margin < times.mean() < bar + margin
    assert times.max() < 30 * np.median(times)
    assert (stops[:, 1] != 0).sum() <= binom.isf(1e-6, runs, 0.01)


@pytest.mark.chance(1e-6, "one binomial test")
@pytest.mark.evidence
def test_it_is_wrong_at_most_as_often_as_delta_says(evidence):
    """Binomial test at 1e-6 that the rate exceeds delta = 0.1."""
    runs = evidence(100, 2000)
    spec = DPExactTT(arms=3, epsilon=0.3, delta=0.1)
    stops = play_stops(spec, Bernoulli((0.6, 0.5, 0.5)), np.array([0.1]), 10**6, runs, seed=1)[:, 0]
    assert (stops[:, 0] > 0).all()
    assert binomtest(int((stops[:, 1] != 0).sum()), runs, 0.1, alternative="greater").pvalue > 1e-6


def test_equally_good_arms_are_not_told_apart():
    spec = DPExactTT(arms=2, epsilon=1.0, delta=0.01)
    stops = play_stops(spec, Bernoulli((0.5, 0.5)), np.array([0.01]), 3000, 40, seed=2)[:, 0]
    assert (stops[:, 0] > 0).sum() <= 5


# Broken twins


class Twin(GridTopTwoPolicy):
    def __init__(self, rng):
        super().__init__(2, 1.0, 0.3, 1.5, rng, None, 2, 4.5)


class StopsInsideABatch(Twin):
    """Stops on the raw sum of the open batch."""

    def update(self, action, reward):
        super().update(action, reward)
        if not self.stopped and self._batch_sums[self._arm] > 0.5:
            self.stopped = True


class ChoosesTheLeaderAnew(Twin):
    """Looks at the batch in progress when it chooses."""

    def select(self):
        if self._batch_sums[self._arm] + self.likelihood[0, 0] > 0.5:
            return 1
        return super().select()


class EndsABatchByItsRawSum(Twin):
    """Decides how long the open batch is by the rewards in it."""

    def update(self, action, reward):
        if self._batch_sums[action] > 0.5:
            self._left[action] = 1
        super().update(action, reward)


class DrawsNoiseForEveryTest(Twin):
    """Releases the batch once for the likelihood and once more for the test."""

    def take_in(self, arm, length, private_sum):
        self.publish(self._batch_sums[self._arm])
        super().take_in(arm, length, private_sum)


class RecommendsByRawSums(Twin):
    """Releases correctly, and recommends by the raw sum of the last batch."""

    raw = 0.0

    def update(self, action, reward):
        self.raw = reward
        super().update(action, reward)

    def recommend(self):
        return int(self.raw > 0.5)

    def choose(self):
        self.stopped = True
        return 0


@pytest.mark.parametrize("twin", [StopsInsideABatch, ChoosesTheLeaderAnew, EndsABatchByItsRawSum, RecommendsByRawSums])
def test_twins_that_read_raw_sums_leak(twin):
    certificate = certify(twin, epsilon=1.0, arms=2, horizon=12, runs=4, feedback="identification")
    assert not certificate.granted
    assert certificate.leaks


def test_the_twin_that_draws_noise_again_is_refused():
    certificate = certify(DrawsNoiseForEveryTest, epsilon=1.0, arms=2, horizon=12, runs=4, feedback="identification")
    assert not certificate.granted
    assert certificate.refusals
    right = certify(Twin, epsilon=1.0, arms=2, horizon=12, runs=4, feedback="identification")
    assert (right.granted, right.leaks, right.refusals) == (True, [], [])


def test_an_unreached_recommendation_is_not_certified():
    """A policy that never stopped in the explored runs might recommend by anything."""

    class Never(RecommendsByRawSums):
        def choose(self):
            return 0

    certificate = certify(Never, epsilon=1.0, arms=2, horizon=12, runs=4, feedback="identification")
    assert not certificate.granted
    assert "return int(self.raw > 0.5)" in str(certificate.unreached)


@pytest.mark.chance(1e-6, "one bound at this level")
def test_an_audit_sees_the_twin_that_stops_inside_a_batch():
    """On these streams the twin stops in the first round, or later: no finite epsilon."""
    streams = np.zeros((3, 2)), np.zeros((3, 2))
    streams[1][0] = 1.0
    options = {"arms": 2, "runs": 600, "feedback": "identification", "streams": streams, "confidence": 1.0 - 1e-6}
    assert audit(StopsInsideABatch, epsilon=1.0, **options).verdict == "violation"
    assert audit(Twin, epsilon=1.0, **options).epsilon_lower <= 1.0


def test_a_guarded_policy_stops_and_recommends():
    spec = DPExactTT(arms=2, epsilon=2.0, delta=0.3, first=4.0)
    guarded = guard(spec.build(np.random.default_rng(0)), epsilon=2.0, feedback="identification", noise="float")
    while not guarded.stopped:
        guarded.update(arm := guarded.select(), float(arm == 1))
    assert (guarded.recommend(), guarded.spent) == (1, 2.0)
    plain = guard(ALGORITHMS["adap-ucb"](arms=2, epsilon=1.0).build(np.random.default_rng(0)), epsilon=1.0)
    with pytest.raises(PrivcheckError, match="one for identification"):
        plain.recommend()
    with pytest.raises(PrivcheckError, match="without recommend"):
        guard(plain._policy, epsilon=1.0, feedback="identification")


def test_bad_delta_is_refused():
    for delta in (0.0, 0.5, 1e-12, float("nan")):
        with pytest.raises(PrivcheckError, match=r"delta: got .*, expected a number in \[1e-09, 0.5\)"):
            DPExactTT(arms=2, epsilon=1.0, delta=delta)
