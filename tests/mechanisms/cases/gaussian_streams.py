"""Streams with Gaussian noise: trees and factorisations."""

import math

import numpy as np

from privcheck.mechanisms import FactorisedStream, GaussianTree, Mechanism, SymmetricGaussianTree

from . import gaussian_oracles as normal
from . import tree_oracles as trees
from .bad_values import BAD_STREAMS
from .case import Case


def ternary_rows(mechanism: Mechanism, length: int) -> np.ndarray:
    return normal.rows_of(trees.kary_nodes(3), mechanism, length)


CASES = {
    "gaussian-tree": Case(
        GaussianTree,
        trees.TREE_VALUE,
        (*BAD_STREAMS, [1.0] * 9),
        normal.worst_loss(ternary_rows),
        normal.vectors_change,
        normal.stream_p_value(ternary_rows, normal.prefixes_to_nodes, trees.TREE_VALUE),
        None,  # OpenDP's map of trees in L2 is unsound
        {"horizon": 8, "degree": 3},
        pair=([0.0] * 4, [1.0, 0.0, 0.0, 0.0], 1.0),
        largest_ratio=normal.largest_ratio(ternary_rows, normal.prefixes_to_nodes),
    ),
    "symmetric-gaussian-tree": Case(
        SymmetricGaussianTree,
        normal.MATRICES,
        (*BAD_STREAMS, [1.0] * 8, [[1.0, 2.0]], [[[1.0]]] * 9, [[[1.0, 2.0]]]),
        normal.worst_loss(ternary_rows),
        normal.matrices_change,
        normal.stream_p_value(ternary_rows, normal.prefixes_to_nodes, normal.MATRICES),
        None,
        {"horizon": 8, "degree": 3},
        pair=([[[0.0]]] * 4, [[[1.0]], *[[[0.0]]] * 3], 1.0),
        largest_ratio=normal.largest_ratio(ternary_rows, normal.prefixes_to_nodes),
    ),
    "factorised-stream": Case(
        FactorisedStream,
        trees.TREE_VALUE,
        (*BAD_STREAMS, [1.0] * 9),
        normal.worst_loss(normal.square_root_rows),
        normal.vectors_change,
        normal.stream_p_value(normal.square_root_rows, normal.prefixes_to_rows, trees.TREE_VALUE),
        None,  # OpenDP has no factorisations
        {"horizon": 8, "bandwidth": 5},
        pair=([0.0] * 6, [1.0, *[0.0] * 5], 1.0),
        largest_ratio=normal.largest_ratio(normal.square_root_rows, normal.prefixes_to_rows),
        column_norm=lambda mechanism: math.sqrt((normal.square_root_rows(mechanism, 8)[:, 0] ** 2).sum()),
    ),
}
