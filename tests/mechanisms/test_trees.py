"""The tree mechanisms: their nodes, the loss of a changed item, streaming against batch, and broken twins."""

import math

import numpy as np
import pytest
from scipy import stats

from privcheck.errors import PrivcheckError
from privcheck.mechanisms import BinaryTree, HybridTree, KaryTree, Laplace
from privcheck.mechanisms.base import Recorder, recording

TREES = {
    "binary-tree": BinaryTree(horizon=64, sensitivity=1.0, epsilon=1.0),
    "hybrid-tree": HybridTree(sensitivity=1.0, epsilon=1.0, total_share=0.3),
    "k-ary-tree": KaryTree(horizon=64, sensitivity=1.0, epsilon=1.0, degree=4),
}
HORIZONS = [*range(1, 70), 127, 128, 129, 1000]


@pytest.fixture(params=TREES)
def tree(request):
    return TREES[request.param]


def exact_loss(mechanism, length, item, change=1.0):
    """The log-density ratio of outputs far above both streams, which differ in one item."""
    stream = np.zeros(length)
    other = stream.copy()
    other[item] = change
    far = mechanism.prefixes(np.full((1, length), 1e6 * mechanism.scale))[0]
    return mechanism.log_ratio(far, other, stream)


@pytest.mark.parametrize("horizon", HORIZONS)
def test_the_counted_levels_are_floor_log2_plus_one(horizon):
    tree = BinaryTree(horizon=horizon, sensitivity=1.0, epsilon=1.0)
    assert tree.statistics_per_datum == horizon.bit_length() == math.floor(math.log2(horizon)) + 1
    assert max(sum(i in node.items for node in tree.nodes(horizon)) for i in range(horizon)) == horizon.bit_length()


def test_the_nodes_are_those_of_the_greedy_splitting(tree, expected_nodes):
    expected = expected_nodes[tree.id](tree, 64)
    assert [(node.start, node.stop) for node in tree.nodes(64)] == [(a, b) for a, b, _ in expected]
    np.testing.assert_allclose([node.scale for node in tree.nodes(64)], [scale for *_, scale in expected], rtol=1e-14)
    np.testing.assert_array_equal(tree.starts(64), [node.start for node in tree.nodes(64)])
    np.testing.assert_array_equal(tree.scales(64), [node.scale for node in tree.nodes(64)])


def test_no_item_costs_more_than_epsilon_and_some_item_costs_all_of_it(tree):
    losses = [exact_loss(tree, 64, item) for item in range(64)]
    charges = [sum(1.0 / node.scale for node in tree.nodes(64) if item in node.items) for item in range(64)]
    np.testing.assert_allclose(losses, charges, rtol=1e-6)
    assert 1.0 - 1e-7 < max(losses) <= 1.0 + 1e-12
    assert max(charges) <= 1.0


@pytest.mark.parametrize("horizon", [2, 3, 8, 9, 64])
def test_a_forgotten_level_is_caught(horizon):
    class Forgetful(BinaryTree):
        @property
        def statistics_per_datum(self):
            return super().statistics_per_datum - 1

    levels = horizon.bit_length()
    broken = Forgetful(horizon=horizon, sensitivity=1.0, epsilon=1.0)
    assert exact_loss(broken, horizon, 0) == pytest.approx(levels / (levels - 1), rel=1e-6)
    assert exact_loss(BinaryTree(horizon=horizon, sensitivity=1.0, epsilon=1.0), horizon, 0) <= 1.0 + 1e-9


def test_the_wrong_sensitivity_is_caught(tree):
    """Add/remove (1) for replacing -1 by 1 (2): 2 epsilon. The L2 distance (1) of (1/2, ..., 1/2): again."""
    assert exact_loss(tree, 64, 0, change=2.0) > 1.3 * exact_loss(tree, 64, 0)
    item = int(np.argmax([exact_loss(tree, 64, item) for item in range(64)]))
    assert exact_loss(tree, 64, item, change=2.0) == pytest.approx(2.0, rel=1e-6)
    with pytest.raises(PrivcheckError, match="L1"):
        tree.loss(2.0)
    stream, other = np.zeros((64, 4)), np.zeros((64, 4))
    other[item] = 0.5
    far = np.stack([tree.prefixes(np.full((1, 64), 1e6))[0]] * 4, axis=1)
    assert tree.log_ratio(far, other, stream) == pytest.approx(2.0, rel=1e-6)


