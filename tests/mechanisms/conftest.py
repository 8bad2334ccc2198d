"""The test data of each mechanism: what the contract of `test_contract.py` needs to know about it."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy import stats

from privcheck.mechanisms import MECHANISMS, Laplace, Mechanism, NoisyMax


@dataclass(frozen=True)
class Case:
    """How to exercise one mechanism.

    `worst_loss(mechanism, s)`: loss of the worst pair of data of sensitivity s under the law that the mechanism claims
    (by scipy where it can). `change(rng, s)`: an output, data, data at distance s. `p_value(mechanism, draws)`:
    goodness of fit of draws of `value` to the exact law. `opendp_map(b, s)`: OpenDP's loss map at noise scale b.
    """

    value: Any
    bad_values: tuple[Any, ...]
    worst_loss: Callable[[Mechanism, float], float]
    change: Callable[[np.random.Generator, float], tuple[Any, Any, Any]]
    p_value: Callable[[Mechanism, np.ndarray], float]
    opendp_map: Callable[[float, float], float]


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

    The difference X of two independent standard Laplace variables has P(X > x) = (2 + x) e^-x / 4 (formulas.md 0.3).
    """
    noise = (draws - np.array(LAPLACE_VALUE)) / mechanism.scale

    def difference_cdf(x):
        tail = (2 + np.abs(x)) * np.exp(-np.abs(x)) / 4
        return np.where(x < 0, tail, 1 - tail)

    entries = stats.kstest(noise.ravel(), stats.laplace.cdf).pvalue
    return 2 * min(entries, stats.kstest(noise[:, 0] - noise[:, 1], difference_cdf).pvalue)


def laplace_opendp(scale: float, sensitivity: float) -> float:
    import opendp.prelude as dp

    dp.enable_features("contrib")
    space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
    return dp.m.make_laplace(*space, scale=scale).map(sensitivity)


def noisy_max_worst_loss(mechanism: Mechanism, sensitivity: float) -> float:
    """Arm 0 wins from 8 behind nine others; the neighbour puts it one range closer. The limit is exp(-r / b)."""
    behind = np.array([0.0] + [8 * max(mechanism.scale, sensitivity)] * 9)
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


LAPLACE_VALUE = (3.0, -2.0)
NOISY_MAX_VALUE = (0.0, 1.0, 2.5, 1.0)
CASES = {
    Laplace.id: Case(
        LAPLACE_VALUE,
        (math.nan, math.inf, [1.0, -math.inf], "1", [[1.0], [1.0, 2.0]], [], None, True, 1j),
        laplace_worst_loss,
        laplace_change,
        laplace_p_value,
        laplace_opendp,
    ),
    NoisyMax.id: Case(
        NOISY_MAX_VALUE,
        (1.0, [math.nan, 1.0], [1.0, math.inf], ["1"], [[1.0], [1.0, 2.0]], [[1.0, 2.0]], [], None, [True], [1j]),
        noisy_max_worst_loss,
        noisy_max_change,
        noisy_max_p_value,
        noisy_max_opendp,
    ),
}


@pytest.fixture(params=list(MECHANISMS))
def mechanism_class(request) -> type[Mechanism]:
    return MECHANISMS[request.param]


@pytest.fixture
def case(mechanism_class) -> Case:
    assert mechanism_class.id in CASES, f"add the test data of {mechanism_class.id} to {__file__}"
    return CASES[mechanism_class.id]
