"""The index of the largest noisy score, and the two other ways of selecting it."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import stats

from privcheck.mechanisms import ExponentialMechanism, Mechanism, NoisyMax, PermuteAndFlip

from .case import Case

SCORES = ([0.0, 3.0, 0.0], [1.0, 2.0, 0.0], 2.0)
NOISY_MAX_VALUE = (0.0, 1.0, 2.5, 1.0)
NOISY_MAX_BAD = (1.0, [math.nan, 1.0], [1.0, math.inf], ["1"], [[1.0], [1.0, 2.0]], [[1.0, 2.0]], [], None, [True])


def noisy_max_worst_loss(mechanism: Mechanism, sensitivity: float) -> float:
    """Arm 0 wins from 30 behind nine others; the neighbour puts it one range closer. The limit is exp(-r / b)."""
    behind = np.array([0.0] + [30 * max(mechanism.scale, sensitivity)] * 9)
    return mechanism.log_ratio(0, behind + np.eye(10)[0] * sensitivity, behind)


def noisy_max_change(rng: np.random.Generator, sensitivity: float) -> tuple[Any, Any, Any]:
    """Scores, scores whose changes have the range `sensitivity` after a common shift, and an index."""
    size = int(rng.integers(2, 6))
    scores, change = rng.normal(size=size) * 3, rng.normal(size=size)
    change = (change - change.min()) / np.ptp(change) * sensitivity + rng.normal()
    return int(rng.integers(size)), scores, scores + change


def noisy_max_p_value(mechanism: Mechanism, draws: np.ndarray) -> float:
    expected = mechanism.probabilities(NOISY_MAX_VALUE) * draws.size
    return stats.chisquare(np.bincount(draws, minlength=expected.size), expected).pvalue


def noisy_max_opendp(scale: float, sensitivity: float) -> float:
    """OpenDP measures the change in L-infinity: a distance d lets scores move apart by 2 d, so r = 2 d.

    Its noise is exponential (permute and flip), so the samples differ; the loss map depends on range / scale alone for
    both noises, because both have P(Z > t + r) >= exp(-r / b) P(Z > t). Hence maps are compared, not samples.
    """
    import opendp.prelude as dp

    dp.enable_features("contrib")
    scores = dp.vector_domain(dp.atom_domain(T=float, nan=False))
    replaced = dp.m.make_noisy_max(scores, dp.linf_distance(T=float), dp.max_divergence(), scale=scale)
    monotone_metric = dp.linf_distance(T=float, monotonic=True)
    monotone = dp.m.make_noisy_max(scores, monotone_metric, dp.max_divergence(), scale=scale)
    assert math.isclose(replaced.map(sensitivity / 2), monotone.map(sensitivity), rel_tol=1e-12)
    return replaced.map(sensitivity / 2)


def gumbel_opendp(scale: float, sensitivity: float) -> float:
    """OpenDP charges zCDP, rho = (r / b)^2 / 8, that of any mechanism of bounded range r / b: the pure loss."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    scores = dp.vector_domain(dp.atom_domain(T=float, nan=False))
    space = scores, dp.linf_distance(T=float), dp.zero_concentrated_divergence()
    return math.sqrt(8 * dp.m.make_noisy_max(*space, scale=scale).map(sensitivity / 2))


def noisy_max_case(
    opendp_map: Callable[[float, float], float] | None, mechanism: type[Mechanism] = NoisyMax, **options: str
) -> Case:
    functions = noisy_max_worst_loss, noisy_max_change, noisy_max_p_value
    return Case(mechanism, NOISY_MAX_VALUE, (*NOISY_MAX_BAD, [1j]), *functions, opendp_map, options, pair=SCORES)


CASES = {
    "noisy-max": noisy_max_case(noisy_max_opendp, noise="laplace"),
    "noisy-max, exponential": noisy_max_case(noisy_max_opendp, noise="exponential"),
    "noisy-max, gumbel": noisy_max_case(gumbel_opendp, noise="gumbel"),
    "exponential-mechanism": noisy_max_case(gumbel_opendp, ExponentialMechanism),
    "permute-and-flip": noisy_max_case(noisy_max_opendp, PermuteAndFlip),
}
