"""The running side of tree mechanisms: items in, private prefix sums out, logarithmic memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from privcheck.errors import PrivcheckError, words
from privcheck.mechanisms.base import active_recorder, finite_array

if TYPE_CHECKING:
    from privcheck.mechanisms.prefix_tree import Node, PrefixTree


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
    nothing. While a recorder is active (`privcheck.mechanisms.base.recording`) it sees each node as one release of a
    Laplace mechanism, and items may be anything that can be added up, such as guarded private values.

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
        self._halves: list[Any] = []
        self._prefixes: list[tuple[int, Any]] = []

    @property
    def released(self) -> tuple[Node, ...]:
        """The nodes released so far; the latest is `node`, its noisy sum `noisy`."""
        return self.mechanism.nodes(self.step) if self.step else ()

    def add(self, item: Any) -> Any:
        """Take the next item, a number or a vector, and return the private sum of all items so far."""
        value = self._checked(item)
        node = self._next_node()
        level = (node.stop - node.start).bit_length() - 1
        exact = value
        for half in self._halves[:level]:
            exact = half + exact
        noisy = self.mechanism.draw_node(node, exact, self._rng, secure=self._secure)
        if level == len(self._halves):
            self._halves.append(exact)
        self._halves[level] = exact
        while self._prefixes and self._prefixes[-1][0] > node.start:
            self._prefixes.pop()
        total = self._prefixes[-1][1] + noisy if self._prefixes else noisy
        self._prefixes.append((node.stop, total))
        self.step, self.node, self.noisy = node.stop, node, noisy
        return total.copy() if isinstance(total, np.ndarray) else total

    def _next_node(self) -> Node:
        try:
            return self.mechanism.node(self.step + 1)
        except PrivcheckError as error:
            refuse = getattr(active_recorder(), "refuse", None)
            raise (error if refuse is None else refuse(error)) from None

    def _checked(self, item: Any) -> Any:
        if active_recorder() is not None and not isinstance(item, int | float | list | tuple | np.ndarray | np.generic):
            return item
        value = finite_array("item", item)
        if self._shape is not None and value.shape != self._shape:
            raise PrivcheckError("item", words(f"shape {value.shape}"), f"shape {self._shape} as the items before")
        self._shape = value.shape
        return float(value) if value.ndim == 0 else value
