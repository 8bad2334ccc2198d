"""What numpy returns of a public array that private numbers can be written to later: a view of it, where numpy's is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from privcheck.arrays import Array
from privcheck.private_values._choices.origins import Origins

if TYPE_CHECKING:
    from privcheck.private_values._private import Private


def private_within(item: Any) -> Iterator[Any]:
    """Yield the private values, public ones included, in nested lists, tuples and dictionaries."""
    if isinstance(item, Origins):
        yield item
    elif isinstance(item, (list, tuple)):
        for part in item:
            yield from private_within(part)
    elif isinstance(item, dict):
        yield from private_within(tuple(item.values()))


def on_ordinary(function: Callable[..., Any], arguments: Any, options: Any) -> Any:
    """Return a function of values in which no datum is involved; what it writes into them is written into them."""
    copies: dict[int, tuple[Any, Any]] = {}

    def ordinary(item: Any) -> Any:
        if isinstance(item, Origins):
            return copies.setdefault(id(item), (item, lent(item)))[1]
        if isinstance(item, (list, tuple)):
            return type(item)(ordinary(part) for part in item)
        return {name: ordinary(part) for name, part in item.items()} if isinstance(item, dict) else item

    has_private = next(private_within((arguments, options)), None) is not None
    result = function(*ordinary(arguments), **ordinary(options)) if has_private else function(*arguments, **options)
    arrays = [pair for pair in copies.values() if isinstance(pair[1], np.ndarray)]
    for original, copied in arrays:
        if not np.array_equal(copied, original.ordinary(), equal_nan=True):
            original[...] = copied
    return returned(result, arrays) if arrays else result


def lent(array: Any) -> Any:
    """Return the numbers of a public array as numpy has them: a copy that lies in memory as the array does.

    So that of it, too, `reshape` and the like return a view or a copy. A number is a float.

    >>> from privcheck.private_values._source import zeros
    >>> lent(zeros((2, 3)).T).flags.f_contiguous, lent(zeros((2, 3))[:, ::2]).strides
    (True, (24, 16))
    """
    const = array._const
    if const.ndim == 0 or const.flags.c_contiguous or const.flags.f_contiguous:
        return array.ordinary() if const.ndim == 0 else const.copy(order="K")
    whole = _whole(const).copy()
    return np.ndarray(const.shape, const.dtype, whole, _place(const, _whole(const)), const.strides)


def returned(result: Any, arrays: Sequence[tuple[Any, Array]]) -> Any:
    """Return what a function of `lent` arrays returned, with the parts of these in it as views of the private ones.

    Parameters
    ----------
    result : an array, a list or tuple of arrays, or anything else, which is returned as it is.
    arrays : private arrays, each with what was lent of it.

    Examples
    --------
    >>> from privcheck.private_values._source import PrivateSource, zeros
    >>> sums = zeros(2)
    >>> numbers = lent(sums)
    >>> last = returned(numbers[::-1], [(sums, numbers)])
    >>> sums[1] += PrivateSource().scalar(0.5, low=0.0, high=1.0, datum=7)
    >>> last[0]
    Private(shape=(), data=round 7, hidden)
    """
    if type(result) in (list, tuple):
        parts = [returned(part, arrays) for part in result]
        return result if all(map(_is, parts, result)) else type(result)(parts)
    if type(result) is not np.ndarray or result.dtype != np.float64 or not result.size:
        return result
    for private, numbers in arrays:
        if np.may_share_memory(result, numbers):
            return private if result is numbers else _view(private, numbers, result)
    return result


def _is(one: Any, other: Any) -> bool:
    return one is other


def _view(private: Private, numbers: Array, result: Array) -> Any:
    """Return the entries of a private array at the places that a view has in what was lent of it."""
    offset, parts = _address(result) - _address(numbers), []
    for array in (private._const, private._positions):
        whole = _whole(array)
        if array.strides != numbers.strides or not np.may_share_memory(whole, array):
            return result
        view: Any = np.ndarray(result.shape, array.dtype, whole, _place(array, whole) + offset, result.strides)
        view.flags.writeable = array.flags.writeable and not result.__array_interface__["data"][1]
        parts.append(view)
    return private.seen_as(*parts)


def _whole(array: Any) -> Any:
    """Return all numbers of the memory that an array is in, in their order there."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array.ravel(order="K")


def _place(array: Any, whole: Any) -> int:
    return _address(array) - _address(whole)


def _address(array: Any) -> int:
    return int(array.__array_interface__["data"][0])
