"""`Private`: numbers that can be added, scaled and rearranged, but not read, before they are released."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from privcheck.arrays import Array, Integers
from privcheck.errors import PrivcheckError, words
from privcheck.private_values import _linear_operations as linear
from privcheck.private_values import _products as products
from privcheck.private_values._actions import chosen_row
from privcheck.private_values._computed_sensitivity import sensitivities
from privcheck.private_values._entries import evaluated
from privcheck.private_values._leaks import describe_data, note_text, own_call
from privcheck.private_values._noise.draws import without_draws
from privcheck.private_values._numpy_functions import NumpyProtocol
from privcheck.private_values._one_datum import compared
from privcheck.private_values._refused_operations import Refusals, read, refuse
from privcheck.private_values._shared.shared_cell import Cell
from privcheck.private_values._terms import NOTHING, SCALAR, Terms, kind_of, numbered

if TYPE_CHECKING:
    from privcheck.private_values._source import PrivateSource

REVEAL = object()
"""The token with which a session reads private values to add noise to them."""


class Private(Refusals, NumpyProtocol):
    """An array y = const + C f, where C and const are public and the features f of the data are hidden in their table.

    It is made by a `PrivateSource` or by `zeros`, and is used like a numpy array (or like a float if its shape is ()):
    + and -, scaling by public numbers, @ with public matrices, sums, cumulative sums, indexing, slicing (views, as in
    numpy) and assignment. Two private values of the same single datum can be multiplied. Any operation that would read
    the value is a leak, unless no datum is involved: then the value is public and behaves like an ordinary one.

    Guarantee
    ---------
    `sensitivities` bounds what replacing one datum can change, whatever the other data are, because C does not depend
    on the data. Only a release computes y, so nothing that any other operation does can depend on the data.

    Examples
    --------
    >>> from privcheck.private_values._source import PrivateSource
    >>> source = PrivateSource()
    >>> (mean := sum(source.scalar(0.5, low=0.0, high=1.0, datum=t) for t in range(4)) / 4), mean.sensitivities("l1")[3]
    (Private(shape=(), data=rounds 0-3, hidden), 0.25)
    """

    __module__ = "privcheck.private_values"  # as it is imported, and so in errors of other libraries
    __slots__ = ("_cell", "_const", "_own", "_positions", "_whole")

    _cell: Cell
    _const: Array
    _own: tuple[Terms, Terms]
    """Of a view: the terms of the cell that it last saw, and its own."""
    _positions: Integers
    _whole: bool

    @classmethod
    def make(cls, source: PrivateSource | None, const: Any, terms: Terms) -> Private:
        """Return a new array that shares no entries; for privcheck's internal use."""
        public = const if type(const) is np.ndarray else np.asarray(const, order="A")  # by which reshape makes views
        self = _new(public)
        self._const, self._cell, self._whole = public, Cell(source, terms, public), True
        if source is not None and source.draws.loose:
            source.draws.settle_home(public, terms, own_call)
        self._positions = numbered(public) if public.ndim else SCALAR
        return self

    @classmethod
    def over(cls, cell: Cell) -> Private:
        """Return the array of all entries of a cell; for privcheck's internal use."""
        self = _new(cell.const)
        self._const, self._cell, self._whole, self._positions = cell.const, cell, True, numbered(cell.const)
        return self

    @classmethod
    def public(cls, array: npt.ArrayLike) -> Private:
        """Return a copy of ordinary numbers that private ones can be assigned to."""
        given = np.asarray(array)
        return cls.make(None, np.array(given, dtype=np.float64), NOTHING).of_kind(kind_of(given))

    @classmethod
    def of(cls, value: Any) -> Private | None:
        """Return numbers, arrays, lists of them and private values as a `Private`; None for anything else."""
        if isinstance(value, Private):
            return value
        if isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.dtype.kind == "O"):
            parts = [cls.of(part) for part in value]
            known = [part for part in parts if part is not None]
            return linear.gathered(known, [part.shape for part in known]) if len(known) == len(parts) > 0 else None
        if not isinstance(value, (bool, int, float, np.number, np.bool_, np.ndarray)):
            return None
        array = np.asarray(value)
        return cls.public(array) if array.dtype.kind in "biuf" else None

    @property
    def source(self) -> PrivateSource | None:
        """The source of the data; None if no data have entered yet."""
        return self._cell.source

    @property
    def terms(self) -> Terms:
        """The terms of the entries in C order."""
        if self._whole:
            return self._cell.terms
        every, own = self._own
        if every is not self._cell.terms:
            own = self._cell.terms.spread(self._positions.ravel(), np.arange(self.size))
            self._own = self._cell.terms, own
        return own

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
        """The type of the entries of an array, always float64; a number has none."""
        if self._const.ndim == 0:
            raise AttributeError("dtype")
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
        """The data with a non-zero coefficient, in order of arrival."""
        self.settle()
        if self.source is None or self._cell.terms.count == 0:
            return ()
        if self._whole:
            self._cell.terms = self._cell.terms.tidy()
        table, features = self.source.features, self.terms.tidy().features.tolist()
        return tuple(table.data[i] for i in sorted({table.owner[j] for j in features if j >= 0}))

    @property
    def data(self) -> frozenset[Hashable]:
        """The data with a non-zero coefficient."""
        return frozenset(self.data_ids)

    @property
    def is_public(self) -> bool:
        """Whether no datum and no draw of noise is involved."""
        self.settle()
        return self._cell.terms.count == 0 or self.terms.tidy().count == 0

    @property
    def is_action(self) -> bool:
        """Whether it is an action or computed only from actions."""
        features = set(self.terms.features.tolist())
        return self.source is not None and bool(features) and features <= self.source.features.actions.keys()

    def sensitivities(self, norm: str) -> Mapping[Hashable, float]:
        """Return how far replacing each datum can move this array: see `computed_sensitivity.sensitivities`."""
        if self.source is None:
            return {}
        terms = without_draws(self.terms) if self.holds_draws else self.terms
        return sensitivities(norm, terms, self.source.features, self.size)

    def compared_with(self, ufunc: Any, other: Any) -> Any:
        """Return a comparison with public numbers: see `one_datum.compared`."""
        return compared(ufunc, self, other)

    def reveal(self, token: object) -> Any:
        """Return the hidden value, a float or an array; only a session, which has the token, may call this."""
        if self.is_public:
            return self.ordinary()
        if token is not REVEAL or self.source is None:
            refuse("reveal", "reveal()", self)
        value = evaluated(self, self.source.features)
        return float(value) if self.ndim == 0 else value

    def ordinary(self) -> Any:
        """Return the ordinary value, a float or an array, of an array in which no datum is involved."""
        assert self.is_public
        return float(self._const) if self.ndim == 0 else self._const.copy()

    def spread(self, shape: tuple[int, ...]) -> Terms:
        """Return the terms after broadcasting to a shape."""
        if shape == self.shape or self._cell.terms.count == 0:
            return self.terms
        positions = np.broadcast_to(self._positions, shape).ravel()
        return self._cell.terms.spread(positions, np.arange(positions.size))

    def view_as(self, function: Callable[[Any], Any]) -> Private:
        """Return the result of a numpy function that only moves entries; of arrays a view if numpy's is one."""
        positions, const = np.asarray(function(self._positions)), np.asarray(function(self._const))
        if self.ndim == 0 and self._whole:  # it stands for a float, of which numpy makes copies
            const = const.copy()
        elif np.may_share_memory(positions, self._positions):
            return self.seen_as(const, positions)
        every, is_number = self._cell.terms, positions.ndim == 0
        terms = every.row(int(positions)) if is_number else every.spread(positions.ravel(), np.arange(positions.size))
        return Private.make(self.source, const, terms).of_kind(self.kind)

    def seen_as(self, const: Array, positions: Integers) -> Private:
        """Return a view: the public parts of its entries, and which of the cell's they are."""
        result = _new(const)
        result._const, result._positions, result._cell = const, positions, self._cell
        result._whole, result._own = False, (NOTHING, NOTHING)
        return result

    def copy(self) -> Private:
        """Return a copy that shares no entries."""
        return Private.make(self.source, self._const.copy(), self.terms).of_kind(self.kind)

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Private:
        return self.copy()

    def __repr__(self) -> str:
        note_text(self)
        what = describe_data(self.data_ids) if self.data_ids else "none"
        return f"Private(shape={self.shape}, data={what}, {'public' if self.is_public else 'hidden'})"

    def assign(self, new: Private) -> Private:
        """Replace all entries, as += and similar operators do; a number that is no view is replaced by a new one."""
        if self._const.ndim == 0 and self._whole:
            return new
        if new.shape != self.shape:
            raise ValueError(f"non-broadcastable output operand with shape {self.shape}, not {new.shape}")
        linear.check_written(self, new)
        if self._whole:
            source = linear.joint_source(self, new)
            self._const[...] = new._const
            self._cell.join(source)
            self._cell.replace(new.terms)
        else:
            PrivateArray.__setitem__(self, ..., new)  # type: ignore[index]
        return self

    def __add__(self, other: Any) -> Any:
        return _binary(linear.add, self, other)

    def __radd__(self, other: Any) -> Any:
        return _binary(linear.add, other, self)

    def __iadd__(self, other: Any) -> Any:
        return _in_place(linear.add, self, other)

    def __sub__(self, other: Any) -> Any:
        return _binary(linear.subtract, self, other)

    def __rsub__(self, other: Any) -> Any:
        return _binary(linear.subtract, other, self)

    def __isub__(self, other: Any) -> Any:
        return _in_place(linear.subtract, self, other)

    def __mul__(self, other: Any) -> Any:
        return _binary(linear.multiply, self, other)

    def __rmul__(self, other: Any) -> Any:
        return _binary(linear.multiply, other, self)

    def __imul__(self, other: Any) -> Any:
        return _in_place(linear.multiply, self, other)

    def __truediv__(self, other: Any) -> Any:
        return _binary(linear.divide, self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return _binary(linear.divide, other, self)

    def __itruediv__(self, other: Any) -> Any:
        return _in_place(linear.divide, self, other)

    def __matmul__(self, other: Any) -> Any:
        return _binary(linear.matmul, self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return _binary(linear.matmul, other, self)

    def __neg__(self) -> Any:
        return linear.negative(self)

    def __pos__(self) -> Any:
        return self.copy()

    def dot(self, other: Any) -> Any:
        """Return the product with a public vector or matrix, or with one of the same datum."""
        return _binary(linear.dot, self, other)

    def sum(self, axis: Any = None, *, keepdims: bool = False) -> Any:
        """Return the sum over some axes."""
        return linear.total(self, axis, keepdims)

    def mean(self, axis: Any = None, *, keepdims: bool = False) -> Any:
        """Return the mean over some axes."""
        return linear.mean(self, axis, keepdims)

    def cumsum(self, axis: int | None = None) -> Any:
        """Return the cumulative sum along an axis."""
        return linear.cumulative(self, axis)

    def clip(self, low: Any = None, high: Any = None) -> Any:
        """Return each entry moved into [low, high], as numpy does: see `privcheck.private_values._source.clip`."""
        return products.clip(self, low, high, in_order=False)

    def reshape(self, *shape: Any, **order: Any) -> Any:
        """Return a view with another shape, or a copy as numpy does."""
        return self.view_as(lambda array: array.reshape(*shape, **order))

    def ravel(self, *order: Any, **named: Any) -> Any:
        """Return a view with one axis, or a copy as numpy does."""
        return self.view_as(lambda array: array.ravel(*order, **named))

    def flatten(self, *order: Any, **named: Any) -> Any:
        """Return a copy with one axis."""
        return self.ravel(*order, **named).copy()

    def transpose(self, *axes: Any) -> Any:
        """Return a view with the axes in another order."""
        return self.view_as(lambda array: array.transpose(*axes))


def _new(const: Array) -> Private:
    """Return an array that is not filled in yet, or a number if it has no axes."""
    return object.__new__(PrivateArray if const.ndim else Private)


class PrivateArray(Private):
    """A `Private` with axes; a number, of shape (), is not a sequence and cannot be indexed."""

    __slots__ = ()

    def __len__(self) -> int:
        return len(self._const)

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, key: Any) -> Any:
        if type(key) is int and self._is_ordinary():
            return self._const[key]
        if isinstance(key, Refusals) and key.is_action and not self.is_public:
            return chosen_row(self, key)  # type: ignore[arg-type]
        chosen = _public_key(key)
        return self.view_as(lambda array: array[chosen])

    def _is_ordinary(self) -> bool:
        """Whether an entry is a float that no datum, and no draw of noise, is involved in, as of numpy's arrays."""
        return self._whole and self._const.ndim == 1 and self._cell.kind == "f" and self._cell.terms.count == 0

    def __setitem__(self, key: Any, new: Any) -> None:
        if type(key) is int and type(new) in (float, int, np.float64) and self._is_ordinary():
            self._const[key] = new
            return
        if self._cell.reads_noise and isinstance(new, Private):
            new = new.assigned()
        chosen, other = _public_key(key), Private.of(new)
        if other is None:
            raise PrivcheckError("item", words(f"a {type(new).__name__}"), "a private value or public numbers")
        linear.write(self, chosen, other)

    def fill(self, new: Any) -> None:
        """Set every entry to one value."""
        self[...] = new

    def tolist(self) -> Any:
        """Return the entries in nested lists, where they are private numbers still; what holds noise is read."""
        return [one.tolist() if one.ndim else one for one in self] if self.is_raw else super().tolist()


def _binary(function: Callable[[Private, Private], Private], one: Any, two: Any) -> Any:
    a, b = one if isinstance(one, Private) else Private.of(one), two if isinstance(two, Private) else Private.of(two)
    return NotImplemented if a is None or b is None else function(a, b)


def _in_place(function: Callable[[Private, Private], Private], self: Any, other: Any) -> Any:
    result = _binary(function, self, other)
    return result if result is NotImplemented else self.assign(result)


def _public_key(key: Any) -> Any:
    """Return an index that contains no private values, or report a leak."""
    if isinstance(key, tuple):
        return tuple(_public_key(part) for part in key)
    return read("index", "indexing", lambda index: index, key) if isinstance(key, Refusals) else key
