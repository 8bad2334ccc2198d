"""Gaussian noise in many releases written a second time: a stream's releases as rows of a matrix, laws by scipy."""

import math
from typing import Any

import numpy as np
from scipy import special, stats

MATRIX_VALUE = ((1.0, 0.5), (0.5, -2.0))
MATRICES = tuple(((x, -0.5), (-0.5, 1.0)) for x in (1.0, 0.0, 2.5, 3.0))


def gaussian_mu(distance: float, scale: float) -> float:
    """mu from the two errors of the best test, with a threshold in the middle: the sum of their standard quantiles."""
    law, middle = stats.norm(scale=scale), distance / 2
    return -float(sum(special.ndtri_exp(error) for error in (law.logsf(middle), law.logcdf(middle - distance))))


def rows_of(nodes, mechanism: Any, length: int) -> np.ndarray:
    """The 0/1 matrix of the items that each released node sums."""
    return np.array([[float(a <= i < b) for i in range(length)] for a, b, _ in nodes(mechanism, length)])


def worst_loss(rows):
    """The item whose column is longest: all of its releases together are one test of two Gaussian vectors."""

    def worst(mechanism: Any, sensitivity: float) -> float:
        columns = np.linalg.norm(rows(mechanism, 8), axis=0)
        return gaussian_mu(sensitivity * columns.max(), mechanism.scale)

    return worst


def largest_ratio(rows, released):
    """ln-ratio = <d, noise in the middle of both values> / scale^2, over the releases that contain the item."""

    def largest(mechanism: Any, sensitivity: float, output: Any, value: Any, other: Any) -> float:
        matrix = rows(mechanism, 8)
        noise = released(matrix, output) - np.tensordot(matrix, (value + other) / 2, 1)
        return sensitivity * np.linalg.norm(matrix, axis=0).max() * np.linalg.norm(noise) / mechanism.scale**2

    return largest


def prefixes_to_nodes(matrix: np.ndarray, output: np.ndarray) -> np.ndarray:
    """The noisy nodes behind prefix sums: a node is a difference of two of them."""
    before = np.concatenate((np.zeros_like(output[:1]), output))
    first = matrix.argmax(axis=1)
    return output - before[first]


def square_root_rows(mechanism: Any, length: int) -> np.ndarray:
    """The lower-triangular Toeplitz matrix of the series of (1 - z)^(-1/2), binom(2 j, j) / 4^j, cut to its band."""
    lags = np.subtract.outer(np.arange(length), np.arange(length))
    kept = (lags >= 0) & (lags < (mechanism.bandwidth or length))
    return np.where(kept, special.binom(2.0 * abs(lags), abs(lags)) / 4.0 ** abs(lags), 0.0)


def prefixes_to_rows(matrix: np.ndarray, output: np.ndarray) -> np.ndarray:
    """The noisy rows behind prefix sums, whose differences are estimates of the items."""
    return np.tensordot(matrix, np.diff(output, axis=0, prepend=0.0), 1)


def normal_p_value(noise: np.ndarray) -> float:
    """Three tests at once (Bonferroni): all entries are normal, and the sum and difference of two of them."""
    columns = [noise.ravel(), *((noise[:, 0] + sign * noise[:, 1]) / math.sqrt(2) for sign in (1, -1))]
    return 3 * min(stats.kstest(column, stats.norm.cdf).pvalue for column in columns)


def matrix_change(rng: np.random.Generator, sensitivity: float) -> tuple[Any, Any, Any]:
    value, step = (m + m.T for m in rng.normal(size=(2, 3, 3)))
    noise = rng.normal(size=(3, 3))
    return value + noise + noise.T, value, value + step * sensitivity / np.linalg.norm(step)


def matrix_largest_ratio(mechanism: Any, sensitivity: float, output: Any, value: Any, other: Any) -> float:
    return sensitivity * np.linalg.norm(output - (value + other) / 2) / mechanism.scale**2


def matrix_p_value(mechanism: Any, draws: np.ndarray) -> float:
    assert np.array_equal(draws, draws.swapaxes(-1, -2))
    noise = (draws - np.array(MATRIX_VALUE)) / mechanism.scale
    return normal_p_value(np.stack([noise[:, 0, 0], math.sqrt(2) * noise[:, 0, 1], noise[:, 1, 1]], axis=1))


def matrices_change(rng: np.random.Generator, sensitivity: float) -> tuple[Any, Any, Any]:
    value, step = rng.normal(size=(8, 2, 2)), rng.normal(size=(2, 2))
    value, step = value + value.swapaxes(1, 2), step + step.T
    other = value.copy()
    other[rng.integers(8)] += step * sensitivity / np.linalg.norm(step)
    noise = rng.normal(size=(8, 2, 2)) * 9
    return np.cumsum(value, axis=0) + noise + noise.swapaxes(1, 2), value, other


def vectors_change(rng: np.random.Generator, sensitivity: float) -> tuple[Any, Any, Any]:
    value, step = rng.normal(size=(8, 2)), rng.normal(size=2)
    other = value.copy()
    other[rng.integers(8)] += step * sensitivity / np.linalg.norm(step)
    return np.cumsum(value, axis=0) + rng.normal(size=(8, 2)) * 9, value, other


def stream_p_value(rows, released, value: Any):
    """Undo the prefix sums into releases, whose noise is independent."""

    def p_value(mechanism: Any, draws: np.ndarray) -> float:
        matrix = rows(mechanism, len(value))
        noisy = np.moveaxis(released(matrix, np.moveaxis(draws, 1, 0)), 0, 1)
        noise = (noisy - np.tensordot(matrix, np.array(value), 1)) / mechanism.scale
        if noise.ndim == 4:
            noise = np.stack([noise[..., 0, 0], math.sqrt(2) * noise[..., 0, 1], noise[..., 1, 1]], axis=-1)
        return normal_p_value(noise.reshape(len(draws), -1)[:, ::2])

    return p_value
