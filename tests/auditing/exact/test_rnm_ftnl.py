"""Noisy maxima and RNM-FTNL: known losses, the worst pair by enumeration, and the sum over epochs."""

import itertools
import math

import numpy as np
import pytest
from scipy import integrate, stats

from privcheck.auditing._exact import exact_delta, exact_loss, worst_pair
from privcheck.auditing._exact.rnm_ftnl_loss import epochs
from privcheck.bandits import ALGORITHMS
from privcheck.mechanisms import NoisyMax

NOISES = ("laplace", "exponential", "gumbel")
HANDICAPS = (0, 1, 2, 3, 4, 6)
TABLE = {
    2: (0.965, 1.307, 1.489, 1.595, 1.664, 1.749),
    3: (1.425, 1.804, 1.934, 1.976, 1.991, 1.999),
    4: (1.643, 1.941, 1.992, 1.999, 2.000, 2.000),
    5: (1.759, 1.979, 1.999, 2.000, 2.000, 2.000),
}


def one_row(arms, behind):
    before = np.array([0.0] + [behind] * (arms - 1))
    return before, before + np.array([1.0] + [-1.0] * (arms - 1))


@pytest.mark.parametrize(("arms", "n", "loss"), [(2, 2, 1.3068528), (3, 1, 1.4245743), (10, 1, 1.9449670)])
def test_known_losses(arms, n, loss):
    found = exact_loss(NoisyMax.with_scale(1.0), one_row(arms, float(n)))
    assert found.value == pytest.approx(loss, abs=2e-7)
    assert found.width < 1e-10


@pytest.mark.parametrize("arms", TABLE)
def test_candidate_zero_with_a_handicap(arms):
    """Votes: the own count falls by one and all others rise by one; handicap g means g votes behind before that."""
    for handicap, loss in zip(HANDICAPS, TABLE[arms], strict=True):
        pair = one_row(arms, handicap + 1.0)
        assert exact_loss(NoisyMax.with_scale(1.0), pair).value == pytest.approx(loss, abs=6e-4)


@pytest.mark.parametrize("noise", NOISES)
def test_the_loss_is_the_largest_over_events(noise):
    """All 2^4 events, with probabilities from quadrature by scipy."""
    law = {"laplace": stats.laplace, "exponential": stats.expon, "gumbel": stats.gumbel_r}[noise]

    def winners(scores):
        return [
            integrate.quad(
                lambda x, j=j: law.pdf(x - scores[j]) * math.prod(law.cdf(x - scores[i]) for i in range(4) if i != j),
                min(scores) - 30, max(scores) + 50, points=sorted(set(scores)), limit=200, epsabs=1e-12,
            )[0]
            for j in range(4)
        ]  # fmt: skip

    pair = [0.0, 1.0, 2.5, 1.0], [1.0, 0.5, 1.5, 1.2]
    p, q = (np.array(winners(scores)) for scores in pair)
    events = [list(event) for size in range(1, 4) for event in itertools.combinations(range(4), size)]
    loss = max(abs(math.log(p[event].sum() / q[event].sum())) for event in events)
    delta = max(max(a[event].sum() - 1.2 * b[event].sum() for event in events) for a, b in ((p, q), (q, p)))
    mechanism = NoisyMax.with_scale(1.0, noise=noise)
    assert exact_loss(mechanism, pair).value == pytest.approx(loss, abs=1e-7)
    assert exact_delta(mechanism, pair, math.log(1.2)).value == pytest.approx(delta, abs=1e-7)


@pytest.mark.parametrize("arms", [2, 3])
@pytest.mark.parametrize("horizon", [2, 4])
def test_the_worst_pair_is_the_worst_of_all_tables(arms, horizon):
    """Epochs do not interact: the sums of one, and every change of its sums by one row of zeros and ones."""
    spec = ALGORITHMS["rnm-ftnl-published"](arms=arms, epsilon=1.0)
    corners = list(itertools.product((0.0, 1.0), repeat=arms))
    worst = 0.0
    for epoch in epochs(horizon):
        rest = itertools.product(range(epoch.stop - epoch.start), repeat=arms)
        for others, one, two in itertools.product(rest, corners, corners):
            pair = np.add(others, one), np.add(others, two)
            worst = max(worst, exact_loss(spec.mechanism(), pair).value)
    assert exact_loss(spec, worst_pair(spec, horizon)).value == pytest.approx(worst, abs=1e-10)


def test_the_published_scale_exceeds_the_claim_and_the_repaired_one_does_not():
    for horizon in (4, 8, 16, 100):
        published, repaired = (ALGORITHMS[name](arms=4, epsilon=1.0) for name in ("rnm-ftnl-published", "rnm-ftnl"))
        assert 1.9 < exact_loss(published, worst_pair(published, horizon)).lower < 2.0
        assert 0.8 < exact_loss(repaired, worst_pair(repaired, horizon)).upper < 1.0


def test_losses_of_changed_epochs_add_up():
    """Rows 1 and 2 are in different epochs; row 4 of 5 is in the last epoch that decides nothing."""
    spec = ALGORITHMS["rnm-ftnl"](arms=3, epsilon=1.0)
    first = np.zeros((5, 3))
    changes = []
    for row in (0, 1):
        second = first.copy()
        second[row] = (1.0, 0.0, 1.0)
        changes.append(exact_loss(spec, (first, second)).value)
    both = first.copy()
    both[:2] = (1.0, 0.0, 1.0)
    assert exact_loss(spec, (first, both)).value == pytest.approx(sum(changes), abs=1e-10)
    assert min(changes) > 0.1
    last = first.copy()
    last[4] = 1.0
    last[3, 0] = 1.0
    assert exact_loss(spec, (first, last)).upper == 0.0


@pytest.mark.chance(2e-6, "two binomial shares within 5 standard errors")
def test_the_kernel_shows_the_exact_probability():
    """The winning event of the published algorithm's worst pair: five standard errors."""
    spec, runs = ALGORITHMS["rnm-ftnl-published"](arms=3, epsilon=1.0), 200_000
    scores = [table[:1].sum(axis=0) for table in worst_pair(spec, 2)]
    for seed, (table, score) in enumerate(zip(worst_pair(spec, 2), scores, strict=True)):
        actions = np.empty((runs, 2), np.int8)
        streams = [np.random.default_rng((seed, stream)) for stream in range(3)]
        none = np.zeros(0, np.int64), np.zeros((0, 0))
        spec.kernel(spec.kernel_parameters(), table, np.zeros(3), *streams, 2, runs, actions, *none)
        p = spec.mechanism().probabilities(score)[0]
        assert abs(np.mean(actions[:, 1] == 0) - p) < 5 * math.sqrt(p * (1 - p) / runs)


def test_no_epoch_that_decides_has_no_worst_pair():
    spec = ALGORITHMS["rnm-ftnl"](arms=3, epsilon=1.0)
    assert worst_pair(spec, 1) is None
    assert exact_loss(spec, (np.zeros((1, 3)), np.ones((1, 3)))).upper == 0.0


def test_too_many_outcomes_have_no_exact_loss():
    spec = ALGORITHMS["rnm-ftnl"](arms=20, epsilon=1.0)
    rng = np.random.default_rng(0)
    assert exact_loss(spec, (rng.random((64, 20)), rng.random((64, 20)))) is None
