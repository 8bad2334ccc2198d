"""The test data of each mechanism: what the contract of `test_contract.py` needs to know about it."""

import importlib.util
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from scipy import stats

from privcheck.mechanisms import (
    BinaryTree,
    DiscreteLaplace,
    HybridTree,
    Laplace,
    Mechanism,
    NoisyMax,
    RandomisedResponse,
    ScaledMechanism,
)


def beside(name: str) -> ModuleType:
    """Import a module of this folder, which is no package."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


trees = beside("tree_oracles")
REALS = st.floats(0.1, 10.0)


@dataclass(frozen=True)
class Case:
    """How to exercise one mechanism.

    `worst_loss(mechanism, s)`: loss of the worst pair of data of sensitivity s under the law that the mechanism claims
    (by scipy where it can). `change(rng, s)`: an output, data, data at distance s. `p_value(mechanism, draws)`:
    goodness of fit of draws of `value` to the exact law. `opendp_map(b, s)`: OpenDP's loss map at noise scale b, None
    where OpenDP has no sound one. `options`: further parameters. `sensitivities`: what the contract draws from. `pair`:
    two neighbours for an audit, and how far they are apart in the mechanism's norm. `exact`: whether
    `privcheck.auditing.exact` has the law of a pair; False only where no closed form is known.
    """

    mechanism: type[Mechanism]
    value: Any
    bad_values: tuple[Any, ...]
    worst_loss: Callable[[Mechanism, float], float]
    change: Callable[[np.random.Generator, float], tuple[Any, Any, Any]]
    p_value: Callable[[Mechanism, np.ndarray], float]
    opendp_map: Callable[[float, float], float] | None
    options: dict[str, Any] = field(default_factory=dict)
    sensitivities: st.SearchStrategy = REALS
    pair: tuple[Any, Any, float] = field(kw_only=True)
    exact: bool = True

    @property
    def scaled(self) -> bool:
        return issubclass(self.mechanism, ScaledMechanism)

    def declare(self, sensitivity: float = 1, epsilon: float = 1.0) -> Mechanism:
        if self.scaled:
            return self.mechanism(sensitivity=sensitivity, epsilon=epsilon, **self.options)
        return self.mechanism(epsilon=epsilon, **self.options)

    def with_scale(self, scale: float) -> Mechanism:
        if self.scaled:
            return self.mechanism.with_scale(scale, **self.options)
        return self.mechanism(epsilon=1 / scale, **self.options)


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


def response_worst_loss(mechanism: Mechanism, _: float) -> float:
    """The largest ratio in the whole K x K table of probabilities."""
    table = np.array([mechanism.probabilities(truth) for truth in range(mechanism.categories)])
    return float(np.log(table.max(axis=0) / table.min(axis=0)).max())


def response_change(rng: np.random.Generator, _: float) -> tuple[Any, Any, Any]:
    value = rng.integers(4, size=3)
    other = value.copy()
    other[rng.integers(3)] = rng.integers(4)
    return rng.integers(4, size=3), value, other


def response_p_value(mechanism: Mechanism, draws: np.ndarray) -> float:
    """Chi-square of the pair of answers against the product of e^(1/b) : 1 : 1 : 1 laws."""
    weights = np.ones((2, 4))
    weights[[0, 1], RESPONSE_VALUE] = np.exp(1 / mechanism.scale)
    laws = weights / weights.sum(axis=1, keepdims=True)
    counts = np.bincount(4 * draws[:, 0] + draws[:, 1], minlength=16)
    return stats.chisquare(counts, np.outer(*laws).ravel() * len(draws)).pvalue


def binary_opendp(scale: float, sensitivity: float) -> float:
    """OpenDP's tree over 8 leaves, in L1; in L2 its map is unsound. It scales integers, so the map is taken at 1."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    tree = dp.t.make_b_ary_tree(*space, leaf_count=8, branching_factor=2)
    return (tree >> dp.m.then_laplace(scale=scale)).map(1) * sensitivity


LAPLACE_VALUE = (3.0, -2.0)
DISCRETE_VALUE = (3, -2)
RESPONSE_VALUE = (2, 0)
BAD_STREAMS = (1.0, [math.nan], [1.0, math.inf], "1", ["1"], [[1.0], [1.0, 2.0]], [], None, [True], [1j])
BAD_INTEGERS = (1.5, [math.nan], "1", [[1], [1, 2]], [], None, True, 1j)
SCORES = ([0.0, 3.0, 0.0], [1.0, 2.0, 0.0], 2.0)
NOISY_MAX_VALUE = (0.0, 1.0, 2.5, 1.0)
NOISY_MAX_BAD = (1.0, [math.nan, 1.0], [1.0, math.inf], ["1"], [[1.0], [1.0, 2.0]], [[1.0, 2.0]], [], None, [True])


def noisy_max_case(noise: str, opendp_map: Callable[[float, float], float] | None) -> Case:
    functions = noisy_max_worst_loss, noisy_max_change, noisy_max_p_value
    return Case(
        NoisyMax, NOISY_MAX_VALUE, (*NOISY_MAX_BAD, [1j]), *functions, opendp_map, {"noise": noise}, pair=SCORES
    )


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
    "noisy-max": noisy_max_case("laplace", noisy_max_opendp),
    "noisy-max, exponential": noisy_max_case("exponential", noisy_max_opendp),
    "noisy-max, gumbel": noisy_max_case("gumbel", gumbel_opendp),
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
    "randomised-response": Case(
        RandomisedResponse,
        RESPONSE_VALUE,
        (*BAD_INTEGERS, 4, -1),
        response_worst_loss,
        response_change,
        response_p_value,
        None,  # its map is in test_randomised_response.py: it depends on the probability, not on a scale
        {"categories": 4},
        st.just(1),
        pair=([0.0], [2.0], 1),
    ),
    "binary-tree": Case(
        BinaryTree,
        trees.TREE_VALUE,
        (*BAD_STREAMS, [1.0] * 9),
        trees.tree_worst_loss(trees.binary_nodes),
        trees.tree_change,
        trees.tree_p_value(trees.binary_nodes),
        binary_opendp,
        {"horizon": 8},
        pair=([0.0] * 4, [1.0, 0.0, 0.0, 0.0], 1.0),
    ),
    "hybrid-tree": Case(
        HybridTree,
        trees.TREE_VALUE,
        BAD_STREAMS,
        trees.tree_worst_loss(trees.hybrid_nodes),
        trees.tree_change,
        trees.tree_p_value(trees.hybrid_nodes),
        None,
        {"total_share": 0.3},
        pair=([0.0] * 4, [0.0, 0.0, 1.0, 0.0], 1.0),
    ),
}


@pytest.fixture(params=list(CASES))
def case(request) -> Case:
    return CASES[request.param]


@pytest.fixture(params=[name for name, case in CASES.items() if case.scaled])
def scaled_case(request) -> Case:
    return CASES[request.param]


@pytest.fixture
def cases() -> dict[str, Case]:
    return CASES


@pytest.fixture
def expected_nodes() -> dict[str, Callable]:
    return {"binary-tree": trees.binary_nodes, "hybrid-tree": trees.hybrid_nodes}
