"""numpy's other functions that are linear in an array: one path, which applies them to unit vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from privcheck.private_values import _linear_operations as linear
from privcheck.private_values._leaks import RELEASE
from privcheck.private_values._refused_operations import NONLINEAR, Refusals, published, refuse
from privcheck.private_values._shared.views_by_numpy import private_within
from privcheck.private_values._terms import NOTHING, common

JOINTLY: dict[Any, tuple[tuple[int, ...], tuple[str, ...]]] = {
    np.append: ((0, 1), ("arr", "values")), np.diff: ((0,), ("a", "prepend", "append")), np.trace: ((0,), ("a",)),
    np.insert: ((0, 2), ("arr", "values")), np.rot90: ((0,), ("m",)), np.delete: ((0,), ("arr",)),
    np.split: ((0,), ("ary",)), np.array_split: ((0,), ("ary",)),
    np.hsplit: ((0,), ("ary",)), np.vsplit: ((0,), ("ary",)),
    np.diag: ((0,), ("v",)), np.triu: ((0,), ("m",)), np.tril: ((0,), ("m",)), np.linalg.solve: ((1,), ("b",)),
    np.average: ((0,), ("a",)), np.bincount: ((1,), ("weights",)), np.gradient: ((0,), ("f",)),
    np.ediff1d: ((0, 1, 2), ("ary", "to_end", "to_begin")), np.resize: ((0,), ("a",)), np.block: ((0,), ("arrays",)),
    np.trapezoid: ((0,), ("y",)),
}  # fmt: skip
"""Functions that are linear in these arguments together, by position and by name; all others are read."""

PRODUCTS: dict[Any, tuple[tuple[int, ...], tuple[str, ...]]] = {
    np.einsum: (tuple(range(1, 9)), ()), np.inner: ((0, 1), ("a", "b")), np.vdot: ((0, 1), ("a", "b")),
    np.tensordot: ((0, 1), ("a", "b")), np.kron: ((0, 1), ("a", "b")), np.convolve: ((0, 1), ("a", "v")),
    np.cross: ((0, 1), ("a", "b")), np.linalg.multi_dot: ((0,), ("arrays",)),
}  # fmt: skip
"""Functions that are linear in each of these arguments alone: one of them may be private."""

FLOATS = {np.average, np.bincount, np.linalg.solve, np.gradient, np.trapezoid}
"""Functions that return floats, whatever they are given."""

_MOST = 4096
"""Largest number of entries to whose unit vectors a function is applied."""


def is_linear(function: Any) -> bool:
    """Tell whether a function of numpy goes through this path."""
    return function in JOINTLY or function in PRODUCTS


def applied(of: Callable[[Any], Any], function: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Return a linear function of private arrays; the same function of ordinary numbers says what it does.

    y = F(p) is F(const) + sum_i C_i (F(e_i) - F(0)), with e_i the unit vectors of p: the coefficients are exact where F
    moves entries or adds and subtracts them.
    """
    name = f"{function.__module__}.{function.__name__}"
    positions, names = JOINTLY.get(function) or PRODUCTS[function]
    others = [item for place, item in enumerate(arguments) if place not in positions]
    others += [item for option, item in options.items() if option not in names]
    if (why := published(list(private_within(others)))) is not None:
        refuse("function", name, *private_within(others), hint=why or NONLINEAR)
    arguments = tuple(item if place in positions else _read(item) for place, item in enumerate(arguments))
    options = {option: item if option in names else _read(item) for option, item in options.items()}
    operands: list[Any] = []
    call = _caller(of, function, arguments, options, operands)
    private = [value for value in operands if not value.is_public]
    if function in PRODUCTS and len(private) > 1:
        if (why := published(private[1:])) is not None:
            refuse("function", name, *private, hint=why or f"one factor has to be public: {RELEASE}")
        private = [value for value in private if not value.is_public]
    if "out" in options or sum(value.size for value in private) > _MOST:
        refuse("function", name, *private, hint=NONLINEAR)
    if function is np.insert and len(operands) > 1:
        linear.check_written(operands[0], operands[1])
    counted = [*operands, *_ordinary_arrays(of, arguments)] if function in PRODUCTS else operands
    if function is np.diff or function in PRODUCTS:
        linear.check_counted(name, *counted)
    if len(operands) == 1 and (views := _views(call, operands[0])) is not None:
        return views
    kind = "f" if function in FLOATS else common(*counted)
    const = call([value._const for value in operands])
    if isinstance(const, (list, tuple)):
        return [_combined(operands, private, _part(call, place), kind) for place in range(len(const))]
    return _combined(operands, private, call, kind)


