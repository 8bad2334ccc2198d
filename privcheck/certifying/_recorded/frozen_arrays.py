"""Arrays of numpy taken apart for a snapshot, so that those that share memory share it again."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from privcheck.errors import PrivcheckError, words


def array_apart(value: Any) -> Any:
    """Return a function and arguments that make an array again; NotImplemented for anything else.

    >>> whole = np.arange(6.0).copy().reshape(2, 3)
    >>> make, given = array_apart(whole[:, ::-1])
    >>> make(*given).tolist(), make(*given).base is given[0]
    ([[2.0, 1.0, 0.0], [5.0, 4.0, 3.0]], True)
    """
    if type(value) is not np.ndarray:
        return NotImplemented
    writeable, owner = value.flags.writeable, value
    while type(owner.base) is np.ndarray:
        owner = owner.base
    elsewhere = owner.base is not None and not _is_of_one_array(owner.base)
    if elsewhere and writeable:
        got = words("a policy with an array whose memory belongs to an object that is no array")
        raise PrivcheckError("policy", got, "arrays with memory of their own", "copy it")
    if owner is value or elsewhere:
        if value.dtype.hasobject:
            return _of_objects, (value.ravel().tolist(), value.shape, value.dtype)
        order: Literal["F", "C"] = "F" if value.flags.f_contiguous and not value.flags.c_contiguous else "C"
        if owner is value and not (value.flags.c_contiguous or value.flags.f_contiguous):
            raise _unusual()
        return _whole, (value.tobytes(order), value.dtype, value.shape, order, writeable)
    if owner.dtype.hasobject or not (owner.flags.c_contiguous or owner.flags.f_contiguous):
        raise _unusual()
    offset = value.__array_interface__["data"][0] - owner.__array_interface__["data"][0]
    return _part, (owner, value.shape, value.dtype, offset, value.strides, writeable)


def _is_of_one_array(memory: Any) -> bool:
    """Return whether memory that is no array's own is that of one array alone, as what a function of numba returns."""
    return type(memory).__module__ == "_nrt_python" and memory.refcount == 1


def _whole(data: bytes, dtype: Any, shape: tuple[int, ...], order: Any, writeable: bool) -> Any:
    found = np.frombuffer(data, dtype).reshape(shape, order=order).copy(order)
    found.flags.writeable = writeable
    return found


def _part(owner: Any, shape: Any, dtype: Any, offset: int, strides: Any, writeable: bool) -> Any:
    found: Any = np.ndarray(shape, dtype, owner, offset, strides)
    found.flags.writeable = writeable
    return found


def _of_objects(items: list[Any], shape: tuple[int, ...], dtype: Any) -> Any:
    found = np.empty(len(items), dtype)
    for place, item in enumerate(items):
        found[place] = item
    return found.reshape(shape).copy()


def _unusual() -> PrivcheckError:
    got = words("a policy with a part of an array of objects, or of one with its axes in an unusual order in memory")
    return PrivcheckError("policy", got, "arrays of numbers", "copy it")
