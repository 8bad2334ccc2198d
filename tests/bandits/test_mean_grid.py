"""The mixtures over the grid are martingales, and the bound of the null hypothesis is one, up to its slack."""

import math

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import binom, binomtest

from privcheck.bandits.mean_grid import POINTS, add_sum, least_probability, mean_grid, null_bound
from privcheck.bandits.pair_evidence import LOG_PAIRS, log_ordered_mass, pair_evidence
from privcheck.kernels import log_choices, noisy_binomial


class Evidence:
    """The likelihood of one arm: kept on the grid, and exactly at its true mean."""

    def __init__(self, epsilon, mean):
        self.epsilon, self.mean = epsilon, mean
        self.grid = mean_grid(epsilon)
        self.likelihood, self.window = np.zeros(POINTS), np.array([0, POINTS - 1])
        self.pulls, self.true = 0, 0.0
        self.batches = []

    def add(self, total, length):
        self.pulls += length
        _, self.estimate = add_sum(self.likelihood, self.window, *self.grid, total, length, self.pulls, self.epsilon)
        self.true += self.at(self.mean, total, length)
        if not self.batches:
            self.start, self.true_start, self.first = self.likelihood.copy(), self.true, length
        self.batches.append((total, length))

    def at(self, q, total, length):
        return noisy_binomial(total, float(length), q, self.epsilon, log_choices(float(length), np.floor(total)))

    def everywhere(self, angles):
        return np.array([sum(self.at(math.sin(x) ** 2, *batch) for batch in self.batches) for x in angles])


def test_the_grid_covers_the_interval():
    for epsilon in (0.01, 1.0, 5.0, 50.0, 1e6, math.inf):
        points, slack = mean_grid(epsilon)
        edges = np.sin(np.arange(POINTS + 1) * 0.5 * math.pi / POINTS) ** 2
        assert ((edges[:-1] <= points) & (points <= edges[1:])).all()
        assert ((slack > 0.0) & (slack <= np.log1p(np.diff(edges)) * (1 + 1e-12))).all()
    assert 0.0 < least_probability(127) < 1e-12


def test_the_slack_is_small_while_noise_dominates():
    """In nats, for 200 / epsilon rewards of an arm, which tell means .6 and .4 apart."""
    for epsilon in (1e-3, 1e-5, 1e-8):
        assert mean_grid(epsilon)[1].max() * 200 / epsilon < 0.2


@pytest.mark.parametrize("epsilon", [1e-6, 1e-4, 1e-3])
def test_the_slack_bounds_each_cell_and_is_attained_while_noise_dominates(epsilon):
    """Releases far above and below what rewards can be have the steepest likelihood; nine tenths would not do."""
    points, slack = mean_grid(epsilon)
    edges = np.sin(np.arange(POINTS + 1) * 0.5 * math.pi / POINTS)[1:-1] ** 2
    length, shares = 1000, []
    for total in (-9.0 / epsilon, 200.0, 500.5, 800.0, length + 9.0 / epsilon):
        at_edges, at_points = (
            np.array([noisy_binomial(total, length, q, epsilon, log_choices(length, np.floor(total))) for q in some])
            for some in (edges, points)
        )
        rises = np.maximum(at_edges[:-1], at_edges[1:]) - at_points[1:-1]
        shares.append((rises / (length * slack[1:-1])).max())
    assert max(shares) <= 1.0 + 1e-5
    assert min(shares[0], shares[-1]) > 0.9


def test_disjoint_windows_are_infinite_evidence():
    """Releases of 1000 and of 0 of 1000 rewards leave no pair of means in the wrong order, and no right one either."""
    points, slack = mean_grid(0.1)
    likelihood, windows, pulls = np.zeros((2, POINTS)), np.array([[0, POINTS - 1]] * 2), np.array([1000, 1000])
    for row, total in enumerate((1000.0, 0.0)):
        add_sum(likelihood[row], windows[row], points, slack, total, 1000, 1000, 0.1)
    assert windows[1, 1] < windows[0, 0]
    for leader, evidence in ((0, math.inf), (1, -math.inf)):
        for start in (likelihood.copy(), np.zeros((2, POINTS))):
            found = pair_evidence(likelihood, start, windows, pulls, 100, slack, leader, 1 - leader)
            assert found[0] == evidence


