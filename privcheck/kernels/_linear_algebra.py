"""Small dense linear algebra in compiled code: one factorisation of a positive definite matrix per round."""

from __future__ import annotations

import math

from privcheck.arrays import Array
from privcheck.kernels._cache import compiled, inlined


@compiled
def inverse_factor(matrix: Array, factor: Array) -> float:
    """Write the inverse F of the lower Cholesky factor of V into `factor`, and return ln det V.

    V^-1 = F' F, so that |x| in the norm of V^-1 is |F x|. Only the lower triangles of both arrays are used.

    Parameters
    ----------
    matrix : V, shape (d, d), symmetric; its lower triangle is overwritten by the factor.
    factor : receives F, shape (d, d).

    Returns
    -------
    ln det V, or NaN if V is not positive definite.

    Examples
    --------
    >>> import numpy as np
    >>> factor = np.zeros((2, 2))
    >>> round(inverse_factor(np.array([[4.0, 2.0], [2.0, 5.0]]), factor), 6), factor.tolist()
    (2.772589, [[0.5, 0.0], [-0.25, 0.5]])
    >>> inverse_factor(np.array([[1.0, 2.0], [2.0, 1.0]]), factor)
    nan
    """
    size, log_det = matrix.shape[0], 0.0
    for i in range(size):
        for j in range(i + 1):
            total = matrix[i, j]
            for k in range(j):
                total -= matrix[i, k] * matrix[j, k]
            if i > j:
                matrix[i, j] = total / matrix[j, j]
            elif total > 0.0:
                matrix[i, i] = math.sqrt(total)
                log_det += math.log(total)
            else:
                return math.nan
    for j in range(size):
        factor[j, j] = 1.0 / matrix[j, j]
        for i in range(j + 1, size):
            total = 0.0
            for k in range(j, i):
                total -= matrix[i, k] * factor[k, j]
            factor[i, j] = total / matrix[i, i]
    return log_det


@compiled
def solved(factor: Array, vector: Array, solution: Array, work: Array) -> None:
    """Write V^-1 u into `solution`, given the inverse factor of V; all vectors have shape (d,).

    >>> import numpy as np
    >>> solution = np.zeros(2)
    >>> solved(np.array([[0.5, 0.0], [-0.25, 0.5]]), np.array([1.0, 2.0]), solution, np.zeros(2))
    >>> solution.tolist()
    [0.0625, 0.375]
    """
    size = vector.shape[0]
    for i in range(size):
        work[i] = 0.0
        for j in range(i + 1):
            work[i] += factor[i, j] * vector[j]
    for j in range(size):
        solution[j] = 0.0
        for i in range(j, size):
            solution[j] += factor[i, j] * work[i]


@inlined
def length(factor: Array, vector: Array) -> float:
    """Return the norm |F x| of a vector, given the inverse factor F.

    >>> import numpy as np
    >>> length(np.array([[0.5, 0.0], [-0.25, 0.5]]), np.array([0.0, 2.0]))
    1.0
    """
    squares = 0.0
    for i in range(vector.shape[0]):
        total = 0.0
        for j in range(i + 1):
            total += factor[i, j] * vector[j]
        squares += total * total
    return math.sqrt(squares)
