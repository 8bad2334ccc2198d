"""numpy's other functions that are linear in an array: one path, which applies them to unit vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from privcheck.private_values import linear_operations as linear
from privcheck.private_values.leaks import RELEASE
from privcheck.private_values.refused_operations import NONLINEAR, Refusals, private_within, published, refuse
from privcheck.private_values.terms import NOTHING

JOINTLY: frozenset[Any] = frozenset({np.append, np.diff, np.trace, np.insert, np.cross, np.rot90, np.delete})
"""Functions that are linear in all arrays that they are given together, if only these are private."""

PRODUCTS: frozenset[Any] = frozenset(
    {np.einsum, np.inner, np.vdot, np.tensordot, np.kron, np.convolve, np.average, np.linalg.multi_dot}
)
"""Functions that are linear in each array alone: one of them may be private."""

IN_THE_LAST: frozenset[Any] = frozenset({np.linalg.solve})
"""Functions that are linear in their last array; the others are read."""

SPLITS: frozenset[Any] = frozenset(
    {np.split, np.array_split, np.hsplit, np.vsplit, np.unstack, np.diag, np.triu, np.tril}
)
"""Functions that select and move entries, or put zeros beside them, and return an array or several."""

_MOST = 4096
"""Largest number of entries to whose unit vectors a function is applied."""


def is_linear(function: Any) -> bool:
    """Tell whether a function of numpy goes through this path."""
    return function in JOINTLY or function in PRODUCTS or function in IN_THE_LAST or function in SPLITS


def applied(of: Callable[[Any], Any], function: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Return a linear function of private arrays; the same function of ordinary numbers says what it does.

    y = F(p) is F(const) + sum_i C_i (F(e_i) - F(0)), with e_i the unit vectors of p: the coefficients are exact where F
    moves entries or adds and subtracts them.
    """
    name = f"{function.__module__}.{function.__name__}"
    if function in IN_THE_LAST:
        *others, _ = arguments
        if (why := published(list(private_within(tuple(others))))) is not None:
            refuse("function", name, *private_within(tuple(others)), hint=why or NONLINEAR)
    operands: list[Any] = []
    call = _caller(of, function, arguments, options, operands)
    private = [value for value in operands if not value.is_public]
    if function in PRODUCTS and len(private) > 1:
        if (why := published(private[1:])) is not None:
            refuse("function", name, *private, hint=why or f"one factor has to be public: {RELEASE}")
        private = [value for value in private if not value.is_public]
    if "out" in options or sum(value.size for value in private) > _MOST:
        refuse("function", name, *private, hint=NONLINEAR)
    const = call([value._const for value in operands])
    if isinstance(const, (list, tuple)):
        return [_combined(operands, private, _part(call, place)) for place in range(len(const))]
    return _combined(operands, private, call)


def _part(call: Callable[[list[Any]], Any], place: int) -> Callable[[list[Any]], Any]:
    return lambda arrays: call(arrays)[place]


def _combined(operands: list[Any], private: list[Any], call: Callable[[list[Any]], Any]) -> Any:
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
    return inside[0].make(linear.joint_source(*inside), np.array(const), terms) if inside else const


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
