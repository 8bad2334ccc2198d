"""Linear functions of arrays with noise: which of numpy's they are, and the noise in what they return."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from privcheck.arrays import Array
from privcheck.certifying._primitives.drawn_noise import Noise

CHECKS = frozenset({np.isfinite, np.isnan, np.isinf})
"""Numpy's functions that tell a number with noise as they tell what it was added to."""

LINEAR = frozenset({np.add, np.subtract, np.negative, np.positive, np.multiply, np.true_divide})
"""Numpy's operations that leave noise unread where one operand is plain."""

STRUCTURAL = frozenset(
    {np.transpose, np.triu, np.tril, np.diag, np.diagonal, np.reshape, np.ravel, np.squeeze, np.copy, np.take, np.flip}
    | {np.roll, np.atleast_1d, np.atleast_2d, np.expand_dims, np.moveaxis, np.swapaxes, np.broadcast_to, np.tile}
    | {np.repeat}
)
"""Numpy's functions that select or arrange entries, or set them to 0."""

OF_SHAPES = frozenset({np.shape, np.ndim, np.size, np.zeros_like, np.ones_like, np.empty_like, np.full_like})
"""Numpy's functions that depend on the shape of their first argument alone."""

JOINING: dict[Any, tuple[int, ...]] = dict.fromkeys(
    (np.concatenate, np.stack, np.hstack, np.vstack, np.column_stack), (0,)
) | {np.append: (0, 1), np.where: (1, 2)}
"""Numpy's functions that put entries of several arrays into one, with the places of the arrays in their arguments."""

ADDING = frozenset({np.sum, np.mean, np.average, np.cumsum, np.diff})
"""Numpy's functions that add up entries of their first argument."""

PRODUCTS = frozenset({np.matmul, np.dot, np.inner, np.outer, np.einsum, np.tensordot, np.convolve})
"""Numpy's functions that are linear in each of their arguments."""

METHODS = {function.__name__: function for function in (np.sum, np.mean, np.cumsum, np.dot)}
"""Those that are methods of arrays, too."""

LINEAR_OPTIONS = frozenset({"axis", "axes", "keepdims", "where", "weights", "mode"})
"""Options with which these functions are linear: `initial=` adds a constant."""

MOST_DRAWS = 256
"""The number of draws in an array above which it is read first: the law of sums of many takes too long."""

DUST = 1e-14
"""The part of the largest factor below which one is what rounding left of 0."""


def image(
    noise: Noise, numbers: Array, weights: Array, consts: Array, function: Callable[[Array], Any]
) -> tuple[Array, Array, Array] | None:
    """Return the numbers, weights and constants of a linear function of an array with noise.

    An entry of the result with several normal draws has their sum, which is one.

    Parameters
    ----------
    noise : of the run.
    numbers, weights, consts : of the array, in one shape.
    function : is linear.

    Returns
    -------
    None if the array has to be read first: an entry would have several draws of which one is not normal, there are too
    many, or none.
    """
    drawn = np.unique(numbers[numbers > 0])
    if not 0 < len(drawn) <= MOST_DRAWS:
        return None
    const = np.array(function(consts), np.float64)
    factors = np.array([np.ravel(function(np.where(numbers == number, weights, 0.0))) for number in drawn.tolist()])
    factors[np.abs(factors) <= DUST * np.abs(factors).max(initial=0.0)] = 0.0
    held, weight, flat = np.zeros(const.size, int), np.zeros(const.size), const.reshape(-1)
    for place, each in enumerate(factors.reshape(len(drawn), -1).T):
        own = {int(drawn[row]): float(each[row]) for row in np.flatnonzero(each)}
        known = [number for number in own if number in noise.homes]
        if known and len(known) == len(own):
            known.pop()  # what else the entry holds is compared where it is read
        flat[place] += sum(own.pop(number) * noise.known(number) for number in known)
        if len(own) > 1 and any(noise.laws[number - 1] != "normal" for number in own):
            return None
        if own:
            held[place], weight[place] = noise.sum(own) if len(own) > 1 else next(iter(own.items()))
    return held.reshape(const.shape), weight.reshape(const.shape), const


def any_of(is_one: Callable[[Any], bool], given: Any) -> bool:
    """Tell whether something holds of any argument, or of an entry of a list of them."""
    if type(given) in (list, tuple):
        return any(any_of(is_one, one) for one in given)
    return any(any_of(is_one, one) for one in given.values()) if type(given) is dict else is_one(given)
