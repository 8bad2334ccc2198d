"""`Private`: numbers that may be added, scaled and rearranged, but not read, before they are released."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from privcheck.private_values.arithmetic import Arithmetic
from privcheck.private_values.entries import evaluated
from privcheck.private_values.indexing import Indexing
from privcheck.private_values.leaks import describe_data
from privcheck.private_values.norms import sensitivities
from privcheck.private_values.numpy_protocol import NumpyProtocol
from privcheck.private_values.operands import joint_source
from privcheck.private_values.refused_operations import Refusals, refuse
from privcheck.private_values.terms import NOTHING, Floats, Integers, Terms

if TYPE_CHECKING:
    from privcheck.private_values.source import PrivateSource

REVEAL = object()
"""The token that lets a session read private values, to add noise to them."""


class _Cell:
    """What an array and its views share: the terms of all of its entries, and where their data come from."""

    __slots__ = ("size", "source", "terms")

    def __init__(self, source: PrivateSource | None, terms: Terms, size: int) -> None:
        self.source, self.terms, self.size = source, terms, size


class Private(Arithmetic, Refusals, NumpyProtocol):
    """An array y = const + C f: C and const are public, the features f of the data are hidden in their table.

    It is made by a `PrivateSource` or by `zeros`, and used like a numpy array (with shape (), like a float): + - and
    scaling by public numbers, @ with public matrices, sums, cumulative sums, indexing, slicing (views, as in numpy) and
    assignment. Two private values of the same single datum may be multiplied. Everything that would read the value is a
    leak, unless no datum is involved: then the value is public and behaves like an ordinary one.

    Guarantee
    ---------
    `sensitivities` bounds what replacing one datum can change, whatever the other data are: C does not depend on the
    data. No operation but a release computes y, so that nothing that an operation does can depend on the data.

    Examples
    --------
    >>> from privcheck.private_values.source import PrivateSource
    >>> source = PrivateSource()
    >>> total = sum(source.scalar(0.5, low=0.0, high=1.0, datum=t) for t in range(4))
    >>> mean = total / 4
    >>> mean
    Private(shape=(), data=rounds 0-3, hidden)
    >>> mean.sensitivities("l1")
    {0: 0.25, 1: 0.25, 2: 0.25, 3: 0.25}

    """

    __slots__ = ("_cell", "_const", "_positions", "_whole")

    _cell: _Cell
    _const: Floats
    _positions: Integers
    _whole: bool

    @classmethod
    def make(cls, source: PrivateSource | None, const: Any, terms: Terms) -> Private:
        """Return an array of its own; for privcheck's own use."""
        public = np.asarray(const, order="C")
        self = _new(public)
        self._const, self._cell, self._whole = public, _Cell(source, terms, public.size), True
        self._positions = _SCALAR if public.ndim == 0 else np.arange(public.size).reshape(public.shape)
        return self

    @classmethod
    def public(cls, array: npt.ArrayLike) -> Private:
        """Return a copy of ordinary numbers, into which private ones can be put."""
        return cls.make(None, np.array(array, dtype=np.float64), NOTHING)

    @property
    def source(self) -> PrivateSource | None:
        """Where the data come from; None when there were none yet."""
        return self._cell.source

    @property
    def terms(self) -> Terms:
        """The terms of the entries in C order."""
        if self._whole:
            return self._cell.terms
        return self._cell.terms.spread(self._positions.ravel(), np.arange(self.size))

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the axes."""
        return self._const.shape

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return self._const.ndim

    @property
    def dtype(self) -> np.dtype[np.float64]:
        """The type of the entries, always float64."""
        return self._const.dtype

    @property
    def size(self) -> int:
        """Number of entries."""
        return self._const.size

    @property
    def T(self) -> Private:  # noqa: N802 - numpy's name
        """The transpose, a view."""
        return self.view_as(np.transpose)

    @property
    def data_ids(self) -> tuple[Hashable, ...]:
        """The data with a non-zero coefficient, in the order of their arrival."""
        if self.source is None or self._cell.terms.count == 0:
            return ()
        if self._whole:
            self._cell.terms = self._cell.terms.tidy()
        table = self.source.features
        return tuple(table.data[i] for i in sorted({table.owner[j] for j in self.terms.tidy().features.tolist()}))

    @property
    def data(self) -> frozenset[Hashable]:
        """The data with a non-zero coefficient."""
        return frozenset(self.data_ids)

    @property
    def is_public(self) -> bool:
        """Whether no datum is involved."""
        return self._cell.terms.count == 0 or self.terms.tidy().count == 0

    @property
    def is_action(self) -> bool:
        """Whether it is, or is computed from, nothing but an action."""
        features = set(self.terms.features.tolist())
        return self.source is not None and bool(features) and features <= self.source.features.actions.keys()

    def sensitivities(self, norm: str) -> dict[Hashable, float]:
        """Return how far replacing each datum can move this array: see `norms.sensitivities`."""
        return {} if self.source is None else sensitivities(norm, self.terms, self.source.features, self.size)

    def reveal(self, token: object) -> Any:
        """Return the hidden value, a float or an array; only a session, which holds the token, may do so."""
        if self.is_public:
            return self.ordinary()
        if token is not REVEAL or self.source is None:
            refuse("reveal", "reveal()", self)
        value = evaluated(self, self.source.features)
        return float(value) if self.ndim == 0 else value

    def ordinary(self) -> Any:
        """Return the ordinary value of an array that no datum is involved in: a float or an array."""
        assert self.is_public
        return float(self._const) if self.ndim == 0 else self._const.copy()

    def spread(self, shape: tuple[int, ...]) -> Terms:
        """Return the terms after broadcasting to a shape."""
        if shape == self.shape or self._cell.terms.count == 0:
            return self.terms
        positions = np.broadcast_to(self._positions, shape).ravel()
        return self._cell.terms.spread(positions, np.arange(positions.size))

    def view_as(self, function: Callable[[Any], Any]) -> Private:
        """Return what numpy's function, which only picks and moves entries, gives: a view where it gives a view."""
        positions = np.asarray(function(self._positions))
        const = np.asarray(function(self._const))
        if np.may_share_memory(positions, self._positions):
            result = _new(const)
            result._const, result._positions = const, positions
            result._cell, result._whole = self._cell, False
            return result
        if positions.ndim == 0:
            return Private.make(self.source, const, self._cell.terms.row(int(positions)))
        terms = self._cell.terms.spread(positions.ravel(), np.arange(positions.size))
        return Private.make(self.source, const, terms)

    def copy(self) -> Private:
        """Return a copy that shares no entries."""
        return Private.make(self.source, self._const.copy(), self.terms)

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Private:
        return self.copy()

    def __repr__(self) -> str:
        what = describe_data(self.data_ids) if self.data_ids else "none"
        return f"Private(shape={self.shape}, data={what}, {'public' if what == 'none' else 'hidden'})"

    def assign(self, new: Private) -> Private:
        """Replace all entries, as the operators += and the like do; a number, of shape (), is replaced by a new one."""
        if self.ndim == 0:
            return new
        if new.shape != self.shape:
            raise ValueError(f"non-broadcastable output operand with shape {self.shape}, not {new.shape}")
        if self._whole:
            source = joint_source(self, new)
            self._const[...] = new._const
            self._cell.source, self._cell.terms = source, new.terms
        else:
            self[...] = new  # type: ignore[index]
        return self


def _new(const: Floats) -> Private:
    """Return an array, or a number when it has no axes, that is not filled in yet."""
    return Private.__new__(PrivateArray if const.ndim else Private)


class PrivateArray(Indexing, Private):
    """A `Private` with axes: a number, of shape (), is no sequence, and cannot be indexed."""

    __slots__ = ()


_SCALAR: Integers = np.zeros((), np.int64)
_SCALAR.flags.writeable = False
