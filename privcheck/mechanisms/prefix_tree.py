"""The base class of tree mechanisms: every step releases one node; prefix sums are sums of released nodes."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from privcheck.accounting import Charge, LaplacePair, LaplaceShifts, LossLaw
from privcheck.arrays import Array, Integers
from privcheck.declared import Integer, check
from privcheck.errors import PrivcheckError, words
from privcheck.mechanisms.base import Pairs, finite_array, generator, inner_sum, same_shape
from privcheck.mechanisms.laplace import Laplace
from privcheck.mechanisms.prefix_stream import checked_item, refused
from privcheck.mechanisms.scaled import ScaledMechanism


@dataclass(frozen=True)
class Node:
    """A released statistic: the noisy sum of the items start, ..., stop - 1 of the stream, counted from 0.

    >>> list(Node(2, 4, 1.5).items)
    [2, 3]
    """

    start: int
    stop: int
    scale: float

    @property
    def items(self) -> range:
        """The items that the node sums; each is charged its sensitivity / scale."""
        return range(self.start, self.stop)


class PrefixTree(ScaledMechanism):
    """Base of the mechanisms that release a noisy sum of a stream's first t items for every t = 1, 2, ....

    Step t releases one node: the noisy sum of the items `starts[t - 1]`, ..., t - 1 (counted from 0), whose number is a
    power of the degree k. A node of more than one item has k parts of the next smaller size, of which the last is not
    released. The prefix sum at t is the node plus the prefix sum at `starts[t - 1]`, which is already known. Nodes and
    prefix sums therefore determine each other: releasing either releases both, with the same density.
    """

    samples_exactly: ClassVar[bool] = True
    unit_variance: ClassVar[float] = 2.0
    """The variance of a node's noise of scale 1."""

    @property
    def degree(self) -> int:
        """The number k of nodes of one size that make up a node of the next size."""
        return 2

    def node(self, step: int) -> Node:
        """Return the node that step t >= 1 releases."""
        raise NotImplementedError

    def starts(self, length: int) -> Integers:
        """Return the first item of the nodes of the steps 1, ..., length, counted from 0."""
        raise NotImplementedError

    def scales(self, length: int) -> Array:
        """Return the noise scales of the nodes of the steps 1, ..., length."""
        raise NotImplementedError

    def check_length(self, length: int) -> int:
        """Return the length of a stream if this tree accepts it."""
        return int(check("length", length, Integer(1)))

    def nodes(self, length: int) -> tuple[Node, ...]:
        """Return the nodes that a stream of this length releases, in order."""
        return tuple(self.node(step) for step in range(1, self.check_length(length) + 1))

    def start(self, rng: np.random.Generator | None = None, *, secure: bool = False) -> PrefixStream:
        """Return a new stream, whose `add(x)` takes the next item and returns the private prefix sum."""
        return PrefixStream(self, rng if secure else generator(rng), secure)

    def node_mechanism(self, scale: float) -> ScaledMechanism:
        """Return the mechanism that releases a node with noise of this scale."""
        return _laplace(scale)

    def draw_node(self, node: Node, exact: Any, rng: np.random.Generator | None, *, secure: bool) -> Any:
        """Return the noisy sum of a node: one release of its mechanism, which an active recorder sees."""
        return self.node_mechanism(node.scale).release(exact, rng, secure=secure)

    def rounding(self, sizes: Array) -> float:
        """Return what rounding the nodes' sums can add to the sensitivity: one unit per addition, on both sides."""
        additions = (self.degree - 1) * digits(len(sizes), self.degree)
        return additions * sys.float_info.epsilon * float(sizes.sum())

    def draw(self, value: Any, rng: np.random.Generator | None, *, secure: bool = False) -> Any:
        """Return the private prefix sums of a whole stream of shape (t,) or (t, d), in that shape."""
        items = self._items("value", value)
        if not secure:
            return self._noisy_prefixes(items, 1, generator(rng))[0]
        sums, scales = self._node_sums(items), self.scales(len(items))
        noisy = [self.node_mechanism(scales[i]).draw(sums[i], None, secure=True) for i in range(len(items))]
        return self.prefixes(np.array(noisy)[None])[0]

    def release_batch(self, value: npt.ArrayLike, rng: np.random.Generator, runs: int) -> Array:
        """Return the private prefix sums of `runs` independent runs on one stream, shape (runs, t) or (runs, t, d).

        A single run draws the same noise as a stream started with the same generator.
        """
        items = self._items("value", value)
        return self._noisy_prefixes(items, check("runs", runs, Integer(1)), generator(rng))

    def node_sums(self, value: npt.ArrayLike) -> Array:
        """Return the exact sums of the nodes of a stream of shape (t,) or (t, d), in that shape.

        The parts of a node are added from the last to the first, as in `PrefixStream.add`, so that both round in the
        same way.
        """
        return self._node_sums(self._items("value", value))

    def _node_sums(self, items: Array) -> Array:
        sums = items.copy()
        levels = self._levels(len(sums))
        for level in range(int(levels.max())):
            last = np.flatnonzero(levels > level)
            for part in range(1, self.degree):
                sums[last] = sums[last - part * self.degree**level] + sums[last]
        return sums

    def prefixes(self, nodes: Array) -> Array:
        """Return the prefix sums made of noisy nodes, shape (runs, t) or (runs, t, d)."""
        sums, starts = nodes.copy(), self.starts(nodes.shape[1])
        depths = _depths(starts)
        for depth in range(1, int(depths.max()) + 1):
            steps = np.flatnonzero(depths == depth)
            sums[:, steps] = sums[:, starts[steps] - 1] + sums[:, steps]
        return sums

    def noisy_nodes(self, output: npt.ArrayLike, items: Array) -> Array:
        """Return the noisy nodes behind released prefix sums of shape (..., *shape of the stream `items`)."""
        outputs = finite_array("output", output)
        if outputs.ndim < items.ndim or outputs.shape[outputs.ndim - items.ndim :] != items.shape:
            expected = f"shape (..., *{items.shape}) as the stream"
            raise PrivcheckError("output", words(f"shape {outputs.shape}"), expected)
        steps_first = np.moveaxis(outputs, outputs.ndim - items.ndim, 0)
        before = np.concatenate((np.zeros_like(steps_first[:1]), steps_first))[self.starts(len(items))]
        return np.moveaxis(steps_first - before, 0, outputs.ndim - items.ndim)

    def node_log_densities(self, output: npt.ArrayLike, value: npt.ArrayLike) -> Array:
        """Return the log-density of every released node given the stream `value`.

        `output` holds released prefix sums, shape (..., *shape of value); the result has the shape (..., t).
        """
        items = self._items("value", value)
        scales = self.scales(len(items)).reshape(-1, *[1] * (items.ndim - 1))
        terms = self._log_densities(self.noisy_nodes(output, items) - self._node_sums(items), scales)
        return np.asarray(inner_sum(terms, items.ndim - 1))

    def log_density(self, output: npt.ArrayLike, value: npt.ArrayLike) -> Any:
        """Return the logarithm of the joint density of released prefix sums given the stream `value`.

        `output` has the shape (..., *shape of value), the result the shape (...); it is a float when that is empty.
        """
        return inner_sum(self.node_log_densities(output, value), 1)

    def log_ratio(self, output: npt.ArrayLike, value: npt.ArrayLike, other: npt.ArrayLike) -> Any:
        """Return ln(density given stream `value` / density given stream `other`), with the shapes of `log_density`."""
        first, second = self._items("value", value), self._items("other", other)
        same_shape(first, second)
        nodes, scales = self.noisy_nodes(output, first), self.scales(len(first)).reshape(-1, *[1] * (first.ndim - 1))
        noise, other_noise = nodes - self._node_sums(first), nodes - self._node_sums(second)
        return inner_sum(self._log_ratios(noise, other_noise, scales), first.ndim)

    def law_of_pair(self, value: npt.ArrayLike, other: npt.ArrayLike) -> LossLaw | None:
        """Return the exact law of the loss: that of the nodes, whose noises are independent.

        Nodes and prefix sums determine each other.
        """
        first, second = self._items("value", value), self._items("other", other)
        same_shape(first, second)
        scales = self.scales(len(first)).reshape(-1, *[1] * (first.ndim - 1))
        return self._law((np.abs(self._node_sums(first) - self._node_sums(second)) / scales).ravel())

    def variances(self, length: int) -> Array:
        """Return the noise variance of the prefix sums at steps 1, ..., length (per entry of a vector)."""
        variances: Array = self.prefixes(self.unit_variance * self.scales(self.check_length(length))[None] ** 2)[0]
        return variances

    def _noisy_prefixes(self, items: Array, runs: int, rng: np.random.Generator) -> Array:
        noisy = self._unit_noise((runs, *items.shape), rng)
        noisy *= self.scales(len(items)).reshape(-1, *[1] * (items.ndim - 1))
        noisy += self._node_sums(items)
        return self.prefixes(noisy)

    def _unit_noise(self, shape: tuple[int, ...], rng: np.random.Generator) -> Array:
        return rng.laplace(0.0, 1.0, shape)

    def _log_densities(self, noise: Array, scales: Array) -> Array:
        return np.asarray(-np.abs(noise) / scales - np.log(2.0 * scales))

    def _log_ratios(self, noise: Array, other_noise: Array, scales: Array) -> Array:
        """Return ln(density of `noise` / density of `other_noise`) entry by entry."""
        return np.asarray((np.abs(other_noise) - np.abs(noise)) / scales)

    def _equal_nodes(self, charge: Charge) -> Pairs:
        """Return the dominating pairs of a tree whose nodes have one scale."""
        nodes = self.statistics_per_datum
        return ((LaplacePair(charge.epsilon / nodes), nodes),)

    def _law(self, shifts: Array) -> LossLaw:
        """Return the law of the loss of nodes at these distances, in units of their noise scales."""
        return LaplaceShifts(shifts)

    def _levels(self, length: int) -> Integers:
        """Return the exponents of the nodes' sizes, which are powers of the degree."""
        sizes = np.arange(1, length + 1) - self.starts(length)
        powers = self.degree ** np.arange(digits(length, self.degree), dtype=np.int64)
        return np.searchsorted(powers, sizes)

    def _items(self, name: str, value: npt.ArrayLike) -> Array:
        items = finite_array(name, value)
        if items.ndim == 0:
            raise PrivcheckError(name, value, "a stream of shape (t,) or (t, d)", "give one entry or row per item")
        self.check_length(len(items))
        return items


