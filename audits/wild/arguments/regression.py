"""A regression whose sum of squares has no noise: the density of the fitted slope in closed form."""

from __future__ import annotations

import math

from audits.wild.implementation import Shown

EPSILON = 1.0


def exact_second_moment() -> Shown:
    """One row (x, 0), no intercept: the slope is L / x^2 with L a Laplace number of scale 3 / epsilon.

    A third of the budget goes to each of the three monomials. The slope is a Laplace number of scale 3 / (epsilon x^2),
    with density epsilon x^2 / 6 at 0.
    """
    lower, upper = 0.0, 1.0
    sensitivity = max(abs(lower), abs(lower)) ** 2
    densities = [EPSILON * x**2 / 6.0 for x in (0.01, upper)]
    least = math.log(densities[1] / densities[0])
    because = (
        f"with bounds ({lower:g}, {upper:g}) the sensitivity is computed as {sensitivity:g}, so that the slope for one "
        f"row (x, 0) is a Laplace number of scale 3 / x^2: densities at 0 are {densities[0]:.3g} for x = 0.01 and "
        f"{densities[1]:.3g} for x = 1"
    )
    return Shown(EPSILON, least if sensitivity == 0.0 else 0.0, because)
