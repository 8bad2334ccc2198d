"""Linear operations on private values, and the operators that call them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from privcheck.errors import PrivcheckError, words
from privcheck.private_values import products
from privcheck.private_values.operands import joint_source, operand
from privcheck.private_values.refused_operations import NONLINEAR, refuse
from privcheck.private_values.terms import Terms

if TYPE_CHECKING:
    from privcheck.private_values.array import Private


def add(a: Private, b: Private) -> Private:
    """Return a + b."""
    return _combined(np.add, a, b, 1.0)


def subtract(a: Private, b: Private) -> Private:
    """Return a - b."""
    return _combined(np.subtract, a, b, -1.0)


def negative(a: Private) -> Private:
    """Return -a."""
    return a.make(a.source, -a._const, a.terms.scaled(-1.0))


def multiply(a: Private, b: Private) -> Private:
    """Return the product, entry by entry: with public numbers, or within one datum."""
    if a.terms.count == 0 or (b.terms.count > 0 and a.is_public):
        a, b = b, a
    if not b.is_public:
        const, terms = products.pointwise(a, b, np.broadcast_shapes(a.shape, b.shape))
        return a.make(joint_source(a, b), const, terms)
    return _scaled(np.multiply, a, b, b._const)


def divide(a: Private, b: Private) -> Private:
    """Return the quotient, entry by entry, by public numbers."""
    if not b.is_public:
        refuse("function", "/", a, b, hint=NONLINEAR)
    if not (b._const.all() or a.is_public):
        raise PrivcheckError("divisor of a private value", 0.0, "public numbers other than 0")
    with np.errstate(over="ignore", divide="ignore"):
        factor = 1.0 / b._const
    return _scaled(np.divide, a, b, factor)


def matmul(a: Private, b: Private) -> Private:
    """Return the matrix product: with a public factor, or within one datum."""
    if not (1 <= a.ndim <= 2 and 1 <= b.ndim <= 2):
        raise PrivcheckError("@", words(f"shapes {a.shape} and {b.shape}"), "vectors or matrices")
    const = np.matmul(a._const, b._const)
    left = a.view_as(lambda array: array.reshape(-1, array.shape[-1], 1))
    right = b.view_as(lambda array: array.reshape(1, array.shape[0], -1))
    product = total(multiply(left, right), axis=1)
    if not (a.is_public or b.is_public):
        const = product._const.reshape(np.shape(const))
    return a.make(joint_source(a, b), const, product.terms)


def outer(a: Private, b: Private) -> Private:
    """Return the products of all entries of a with all entries of b."""
    return multiply(a.view_as(lambda array: array.reshape(-1, 1)), b.view_as(np.ravel))


def dot(a: Private, b: Private) -> Private:
    """Return numpy's dot of vectors, matrices and numbers."""
    return multiply(a, b) if 0 in (a.ndim, b.ndim) else matmul(a, b)


def total(a: Private, axis: Any = None, keepdims: bool = False) -> Private:
    """Return the sum over some axes."""
    shape = np.sum(a._positions, axis=axis, keepdims=True).shape
    outputs = np.broadcast_to(np.arange(math.prod(shape)).reshape(shape), a.shape).ravel()
    terms = a.terms.spread(np.arange(a.size), outputs)
    return a.make(a.source, np.sum(a._const, axis=axis, keepdims=keepdims), terms)


def mean(a: Private, axis: Any = None, keepdims: bool = False) -> Private:
    """Return the mean over some axes."""
    summed = total(a, axis, keepdims)
    terms = summed.terms.scaled(max(summed.size, 1) / a.size)
    return a.make(a.source, np.mean(a._const, axis=axis, keepdims=keepdims), terms)


def cumulative(a: Private, axis: int | None = None) -> Private:
    """Return the cumulative sum along an axis."""
    flat = a.view_as(np.ravel) if axis is None else a
    numbers = np.moveaxis(np.arange(flat.size).reshape(flat.shape), axis or 0, -1)
    later, earlier = np.tril_indices(numbers.shape[-1])
    terms = flat.terms.spread(numbers[..., earlier].ravel(), numbers[..., later].ravel())
    return a.make(a.source, np.cumsum(a._const, axis=axis), terms)