class PrefixStream:
    """One stream under a tree mechanism; make it with `mechanism.start(rng)`.

    Parameters
    ----------
    mechanism : the tree.
    rng : Generator of the noise; unused (None) when `secure`.
    secure : draw from OpenDP's exact sampler.

    Guarantee
    ---------
    Each step draws the noise of one node, once; earlier nodes are reused as released. An item that is refused changes
    nothing. While a recorder is active (`privcheck.mechanisms.base.recording`), it sees each node as one release of
    its mechanism, and items may be anything that can be added, such as private values under a guard.

    Examples
    --------
    >>> import numpy as np
    >>> from privcheck.mechanisms import BinaryTree
    >>> stream = BinaryTree(horizon=4, sensitivity=1.0, epsilon=1e9).start(np.random.default_rng(0))
    >>> [round(stream.add(x)) for x in (1.0, 0.0, 5.0, 1.0)], stream.step, stream.node.items
    ([1, 1, 6, 7], 4, range(0, 4))

    """

    def __init__(self, mechanism: PrefixTree, rng: np.random.Generator | None, secure: bool) -> None:
        self.mechanism = mechanism
        self.step = 0
        self.node: Node | None = None
        self.noisy: Any = None
        self._rng, self._secure = rng, secure
        self._shape: tuple[int, ...] | None = None
        self._sums: list[tuple[int, Any, Any]] = []

    @property
    def released(self) -> tuple[Node, ...]:
        """The nodes released so far; the latest is `node`, its noisy sum `noisy`."""
        return self.mechanism.nodes(self.step) if self.step else ()

    @property
    def summed_nodes(self) -> int:
        """The number of nodes that the latest prefix sum is a sum of."""
        return len(self._sums)

    def add(self, item: Any) -> Any:
        """Take the next item, a number or a vector, and return the private sum of all items so far."""
        exact, shape = checked_item(item, self._shape)
        node = self._next_node()
        kept = len(self._sums)
        while kept and self._sums[kept - 1][0] >= node.start:
            kept -= 1
            exact = self._sums[kept][1] + exact
        noisy = self.mechanism.draw_node(node, exact, self._rng, secure=self._secure)
        total = self._sums[kept - 1][2] + noisy if kept else noisy
        self._sums[kept:] = [(node.start, exact, total)]
        self.step, self.node, self.noisy, self._shape = node.stop, node, noisy, shape
        return total.copy() if isinstance(total, np.ndarray) else total

    def _next_node(self) -> Node:
        try:
            return self.mechanism.node(self.step + 1)
        except PrivcheckError as error:
            raise refused(error) from None


