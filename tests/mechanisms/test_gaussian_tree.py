"""Trees with Gaussian noise: errors of prefix sums, streams, matrices with symmetric noise, secure draws."""

import math

import numpy as np
import pytest
from scipy import optimize, stats
from scipy.stats import norm

from privcheck.accounting import GaussianDP, Plan
from privcheck.certifying import Session
from privcheck.errors import PrivcheckError
from privcheck.mechanisms import (
    FactorisedStream,
    Gaussian,
    GaussianTree,
    SymmetricGaussian,
    SymmetricGaussianTree,
    planned,
)
from privcheck.mechanisms.base import Recorder, recording
from privcheck.privacy import relation

MU = optimize.brentq(lambda mu: norm.cdf(-1 / mu + mu / 2) - math.e * norm.cdf(-1 / mu - mu / 2) - 1e-6, 0.1, 1.0)
"""The largest mu at which a Gaussian mechanism is (1, 1e-6)-private, from its exact delta."""

TABLE = {64: (19.4, 15.8, 5), 1024: (31.3, 25.7, 6), 16384: (43.3, 36.4, 7)}
"""Horizon: root mean square errors at (1, 1e-6) with the binary and with the best tree, and its degree."""


@pytest.mark.parametrize("horizon", TABLE)
def test_the_errors_of_the_prefix_sums_are_those_of_the_table(horizon):
    binary, best, degree = TABLE[horizon]
    for kind in (GaussianTree, SymmetricGaussianTree):
        trees = [kind(horizon=horizon, sensitivity=1.0, mu=MU, degree=each) for each in (2, 0)]
        errors = [math.sqrt(tree.variances(horizon).mean()) for tree in trees]
        assert trees[1].degree == degree
        assert errors == pytest.approx([binary, best], abs=0.05)


@pytest.mark.chance(
    1e-6,
    "a studentised mean of 500 squared errors within 6 standard errors: 2e-9, and at most 500 times that for skewness",
)
def test_the_errors_of_drawn_prefix_sums_agree_with_the_formula():
    """Within 6 standard errors over 500 runs."""
    tree = GaussianTree(horizon=64, sensitivity=1.0, mu=MU)
    items = np.random.default_rng(1).random(64)
    squares = (tree.release_batch(items, np.random.default_rng(2), 500) - np.cumsum(items)) ** 2
    by_run = squares.mean(axis=1)
    assert abs(by_run.mean() - tree.variances(64).mean()) < 6 * by_run.std() / math.sqrt(500)
    assert abs(by_run.mean() - 0.7 * tree.variances(64).mean()) > 6 * by_run.std() / math.sqrt(500)


@pytest.mark.parametrize("shape", [(50,), (20, 3)])
def test_streaming_is_the_batch_bit_for_bit(shape):
    tree = GaussianTree(horizon=64, sensitivity=1.0, mu=1.0, degree=3)
    items = np.random.default_rng(0).normal(size=shape)
    stream, together = tree.start(np.random.default_rng(1)), np.random.default_rng(1)
    np.testing.assert_array_equal([stream.add(item) for item in items], tree.release_batch(items, together, 1)[0])


def test_streaming_matrices_is_the_batch_and_stays_symmetric():
    """The batch adds coordinates and the stream matrices, so their sums differ by rounding."""
    tree = SymmetricGaussianTree(horizon=30, sensitivity=1.0, mu=1.0, degree=3)
    items = np.random.default_rng(0).normal(size=(30, 4, 4))
    stream = tree.start(np.random.default_rng(1))
    streamed = np.array([stream.add(item) for item in items])
    np.testing.assert_allclose(streamed, tree.release(items, np.random.default_rng(1)), atol=1e-12)
    np.testing.assert_array_equal(streamed, streamed.swapaxes(1, 2))
    exact = np.cumsum((items + items.swapaxes(1, 2)) / 2, axis=0)
    assert not np.allclose(streamed, exact, atol=0.5)


