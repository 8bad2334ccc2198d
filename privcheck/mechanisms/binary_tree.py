"""The binary tree mechanism: all prefix sums of a stream of known length."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from privcheck.accounting import Charge
from privcheck.arrays import Array, Integers
from privcheck.declared import POSITIVE, Integer, check, parameter
from privcheck.errors import PrivcheckError
from privcheck.mechanisms.base import Pairs
from privcheck.mechanisms.prefix_tree import Node, PrefixTree, most_covered


@dataclass(frozen=True, kw_only=True)
class BinaryTree(PrefixTree):
    r"""Release every prefix sum of a stream of at most T numbers or vectors, from noisy sums of dyadic blocks.

    Step t releases N_t = (sum of the last 2^k items) + Laplace noise of scale b, where 2^k is the largest power of two
    that divides t. The prefix sum at t is N_t plus the prefix sum at t - 2^k: popcount(t) nodes, variance
    2 b^2 popcount(t). b = m s (1 + 4e-9) / epsilon, with m the largest number of the T nodes that one item enters.

    Parameters
    ----------
    sensitivity : s > 0, in the unit of the items: how far one item can move in L1 (hi - lo for rewards in [lo, hi]).
    epsilon : > 0, the budget of all prefix sums together, charged exactly.
    given_scale : b > 0, the noise scale of a node, instead of these two; `BinaryTree.with_scale(b, horizon=T)` sets it.
    horizon : T >= 1, at most 2^25: the largest number of items.

    Guarantee
    ---------
    Notion: pure differential privacy, epsilon (m s / b if a scale was given) for all T prefix sums together.
    Neighbours: streams of equal length that differ in one item, replaced by one at L1 distance at most s.
    Released: the T nodes, and with them every prefix sum; each node's noise is drawn once and reused.
    What one datum can change: the at most m nodes that contain it, each by at most s. m is found by enumerating the T
    nodes; it is floor(log2 T) + 1, attained by the first item.
    Noise: Laplace of scale b per node and entry, fast floating-point draws; `secure=True` uses OpenDP's exact sampler.
    Ties: nothing is compared.
    Proof: which items a node sums depends only on t. The nodes are independent Laplace mechanisms, and an item costs at
    most s / b in each node that contains it. The next item may depend on earlier releases (adaptive composition).

    Raises
    ------
    PrivcheckError : a parameter outside its domain, more items than the horizon, an item that is not finite or has
        a shape other than that of the items before it, an `rng` that is not a Generator.

    Source: Chan, Shi and Song (2011), binary mechanism; Dwork, Naor, Pitassi and Rothblum (2010).

    Examples
    --------
    >>> import numpy as np
    >>> tree = BinaryTree(horizon=8, sensitivity=1.0, epsilon=2.0)
    >>> tree.statistics_per_datum, round(tree.scale, 6), tree.loss(1.0)
    (4, 2.0, 2.0)
    >>> stream = tree.start(np.random.default_rng(0))
    >>> [round(stream.add(x), 2) for x in (1.0, 0.0, 1.0)]
    [1.64, -0.23, -4.24]
    >>> tree.release([1.0, 0.0, 1.0], np.random.default_rng(0)).round(2).tolist()
    [1.64, -0.23, -4.24]
    >>> [(node.start, node.stop) for node in stream.released]
    [(0, 1), (0, 2), (2, 3)]

    """

    id: ClassVar[str] = "binary-tree"
    notion: ClassVar[str] = "pure"
    sensitivity_norm: ClassVar[str] = "L1"
    source: ClassVar[str] = "Chan, Shi and Song (2011), binary mechanism; Dwork, Naor, Pitassi and Rothblum (2010)"

    sensitivity: float | None = parameter(
        POSITIVE, default=None, typical=(0.01, 10.0), doc="s, unit of the items: L1 sensitivity of one item",
        hint="give the L1 sensitivity of one item with epsilon, or a scale with BinaryTree.with_scale",
    )  # fmt: skip
    epsilon: float | None = parameter(
        POSITIVE, default=None, typical=(0.1, 10.0), doc="epsilon: privacy budget of all prefix sums together",
        hint="give epsilon with the sensitivity, or a scale with BinaryTree.with_scale",
    )  # fmt: skip
    given_scale: float | None = parameter(
        POSITIVE, default=None, typical=(0.1, 100.0), doc="b, unit of the items: noise scale of a node",
        hint="give either sensitivity and epsilon, or a scale",
    )  # fmt: skip
    horizon: int = parameter(
        Integer(1, 2**25), typical=(1, 1000), doc="T: largest number of items",
        hint="use hybrid-tree for streams of unknown or greater length",
    )  # fmt: skip

    @property
    def statistics_per_datum(self) -> int:
        """The largest number m of released nodes that one item enters, found by enumeration."""
        return _levels(self.horizon)

    def node(self, step: int) -> Node:
        """Return the node that step t in 1, ..., T releases."""
        if not 1 <= step <= self.horizon:
            hint = "declare a longer horizon before the first item, or use hybrid-tree"
            raise PrivcheckError("step", step, f"at most the horizon {self.horizon}", hint)
        return Node(step & (step - 1), step, self.scale)

    def starts(self, length: int) -> Integers:
        """Return t with its lowest binary 1 removed, for t = 1, ..., length."""
        return _starts(length)

    def scales(self, length: int) -> Array:
        """Return the noise scales of the first nodes, which are all the same."""
        return np.full(length, self.scale)

    def dominating_pairs(self, charge: Charge, sensitivity: float) -> Pairs:  # noqa: ARG002
        """Return Laplace noise on the nodes that one datum enters, at equal parts of epsilon."""
        return self._equal_nodes(charge)

    def check_length(self, length: int) -> int:
        """Return the length of a stream if it is within the horizon."""
        hint = "declare a longer horizon, or use hybrid-tree"
        return int(check("length of the stream", length, Integer(1, self.horizon), hint))


def _starts(length: int) -> Integers:
    steps = np.arange(1, length + 1, dtype=np.int64)
    return steps & (steps - 1)


@lru_cache(maxsize=256)
def _levels(horizon: int) -> int:
    """Return the largest number of the T released nodes that cover one item.

    >>> [_levels(horizon) for horizon in (1, 2, 3, 4, 7, 8)]
    [1, 2, 2, 3, 3, 4]
    """
    return most_covered(_starts(horizon), np.arange(1, horizon + 1))
