"""Linear operations on private values: sums, multiples, products with public matrices, joined arrays.

A private value is computed in real numbers. numpy adds bools as "or", takes their differences as "unequal", multiplies
matrices of them as "any", cuts what is written into an array of integers, and lets small integers wrap around. There a
private value would differ from numpy's, and its sensitivity could be smaller than that of the code: it is refused.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from privcheck.arrays import Bools
from privcheck.errors import PrivcheckError, words
from privcheck.private_values import _products as products
from privcheck.private_values._columns import as_long
from privcheck.private_values._leaks import RELEASE, own_place
from privcheck.private_values._refused_operations import NONLINEAR, refuse
from privcheck.private_values._terms import NOTHING, Terms, common

if TYPE_CHECKING:
    from privcheck.private_values._private import Private
    from privcheck.private_values._source import PrivateSource

COUNT = "numpy takes + of bools for `or` and - for `unequal`: multiply comparisons by 1 before you count with them"
WRAP = "integers of 8 and 16 bits wrap around: make the array with privcheck.zeros, or take .astype(float) of it"
CUT = (
    "numpy cuts what is written into an array of bools or integers to those: multiply the array by 1.0 first, or make "
    "it with privcheck.zeros"
)


def add(a: Private, b: Private) -> Private:
    """Return a + b."""
    one, two = a._cell, b._cell
    if a._whole and b._whole and one.kind == two.kind == "f" and a._const.ndim == b._const.ndim == 0:  # nearly always
        source = one.source if two.source is None or two.source is one.source else joint_source(a, b)
        made = a.make(source, a._const + b._const, one.terms.plus(two.terms))
        made._cell.reused = one.reused or two.reused
        return made
    check_counted("+", a, b, scalars=True)
    return _combined(np.add, a, b, 1.0)


def subtract(a: Private, b: Private) -> Private:
    """Return a - b."""
    check_counted("-", a, b)
    return _combined(np.subtract, a, b, -1.0)


def negative(a: Private) -> Private:
    """Return -a."""
    return a.make(a.source, -a._const, a.terms.scaled(-1.0)).of_kind(common(a, least="i"))


def multiply(a: Private, b: Private) -> Private:
    """Return the entrywise product: with public numbers, or within one datum."""
    if not (a.is_public or b.is_public):
        a, b = _read_if_noised(a), _read_if_noised(b)
    if a.terms.count == 0 or (b.terms.count > 0 and a.is_public):
        a, b = b, a
    if not b.is_public:
        const, terms = products.pointwise(a, b, np.broadcast_shapes(a.shape, b.shape))
        return a.make(joint_source(a, b), const, terms).of_kind(common(a, b))
    return _scaled(np.multiply, a, b, b._const)


def divide(a: Private, b: Private) -> Private:
    """Return the entrywise quotient by public numbers."""
    b = _read_if_noised(b)
    if not b.is_public:
        refuse("function", "/", a, b, hint=NONLINEAR)
    if not (b._const.all() or a.is_public or _is_read_at(a, b._const == 0.0)):
        got = words(f"0.0 at {own_place()}")
        raise PrivcheckError("divisor of a private value", got, "public numbers other than 0", "divide by max(n, 1)")
    with np.errstate(over="ignore", divide="ignore"):
        factor = 1.0 / b._const
    return _scaled(np.divide, a, b, factor).of_kind("f")


def _is_read_at(a: Private, places: Bools) -> bool:
    """Release the entries of an array at some places, which must be of its shape; False if that cannot be.

    What is divided by 0 is infinite or not a number, so its sign is read. Arms that were not played have noise there.
    """
    if a.shape != places.shape or not a.ndim:
        return False
    there = a[places]
    if not there.is_public and there.publish() is not None:
        return False
    a.settle()
    return True


def matmul(a: Private, b: Private) -> Private:
    """Return the matrix product: with a public factor, or within one datum."""
    if not (1 <= a.ndim <= 2 and 1 <= b.ndim <= 2):
        raise PrivcheckError("@", words(f"shapes {a.shape} and {b.shape}"), "vectors or matrices")
    if not (a.is_public or b.is_public):
        a, b = _read_if_noised(a), _read_if_noised(b)
    check_counted("@", a, b)
    const = np.matmul(a._const, b._const)
    left = a.view_as(lambda array: array.reshape(-1, array.shape[-1], 1))
    right = b.view_as(lambda array: array.reshape(1, array.shape[0], -1))
    product = total(multiply(left, right), axis=1)
    if not (a.is_public or b.is_public):
        const = product._const.reshape(np.shape(const))
    return a.make(joint_source(a, b), const, product.terms).of_kind(common(a, b))


def outer(a: Private, b: Private) -> Private:
    """Return the products of all entries of a with all entries of b."""
    return multiply(a.view_as(lambda array: array.reshape(-1, 1)), b.view_as(np.ravel))


def dot(a: Private, b: Private) -> Private:
    """Return numpy's dot of vectors, matrices and numbers."""
    return multiply(a, b) if 0 in (a.ndim, b.ndim) else matmul(a, b)


def total(a: Private, axis: Any = None, keepdims: bool = False) -> Private:
    """Return the sum over some axes."""
    shape = np.sum(a._positions, axis=axis, keepdims=True).shape
    outputs = as_long(np.arange(math.prod(shape)).reshape(shape), a.shape).ravel()
    terms = a.terms.spread(np.arange(a.size), outputs)
    return a.make(a.source, np.sum(a._const, axis=axis, keepdims=keepdims), terms).of_kind(common(a, least="i"))


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
    return a.make(a.source, np.cumsum(a._const, axis=axis), terms).of_kind(common(a, least="i"))


