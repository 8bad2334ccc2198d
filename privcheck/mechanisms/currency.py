"""The currencies of budgets that determine a noise scale: epsilon, mu and rho."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from privcheck.accounting import Charge


@dataclass(frozen=True)
class Currency:
    """How a budget and the ratio of sensitivity and noise scale determine each other.

    Parameters
    ----------
    name : the parameter of a mechanism that holds the budget.
    of_ratio : the loss for a given ratio s / b.
    to_ratio : the ratio for a given loss; the inverse.
    together : the ratio of m statistics together, each with a ratio of 1: m if losses add up, sqrt(m) if squares do.
    charge : the charge of a loss.
    """

    name: str
    of_ratio: Callable[[float], float]
    to_ratio: Callable[[float], float]
    together: Callable[[int], float]
    charge: Callable[[float], Charge]


def half_square(ratio: float) -> float:
    """Return ratio^2 / 2, rounded up: the rho of normal noise, and of discrete Gaussian noise.

    >>> half_square(1.0) >= 0.5, half_square(1e-200) > 0.0
    (True, True)
    """
    return math.nextafter(ratio * ratio / 2.0, math.inf)


def answer_charge(epsilon: float) -> Charge:
    """Return the charge of answers whose chances are floats: a tiny epsilon pays for their rounding, too.

    Rounding adds less than 2^-49 to the log-ratio of two chances, which the slack of the noise covers from an epsilon
    of 1e-6 on.

    >>> answer_charge(0.5).epsilon, answer_charge(1e-9).epsilon > 1e-9
    (0.5, True)
    """
    return Charge(epsilon if epsilon >= 1e-6 else epsilon + 2.0**-49)


EPSILON = Currency("epsilon", lambda ratio: ratio, lambda loss: loss, lambda m: m, Charge)
"""Pure differential privacy, as for Laplace noise: the loss is the ratio."""

MU = Currency(
    "mu", lambda ratio: ratio, lambda loss: loss, math.sqrt, lambda loss: Charge(mu=loss, rho=half_square(loss))
)
"""Gaussian differential privacy: the loss is the ratio, and rho is half its square."""

RHO = Currency("rho", half_square, lambda loss: math.sqrt(2.0 * loss), math.sqrt, lambda loss: Charge(rho=loss))
"""Zero-concentrated differential privacy: the loss is half the square of the ratio."""
