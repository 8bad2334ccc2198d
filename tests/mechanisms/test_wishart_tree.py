"""The tree of Wishart releases: the law of every prefix sum, the privacy of all of them together, and the guard."""

import dataclasses
import math

import numpy as np
import pytest
from scipy import stats

from privcheck.accounting import Approximate, ReleaseRefusedError, gaussian_delta
from privcheck.certifying import Session
from privcheck.errors import PrivcheckError
from privcheck.mechanisms import WishartTree
from privcheck.privacy import Contexts, relation

SMALL = WishartTree(dimension=2, degrees=20, sensitivity=4.0, delta=0.01, horizon=9)


class WithoutFreshNoise(WishartTree):
    """As the paper's text has it: only the nodes that a prefix sum happens to consist of."""

    def _wishart(self, nodes):
        return super()._wishart(nodes) if nodes == 1 else _Silent()


class _Silent:
    def noise(self, count, _):
        return np.zeros((count, 2, 2))


def trace_p_values(tree, sums, exact):
    """Kolmogorov-Smirnov tests of the traces of the noise against chi-square with p m k degrees of freedom."""
    traces = np.trace(sums - np.cumsum(exact, axis=0), axis1=2, axis2=3) / tree.sensitivity
    law = stats.chi2(tree.dimension * tree.levels * tree.degrees)
    return [stats.kstest(traces[:, t], law.cdf).pvalue for t in range(len(exact))]


@pytest.mark.chance(2e-6, "nine Kolmogorov tests, twice, each time at 1e-6 by Bonferroni")
def test_the_noise_of_every_prefix_sum_has_one_law():
    """False failure 1e-6 by Bonferroni over the 9 steps; the twin has too little noise at most of them."""
    items, rng = np.array([np.diag([float(t), 1.0]) for t in range(9)]), np.random.default_rng(0)
    assert 9 * min(trace_p_values(SMALL, SMALL.release_batch(items, rng, 1500), items)) >= 1e-6
    twin = WithoutFreshNoise(**dataclasses.asdict(SMALL))
    found = trace_p_values(twin, twin.release_batch(items, rng, 1500), items)
    assert max(p for t, p in enumerate(found, 1) if SMALL.levels - t.bit_count() > 1) < 1e-6
    streams = []
    for _ in range(120):
        stream = SMALL.start(rng)
        streams.append([stream.add(item) for item in items])
    assert 9 * min(trace_p_values(SMALL, np.array(streams), items)) >= 1e-6


@pytest.mark.chance(1e-8, "3600 eigenvalues whose square roots lie 7 or more standard deviations inside")
def test_the_eigenvalues_stay_within_proposition_9_and_do_not_without_fresh_noise():
    """Shariff and Sheffet (2018): s (sqrt(m k) -+ b)^2 with b = sqrt(p) + sqrt(2 ln(8 T / alpha)), alpha = 0.01."""
    tree = dataclasses.replace(SMALL, degrees=200)
    root, slack = math.sqrt(tree.levels * tree.degrees), math.sqrt(2) + math.sqrt(2 * math.log(8 * 9 / 0.01))
    for kind, holds in ((WishartTree, True), (WithoutFreshNoise, False)):
        sums = kind(**dataclasses.asdict(tree)).release_batch(np.zeros((9, 2, 2)), np.random.default_rng(1), 200)
        values = np.linalg.eigvalsh(sums) / tree.sensitivity
        assert ((values >= (root - slack) ** 2) & (values <= (root + slack) ** 2)).all() == holds


def test_the_numbers_of_the_paper():
    """Five features and a response, n = 5e7: k = 139115 at (1, 0.1); their losses are far smaller than the budget."""
    published = WishartTree.published(dimension=6, sensitivity=2.0, horizon=5 * 10**7, epsilon=1.0, delta=0.1)
    assert published.degrees == 139115
    assert published.charge_of_one_row(2.0).mu == pytest.approx(math.sqrt(26 / (2 * 139115)), rel=0.02)
    assert published.charge(2.0).mu < 0.02
    assert published.charge(2.0).delta < 0.05


@pytest.mark.chance(1e-9, "means more than 25 standard errors from their limits")
@pytest.mark.parametrize(("rows", "horizon", "delta"), [(4, 10**4, 0.1), (6, 10**4, 0.1), (6, 10**6, 1e-3)])
def test_the_prefix_sums_of_an_exact_tree_are_private_together(rows, horizon, delta):
    """The loss of removing an item from m nodes, sampled from its exact law: delta at epsilon = 1 is below the bound.

    Half of the degrees of freedom give more than the bound of the charge with half of its mu, so it is not vacuous.
    """
    tree = WishartTree.exact(dimension=rows, sensitivity=2.0, horizon=horizon, epsilon=1.0, delta=delta)
    charge, freedom = tree.charge_of_one_row(2.0), tree.degrees - rows + 1
    assert tree.charge(2.0).delta <= delta / 2
    x = np.random.default_rng(2).chisquare(freedom, (200_000, tree.levels))
    with np.errstate(divide="ignore", invalid="ignore"):
        losses = -(freedom / 2 - 1) * np.log(np.maximum(0.0, 1 - 1 / x)) - 0.5
    total = losses.sum(axis=1)
    for epsilon in (0.0, 0.5, 1.0):
        found = np.maximum(0.0, -np.expm1(epsilon - total)).mean()
        assert found <= charge.delta + gaussian_delta(charge.mu, epsilon).upper
        assert found < delta or epsilon < 1.0
    assert np.maximum(0.0, -np.expm1(-total)).mean() > gaussian_delta(0.7 * charge.mu, 0.0).upper


