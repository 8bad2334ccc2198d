"""Randomised response: the whole table of probabilities."""

from typing import Any

import numpy as np
from hypothesis import strategies as st
from scipy import stats

from privcheck.mechanisms import Mechanism, RandomisedResponse

from .bad_values import BAD_INTEGERS
from .case import Case

RESPONSE_VALUE = (2, 0)


def response_worst_loss(mechanism: Mechanism, _: float) -> float:
    """The largest ratio in the whole K x K table of probabilities."""
    table = np.array([mechanism.probabilities(truth) for truth in range(mechanism.categories)])
    return float(np.log(table.max(axis=0) / table.min(axis=0)).max())


def response_change(rng: np.random.Generator, _: float) -> tuple[Any, Any, Any]:
    value = rng.integers(4, size=3)
    other = value.copy()
    other[rng.integers(3)] = rng.integers(4)
    return rng.integers(4, size=3), value, other


def response_p_value(mechanism: Mechanism, draws: np.ndarray) -> float:
    """Chi-square of the pair of answers against the product of e^(1/b) : 1 : 1 : 1 laws."""
    weights = np.ones((2, 4))
    weights[[0, 1], RESPONSE_VALUE] = np.exp(1 / mechanism.scale)
    laws = weights / weights.sum(axis=1, keepdims=True)
    counts = np.bincount(4 * draws[:, 0] + draws[:, 1], minlength=16)
    return stats.chisquare(counts, np.outer(*laws).ravel() * len(draws)).pvalue


CASES = {
    "randomised-response": Case(
        RandomisedResponse,
        RESPONSE_VALUE,
        (*BAD_INTEGERS, 4, -1),
        response_worst_loss,
        response_change,
        response_p_value,
        None,  # its map is in test_randomised_response.py: it depends on the probability, not on a scale
        {"categories": 4},
        st.just(1),
        pair=([0.0], [2.0], 1),
    ),
}
