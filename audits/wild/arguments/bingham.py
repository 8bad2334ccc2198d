"""A sampler of the Bingham law whose acceptance ratio is upside down: its privacy loss by quadrature."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import integrate, optimize, stats

from audits.wild.implementation import Shown

DIMENSION, UNIT_EPSILON = 10, 2.0
ROWS = (2, 3)
"""Equal rows of length 1 in the data sets, of which one has one row more."""


def log_density(rows: int, cosine: Any) -> Any:
    """Return the unnormalised log-density of accepted outputs at an angle to the rows, by the cosine of that angle.

    A = rows * unit_epsilon / 4 * (I - vv') has one eigenvalue 0 and d - 1 equal ones. b solves
    sum 1 / (b + 2 eigenvalue) = 1 and Omega = I + 2 A / b. The envelope has density proportional to
    (u'Omega u)^(-d/2), and an output is accepted in proportion to exp(-u'Au) (u'Omega u)^(-d/2).
    """
    d, a = DIMENSION, rows * UNIT_EPSILON / 4.0
    b = optimize.brentq(lambda b: (d - 1) / (b + 2.0 * a) + 1.0 / b - 1.0, 0.9, d)
    sine_squared = 1.0 - np.square(cosine)
    return -a * sine_squared - d * np.log1p(2.0 * a * sine_squared / b)


def inverted_acceptance() -> Shown:
    """Return the largest log-ratio of the two densities over all angles."""
    cosines = np.linspace(0.0, 1.0, 2001)
    curves = []
    for rows in ROWS:
        mass, _ = integrate.quad(
            lambda t, rows=rows: math.exp(log_density(rows, t)) * (1.0 - t * t) ** ((DIMENSION - 3) / 2), -1.0, 1.0
        )
        curves.append(log_density(rows, cosines) - math.log(mass))
    least = float(np.abs(curves[0] - curves[1]).max())
    because = (
        f"quadrature of the density of accepted outputs, for {ROWS[0]} and {ROWS[1]} equal rows in {DIMENSION} "
        f"dimensions at unit epsilon {UNIT_EPSILON:g}: log-ratios up to {least:.3f}, where the map gives "
        f"{UNIT_EPSILON / 2:g}"
    )
    return Shown(UNIT_EPSILON / 2, least, because)


def samples_against_both_laws(draws: int = 400, seed: int = 0) -> tuple[float, float]:
    """Return p-values of OpenDP's draws against the inverted law and against Bingham's.

    They are those of Kolmogorov-Smirnov tests of |u'v|. OpenDP's secure generator is replaced by a seeded one of numpy.
    """
    import importlib

    import opendp.prelude as dp
    from opendp.extras.numpy import _sscp_domain

    module: Any = importlib.import_module("opendp.extras.sklearn._make_eigenvector")
    dp.enable_features("contrib", "idealized-numerics")
    space = _sscp_domain(num_features=DIMENSION, norm=1.0, p=2, T=float), dp.symmetric_distance()
    secure, module.get_np_csprng = module.get_np_csprng, lambda: np.random.default_rng(seed)
    try:
        draw = module.make_private_eigenvector(*space, UNIT_EPSILON)
    finally:
        module.get_np_csprng = secure
    rows = np.diag([float(ROWS[1])] + [0.0] * (DIMENSION - 1))
    cosines = np.abs([draw(rows)[0] for _ in range(draws)])
    grid = np.linspace(0.0, 1.0, 20_001)
    surface = (1.0 - grid**2) ** ((DIMENSION - 3) / 2)
    bingham = np.exp(-ROWS[1] * UNIT_EPSILON / 4.0 * (1.0 - grid**2))
    p_values = []
    for density in (np.exp(log_density(ROWS[1], grid)), bingham):
        mass = integrate.cumulative_trapezoid(density * surface, grid, initial=0.0)
        p_values.append(float(stats.kstest(cosines, lambda x, mass=mass: np.interp(x, grid, mass / mass[-1])).pvalue))
    return p_values[0], p_values[1]
