"""The true privacy loss of the sparse vector technique between two inputs."""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt

from privcheck.auditing._exact.laws import FiniteLaws
from privcheck.bounds import ROUNDING
from privcheck.mechanisms import AboveThreshold

MOST_QUERIES = 10
"""The most queries of which all sequences of answers are enumerated."""

_LAW_ERROR = 1e-11
"""Error of the logarithm of a probability that `above_threshold_law` computes."""


def above_threshold_laws(mechanism: AboveThreshold, first: npt.ArrayLike, second: npt.ArrayLike) -> FiniteLaws | None:
    """Return the laws of the answers to two inputs, shape (1 + T,) each; None for more than 10 queries.

    >>> mechanism = AboveThreshold.with_scale(1.0, answers=1)
    >>> laws = above_threshold_laws(mechanism, [0.0, 1.0], [0.0, 0.0])
    >>> round(laws.loss().value, 7)
    0.2768564
    """
    queries = np.size(first) - 1
    possible = possible_answers(min(queries, MOST_QUERIES), mechanism.answers)
    if queries > MOST_QUERIES:
        return None
    mechanism.log_ratio(possible[0], first, second)
    one, two = mechanism.log_density(possible, first), mechanism.log_density(possible, second)
    error = _LAW_ERROR + 8.0 * ROUNDING * np.maximum(np.abs(one), np.abs(two))
    if (np.asarray(first) == np.asarray(second)).all():
        error = np.zeros_like(error)
    return FiniteLaws(one, two, error)


def possible_answers(queries: int, answers: int) -> npt.NDArray[np.int64]:
    """Return every sequence of answers that a run can give, one per row.

    >>> possible_answers(2, 1).tolist()
    [[0, 0], [0, 1], [1, -1]]
    """
    above = np.array(list(itertools.product((0, 1), repeat=queries)), dtype=np.int64)
    return np.unique(AboveThreshold.of_comparisons(above, answers), axis=0)
