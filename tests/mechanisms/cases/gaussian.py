"""Gaussian noise on vectors and symmetric matrices: the law by scipy, the loss map by OpenDP."""

import math
from typing import Any

import numpy as np
from scipy import special, stats

from privcheck.mechanisms import Gaussian, Mechanism, SymmetricGaussian

from . import gaussian_oracles as normal
from .case import Case
from .laplace import LAPLACE_VALUE


def gaussian_worst_loss(mechanism: Mechanism, sensitivity: float) -> float:
    """mu from the two errors of the best test, with a threshold in the middle: the sum of their standard quantiles."""
    law, middle = stats.norm(scale=mechanism.scale), sensitivity / 2
    errors = law.logsf(middle), law.logcdf(middle - sensitivity)
    return -float(sum(special.ndtri_exp(error) for error in errors))


def gaussian_change(rng: np.random.Generator, sensitivity: float) -> tuple[Any, Any, Any]:
    value, step = rng.normal(size=3) * 5, rng.normal(size=3)
    return value + rng.normal(size=3) * 5, value, value + step * sensitivity / np.linalg.norm(step)


def gaussian_largest_ratio(mechanism: Mechanism, sensitivity: float, output: Any, value: Any, other: Any) -> float:
    """The log-ratio is linear in the output and 0 in the middle of both values."""
    return sensitivity * np.linalg.norm(output - (value + other) / 2) / mechanism.scale**2


def gaussian_p_value(mechanism: Mechanism, draws: np.ndarray) -> float:
    """Three tests at once (Bonferroni): both entries are normal, and so is their difference if they are independent."""
    noise = (draws - np.array(LAPLACE_VALUE)) / mechanism.scale
    columns = [noise[:, 0], noise[:, 1], (noise[:, 0] - noise[:, 1]) / math.sqrt(2)]
    return 3 * min(stats.kstest(column, stats.norm.cdf).pvalue for column in columns)


def gaussian_opendp(scale: float, sensitivity: float) -> float:
    """OpenDP charges zCDP, rho = mu^2 / 2."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
    return math.sqrt(2 * dp.m.make_gaussian(*space, scale=scale).map(sensitivity))


CASES = {
    "gaussian": Case(
        Gaussian,
        LAPLACE_VALUE,
        (math.nan, math.inf, [1.0, -math.inf], "1", [[1.0], [1.0, 2.0]], [], None, True, 1j),
        gaussian_worst_loss,
        gaussian_change,
        gaussian_p_value,
        gaussian_opendp,
        pair=([0.0, 0.0], [0.6, -0.8], 1.0),
        largest_ratio=gaussian_largest_ratio,
    ),
    "symmetric-gaussian": Case(
        SymmetricGaussian,
        normal.MATRIX_VALUE,
        (math.nan, 1.0, [1.0, 2.0], [[1.0, 2.0]], [[math.inf]], "1", [[1.0], [1.0, 2.0]], [], None, [[True]], [[1j]]),
        lambda mechanism, sensitivity: normal.gaussian_mu(sensitivity, mechanism.scale),
        normal.matrix_change,
        normal.matrix_p_value,
        gaussian_opendp,
        pair=([[0.0, 0.0], [0.0, 0.0]], [[0.6, 0.4], [0.4, math.sqrt(0.32)]], 1.0),
        largest_ratio=normal.matrix_largest_ratio,
    ),
}