def test_noise_redrawn_for_every_prefix_breaks_the_budget():
    """Fresh noise for every node of every prefix: prefix t has the density of popcount(t) Laplace variables.

    The first item moves every prefix by 1. For one and two variables the densities are exp(-|x|) / 2 and
    (1 + |x|) exp(-|x|) / 4; already t = 1, 2, 4 use up all of epsilon, and t = 3, 5, 6 come on top.
    """
    tree = BinaryTree(horizon=7, sensitivity=1.0, epsilon=1.0)

    def log_density(x, count):
        return -abs(x) + (math.log(1 + abs(x)) if count == 2 else 0.0)

    loss, shift = {}, 1 / tree.scale
    for steps in (4, 5, 6):
        counts = [t.bit_count() for t in range(1, steps + 1)]
        loss[steps] = sum(log_density(50.0, count) - log_density(50.0 + shift, count) for count in counts)
    assert 1.0 < loss[4] < loss[5] < loss[6]
    assert loss[6] == pytest.approx(2.0, abs=0.03)
    assert exact_loss(tree, 7, 0) <= 1.0 + 1e-9


@pytest.mark.parametrize("shape", [(64,), (37,), (1,), (20, 3)])
@pytest.mark.parametrize("seed", range(3))
def test_streaming_is_the_batch_bit_for_bit(tree, shape, seed):
    items = np.random.default_rng(100 + seed).normal(size=shape)
    streaming, together = np.random.default_rng(seed), np.random.default_rng(seed)
    for run in tree.release_batch(items, together, 3):
        stream = tree.start(streaming)
        np.testing.assert_array_equal([stream.add(item) for item in items], run)
        assert stream.step == len(items)
        assert stream.released == tree.nodes(len(items))
    assert streaming.random() == together.random()


@pytest.mark.chance(
    1e-7,
    "32 variances of 200,000 draws within 6 standard errors: 2e-9 each, and a factor of 2 for skewness",
)
def test_the_variance_of_a_prefix_counts_its_nodes():
    """Chi-square-like check of 2e5 runs: six standard errors (a Laplace variable has kurtosis 6)."""
    tree, runs = BinaryTree.with_scale(1.5, horizon=32), 200_000
    expected = np.array([t.bit_count() * 2 * 1.5**2 for t in range(1, 33)])
    np.testing.assert_allclose(tree.variances(32), expected, rtol=1e-12)
    noise = tree.release_batch(np.arange(32.0), np.random.default_rng(4), runs) - np.cumsum(np.arange(32.0))
    assert (np.abs((noise**2).mean(axis=0) / expected - 1) < 6 * math.sqrt(5 / runs)).all()
    hybrid = HybridTree.with_scale(1.0)
    assert hybrid.variances(6) == pytest.approx([8, 16, 24, 24, 24 + 32, 24 + 32])


def test_the_density_of_prefix_sums_is_that_of_the_nodes(tree):
    rng = np.random.default_rng(0)
    items = rng.normal(size=(20, 2))
    outputs = tree.release_batch(items, rng, 4)
    by_node = tree.node_log_densities(outputs, items)
    assert by_node.shape == (4, 20)
    for run in range(4):
        before = np.vstack((np.zeros(2), outputs[run]))
        for step, node in enumerate(tree.nodes(20)):
            noisy = before[node.stop] - before[node.start]
            exact = items[node.start : node.stop].sum(axis=0)
            expected = stats.laplace.logpdf(noisy, exact, node.scale).sum()
            assert by_node[run, step] == pytest.approx(expected, rel=1e-9)
    np.testing.assert_allclose(tree.log_density(outputs, items), by_node.sum(axis=1), rtol=1e-12)