@lru_cache(maxsize=1024)
def _laplace(scale: float) -> Laplace:
    return Laplace.with_scale(scale)


def most_covered(starts: npt.ArrayLike, stops: npt.ArrayLike) -> int:
    """Return the largest number of intervals start, ..., stop - 1 that cover one item.

    >>> most_covered([0, 0, 2], [1, 2, 3]), most_covered([], [])
    (2, 0)
    """
    first, last = np.asarray(starts, dtype=np.int64), np.asarray(stops, dtype=np.int64)
    if first.size == 0:
        return 0
    length = int(last.max()) + 1
    return int(np.cumsum(np.bincount(first, minlength=length) - np.bincount(last, minlength=length)).max())


def digits(number: int, degree: int) -> int:
    """Return how many digits a number of at least 1 has in the base `degree`.

    >>> digits(8, 9), digits(9, 9), digits(64, 2)
    (1, 2, 7)
    """
    count, power = 1, degree
    while power <= number:
        count, power = count + 1, power * degree
    return count


def bit_lengths(numbers: Sequence[int] | Integers) -> Integers:
    """Return the number of binary digits of numbers from 0 to 2^53.

    >>> bit_lengths([0, 1, 2, 3, 4]).tolist()
    [0, 1, 2, 2, 3]
    """
    return np.frexp(np.asarray(numbers, dtype=np.float64))[1].astype(np.int64)


def _depths(starts: Integers) -> Integers:
    """Return for every step how many nodes its prefix sum has in addition to its own."""
    depths, current = np.zeros_like(starts), starts
    while current.any():
        depths += current > 0
        current = np.where(current > 0, starts[current - 1], 0)
    return depths