def _read(item: Any) -> Any:
    """Return an argument with the ordinary values of what is public."""
    if isinstance(item, Refusals):
        return item.ordinary()
    return type(item)(_read(part) for part in item) if isinstance(item, (list, tuple)) else item


def _views(call: Callable[[list[Any]], Any], array: Any) -> Any:
    """Return views of an array, or a list of them, where numpy returns such: they show what is written later."""
    found = call([array._positions])
    parts = found if isinstance(found, (list, tuple)) else [found]
    if not all(np.may_share_memory(part, array._positions) for part in parts if part.size):
        return None
    if parts is not found:
        return array.view_as(lambda given: call([given]))
    return type(found)(array.view_as(lambda given, place=place: call([given])[place]) for place in range(len(parts)))


def _part(call: Callable[[list[Any]], Any], place: int) -> Callable[[list[Any]], Any]:
    return lambda arrays: call(arrays)[place]


def _combined(operands: list[Any], private: list[Any], call: Callable[[list[Any]], Any], kind: str) -> Any:
    const = np.asarray(call([value._const for value in operands]), np.float64)
    inside = [value for value in operands if any(value is one for one in private)]
    plain = [np.zeros(value.shape) if any(value is one for one in private) else value._const for value in operands]
    zero, terms = np.asarray(call(plain), np.float64), NOTHING
    for place, value in enumerate(operands):
        if not any(value is one for one in private):
            continue
        columns = []
        for i in range(value.size):
            unit = np.zeros(value.size)
            unit[i] = 1.0
            arrays = list(plain)
            arrays[place] = unit.reshape(value.shape)
            columns.append((np.asarray(call(arrays), np.float64) - zero).ravel())
        matrix = np.array(columns).reshape(value.size, const.size)
        inputs, outputs = np.nonzero(matrix)
        terms = terms.plus(value.terms.spread(inputs, outputs, matrix[inputs, outputs]))
    if not inside:
        return const
    return inside[0].make(linear.joint_source(*inside), np.array(const), terms).of_kind(kind)


def _ordinary_arrays(of: Callable[[Any], Any], arguments: tuple[Any, ...]) -> list[Any]:
    """Return the ordinary factors of a product, which decide whether numpy counts or asks for any."""
    parts = [part for item in arguments for part in (item if isinstance(item, (list, tuple)) else [item])]
    arrays = [item for item in (*arguments, *parts) if not isinstance(item, (str, Refusals))]
    return [found for item in arrays if next(private_within(item), None) is None and (found := of(item)) is not None]


def _caller(
    of: Callable[[Any], Any], function: Any, arguments: tuple[Any, ...], options: dict[str, Any], operands: list[Any]
) -> Callable[[list[Any]], Any]:
    """Return the function of the arrays that stand for private ones, which are collected in `operands`."""

    def collect(item: Any) -> Any:
        if isinstance(item, Refusals):
            operands.append(of(item))
            return _Slot(len(operands) - 1)
        if isinstance(item, (list, tuple)):
            return type(item)(collect(part) for part in item)
        return item

    slots = tuple(collect(item) for item in arguments), {name: collect(item) for name, item in options.items()}

    def filled(item: Any, arrays: list[Any]) -> Any:
        if isinstance(item, _Slot):
            return arrays[item.place]
        if isinstance(item, (list, tuple)):
            return type(item)(filled(part, arrays) for part in item)
        return item

    return lambda arrays: function(
        *(filled(item, arrays) for item in slots[0]), **{name: filled(item, arrays) for name, item in slots[1].items()}
    )


class _Slot:
    """Stands for a private array among the arguments."""

    def __init__(self, place: int) -> None:
        self.place = place
