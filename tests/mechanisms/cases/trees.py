"""Trees with Laplace noise; `tree_oracles.py` writes them a second time."""

from privcheck.mechanisms import BinaryTree, HybridTree, KaryTree

from . import tree_oracles as trees
from .bad_values import BAD_STREAMS
from .case import Case


def binary_opendp(scale: float, sensitivity: float) -> float:
    """OpenDP's tree over 8 leaves, in L1; in L2 its map is unsound. It scales integers, so the map is taken at 1."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    tree = dp.t.make_b_ary_tree(*space, leaf_count=8, branching_factor=2)
    return (tree >> dp.m.then_laplace(scale=scale)).map(1) * sensitivity


CASES = {
    "binary-tree": Case(
        BinaryTree,
        trees.TREE_VALUE,
        (*BAD_STREAMS, [1.0] * 9),
        trees.tree_worst_loss(trees.binary_nodes),
        trees.tree_change,
        trees.tree_p_value(trees.binary_nodes),
        binary_opendp,
        {"horizon": 8},
        pair=([0.0] * 4, [1.0, 0.0, 0.0, 0.0], 1.0),
    ),
    "k-ary-tree": Case(
        KaryTree,
        trees.TREE_VALUE,
        (*BAD_STREAMS, [1.0] * 9),
        trees.tree_worst_loss(trees.kary_nodes(3)),
        trees.tree_change,
        trees.tree_p_value(trees.kary_nodes(3)),
        None,  # OpenDP's tree pads the stream to a power of the degree and has a level more; see test_kary_tree.py
        {"horizon": 8, "degree": 3},
        pair=([0.0] * 4, [1.0, 0.0, 0.0, 0.0], 1.0),
    ),
    "hybrid-tree": Case(
        HybridTree,
        trees.TREE_VALUE,
        BAD_STREAMS,
        trees.tree_worst_loss(trees.hybrid_nodes),
        trees.tree_change,
        trees.tree_p_value(trees.hybrid_nodes),
        None,
        {"total_share": 0.3},
        pair=([0.0] * 4, [0.0, 0.0, 1.0, 0.0], 1.0),
    ),
}
