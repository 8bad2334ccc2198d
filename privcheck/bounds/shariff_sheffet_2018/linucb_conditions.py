"""Conditions of the theorems on private contextual linear bandits.

>>> [condition.text for condition in (GAUSSIAN, WISHART)]
['Gaussian noise in the tree', 'Wishart noise in the tree']
"""

from __future__ import annotations

import math

from privcheck.bounds._theorem import Condition
from privcheck.bounds.settings.contextual_instance import ContextualInstance
from privcheck.bounds.shariff_sheffet_2018.regulariser import regulariser, wishart_is_concentrated


def confidence_radius(instance: ContextualInstance) -> float:
    """Radius of LinUCB's confidence ellipsoid in the last round, the upper bound beta_n of Proposition 4.

    >>> paper = ContextualInstance(dimension=5, horizon=5e7, epsilon=1.0, delta=0.1, alpha=2e-8)
    >>> round(confidence_radius(paper), 1)
    564.5
    """
    bounds = regulariser(instance)
    growth = instance.dimension * math.log(
        bounds.rho_max / bounds.rho_min
        + instance.horizon * instance.action_norm**2 / (instance.dimension * bounds.rho_min)
    )
    width = instance.sigma * math.sqrt(2 * math.log(2 / instance.alpha) + growth)
    return width + instance.parameter_norm * math.sqrt(bounds.rho_max) + bounds.gamma


def _is_private(instance: ContextualInstance) -> bool:
    """Whether the noise of a node protects a replaced user; another condition refuses delta = 0."""
    m, delta = instance.levels, instance.delta
    if instance.noise != "gaussian":
        return instance.epsilon < math.sqrt(8 * m * math.log(2 / delta)) and delta / (2 * m) < 1 / math.e
    from scipy.special import log_ndtr, ndtr

    # replacing a row moves a node by at most Ltilde^2/noise, and the m nodes on its path by mu together
    mu = instance.epsilon / (4 * math.log(4 / delta))
    far = log_ndtr(-mu / 2 - instance.epsilon / mu)
    return bool(ndtr(mu / 2 - instance.epsilon / mu) - math.exp(instance.epsilon + far) <= delta)


def _is_concentrated(instance: ContextualInstance) -> bool:
    return instance.delta == 0 or instance.noise == "gaussian" or wishart_is_concentrated(instance)


GAUSSIAN = Condition("Gaussian noise in the tree", lambda instance: instance.noise == "gaussian")
WISHART = Condition("Wishart noise in the tree", lambda instance: instance.noise != "gaussian")
SHIFTED_WISHART = Condition("shifted Wishart noise in the tree", lambda instance: instance.noise == "wishart")
HAS_DELTA = Condition("delta > 0", lambda instance: instance.delta > 0)
IS_PRIVATE = Condition(
    "the noise gives (epsilon, delta)-DP: Gaussian noise by its exact loss, Wishart noise by the theorem that requires "
    "epsilon/sqrt(8 m ln(2/delta)) < 1 and delta/(2m) < 1/e",
    lambda instance: instance.delta == 0 or _is_private(instance),
)
CONCENTRATED = Condition(
    "eigenvalues of Wishart noise stay positive: sqrt(mk) > s, and at least (3 + 2 sqrt 2) s with a shift",
    _is_concentrated,
)
WIDE = Condition(
    "the confidence radius beta_n is at least 1",
    lambda instance: instance.delta == 0 or not _is_concentrated(instance) or confidence_radius(instance) >= 1,
)
HAS_GAP = Condition("every decision set has a gap", lambda instance: instance.gap is not None)