def released(rng, epsilon, mean, lengths):
    arm = Evidence(epsilon, mean)
    for length in lengths:
        arm.add(rng.binomial(length, mean) + rng.laplace(0.0, 1 / epsilon), length)
    return arm


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 8.0])
def test_the_bound_is_above_a_fine_grid_and_close_to_it(epsilon):
    """30 points to a cell. Without its slack the bound fails: the twin is below the supremum in some case."""
    rng, below = np.random.default_rng(1), 0
    for mean, other in [(0.6, 0.5), (0.5, 0.5), (0.02, 0.01), (0.999, 0.99), (0.3, 0.9)]:
        first, second = (released(rng, epsilon, m, [40, 200]) for m in (mean, other))
        low, high = (max(min(first.window[0], second.window[0]) - 1, 0), max(first.window[1], second.window[1]) + 1)
        angles = np.linspace(low, min(high + 1, POINTS), 3001)[1:-1] * 0.5 * math.pi / POINTS
        angles = angles[(angles > 1e-6) & (angles < 0.5 * math.pi - 1e-6)]
        supremum = (np.maximum.accumulate(first.everywhere(angles)) + second.everywhere(angles)).max()
        windows = first.likelihood, first.window, first.pulls, second.likelihood, second.window, second.pulls
        slack = first.grid[1]
        bound, bare = null_bound(*windows, slack), null_bound(*windows, np.zeros(POINTS))
        assert supremum <= bound + 1e-9
        assert bound <= supremum + (first.pulls + second.pulls) * slack.max() + 1e-9
        below += bare < supremum - 1e-12
    assert below > 0


def test_the_mixture_has_mean_one_over_two_batches():
    """Quadrature over both releases; the length of the second batch depends on the first release."""
    epsilon, mean = 1.0, 0.3
    nodes, weights = np.polynomial.legendre.leggauss(8)
    starts = np.arange(-40, 46)
    totals = (starts[:, None] + 0.5 + 0.5 * nodes).ravel()
    weights = np.tile(0.5 * weights, len(starts))

    def laws(length):
        rows = []
        for total in totals.tolist():
            arm = Evidence(epsilon, mean)
            arm.add(total, length)
            rows.append(arm.likelihood)
        return 0.5 * epsilon * np.exp(np.array(rows))

    first, second = laws(3), {length: laws(length) for length in (2, 6)}
    assert weights @ first.mean(axis=1) == pytest.approx(1.0, abs=1e-12)
    long = totals > 1.0
    halves = [weights * long, weights * ~long]
    whole = sum(
        half @ first @ (second[length].T @ weights) / POINTS for half, length in zip(halves, (6, 2), strict=True)
    )
    assert whole == pytest.approx(1.0, abs=1e-12)


def martingales(one, other):
    """Return the logarithms of `all` and `later` at the true means of two arms."""
    mass = log_ordered_mass(one.likelihood, other.likelihood, *one.window, *other.window)
    start = log_ordered_mass(one.start, other.start, 0, POINTS - 1, 0, POINTS - 1)
    true, first = one.true + other.true, one.true_start + other.true_start
    return mass - LOG_PAIRS - true, mass - start - (true - first)


