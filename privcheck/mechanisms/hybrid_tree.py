"""The hybrid tree mechanism: all prefix sums of a stream of unknown length."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from privcheck.accounting import Charge, LaplacePair
from privcheck.arrays import Array, Integers
from privcheck.declared import POSITIVE, Real, parameter
from privcheck.errors import PrivcheckError
from privcheck.mechanisms.base import Pairs
from privcheck.mechanisms.prefix_tree import Node, PrefixTree, bit_lengths, most_covered


@dataclass(frozen=True, kw_only=True)
class HybridTree(PrefixTree):
    r"""Release every prefix sum of a stream of any length, from totals of doubling epochs and a tree inside each.

    Epochs end at t = 1, 2, 4, 8, ...; the one that ends at 2^(i+1) has 2^i items. Its last step releases the noisy
    total of the epoch, and each earlier step a node of a binary tree. The prefix sum at t adds the totals of the
    finished epochs and, inside an epoch, popcount(items since its start) nodes. With b = s (1 + 4e-9) / epsilon, the
    noise is Laplace of scale b / share for a total and m b / (1 - share) for a node, where m is the largest number of
    that epoch's nodes that one item enters.

    Parameters
    ----------
    sensitivity : s > 0, in the unit of the items: how far one item can move in L1 (hi - lo for rewards in [lo, hi]).
    epsilon : > 0, the budget of all prefix sums together, charged exactly.
    given_scale : b > 0, instead of these two; `HybridTree.with_scale(b)` sets it.
    total_share : in (0, 1), the share of the budget for the totals of epochs; the rest is for the trees.

    Guarantee
    ---------
    Notion: pure differential privacy, epsilon (s / b if b was given) for all prefix sums together, however many.
    Neighbours: streams of equal length that differ in one item, replaced by one at L1 distance at most s.
    Released: one node or total per step, and with them every prefix sum; its noise is drawn once and reused.
    What one datum can change: the total of its epoch, which costs share s / b, and at most m nodes of its epoch's tree,
    which cost (1 - share) s / (m b) each. m is found by enumerating the epoch's nodes; it is i for 2^i items.
    Noise: Laplace per released sum and entry, fast floating-point draws; `secure=True` uses OpenDP's exact sampler.
    Ties: nothing is compared.
    Proof: which items a released sum contains depends only on t, and an item enters only sums of its own epoch. They
    are independent Laplace mechanisms, so the costs above add up. The next item may depend on earlier releases.

    Raises
    ------
    PrivcheckError : a parameter outside its domain, an item that is not finite or has a shape other than that of the
        items before it, an `rng` that is not a Generator.

    Source: Chan, Shi and Song (2011), logarithmic and hybrid mechanism, where the share is 1 / 2.

    Examples
    --------
    >>> import numpy as np
    >>> tree = HybridTree(sensitivity=1.0, epsilon=2.0)
    >>> [(node.start, node.stop, round(node.scale, 6)) for node in tree.nodes(6)]
    [(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0), (2, 4, 1.0), (4, 5, 2.0), (4, 6, 2.0)]
    >>> stream = tree.start(np.random.default_rng(0))
    >>> [round(stream.add(x), 2) for x in (1.0, 0.0, 1.0)]
    [1.32, 0.7, -0.8]
    >>> tree.release([1.0, 0.0, 1.0], np.random.default_rng(0)).round(2).tolist(), tree.loss(1.0)
    ([1.32, 0.7, -0.8], 2.0)

    """

    id: ClassVar[str] = "hybrid-tree"
    notion: ClassVar[str] = "pure"
    sensitivity_norm: ClassVar[str] = "L1"
    source: ClassVar[str] = "Chan, Shi and Song (2011), logarithmic and hybrid mechanism"

    sensitivity: float | None = parameter(
        POSITIVE, default=None, typical=(0.01, 10.0), doc="s, unit of the items: L1 sensitivity of one item",
        hint="give the L1 sensitivity of one item with epsilon, or a scale with HybridTree.with_scale",
    )  # fmt: skip
    epsilon: float | None = parameter(
        POSITIVE, default=None, typical=(0.1, 10.0), doc="epsilon: privacy budget of all prefix sums together",
        hint="give epsilon with the sensitivity, or a scale with HybridTree.with_scale",
    )  # fmt: skip
    given_scale: float | None = parameter(
        POSITIVE, default=None, typical=(0.1, 100.0), doc="b, unit of the items: sensitivity per unit of budget",
        hint="give either sensitivity and epsilon, or a scale",
    )  # fmt: skip
    total_share: float = parameter(
        Real(0.0, 1.0, low_open=True, high_open=True), default=0.5, typical=(0.1, 0.9),
        doc="share of the budget for the totals of epochs", hint="0.5 splits the budget equally",
    )  # fmt: skip

    def node(self, step: int) -> Node:
        """Return the node or total that step t >= 1 releases."""
        if step < 1:
            raise PrivcheckError("step", step, "an integer of at least 1")
        before = (1 << (step - 1).bit_length()) >> 1
        position = step - before
        return Node(before + (position & (position - 1)), step, self._scale(max(before, 1), position))

    def starts(self, length: int) -> Integers:
        """Return the first items of the sums that steps 1, ..., length release."""
        before, position = _epochs(length)
        return before + (position & (position - 1))

    def scales(self, length: int) -> Array:
        """Return the noise scales of the sums that steps 1, ..., length release."""
        before, position = _epochs(length)
        scales = np.empty(length)
        for size in np.unique(np.maximum(before, 1)).tolist():
            epoch = np.maximum(before, 1) == size
            scales[epoch] = self._scale(size, 1)
            scales[epoch & (position == size)] = self._scale(size, size)
        return scales

    def dominating_pairs(self, charge: Charge, sensitivity: float) -> Pairs:  # noqa: ARG002
        """Return Laplace noise on a total and on one node at the rest of epsilon.

        One node dominates several that share its epsilon: see the guarantee of `LaplacePair`.
        """
        total = self.total_share * charge.epsilon
        return (LaplacePair(total), 1), (LaplacePair(charge.epsilon - total), 1)

    def _scale(self, size: int, position: int) -> float:
        if position == size:
            return self.scale / self.total_share
        return _levels(size) * self.scale / (1.0 - self.total_share)


def _epochs(length: int) -> tuple[Integers, Integers]:
    """Return for steps 1, ..., length how many items precede their epoch, and their position in it, from 1."""
    steps = np.arange(1, length + 1, dtype=np.int64)
    before = (np.int64(1) << bit_lengths(steps - 1)) >> np.int64(1)
    return before, steps - before


@lru_cache(maxsize=64)
def _levels(size: int) -> int:
    """Return the largest number of tree nodes that cover one item; every step of an epoch but the last has a node.

    >>> [_levels(size) for size in (1, 2, 4, 8)]
    [0, 1, 2, 3]
    """
    positions = np.arange(1, size, dtype=np.int64)
    return most_covered(positions & (positions - 1), positions)
