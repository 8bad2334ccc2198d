"""The k-ary tree mechanism: all prefix sums of a stream of known length, from a tree of the best degree."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from privcheck.accounting import Charge
from privcheck.arrays import Array, Integers
from privcheck.declared import POSITIVE, Integer, check, parameter
from privcheck.errors import PrivcheckError
from privcheck.mechanisms.base import Pairs
from privcheck.mechanisms.prefix_tree import Node, PrefixTree, digits

HORIZON = Integer(1, 2**25)
DEGREE = Integer(0, 2**26)


class DegreeTree(PrefixTree):
    """Base of the trees in which step t releases the sum of the last k^v items, the largest power of k that divides t.

    The prefix sum at t then has as many nodes as the sum of the digits of t in base k. An item enters at most one node
    of each size, and the first item one of every size up to T: the number of digits of T in base k.
    """

    horizon: int
    degree: int
    cost_of_levels: ClassVar[int]
    """The power of the number of levels that the variance of a node is proportional to."""

    def __post_init__(self) -> None:
        horizon = check("horizon", self.horizon, HORIZON, "use hybrid-tree for streams of unknown or greater length")
        if check("degree", self.degree, DEGREE, DEGREE_HINT) == 0:
            object.__setattr__(self, "degree", best_degree(horizon, self.cost_of_levels))
        if self.degree == 1:
            raise PrivcheckError("degree", self.degree, "0 or an integer of at least 2", DEGREE_HINT)
        super().__post_init__()

    @property
    def statistics_per_datum(self) -> int:
        """The largest number m of released nodes that one item enters."""
        return digits(self.horizon, self.degree)

    def node(self, step: int) -> Node:
        """Return the node that step t in 1, ..., T releases."""
        if not 1 <= step <= self.horizon:
            hint = "declare a longer horizon before the first item, or use hybrid-tree"
            raise PrivcheckError("step", step, f"at most the horizon {self.horizon}", hint)
        size = self.degree
        while step % size == 0:
            size *= self.degree
        return Node(step - size // self.degree, step, self.scale)

    def starts(self, length: int) -> Integers:
        """Return t with its last digit other than 0 in base k lowered by 1, for t = 1, ..., length."""
        starts = np.arange(length, dtype=np.int64)
        size = self.degree
        while size <= length:
            starts[size - 1 :: size] = np.arange(0, length - size + 1, size)
            size *= self.degree
        return starts

    def scales(self, length: int) -> Array:
        """Return the noise scales of the first nodes, which are all the same."""
        return np.full(length, self.scale)

    def check_length(self, length: int) -> int:
        """Return the length of a stream if it is within the horizon."""
        hint = "declare a longer horizon, or use hybrid-tree"
        return int(check("length of the stream", length, Integer(1, self.horizon), hint))


DEGREE_HINT = "0 takes the degree with the smallest mean variance at this horizon"


@dataclass(frozen=True, kw_only=True)
class KaryTree(DegreeTree):
    r"""Release every prefix sum of a stream of at most T numbers or vectors, from noisy sums of blocks of k^v items.

    Step t releases N_t = (sum of the last k^v items) + Laplace noise of scale b, where k^v is the largest power of k
    that divides t. The prefix sum at t is N_t plus the prefix sum at t - k^v: as many nodes as the sum of the digits of
    t in base k, each of variance 2 b^2. b = m s (1 + 4e-9) / epsilon, with m the number of digits of T.

    Parameters
    ----------
    sensitivity : s > 0, in the unit of the items: how far one item can move in L1 (hi - lo for rewards in [lo, hi]).
    epsilon : > 0, the budget of all prefix sums together, charged exactly.
    given_scale : b > 0, the noise scale of a node, instead of these two; `KaryTree.with_scale(b, horizon=T)` sets it.
    horizon : T >= 1, at most 2^25: the largest number of items.
    degree : k >= 2; 0 takes the degree with the smallest mean variance of the T prefix sums.

    Guarantee
    ---------
    Notion: pure differential privacy, epsilon (m s / b if a scale was given) for all T prefix sums together.
    Neighbours: streams of equal length that differ in one item, replaced by one at L1 distance at most s.
    Released: the T nodes, and with them every prefix sum; each node's noise is drawn once and reused.
    What one datum can change: the at most m nodes that contain it, each by at most s. Nodes of one size do not overlap,
    and there are nodes of the sizes 1, k, ..., k^(m - 1) <= T; the first item enters one of each.
    Noise: Laplace of scale b per node and entry, fast floating-point draws; `secure=True` uses OpenDP's exact sampler.
    Ties: nothing is compared.
    Proof: which items a node sums depends only on t, and a node is released when its last item has arrived. The nodes
    are independent Laplace mechanisms, and an item costs at most s / b in each node that contains it. The next item may
    depend on earlier releases (adaptive composition).

    Raises
    ------
    PrivcheckError : a parameter outside its domain, more items than the horizon, an item that is not finite or has
        a shape other than that of the items before it, an `rng` that is not a Generator.

    Source: Chan, Shi and Song (2011), binary mechanism, in base k; Qardaji, Yang and Li (2013) choose the degree of a
    hierarchy by its variance.

    Examples
    --------
    >>> import numpy as np
    >>> tree = KaryTree(horizon=64, sensitivity=1.0, epsilon=1.0)
    >>> tree.degree, tree.statistics_per_datum, round(tree.scale, 6), tree.loss(1.0)
    (9, 2, 2.0, 1.0)
    >>> [(node.start, node.stop) for node in KaryTree(horizon=6, sensitivity=1.0, epsilon=1.0, degree=3).nodes(6)]
    [(0, 1), (1, 2), (0, 3), (3, 4), (4, 5), (3, 6)]
    >>> round(float(np.sqrt(tree.variances(64).mean())), 2)  # 17.24 for the binary tree
    7.55
    >>> tree.release([1.0, 0.0, 1.0], np.random.default_rng(0)).round(2).tolist()
    [1.64, 0.41, -3.6]

    """

    id: ClassVar[str] = "k-ary-tree"
    notion: ClassVar[str] = "pure"
    sensitivity_norm: ClassVar[str] = "L1"
    source: ClassVar[str] = "Chan, Shi and Song (2011), binary mechanism, in base k; Qardaji, Yang and Li (2013)"
    cost_of_levels: ClassVar[int] = 2

    sensitivity: float | None = parameter(
        POSITIVE, default=None, typical=(0.01, 10.0), doc="s, unit of the items: L1 sensitivity of one item",
        hint="give the L1 sensitivity of one item with epsilon, or a scale with KaryTree.with_scale",
    )  # fmt: skip
    epsilon: float | None = parameter(
        POSITIVE, default=None, typical=(0.1, 10.0), doc="epsilon: privacy budget of all prefix sums together",
        hint="give epsilon with the sensitivity, or a scale with KaryTree.with_scale",
    )  # fmt: skip
    given_scale: float | None = parameter(
        POSITIVE, default=None, typical=(0.1, 100.0), doc="b, unit of the items: noise scale of a node",
        hint="give either sensitivity and epsilon, or a scale",
    )  # fmt: skip
    horizon: int = parameter(
        HORIZON, typical=(1, 1000), doc="T: largest number of items",
        hint="use hybrid-tree for streams of unknown or greater length",
    )  # fmt: skip
    degree: int = parameter(DEGREE, default=0, typical=(2, 16), doc="k: degree; 0 chooses", hint=DEGREE_HINT)

    def dominating_pairs(self, charge: Charge, sensitivity: float) -> Pairs:  # noqa: ARG002
        """Return Laplace noise on the nodes that one datum enters, at equal parts of epsilon."""
        return self._equal_nodes(charge)


def digit_sums(horizon: int, degree: int) -> int:
    """Return the sum of all digits of the numbers 1, ..., horizon in base `degree`.

    >>> digit_sums(12, 10)
    51
    """
    total, power = 0, 1
    while power <= horizon:
        full, rest = divmod(horizon + 1, power * degree)
        whole, part = divmod(rest, power)
        total += full * power * degree * (degree - 1) // 2 + power * whole * (whole - 1) // 2 + whole * part
        power *= degree
    return int(total)


@lru_cache(maxsize=256)
def best_degree(horizon: int, cost_of_levels: int) -> int:
    """Return the degree with the smallest mean variance of the prefix sums 1, ..., T, of several the smallest.

    The mean variance is proportional to digit_sums * levels^cost_of_levels. With two levels, a degree beyond
    2 sqrt(T) + 2 only adds small nodes; with one level (a degree above T) all degrees are alike.

    >>> [best_degree(horizon, 2) for horizon in (64, 1024, 16384)]
    [9, 11, 26]
    """
    candidates: list[int] = [*range(2, min(horizon, 2 * math.isqrt(horizon) + 2) + 1), horizon + 1]

    def variance(degree: int) -> int:
        factor: int = digits(horizon, degree) ** cost_of_levels
        return factor * digit_sums(horizon, degree)

    best: int = min(candidates, key=variance)
    return best
