"""Discrete Laplace noise: the law by scipy, the loss map by OpenDP."""

from typing import Any

import numpy as np
from hypothesis import strategies as st
from scipy import stats

from privcheck.mechanisms import DiscreteLaplace, Mechanism

from .bad_values import BAD_INTEGERS
from .case import Case

DISCRETE_VALUE = (3, -2)


def discrete_worst_loss(mechanism: Mechanism, sensitivity: float) -> float:
    law = stats.dlaplace(1 / mechanism.scale)
    return float(law.logpmf(0) - law.logpmf(sensitivity))


def discrete_change(rng: np.random.Generator, sensitivity: float) -> tuple[Any, Any, Any]:
    value, step = rng.integers(-5, 5, size=3), rng.multinomial(int(sensitivity), np.ones(3) / 3)
    return value + rng.integers(-9, 9, size=3), value, value + step * rng.choice([-1, 1], size=3)


def discrete_p_value(mechanism: Mechanism, draws: np.ndarray) -> float:
    """Chi-square of both entries against scipy's dlaplace, and of the pair's signs against independence."""
    noise, law = draws - np.array(DISCRETE_VALUE), stats.dlaplace(1 / mechanism.scale)
    reach = max(1, int(mechanism.scale * 3))
    tail = [law.cdf(-reach - 1)]
    cells = np.array([*tail, *law.pmf(np.arange(-reach, reach + 1)), *tail])
    counts = np.bincount((np.clip(noise, -reach - 1, reach + 1) + reach + 1).ravel(), minlength=cells.size)
    kept = cells * noise.size >= 5
    lumped = [[*x[kept], x[~kept].sum()] if (~kept).any() else x for x in (counts, cells * noise.size)]
    entries = stats.chisquare(*lumped).pvalue if cells[~kept].sum() * noise.size > 1e-3 or kept.all() else 0.0
    signs = np.bincount((3 * np.sign(noise[:, 0]) + np.sign(noise[:, 1]) + 4).astype(int), minlength=9)
    single = np.array([law.cdf(-1), law.pmf(0), law.cdf(-1)])
    return 2 * min(entries, stats.chisquare(signs, np.outer(single, single).ravel() * len(noise)).pvalue)


def discrete_opendp(scale: float, sensitivity: float) -> float:
    import opendp.prelude as dp

    dp.enable_features("contrib")
    space = dp.atom_domain(T="i64"), dp.absolute_distance(T="i64")
    return dp.m.make_laplace(*space, scale=scale).map(int(sensitivity))


CASES = {
    "discrete-laplace": Case(
        DiscreteLaplace,
        DISCRETE_VALUE,
        (*BAD_INTEGERS, 2**60),
        discrete_worst_loss,
        discrete_change,
        discrete_p_value,
        discrete_opendp,
        sensitivities=st.integers(1, 10),
        pair=([0.0, 3.0], [1.0, 3.0], 1),
    ),
}
