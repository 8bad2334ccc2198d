"""Noise of private prefix sums of symmetric matrices in compiled code, drawn in the order of the mechanisms.

All noises are matrices of p rows. Under a tree the prefix sum of t items has the noise of popcount(t) nodes: that of
its last node, and that of the prefix sum without the items of this node, which is kept.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from privcheck.arrays import Array
from privcheck.kernels._cache import compiled, inlined

Generator = np.random.Generator


@inlined
def nodes_before(step: int) -> int:
    """Return of how many nodes the prefix sum at a step of 1 or more consists, besides the node of that step.

    >>> [nodes_before(step) for step in range(1, 9)]
    [0, 0, 1, 0, 1, 1, 2, 0]
    """
    count, rest = -1, step
    while rest > 0:
        rest &= rest - 1
        count += 1
    return count


@compiled
def add_symmetric_gaussian(noise: Generator, scale: float, matrix: Array) -> None:
    """Add symmetric normal noise, of standard deviation `scale` on the diagonal and scale / sqrt(2) off it.

    >>> matrix = np.zeros((2, 2))
    >>> add_symmetric_gaussian(np.random.default_rng(0), 1.0, matrix)
    >>> from privcheck.mechanisms import SymmetricGaussian
    >>> drawn = SymmetricGaussian.with_scale(1.0).release(np.zeros((2, 2)), np.random.default_rng(0))
    >>> bool((matrix == drawn).all())
    True
    """
    root = math.sqrt(2.0)
    for i in range(matrix.shape[0]):
        matrix[i, i] += scale * noise.standard_normal()
        for j in range(i + 1, matrix.shape[0]):
            drawn = scale * noise.standard_normal() / root
            matrix[i, j] += drawn
            matrix[j, i] += drawn


@compiled
def add_wishart(noise: Generator, scale: float, degrees: float, matrix: Array, factor: Array) -> None:
    """Add Wishart noise by Bartlett's decomposition; `factor` has the shape of `matrix` and is overwritten.

    >>> matrix, factor = np.zeros((2, 2)), np.zeros((2, 2))
    >>> add_wishart(np.random.default_rng(0), 2.0, 9.0, matrix, factor)
    >>> from privcheck.mechanisms import Wishart
    >>> mechanism = Wishart(dimension=2, degrees=9, sensitivity=2.0, delta=0.1)
    >>> bool(np.allclose(matrix, mechanism.release(np.zeros((2, 2)), np.random.default_rng(0)), rtol=1e-12))
    True
    """
    size = matrix.shape[0]
    for i in range(size):
        for j in range(size):
            factor[i, j] = noise.standard_normal()
    for i in range(size):
        factor[i, i] = math.sqrt(noise.chisquare(degrees - i))
    for i in range(size):
        for j in range(i + 1):
            total = 0.0
            for k in range(j + 1):
                total += factor[i, k] * factor[j, k]
            matrix[i, j] += scale * total
            if i != j:
                matrix[j, i] += scale * total


@compiled
def transform(values: npt.NDArray[np.complex128], inverse: bool) -> None:
    """Replace values by their discrete Fourier transform, or the inverse without the division by their number.

    Parameters
    ----------
    values : shape (2^k,).
    inverse : whether the signs of the exponents are positive.

    Examples
    --------
    >>> values = np.arange(8.0) + 0j
    >>> transform(values, False)
    >>> bool(np.allclose(values, np.fft.fft(np.arange(8.0)), rtol=1e-14))
    True
    """
    size, j = values.shape[0], 0
    for i in range(1, size):
        bit = size >> 1
        while j & bit:
            j ^= bit
            bit >>= 1
        j |= bit
        if i < j:
            values[i], values[j] = values[j], values[i]
    turn = (2.0 if inverse else -2.0) * math.pi / size
    roots = np.empty(size // 2, np.complex128)
    for place in range(size // 2):
        roots[place] = complex(math.cos(turn * place), math.sin(turn * place))
    half = 1
    while half < size:
        stride = size // (2 * half)
        for start in range(0, size, 2 * half):
            for place in range(half):
                low, high = values[start + place], values[start + place + half] * roots[place * stride]
                values[start + place], values[start + place + half] = low + high, low - high
        half *= 2


@compiled
def factorised_noise(noise: Generator, scale: float, decoder: Array, rows: int, size: int) -> Array:
    """Return the noise of the first prefix sums under a factorisation, whose rows are drawn one after the other.

    Parameters
    ----------
    scale : standard deviation of the noise of a row.
    decoder : the first column of the decoder, shape (T,) with T >= rows.
    rows, size : number of prefix sums, and of entries of an item.

    Returns
    -------
    Shape (rows, size).

    Examples
    --------
    >>> from privcheck.mechanisms import FactorisedStream
    >>> mechanism = FactorisedStream.with_scale(3.0, horizon=6)
    >>> found = factorised_noise(np.random.default_rng(0), 3.0, mechanism.decoder, 5, 2)
    >>> bool(np.allclose(found, mechanism.release(np.zeros((5, 2)), np.random.default_rng(0)), rtol=1e-12))
    True
    """
    drawn = np.empty((rows, size))
    for t in range(rows):
        for c in range(size):
            drawn[t, c] = scale * noise.standard_normal()
    length = 1
    while length < 2 * rows:
        length *= 2
    weights, column = np.zeros(length, np.complex128), np.zeros(length, np.complex128)
    for t in range(rows):
        weights[t] = decoder[t]
    transform(weights, False)
    for c in range(0, size, 2):  # two real columns, as the real and the imaginary part of one
        last = min(c + 1, size - 1)
        column[:] = 0.0
        for t in range(rows):
            column[t] = complex(drawn[t, c], drawn[t, last])
        transform(column, False)
        for t in range(length):
            column[t] *= weights[t]
        transform(column, True)
        for t in range(rows):
            drawn[t, c], drawn[t, last] = column[t].real / length, column[t].imag / length
    return drawn