def test_both_mixtures_over_pairs_have_mean_one():
    """Enumeration of sums without noise; the second lengths depend on the first sums. A twin forgets the order."""
    every = later = twin = 0.0
    means = (0.3, 0.45)
    for i in range(4):
        for j in range(4):
            lengths = (4, 1) if i > j else (2, 3)
            for k in range(lengths[0] + 1):
                for m in range(lengths[1] + 1):
                    arms, chance = [], 1.0
                    for mean, sums, length in zip(means, ((i, k), (j, m)), lengths, strict=True):
                        arm = Evidence(math.inf, mean)
                        for total, n in zip(sums, (3, length), strict=True):
                            arm.add(float(total), n)
                            chance *= binom.pmf(total, n, mean)
                        arms.append(arm)
                    logs = martingales(*arms)
                    every += chance * math.exp(logs[0])
                    later += chance * math.exp(logs[1])
                    unordered = sum(logsumexp(arm.likelihood) for arm in arms)
                    ordered = log_ordered_mass(arms[0].likelihood, arms[1].likelihood, 0, POINTS - 1, 0, POINTS - 1)
                    twin += chance * math.exp(logs[0] + unordered - ordered)
    assert every == pytest.approx(1.0, abs=1e-9)
    assert later == pytest.approx(1.0, abs=1e-9)
    assert twin > 1.9


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 8.0])
def test_the_evidence_is_below_both_martingales_if_the_leader_is_not_better(epsilon):
    """At true means in the wrong order the bounds of the null are above the likelihood; sums are by numpy."""
    rng = np.random.default_rng(4)
    for means in [(0.5, 0.5), (0.4, 0.6), (0.01, 0.02), (0.9, 0.99)]:
        for _ in range(10):
            one, other = (released(rng, epsilon, mean, [20, 10, 15]) for mean in means)
            likelihood, start = (
                np.array([getattr(arm, name) for arm in (one, other)]) for name in ("likelihood", "start")
            )
            windows, pulls = np.array([one.window, other.window]), np.array([one.pulls, other.pulls])
            found, null = pair_evidence(likelihood, start, windows, pulls, one.first, one.grid[1], 0, 1)
            every, later = martingales(one, other)
            assert found <= np.logaddexp(every, later) - math.log(2.0) + 1e-9
            assert null >= one.true + other.true - 1e-9
            pairs = likelihood[0][:, None] + likelihood[1]
            kept = np.ix_(*(np.arange(low, high + 1) for low, high in windows))
            right = np.zeros((POINTS, POINTS), bool)
            right[kept] = np.tri(POINTS, k=-1, dtype=bool)[kept]
            mass = logsumexp(pairs[right])
            assert every == pytest.approx(mass - LOG_PAIRS - one.true - other.true, abs=1e-9)


def crossings(rng, runs, forgets):
    """Return for each run the largest logarithm of the average of both martingales over 24 batches."""
    epsilon, means, found = 0.3, (0.5, 0.6), []
    for _ in range(runs):
        arms = [Evidence(math.inf if forgets else epsilon, mean) for mean in means]
        highest, length = -math.inf, math.ceil(10 / epsilon)
        for _ in range(12):
            for arm in arms:
                total = rng.binomial(length, arm.mean) + rng.laplace(0.0, 1 / epsilon)
                arm.add(total, length)
                if arms[1].batches:
                    highest = max(highest, np.logaddexp(*martingales(*arms)) - math.log(2.0))
            length = math.ceil(1.5 * arms[0].pulls) - arms[0].pulls
        found.append(highest)
    return np.array(found)


@pytest.mark.chance(5e-6, "five binomial tests at 1e-6")
@pytest.mark.evidence
def test_the_martingale_is_calibrated_and_its_twin_without_noise_is_not(evidence):
    """Ville: P(sup M >= 1 / x) <= x. Binomial tests at 1e-6 for each x; the twin's likelihood forgets the noise."""
    runs, shares = evidence(100, 2000), (0.9, 0.5, 0.2, 0.1, 0.01)
    own, twin = (crossings(np.random.default_rng(3), runs, forgets) for forgets in (False, True))

    def refuted(values):
        counts = [(int((values >= math.log(1 / x)).sum()), x) for x in shares]
        return [x for k, x in counts if binomtest(k, runs, x, alternative="greater").pvalue < 1e-6]

    assert refuted(own) == []
    assert 0.1 in refuted(twin)
    assert 0.01 in refuted(twin)
