"""Laplace noise: the law by scipy, the loss map by OpenDP."""

import math
from typing import Any

import numpy as np
from scipy import stats

from privcheck.mechanisms import Laplace, Mechanism

from . import tree_oracles as trees
from .case import Case

LAPLACE_VALUE = (3.0, -2.0)


def laplace_worst_loss(mechanism: Mechanism, sensitivity: float) -> float:
    """scipy's tail probability beyond both values: the event {output > s} on the neighbours s and 0."""
    law = stats.laplace(scale=mechanism.scale)
    return float(law.logsf(0.0) - law.logsf(sensitivity))


def laplace_change(rng: np.random.Generator, sensitivity: float) -> tuple[Any, Any, Any]:
    """A vector, a neighbour at L1 distance `sensitivity`, and an output."""
    value, step = rng.normal(size=3) * 5, rng.normal(size=3)
    return value + rng.laplace(size=3) * 5, value, value + step * sensitivity / np.abs(step).sum()


def laplace_p_value(mechanism: Mechanism, draws: np.ndarray) -> float:
    """Two tests at once (Bonferroni): each entry is Laplace, and entries 0 and 1 are independent.

    The difference X of two independent standard Laplace variables has P(X > x) = (2 + x) e^-x / 4, x >= 0.
    """
    return trees.standard_laplace_p_value((draws - np.array(LAPLACE_VALUE)) / mechanism.scale)


def laplace_opendp(scale: float, sensitivity: float) -> float:
    import opendp.prelude as dp

    dp.enable_features("contrib")
    space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
    return dp.m.make_laplace(*space, scale=scale).map(sensitivity)


CASES = {
    "laplace": Case(
        Laplace,
        LAPLACE_VALUE,
        (math.nan, math.inf, [1.0, -math.inf], "1", [[1.0], [1.0, 2.0]], [], None, True, 1j),
        laplace_worst_loss,
        laplace_change,
        laplace_p_value,
        laplace_opendp,
        pair=([0.0, 0.0], [0.5, -0.5], 1.0),
    ),
}
