"""The oracles against networkx, scipy and enumeration, which share no code with them."""

import itertools
import math

import numpy as np
import pytest

from privcheck.errors import PrivcheckError
from privcheck.oracles import GreedyCoverage, MaximumSpanningTree, ShortestPath, TopK, base_arms

GRID = tuple(
    [(4 * r + c, 4 * r + c + 1) for r in range(3) for c in range(3)]
    + [(4 * r + c, 4 * r + c + 4) for r in range(2) for c in range(4)]
)
"""The edges of a grid of 3 x 4 vertices."""


def graph_of(nx, edges, weights, directed=False):
    graph = (nx.MultiDiGraph if directed else nx.MultiGraph)()
    for (a, b), weight in zip(edges, weights, strict=True):
        graph.add_edge(a, b, weight=weight)
    return graph


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("directed", [False, True])
def test_shortest_paths_are_those_of_networkx(seed, directed):
    nx = pytest.importorskip("networkx")
    index = np.random.default_rng(seed).random(len(GRID))
    oracle = ShortestPath(GRID, 0, 11, directed)
    path = oracle(index)
    assert oracle.check(path) == path
    graph = graph_of(nx, GRID, 1.0 - index, directed)
    assert sum(1.0 - index[list(path)]) == pytest.approx(nx.shortest_path_length(graph, 0, 11, weight="weight"))
    assert oracle.best(index) == pytest.approx(-nx.shortest_path_length(graph, 0, 11, weight="weight"))


@pytest.mark.parametrize("seed", range(20))
def test_spanning_trees_are_those_of_networkx(seed):
    nx = pytest.importorskip("networkx")
    index = np.random.default_rng(seed).random(len(GRID))
    oracle = MaximumSpanningTree(GRID)
    tree = oracle.check(oracle(index))
    best = nx.maximum_spanning_tree(graph_of(nx, GRID, index)).size(weight="weight")
    assert sum(index[list(tree)]) == pytest.approx(best)
    assert oracle.best(index) == pytest.approx(best)
    assert nx.is_tree(graph_of(nx, [GRID[e] for e in tree], [1.0] * len(tree)))


def test_graphs_of_networkx_are_taken():
    nx = pytest.importorskip("networkx")
    assert MaximumSpanningTree.of(nx.cycle_graph(4)).edges == ((0, 1), (0, 3), (1, 2), (2, 3))
    assert ShortestPath.of(nx.DiGraph([(0, 1), (1, 2)]), 0, 2).directed


@pytest.mark.parametrize("seed", range(10))
def test_the_top_k_are_those_of_numpy(seed):
    rng = np.random.default_rng(seed)
    m = int(rng.integers(2, 20))
    k = int(rng.integers(1, m + 1))
    index = rng.integers(0, 5, m) / 4.0
    found = TopK(m, k)(index)
    assert found == tuple(sorted(np.argsort(-index, kind="stable")[:k].tolist()))


@pytest.mark.parametrize("seed", range(20))
def test_greedy_coverage_has_its_share_of_the_best(seed):
    rng = np.random.default_rng(seed)
    edges = tuple((u, v) for u in range(5) for v in range(6) if rng.random() < 0.5 or u == v)
    oracle, p = GreedyCoverage(edges, 2), rng.random(len(edges))

    def covered(chosen):
        return sum(
            1.0 - math.prod(1.0 - p[e] for e, (u, w) in enumerate(edges) if w == v and u in chosen) for v in range(6)
        )

    best = max(map(covered, itertools.combinations(range(5), 2)))
    chosen = oracle.check(oracle(p))
    value = covered({edges[e][0] for e in chosen})
    assert oracle.best(p) == pytest.approx(best)
    assert oracle.reward(p, chosen) == pytest.approx(value)
    assert oracle.alpha * best <= value <= best + 1e-12
    first = max(range(5), key=lambda u: covered((u,)))
    second = max(set(range(5)) - {first}, key=lambda u: covered((first, u)))
    assert {edges[e][0] for e in chosen} == {first, second}


@pytest.mark.parametrize(
    ("oracle", "wrong", "named"),
    [
        (TopK(4, 2), [0, 1, 2], "{0, 1, 2}"), (TopK(4, 2), [1], "{1}"), (TopK(4, 2), [1, 1], "(1, 1)"),
        (TopK(4, 2), [1, 4], "(1, 4)"), (TopK(4, 2), [1.5, 0], "[1.5, 0]"), (TopK(4, 2), 3, "3"),
        (ShortestPath(GRID, 0, 11), [0, 1], "{0, 1}"), (MaximumSpanningTree(GRID), [0, 1, 2], "{0, 1, 2}"),
        (ShortestPath(((0, 1), (1, 2), (2, 3), (3, 1), (2, 4)), 0, 4), [0, 1, 2, 3, 4], "{0, 1, 2, 3, 4}"),
        (ShortestPath(((0, 1), (1, 2), (3, 4), (4, 5), (5, 3)), 0, 2), [0, 1, 2, 3, 4], "{0, 1, 2, 3, 4}"),
        (ShortestPath(((0, 1), (2, 1), (1, 2)), 0, 2, directed=True), [0, 1], "{0, 1}"),
        (MaximumSpanningTree(((0, 1), (1, 2), (0, 2), (2, 3))), [0, 1, 2], "{0, 1, 2}"),
        (GreedyCoverage(((0, 0), (0, 1), (1, 1), (2, 2)), 2), [0, 2], "{0, 2}"),
    ],
)  # fmt: skip
def test_a_set_that_is_not_feasible_is_refused_by_name(oracle, wrong, named):
    with pytest.raises(PrivcheckError) as caught:
        oracle.check(wrong)
    assert caught.value.parameter == "super arm"
    assert f"got {named}, expected" in str(caught.value)


@pytest.mark.parametrize(
    ("make", "parameter"),
    [
        (lambda: TopK(3, 4), "size"), (lambda: TopK(1, 1), "arms"), (lambda: TopK(63, 1), "arms"),
        (lambda: ShortestPath(((0, 1), (2, 3)), 0, 3), "edges"),
        (lambda: ShortestPath(((0, 1), (1, 2)), 0, 0), "target"),
        (lambda: ShortestPath(((1, 0), (1, 2)), 0, 2, directed=True), "edges"),
        (lambda: ShortestPath(((0, 0), (1, 2)), 0, 2), "edges"), (lambda: ShortestPath("01", 0, 1), "edges"),
        (lambda: MaximumSpanningTree(((0, 1), (2, 3))), "edges"), (lambda: MaximumSpanningTree(((0, 1),)), "edges"),
        (lambda: GreedyCoverage(((0, 0), (1, 0)), 3), "picks"), (lambda: GreedyCoverage(((0, 0), (1, 0)), 0), "picks"),
    ],
)  # fmt: skip
def test_problems_that_are_none_are_refused(make, parameter):
    with pytest.raises(PrivcheckError) as caught:
        make()
    assert caught.value.parameter == parameter
    assert "\n" not in str(caught.value)


def test_a_super_arm_beyond_the_calibrated_size_is_refused():
    with pytest.raises(PrivcheckError, match="expected at most 2 base arms; the privacy noise is calibrated"):
        base_arms((0, 1, 2), 4, 2)