def test_the_loss_agrees_with_opendps_tree_in_l1_only():
    """In L2 OpenDP's map multiplies by the number of levels although a spread-out change moves the tree further."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    for horizon in (1, 2, 4, 16, 64):
        space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
        tree = dp.t.make_b_ary_tree(*space, leaf_count=horizon, branching_factor=2)
        assert tree.map(1) == BinaryTree.with_scale(1.0, horizon=horizon).statistics_per_datum


def test_a_recorder_sees_every_node_as_one_laplace_release(tree):
    class Tape(Recorder):
        def __init__(self):
            self.seen = []

        def release(self, mechanism, value, *, secure):
            self.seen.append((mechanism, value))
            return value

    class Wrapped:
        """Something that can only be added up."""

        def __init__(self, items):
            self.items = items

        def __add__(self, other):
            return Wrapped(self.items + other.items)

    tape, stream = Tape(), tree.start(np.random.default_rng(0))
    with recording(tape):
        totals = [stream.add(Wrapped([i])) for i in range(16)]
    for node, (mechanism, value) in zip(tree.nodes(16), tape.seen, strict=True):
        assert mechanism == Laplace.with_scale(node.scale)
        assert value.items == list(node.items)
    assert [total.items for total in totals] == [list(range(i + 1)) for i in range(16)]


def test_refused_items_change_nothing(tree):
    stream, twin = (tree.start(np.random.default_rng(1)) for _ in range(2))
    assert stream.add([1.0, 2.0]).tolist() == twin.add([1.0, 2.0]).tolist()
    for bad in (1.0, [1.0], [1.0, math.nan], "1", None, [True, True]):
        with pytest.raises(PrivcheckError):
            stream.add(bad)
    assert stream.add([0.0, 1.0]).tolist() == twin.add([0.0, 1.0]).tolist()
    for bad in (None, 1, np.random):
        with pytest.raises(PrivcheckError, match=r"numpy\.random\.Generator"):
            tree.start(bad)


def test_a_returned_prefix_sum_is_the_callers_own(tree):
    stream, twin = (tree.start(np.random.default_rng(1)) for _ in range(2))
    stream.add([1.0, 2.0])[:] = 99.0
    twin.add([1.0, 2.0])
    assert stream.add([0.0, 1.0]).tolist() == twin.add([0.0, 1.0]).tolist()


def test_the_horizon_is_a_horizon():
    tree = BinaryTree(horizon=2, sensitivity=1.0, epsilon=1.0)
    stream = tree.start(np.random.default_rng(0))
    stream.add(1.0)
    stream.add(1.0)
    with pytest.raises(PrivcheckError, match="horizon"):
        stream.add(1.0)
    assert stream.step == 2
    with pytest.raises(PrivcheckError, match="length of the stream"):
        tree.release([1.0, 2.0, 3.0], np.random.default_rng(0))
    with pytest.raises(PrivcheckError, match="output"):
        tree.log_density([1.0], [1.0, 2.0])
    with pytest.raises(PrivcheckError, match="other"):
        tree.log_ratio([1.0, 2.0], [1.0, 2.0], [1.0])
    with pytest.raises(PrivcheckError, match="step"):
        HybridTree.with_scale(1.0).node(0)


@pytest.mark.chance(2e-9, "two Kolmogorov tests", fresh=True)
def test_secure_releases_follow_the_law_and_half_the_scale_does_not(tree):
    """OpenDP takes no seed: a correct sampler fails here with probability 1e-9 in each run."""
    items = np.zeros((6, 400))
    scales = tree.scales(6)
    stream = tree.start(secure=True)
    streamed = np.array([stream.add(item) for item in items])
    for outputs in (streamed, tree.release(items, None, secure=True)):
        noise = tree.noisy_nodes(outputs, items) / scales[:, None]
        assert stats.kstest(noise.ravel(), stats.laplace.cdf).pvalue >= 1e-9
        assert stats.kstest(noise.ravel() / 2, stats.laplace.cdf).pvalue < 1e-9