@pytest.mark.chance(1e-9, "means more than 7 standard errors from their limits")
def test_replacing_an_item_between_two_rows_at_right_angles():
    """Loss of whole matrices in the nodes that hold the item, one log-ratio a node: below the charge for replacing."""
    tree = WishartTree.exact(dimension=2, sensitivity=1.0, horizon=100, epsilon=1.0, delta=0.01)
    node, rng = tree.node_mechanism, np.random.default_rng(3)
    one, two = np.diag([1.0, 0.0]), np.diag([0.0, 1.0])
    outputs = node.release_batch(one, rng, 40_000 * tree.levels)
    total = node.log_ratio(outputs, one, two).reshape(40_000, -1).sum(axis=1)
    charge = tree.charge(1.0)
    for epsilon in (0.0, 0.5, 1.0):
        found = np.maximum(0.0, -np.expm1(epsilon - total)).mean()
        assert found < charge.delta + gaussian_delta(charge.mu, epsilon).upper
    assert np.maximum(0.0, -np.expm1(-total)).mean() > gaussian_delta(0.5 * charge.mu, 0.0).upper


def test_the_charge_is_that_of_all_nodes():
    node, whole = SMALL.node_mechanism.charge(4.0), SMALL.charge(4.0)
    assert SMALL.levels == 4
    assert whole.epsilon == pytest.approx(4 * node.epsilon)
    assert whole.mu == pytest.approx(2 * node.mu)
    assert whole.delta == pytest.approx(0.04)
    entered = [sum(item in SMALL.node(step).items for step in range(1, 10)) for item in range(9)]
    assert max(entered) == SMALL.levels
    exact = WishartTree.exact(dimension=3, sensitivity=1.0, horizon=50, epsilon=1.0, delta=1e-4)
    fewer = dataclasses.replace(exact, degrees=exact.degrees - 1)
    deltas = [gaussian_delta(each.charge(1.0).mu, 1.0).upper for each in (exact, fewer)]
    assert deltas[0] <= 0.5e-4 < deltas[1]


@pytest.mark.parametrize("factor", [1.0, 0.5])
def test_a_guarded_policy_keeps_within_its_budget(factor):
    """With the degrees of the exact tree all 8 rounds are released; with half of them a release is refused."""
    tree = WishartTree.exact(dimension=3, sensitivity=2.0, horizon=8, epsilon=1.0, delta=1e-3)
    tree = dataclasses.replace(tree, degrees=int(factor * tree.degrees))
    noise, space = np.random.default_rng(0), Contexts(shape=(2,), norm=1.0)
    session = Session(
        relation("context-reward"), (-1.0, 1.0), Approximate(1.0, 1e-3), noise, contexts=space, accountants={"gdp": 0.5}
    )
    stream, sums = tree.start(), []

    def play():
        for session.round in range(1, 9):
            context, _, reward = session.contextual(np.array([0.6, 0.8]), 0, 0.5, 2)
            row = np.stack([*context, reward])
            sums.append(stream.add(np.outer(row, row)))

    with session.active():
        if factor == 1.0:
            play()
        else:
            with pytest.raises(ReleaseRefusedError, match="budget"):
                play()
    assert (len(sums) == 8) == (factor == 1.0)
    assert all(np.linalg.eigvalsh(noisy)[0] > 0 for noisy in sums)
    totals = session.ledger.paid
    assert max(total.mu for total in totals.values()) <= tree.charge(2.0).mu * (1 + 1e-12)
    assert [total.delta > 0 for total in totals.values()] == [True] * len(totals)


def test_bad_input_is_refused():
    stream = dataclasses.replace(SMALL, horizon=1).start(np.random.default_rng(0))
    stream.add(np.eye(2))
    with pytest.raises(PrivcheckError, match="horizon"):
        stream.add(np.eye(2))
    for bad in (np.eye(3), 1.0, [[0.0, 1.0], [0.0, 0.0]]):
        with pytest.raises(PrivcheckError):
            SMALL.start(np.random.default_rng(0)).add(bad)
        with pytest.raises(PrivcheckError):
            SMALL.release_batch(bad, np.random.default_rng(0), 2)
    with pytest.raises(PrivcheckError, match=r"numpy\.random\.Generator"):
        SMALL.start().add(np.eye(2))
    for name, bad in (("degrees", 3), ("horizon", 0), ("delta", 0.0), ("sensitivity", math.nan)):
        with pytest.raises(PrivcheckError, match=name):
            dataclasses.replace(SMALL, **{name: bad})
    for name, bad in (("dimension", "x"), ("sensitivity", None), ("epsilon", 0.0), ("delta", 2.0), ("horizon", 1.5)):
        for make in (WishartTree.exact, WishartTree.published):
            given = {"dimension": 2, "sensitivity": 1.0, "epsilon": 0.5, "delta": 1e-6, "horizon": 4, name: bad}
            with pytest.raises(PrivcheckError, match=name):
                make(**given)
    for bad in (0.0, 1.0, math.nan):
        with pytest.raises(PrivcheckError, match="share"):
            WishartTree.exact(dimension=2, sensitivity=1.0, horizon=4, epsilon=1.0, delta=0.1, share=bad)