def _combined(function: Callable[[Any, Any], Any], a: Private, b: Private, sign: float) -> Private:
    const = np.asarray(function(a._const, b._const))
    terms: Terms = a.spread(const.shape).plus(b.spread(const.shape).scaled(sign))
    return a.make(joint_source(a, b), const, terms)


def _scaled(function: Callable[[Any, Any], Any], a: Private, b: Private, factor: Any) -> Private:
    """Return a function of `a` that is linear, with public factors."""
    if factor.ndim == 0:
        terms = a.terms.scaled(float(factor))
    else:
        shape = np.broadcast_shapes(a.shape, b.shape)
        inputs = np.broadcast_to(np.arange(a.size).reshape(a.shape), shape).ravel()
        terms = a.terms.spread(inputs, np.arange(inputs.size), np.broadcast_to(factor, shape).ravel())
    return a.make(joint_source(a, b), function(a._const, b._const), terms)


def _binary(function: Callable[[Private, Private], Private], one: Any, two: Any) -> Any:
    a, b = operand(one), operand(two)
    return NotImplemented if a is None or b is None else function(a, b)


def _in_place(function: Callable[[Private, Private], Private], self: Any, other: Any) -> Any:
    result = _binary(function, self, other)
    return result if result is NotImplemented else self.assign(result)


class Arithmetic:
    """The operators and methods of arrays that keep private values private."""

    __slots__ = ()

    def __add__(self, other: Any) -> Any:
        return _binary(add, self, other)

    def __radd__(self, other: Any) -> Any:
        return _binary(add, other, self)

    def __iadd__(self, other: Any) -> Any:
        return _in_place(add, self, other)

    def __sub__(self, other: Any) -> Any:
        return _binary(subtract, self, other)

    def __rsub__(self, other: Any) -> Any:
        return _binary(subtract, other, self)

    def __isub__(self, other: Any) -> Any:
        return _in_place(subtract, self, other)

    def __mul__(self, other: Any) -> Any:
        return _binary(multiply, self, other)

    def __rmul__(self, other: Any) -> Any:
        return _binary(multiply, other, self)

    def __imul__(self, other: Any) -> Any:
        return _in_place(multiply, self, other)

    def __truediv__(self, other: Any) -> Any:
        return _binary(divide, self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return _binary(divide, other, self)

    def __itruediv__(self, other: Any) -> Any:
        return _in_place(divide, self, other)

    def __matmul__(self, other: Any) -> Any:
        return _binary(matmul, self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return _binary(matmul, other, self)

    def __neg__(self) -> Any:
        return negative(self)  # type: ignore[arg-type]

    def __pos__(self: Any) -> Any:
        return self.copy()

    def dot(self, other: Any) -> Any:
        """Return the product with a public vector or matrix, or with one of the same datum."""
        return _binary(dot, self, other)

    def sum(self: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
        """Return the sum over some axes."""
        return total(self, axis, keepdims)

    def mean(self: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
        """Return the mean over some axes."""
        return mean(self, axis, keepdims)

    def cumsum(self: Any, axis: int | None = None) -> Any:
        """Return the cumulative sum along an axis."""
        return cumulative(self, axis)

    def clip(self: Any, low: Any = None, high: Any = None) -> Any:
        """Return each entry moved into [low, high]: see `privcheck.private_values.source.clip`."""
        return products.clip(self, low, high)

    def reshape(self: Any, *shape: Any) -> Any:
        """Return a view with another shape."""
        return self.view_as(lambda array: array.reshape(*shape))

    def ravel(self: Any) -> Any:
        """Return a view with one axis."""
        return self.view_as(np.ravel)

    def flatten(self: Any) -> Any:
        """Return a copy with one axis."""
        return self.view_as(np.ravel).copy()

    def transpose(self: Any, *axes: Any) -> Any:
        """Return a view with the axes in another order."""
        return self.view_as(lambda array: array.transpose(*axes))