@pytest.mark.parametrize("kind", [GaussianTree, SymmetricGaussianTree])
def test_a_recorder_sees_every_node_and_their_charges_add_up_to_that_of_the_tree(kind):
    class Tape(Recorder):
        def __init__(self):
            self.seen = []

        def release(self, mechanism, value, *, secure):
            self.seen.append(mechanism)
            return mechanism.draw(value, np.random.default_rng(0))

    tape, tree = Tape(), kind(horizon=27, sensitivity=2.0, mu=0.5, degree=3)
    item = np.eye(2)
    stream = tree.start(np.random.default_rng(0))
    with recording(tape):
        for _ in range(27):
            stream.add(item)
    assert {type(mechanism) for mechanism in tape.seen} == {Gaussian if kind is GaussianTree else SymmetricGaussian}
    charges = [
        sum(
            mechanism.charge(2.0).mu ** 2
            for mechanism, node in zip(tape.seen, tree.nodes(27), strict=True)
            if i in node.items
        )
        for i in range(27)
    ]
    assert 0.5**2 * (1 - 1e-7) < max(charges) <= 0.5**2
    assert max(charges) == charges[0]


@pytest.mark.parametrize("kind", [GaussianTree, SymmetricGaussianTree])
def test_the_ledger_charges_no_datum_more_than_the_tree(kind):
    """Vectors x, or matrices x x^T, with |x| <= 1: replacing x moves them by at most 2, or the root of two."""
    moved, degree = (2.0, 3) if kind is GaussianTree else (math.sqrt(2.0), 2)
    tree = kind(horizon=9, sensitivity=moved, mu=0.6, degree=degree)
    session = Session(relation("row"), (0.0, 1.0), GaussianDP(0.6), np.random.default_rng(0))
    stream = tree.start(np.random.default_rng(0))
    for number in range(1, 10):
        session.round = number
        vector = session.source.vector([0.6, -0.8], -1.0, 1.0, data=number, l2_norm=1.0)
        with session.active():
            output = stream.add(vector if kind is GaussianTree else np.outer(vector, vector))
        assert isinstance(output, np.ndarray)
    charged = [session.ledger.paid[number].mu for number in range(1, 10)]
    counts = [sum(item in node.items for node in tree.nodes(9)) for item in range(9)]
    np.testing.assert_allclose(charged, moved / tree.scale * np.sqrt(counts), rtol=1e-8)
    assert 0.6 * (1 - 1e-7) < max(charged) <= 0.6 * (1 + 1e-9)
    assert (session.leaks, session.refusals) == ([], [])


@pytest.mark.parametrize("kind", [GaussianTree, SymmetricGaussianTree, FactorisedStream])
def test_a_datum_in_several_items_is_charged_for_their_sum(kind):
    """One reward in all eight items. The L2 norm of the stream, a broken twin, charges less than the exact loss."""
    mechanism = kind.with_scale(1.0, horizon=8)
    session = Session(relation("row"), (0.0, 1.0), None, np.random.default_rng(0))
    session.round = 1
    reward = session.reward(0.5, 0)
    matrices = kind is SymmetricGaussianTree
    with session.active():
        stream = np.stack([np.stack([np.stack([reward])]) if matrices else reward for _ in range(8)])
        mechanism.release(stream, None)
    shape = (8, 1, 1) if matrices else (8,)
    moved = mechanism.rows(np.ones(8)) if kind is FactorisedStream else mechanism.node_sums(np.ones(shape))
    exact = np.linalg.norm(moved)
    assert exact <= session.ledger.paid[1].mu
    assert mechanism.charge(math.sqrt(8.0)).mu < exact


@pytest.mark.parametrize("kind", [GaussianTree, SymmetricGaussianTree, FactorisedStream])
def test_a_plan_and_a_calibration_take_a_stream_for_one_gaussian_release(kind):
    mechanism = kind.calibrate(epsilon=1.0, delta=1e-6, horizon=100, sensitivity=2.0)
    assert MU * (1 - 1e-9) < mechanism.mu <= MU * (1 + 1e-10)
    plain = Gaussian(sensitivity=2.0, mu=mechanism.mu)
    found = [Plan([planned(each, count=2)]).at_delta(1e-6) for each in (mechanism, plain)]
    assert found[0].epsilon == found[1].epsilon


