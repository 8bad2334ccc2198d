"""The tree of Wishart releases: all prefix sums of a stream of outer products, each with the same law of noise."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Self, cast

import numpy as np
import numpy.typing as npt

from privcheck.accounting import NOTHING, Charge, epsilon_of
from privcheck.arrays import Array
from privcheck.declared import POSITIVE, Declared, Integer, Real, check, parameter
from privcheck.errors import PrivcheckError, words
from privcheck.mechanisms.base import finite_array, generator
from privcheck.mechanisms.binary_tree import BinaryTree
from privcheck.mechanisms.prefix_tree import Node, PrefixStream, digits
from privcheck.mechanisms.wishart import MOST, WIDTH, Wishart, fewest

_SHARE = Real(0.0, 1.0, low_open=True, high_open=True)


@dataclass(frozen=True, kw_only=True)
class WishartTree(Declared):
    r"""Release every prefix sum of a stream of at most T outer products v v', with Wishart noise of one law.

    Step t releases N_t = (sum of the last 2^i items) + W, where 2^i is the largest power of two that divides t and W is
    Wishart with k degrees of freedom and scale s I. The prefix sum at t is a sum of popcount(t) such nodes. Fresh noise
    of the same law is added for each of the m - popcount(t) that are missing, m = floor(log2 T) + 1. So the noise of
    every prefix sum is Wishart with exactly m k degrees of freedom, on whose eigenvalues there are bounds from both
    sides; without the fresh noise there are none.

    Parameters
    ----------
    dimension : p >= 1, the number of rows and columns of the items.
    degrees : k >= p + 2, the degrees of freedom of the noise of a node.
    sensitivity : s > 0, in the unit of the items: the largest trace v' v of an item.
    delta : in (0, 1/2], the probability that one datum sets aside in each node.
    horizon : T >= 1: the largest number of items.

    Guarantee
    ---------
    Notion: approximate differential privacy. All prefix sums together cost m times the charge of `Wishart` for a node:
    m delta is set aside, epsilons add up, and so do the squares of mu.
    Neighbours: streams of equal length of which one item v v' is replaced by another one.
    Released: the T nodes, and with them every prefix sum; the noise of a node is drawn once and reused.
    What one datum can change: the at most m nodes that contain it, each by one outer product.
    Noise: Wishart, as `Wishart` draws it; there is no secure sampler.
    Ties: nothing is compared.
    Proof: which items a node sums depends only on t. The nodes are independent releases of `Wishart`, and those of one
    size do not overlap. The fresh noise is independent of the items: post-processing. The next item may depend on
    earlier releases, because the charges of a datum add up under adaptive composition.

    Raises
    ------
    PrivcheckError : a parameter outside its domain, more items than the horizon, an item that is not a symmetric p x p
        matrix, an `rng` that is not a Generator.

    Source: Shariff and Sheffet (2018), Section 4.1, which sums "at most m" nodes; Proposition 9 needs exactly m.

    Examples
    --------
    >>> import numpy as np
    >>> tree = WishartTree.exact(dimension=2, sensitivity=1.0, horizon=100, epsilon=1.0, delta=1e-5)
    >>> tree.levels, tree.degrees, round(tree.charge(1.0).delta, 12)
    (7, 360, 5e-06)
    >>> stream = tree.start(np.random.default_rng(0))
    >>> sums = [stream.add(np.diag([1.0, 0.0])) for _ in range(3)]
    >>> [round(float(noisy[1, 1] / (tree.levels * tree.degrees)), 1) for noisy in sums]
    [1.0, 1.0, 1.0]

    """

    dimension: int = parameter(WIDTH, typical=(1, 6), doc="p: number of rows and columns")
    degrees: int = parameter(Integer(3, MOST), typical=(200, 2000), doc="k: degrees of freedom of the noise of a node")
    sensitivity: float = parameter(POSITIVE, typical=(0.1, 10.0), doc="s, unit of the items: largest trace of an item")
    delta: float = parameter(
        Real(0.0, 0.5, low_open=True), typical=(1e-6, 0.01), doc="delta: probability that a datum sets aside in a node"
    )
    horizon: int = parameter(Integer(1, 2**53), typical=(1, 1000), doc="T: largest number of items")

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self.node_mechanism

    @classmethod
    def exact(
        cls, *, dimension: int, sensitivity: float, horizon: int, epsilon: float, delta: float, share: float = 0.5
    ) -> Self:
        """Return the tree with the fewest degrees of freedom whose prefix sums are together (epsilon, delta)-DP.

        A share of delta belongs to the accountant of Gaussian DP, as in `BudgetFilter(..., {"gdp": share})`; the nodes
        set aside the rest.
        """
        budget, whole = check("epsilon", epsilon, POSITIVE), check("delta", delta, _SHARE)
        part, rows = check("share", share, _SHARE), check("dimension", dimension, WIDTH)
        levels = digits(check("horizon", horizon, Integer(1, 2**53)), 2)
        aside = min(0.5, (1.0 - part) * whole / levels * (1.0 - 1e-12))
        first = cls(dimension=rows, degrees=rows + 2, sensitivity=sensitivity, delta=aside, horizon=horizon)

        def fits(degrees: int) -> bool:
            try:
                total = replace(first, degrees=degrees).charge(first.sensitivity)
            except PrivcheckError:
                return False
            return bool(total.epsilon <= budget or epsilon_of(total.mu, part * whole) <= budget)

        return replace(first, degrees=fewest(fits, first.degrees))

    @classmethod
    def published(cls, *, dimension: int, sensitivity: float, horizon: int, epsilon: float, delta: float) -> Self:
        """Return the tree with the paper's degrees of freedom.

        k = p + ceil(224 m ln(8 m / delta) ln(2 / delta) / epsilon^2), with m = 1 + ceil(log2 T), for adding or removing
        an item. Each node sets delta / (2 m) aside.
        """
        budget = check("epsilon", epsilon, POSITIVE)
        whole = check("delta", delta, _SHARE)
        levels = 1 + (check("horizon", horizon, Integer(1, 2**53)) - 1).bit_length()
        degrees = 224.0 * levels * math.log(8.0 * levels / whole) * math.log(2.0 / whole) / budget**2
        return cls(
            dimension=dimension,
            degrees=check("dimension", dimension, WIDTH) + math.ceil(degrees),
            sensitivity=sensitivity,
            delta=whole / (2.0 * levels),
            horizon=horizon,
        )

    @property
    def levels(self) -> int:
        """The number m of nodes of which the noise of every prefix sum consists, and that an item enters at most."""
        return digits(self.horizon, 2)

    @property
    def node_mechanism(self) -> Wishart:
        """The mechanism that releases a node."""
        return self._wishart(1)

    def charge(self, sensitivity: float) -> Charge:
        """Return the charge of a datum whose item has at most this trace, for all prefix sums together."""
        return self._total(self.node_mechanism.charge(sensitivity))

    def charge_of_one_row(self, sensitivity: float) -> Charge:
        """Return what it costs to add or remove such an item at the end of a stream, or to make it 0."""
        return self._total(self.node_mechanism.charge_of_one_row(sensitivity))

    def node(self, step: int) -> Node:
        """Return the node that step t in 1, ..., T releases."""
        if not 1 <= step <= self.horizon:
            hint = "declare a longer horizon before the first item"
            raise PrivcheckError("step", step, f"at most the horizon {self.horizon}", hint)
        return Node(step & (step - 1), step, self.sensitivity)

    def nodes(self, length: int) -> tuple[Node, ...]:
        """Return the nodes that a stream of this length releases, in order."""
        return tuple(self.node(step) for step in range(1, check("length", length, Integer(1)) + 1))

    def start(self, rng: np.random.Generator | None = None) -> WishartStream:
        """Return a new stream, whose `add(v v')` takes the next item and returns the private prefix sum.

        `rng` may be None while a recorder, such as a guarded session, is active.
        """
        return WishartStream(self, rng)

    def draw_node(self, node: Node, exact: Any, rng: np.random.Generator | None, *, secure: bool = False) -> Any:  # noqa: ARG002
        """Return the noisy sum of a node: one release of `Wishart`, which an active recorder sees."""
        return self.node_mechanism.release(exact, rng, secure=secure)

    def draw_missing(self, count: int, rng: np.random.Generator | None) -> Any:
        """Return the sum of the fresh noises for `count` missing nodes: one Wishart matrix; 0 for none."""
        nothing = np.zeros((self.dimension, self.dimension))
        return self._wishart(count).release(nothing, rng) if count else nothing

    def release_batch(self, value: npt.ArrayLike, rng: np.random.Generator, runs: int) -> Array:
        """Return the private prefix sums of `runs` independent runs on one stream of shape (t, p, p)."""
        items, shape = finite_array("value", value), (self.dimension, self.dimension)
        if items.ndim != 3 or items.shape[1:] != shape or len(items) > self.horizon:
            got = words(f"shape {items.shape}")
            raise PrivcheckError("value", got, f"shape (t, *{shape}) with t of at most {self.horizon}")
        binary, count = BinaryTree.with_scale(1.0, horizon=len(items)), check("runs", runs, Integer(1))
        noisy = self.node_mechanism.noise((count, len(items)), generator(rng))
        noisy += binary.node_sums(items)
        sums = binary.prefixes(noisy)
        for step in range(1, len(items) + 1):
            missing = self.levels - step.bit_count()
            if missing:
                sums[:, step - 1] += self._wishart(missing).noise(count, rng)
        return sums

    def _wishart(self, nodes: int) -> Wishart:
        """Return the mechanism whose noise is the sum of that of several nodes."""
        return Wishart(
            dimension=self.dimension, degrees=nodes * self.degrees, sensitivity=self.sensitivity, delta=self.delta
        )

    def _total(self, charge: Charge) -> Charge:
        return sum([charge] * self.levels, NOTHING)


class WishartStream:
    """One stream under a `WishartTree`; make it with `tree.start(rng)`.

    Guarantee
    ---------
    Each step releases one node, which an active recorder sees as one release of `Wishart`, and adds fresh noise for the
    missing nodes to what it returns. An item that is refused changes nothing.

    Examples
    --------
    >>> import numpy as np
    >>> tree = WishartTree(dimension=1, degrees=10**12, sensitivity=1e-12, delta=0.1, horizon=4)
    >>> stream = tree.start(np.random.default_rng(0))
    >>> [round(float(stream.add([[x]])[0, 0])) for x in (1.0, 0.0, 5.0, 1.0)], stream.step
    ([4, 4, 9, 10], 4)

    """

    def __init__(self, tree: WishartTree, rng: np.random.Generator | None) -> None:
        self.tree, self._rng = tree, rng
        self._sums = PrefixStream(cast("Any", tree), rng, False)

    @property
    def step(self) -> int:
        """The number of items so far."""
        return self._sums.step

    def add(self, item: Any) -> Any:
        """Take the next item, a matrix of shape (p, p), and return the private sum of all items so far."""
        total = self._sums.add(item)
        return total + self.tree.draw_missing(self.tree.levels - self._sums.summed_nodes, self._rng)
