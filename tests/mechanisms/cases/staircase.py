"""Staircase noise, from the definition of its law."""

import math
from typing import Any

import numpy as np
from hypothesis import strategies as st
from scipy import stats

from privcheck.mechanisms import Mechanism, Staircase

from .case import Case

STAIRCASE_VALUE = 2.0


def stair_masses(mechanism: Staircase) -> tuple[np.ndarray, np.ndarray]:
    """Edges of the stairs on z >= 0 and the probability between them, from the definition of the law."""
    count = math.ceil(60 / mechanism.epsilon) + 2
    first = 1 / (1 + math.exp(mechanism.epsilon / 2))
    edges = np.concatenate(([0.0], (np.arange(count) + first))) * mechanism.sensitivity
    weights = np.exp(-mechanism.epsilon * np.arange(count)) * np.diff(edges)
    return edges, weights / weights.sum()


def staircase_worst_loss(mechanism: Mechanism, sensitivity: float) -> float:
    """The largest log-ratio over outputs on both sides of every edge, with the neighbour at the full distance."""
    edges, _ = stair_masses(mechanism)
    outputs = np.concatenate((edges * (1 - 1e-7), edges * (1 + 1e-7)))[:40]
    return float(np.abs(mechanism.log_ratio(outputs, 0.0, sensitivity)).max())


def staircase_change(rng: np.random.Generator, sensitivity: float) -> tuple[Any, Any, Any]:
    value = rng.normal() * 5
    return value + rng.laplace() * 5, value, value + rng.uniform(-1, 1) * sensitivity


def staircase_p_value(mechanism: Mechanism, draws: np.ndarray) -> float:
    """Two tests at once (Bonferroni): the size against the piecewise linear distribution function, and the sign."""
    edges, masses = stair_masses(mechanism)
    noise = draws - STAIRCASE_VALUE
    cdf = np.concatenate(([0.0], np.cumsum(masses)))
    sizes = stats.kstest(np.abs(noise), lambda size: np.interp(size, edges, cdf)).pvalue
    return 2 * min(sizes, stats.binomtest(int((noise > 0).sum()), len(noise)).pvalue)


CASES = {
    "staircase": Case(
        Staircase,
        STAIRCASE_VALUE,
        (math.nan, math.inf, [1.0, 2.0], [1.0], "1", [[1.0], [1.0, 2.0]], [], None, True, 1j),
        staircase_worst_loss,
        staircase_change,
        staircase_p_value,
        None,  # OpenDP has no staircase noise
        {"sensitivity": 1.0},
        st.just(1.0),
        pair=(0.0, 1.0, 1.0),
    ),
}