def gathered(parts: Sequence[Private], shapes: Sequence[tuple[int, ...]]) -> Private:
    """Return private values of one shape as one array, along a new first axis."""
    if len(set(shapes)) != 1:
        raise PrivcheckError("sequence of private values", words("different shapes"), "values of one shape")
    numbered = np.arange(sum(part.size for part in parts)).reshape(len(parts), *shapes[0])
    return picked(parts, numbered)


def picked(parts: Sequence[Private], numbers: Any) -> Private:
    """Return the array of the entries with these numbers; the entries of all parts are numbered in turn from 0."""
    terms, offset = NOTHING, 0
    for part in parts:
        positions = np.arange(part.size)
        terms = terms.plus(part.terms.spread(positions, positions + offset))
        offset += part.size
    const = np.concatenate([part._const.ravel() for part in parts])[numbers]
    inputs = np.asarray(numbers).ravel()
    made = parts[0].make(joint_source(*parts), const, terms.spread(inputs, np.arange(inputs.size)))
    return made.of_kind(common(*parts))


def write(into: Private, chosen: Any, new: Private) -> None:
    """Replace the entries of an array that an index chooses."""
    check_written(into, new)
    source, positions = joint_source(into, new), into._positions[chosen]
    terms, cell = new.terms, into._cell
    inputs = np.empty(np.shape(positions), np.int64)
    inputs[...] = np.arange(new.size).reshape(new.shape)
    into._const[chosen] = new._const
    cell.join(source)
    if np.ndim(positions) == 0:
        cell.replace(cell.terms.with_row(int(positions), terms))
        return
    winner = np.full(cell.size, -1)
    winner[positions] = inputs
    stays, outputs = np.flatnonzero(winner < 0), np.flatnonzero(winner >= 0)
    cell.replace(cell.terms.spread(stays, stays).plus(terms.spread(winner[outputs], outputs)))


def joint_source(*values: Private) -> PrivateSource | None:
    """Return the source of private values that are used together, which must come from one run."""
    found: PrivateSource | None = None
    for value in values:
        source = value.source
        if source is not None and found is not None and source is not found:
            hint = "private values of another run were kept: do not keep them in class attributes or globals"
            raise PrivcheckError("private values", words("values of two runs"), "values of the same run", hint)
        found = source or found
    return found


def _read_if_noised(value: Private) -> Private:
    """Return a value after releasing it if it holds noise: only linear functions of noised values stay private."""
    if value.holds_draws and (why := value.publish()) is not None:
        refuse("function", "a product or quotient with noise", value, hint=why or NONLINEAR)
    return value


def _combined(function: Callable[[Any, Any], Any], a: Private, b: Private, sign: float) -> Private:
    check_wide("+" if sign > 0.0 else "-", a, b)
    const = np.asarray(function(a._const, b._const))
    terms: Terms = a.spread(const.shape).plus(b.spread(const.shape).scaled(sign))
    least = "i" if a.kind == b.kind == "b" else "b"
    return _reused(a.make(joint_source(a, b), const, terms), a, b).of_kind(common(a, b, least=least))


def _reused(made: Private, a: Private, b: Private) -> Private:
    """Return a value that is made of two others, with the mark of those that held noise that was released."""
    made._cell.reused = a._cell.reused or b._cell.reused
    return made


def _scaled(function: Callable[[Any, Any], Any], a: Private, b: Private, factor: Any) -> Private:
    """Return a linear function of `a` with public factors."""
    if function is np.multiply:
        check_wide("*", a, b)
    if factor.ndim == 0:
        terms = a.terms.scaled(float(factor))
    else:
        shape = np.broadcast_shapes(a.shape, b.shape)
        inputs = as_long(np.arange(a.size).reshape(a.shape), shape).ravel()
        terms = a.terms.spread(inputs, np.arange(inputs.size), as_long(factor, shape).ravel())
    return _reused(a.make(joint_source(a, b), function(a._const, b._const), terms), a, b).of_kind(common(a, b))


def check_counted(operation: str, *values: Private, scalars: bool = False) -> None:
    """Refuse an operation on bools alone, which numpy does not compute as with numbers.

    `scalars` allows numbers of shape (): Python adds its bools as integers.
    """
    if values and all(value.kind == "b" for value in values) and not all(value.is_public for value in values):
        if scalars and all(value.ndim == 0 for value in values):
            return
        refuse("function", f"{operation} of bools", *(value for value in values if not value.is_public), hint=COUNT)


def check_wide(operation: str, one: Private, two: Private) -> None:
    """Refuse sums and products in small integers, which wrap around; Python's integers take the type of the array."""
    if one.kind != "n" != two.kind:
        return
    for small, other in ((one, two), (two, one)):
        taken = other.kind in "bn" or (other.kind in "im" and other.ndim == 0)
        if small.kind == "n" and taken and not (one.is_public and two.is_public):
            refuse("function", f"{operation} of small integers", *(v for v in (one, two) if not v.is_public), hint=WRAP)


def check_written(array: Private, new: Private) -> None:
    """Refuse to write private floats into an array of integers, or private numbers into one of bools."""
    if array.kind != "f" and common(array, new) != array.kind and not new.is_public:
        refuse("conversion", "writing into an array of whole numbers", new, hint=f"{CUT}; or {RELEASE}")