@pytest.mark.chance(3e-6, "three Kolmogorov-Smirnov tests at 1e-6")
def test_replaced_rows_need_the_root_of_two_and_no_more():
    """With Shariff and Sheffet's noise of standard deviation s: |v v^T - w w^T| <= sqrt(2) r^2, over sqrt(2) s."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(20_000, 2, 4))
    rows /= np.linalg.norm(rows, axis=2, keepdims=True)
    outer = rows[..., :, None] * rows[..., None, :]
    distances = np.linalg.norm(outer[:, 0] - outer[:, 1], axis=(1, 2))
    assert 1.41 < distances.max() <= math.sqrt(2) * (1 + 1e-12)
    theirs = SymmetricGaussian.with_scale(math.sqrt(2) * 3.0)
    assert theirs.charge(math.sqrt(2)).mu == pytest.approx(1 / 3.0, rel=1e-12)
    noise = theirs.release_batch(np.zeros((3, 3)), rng, 20_000)
    drawn = rng.normal(0, 3.0, (20_000, 3, 3))
    drawn = (drawn + drawn.swapaxes(1, 2)) / math.sqrt(2)
    for entry in ((0, 0), (0, 1), (1, 2)):  # fails falsely with probability 1e-6 each
        assert stats.ks_2samp(noise[:, *entry], drawn[:, *entry]).pvalue > 1e-6
    assert stats.ks_2samp(noise[:, 0, 1], drawn[:, 0, 0]).pvalue < 1e-6


@pytest.mark.chance(2e-9, "two Kolmogorov tests", fresh=True)
@pytest.mark.parametrize("kind", [GaussianTree, SymmetricGaussianTree])
def test_secure_releases_follow_the_law_and_half_the_scale_does_not(kind):
    """OpenDP takes no seed: a correct sampler fails here with probability 2e-9 in each run."""
    tree = kind(horizon=9, sensitivity=1.0, mu=1.0, degree=3)
    items = np.zeros((9, 12, 12))
    stream = tree.start(secure=True)
    for outputs in (np.array([stream.add(item) for item in items]), tree.release(items, None, secure=True)):
        nodes = tree.noisy_nodes(outputs, tree._items("value", items))
        noise = nodes.ravel() / tree.scale
        assert stats.kstest(noise, stats.norm.cdf).pvalue >= 1e-9
        assert stats.kstest(noise / 2, stats.norm.cdf).pvalue < 1e-9


@pytest.mark.parametrize("bad", [1.0, [1.0, 2.0], [[1.0, 2.0]], [[math.nan]]])
def test_what_is_no_square_matrix_is_refused_and_changes_nothing(bad):
    tree = SymmetricGaussianTree(horizon=4, sensitivity=1.0, mu=1.0)
    stream = tree.start(np.random.default_rng(0))
    with pytest.raises(PrivcheckError):
        stream.add(bad)
    assert stream.step == 0
    with pytest.raises(PrivcheckError):
        SymmetricGaussian.with_scale(1.0).release(bad, np.random.default_rng(0))


def test_too_few_levels_are_caught():
    class Forgetful(GaussianTree):
        @property
        def statistics_per_datum(self):
            return super().statistics_per_datum - 1

    for kind, mu in ((GaussianTree, 1.0), (Forgetful, math.sqrt(1.5))):
        tree = kind(horizon=27, sensitivity=1.0, mu=1.0, degree=4)
        moved = tree.node_sums(np.eye(27)[0]) / tree.scale
        assert np.linalg.norm(moved) == pytest.approx(mu, rel=1e-8)
        assert (np.linalg.norm(moved) <= 1.0) == (kind is GaussianTree)
