"""LinUCB on batches: what is released when, the bounds on its noise, its broken twins, and its regret."""

import math

import numpy as np
import pytest
from scipy import stats

from privcheck import certify
from privcheck.bandits import ALGORITHMS
from privcheck.bandits.linear_policy import BatchSums, PrivateLinUCBPolicy
from privcheck.bandits.linear_regularisers import tight_gaussian_bounds
from privcheck.environments import LinearContexts
from privcheck.errors import PrivcheckError
from privcheck.mechanisms import SymmetricGaussian
from privcheck.privacy import Contexts
from privcheck.simulation import simulate

LinUCBBatches = ALGORITHMS["lin-ucb-batches"]
SPEC = {"arms": 2, "features": 2, "epsilon": 1.0, "delta": 0.1, "horizon": 16, "first": 3}
CLAIM = {
    "epsilon": 1.0, "delta": 0.1, "arms": 2, "horizon": 16, "runs": 3, "rewards": (-1.0, 1.0), "feedback": "contextual",
    "neighbours": "context-reward", "contexts": Contexts(shape=(2, 2), norm=1.0),
}  # fmt: skip


def test_each_row_is_in_one_release_and_the_last_ones_in_none():
    spec = LinUCBBatches(**SPEC | {"horizon": 30, "ratio": 1.5})
    sums = BatchSums(SymmetricGaussian.with_scale(1e-9), 3, spec.setup, np.random.default_rng(0))
    shown = []
    for t in range(29):
        sums.add(np.array([t == 3, 0.0, 1.0]) + 0.0)
        shown.append(float(sums.total[2, 2]))
    ends = [3, 8, 16, 28]  # batches of 3, 5, 8 and 12 rows
    expected = [max([end for end in ends if end <= t + 1], default=0) for t in range(29)]
    assert np.allclose(shown, expected, atol=1e-6)
    assert (spec.releases, sums.releases) == (4, 4)


@pytest.mark.parametrize("horizon", [2, 3, 4, 9, 10, 29, 30, 10_000])
def test_the_number_of_releases(horizon):
    spec = LinUCBBatches(**SPEC | {"horizon": horizon})
    ends, length = [3], 3
    while ends[-1] < horizon:
        ends.append(ends[-1] + (length := math.ceil(1.5 * length)))
    assert spec.releases == sum(end <= horizon - 1 for end in ends)


@pytest.mark.chance(1e-6, "a binomial count of failures against its bound")
@pytest.mark.parametrize("features", [1, 3, 8])
def test_the_noise_stays_within_the_bounds(features):
    """At alpha = .2 and 5 releases, each bound may fail in 1 of 50 sums; 20,000 sums of one release."""
    runs, alpha, releases = 20_000, 0.2, 5
    bounds = tight_gaussian_bounds(features, 1.0, releases, alpha, shift=3.0)
    rng = np.random.default_rng(0)
    noise = rng.standard_normal((runs, features + 1, features + 1))
    noise = (noise + np.swapaxes(noise, 1, 2)) / math.sqrt(2.0)  # standard deviation 1 off the diagonal, sqrt(2) on it
    matrix, vector = noise[:, :features, :features], noise[:, :features, features]
    values = np.linalg.eigvalsh(matrix) + bounds.shift
    solved = np.linalg.solve(matrix + bounds.shift * np.eye(features), vector[..., None])[..., 0]
    within = (values[:, 0] >= bounds.rho_min) & (values[:, -1] <= bounds.rho_max)
    within &= np.einsum("ij,ij->i", vector, solved) <= bounds.gamma**2
    failed = int((~within).sum())
    assert stats.binomtest(failed, runs, alpha / (2 * releases), alternative="greater").pvalue > 1e-6
    tight = (values[:, 0] >= bounds.shift - 0.6 * (bounds.shift - bounds.rho_min)).mean()
    assert tight < 1.0, "sixty per cent of the bound would fail"


class EachBatchTwice(BatchSums):
    """A broken twin: every batch is released twice and averaged."""

    def add(self, row):
        before, releases = self.total, self.releases
        full = self.open + np.outer(row, row)
        super().add(row)
        if self.releases > releases:
            self.total = before + 0.5 * (self.total - before + self.mechanism.release(full, self.rng))


class Overlapping(BatchSums):
    """A broken twin: the last row of a batch is in the next one, too."""

    def add(self, row):
        releases = self.releases
        super().add(row)
        if self.releases > releases:
            self.open = self.open + np.outer(row, row)


def policy_with(sums):
    spec = LinUCBBatches(**SPEC)
    return lambda rng: PrivateLinUCBPolicy(sums(spec.mechanism, 3, spec.setup, rng), spec.setup, 2, None)


def test_broken_twins_are_not_certified():
    assert certify(policy_with(BatchSums), **CLAIM).granted
    for twin in (EachBatchTwice, Overlapping):
        certificate = certify(policy_with(twin), **CLAIM)
        assert not certificate.granted
        assert certificate.refusals


def test_there_is_no_published_noise():
    with pytest.raises(PrivcheckError, match="calibrated"):
        LinUCBBatches(**SPEC, noise="published")


@pytest.mark.evidence
@pytest.mark.chance(1e-6, "means of at least 100 runs, five standard errors apart")
def test_its_regret_is_below_that_of_the_square_root(evidence):
    """d = 3, K = 9, n = 20,000, epsilon 1, delta .1: 50.8 +- 1.1 with 400 runs, against 57.4 +- 1.2 and 121.3 +- .7."""
    place = LinearContexts(features=3, arms=9)
    found = simulate(
        ["lin-ucb-batches", "lin-ucb-gaussian"], place, horizon=2e4, runs=evidence(60, 1000), epsilon=1.0, delta=0.1,
        seed=3, checkpoints=1,
    )  # fmt: skip
    batches, tree = (result.regret[:, -1].mean() for result in found.results)
    assert batches < 70.0 < 105.0 < tree
