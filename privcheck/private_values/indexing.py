"""Indexing, slicing and assignment of private arrays, by public indices."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from privcheck.errors import PrivcheckError, words
from privcheck.private_values.operands import joint_source, operand
from privcheck.private_values.refused_operations import Refusals, read


class Indexing:
    """What makes an array a sequence."""

    __slots__ = ()

    def __len__(self: Any) -> int:
        return len(self._const)

    def __iter__(self: Any) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self: Any, key: Any) -> Any:
        if isinstance(key, Refusals) and key.is_action and not self.is_public:
            from privcheck.private_values.actions import chosen_row

            return chosen_row(self, key)  # type: ignore[arg-type]
        chosen = _public_key(key)
        return self.view_as(lambda array: array[chosen])

    def __setitem__(self: Any, key: Any, new: Any) -> None:
        chosen, other = _public_key(key), operand(new)
        if other is None:
            raise PrivcheckError("item", words(f"a {type(new).__name__}"), "a private value or public numbers")
        source, positions, terms, cell = joint_source(self, other), self._positions[chosen], other.terms, self._cell
        inputs = np.empty(np.shape(positions), np.int64)
        inputs[...] = np.arange(other.size).reshape(other.shape)
        self._const[chosen] = other._const
        cell.source = source
        if np.ndim(positions) == 0:
            cell.terms = cell.terms.with_row(int(positions), terms)
            return
        winner = np.full(cell.size, -1)
        winner[positions] = inputs
        stays, outputs = np.flatnonzero(winner < 0), np.flatnonzero(winner >= 0)
        cell.terms = cell.terms.spread(stays, stays).plus(terms.spread(winner[outputs], outputs))

    def fill(self: Any, new: Any) -> None:
        """Set every entry to one value."""
        self[...] = new


def _public_key(key: Any) -> Any:
    """Return an index without private values, or report a leak."""
    if isinstance(key, tuple):
        return tuple(_public_key(part) for part in key)
    return read("index", "indexing", lambda index: index, key) if isinstance(key, Refusals) else key
