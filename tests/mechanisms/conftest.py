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
from scipy import special, stats

from privcheck.mechanisms import (
    AboveThreshold,
    BinaryTree,
    DiscreteGaussian,
    DiscreteLaplace,
    ExponentialMechanism,
    FactorisedStream,
    Gaussian,
    GaussianTree,
    HybridTree,
    KaryTree,
    Laplace,
    Mechanism,
    NoisyMax,
    OneBit,
    PermuteAndFlip,
    RandomisedResponse,
    ScaledMechanism,
    Staircase,
    SubsetSelection,
    SymmetricGaussian,
    SymmetricGaussianTree,
)


def beside(name: str) -> ModuleType:
    """Import a module of this folder, which is no package."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


trees = beside("tree_oracles")
sparse = beside("above_threshold_oracles")
local = beside("local_oracles")
normal = beside("gaussian_oracles")
REALS = st.floats(0.1, 10.0)

RATIOS = {"epsilon": lambda loss: loss, "mu": lambda loss: loss, "rho": lambda loss: math.sqrt(2 * loss)}
"""The ratio of sensitivity and noise scale for a budget in each currency."""


@dataclass(frozen=True)
class Case:
    """How to exercise one mechanism; its loss is in its currency, the strongest that its noise bounds.

    `worst_loss(mechanism, s)`: loss of the worst pair of data of sensitivity s under the law that the mechanism claims
    (by scipy where it can). `change(rng, s)`: an output, data, data at distance s. `p_value(mechanism, draws)`:
    goodness of fit of draws of `value` to the exact law. `opendp_map(b, s)`: OpenDP's loss map at noise scale b, None
    where OpenDP has no sound one. `options`: further parameters. `sensitivities`: what the contract draws from. `pair`:
    two neighbours for an audit, and how far they are apart in the mechanism's norm. `exact`: whether
    `privcheck.auditing.exact` has the law of a pair; False only where no closed form is known.
    `largest_ratio(mechanism, s, output, value, other)`: what no log-ratio of these exceeds; by default the loss.
    `column_norm(mechanism)`: the ratio of all statistics together, where a datum enters them with different weights.
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
    largest_ratio: Callable[[Mechanism, float, Any, Any, Any], float] | None = None
    column_norm: Callable[[Mechanism], float] | None = None

    @property
    def scaled(self) -> bool:
        return issubclass(self.mechanism, ScaledMechanism)

    @property
    def currency(self) -> str:
        return self.mechanism.currency.name if self.scaled else "epsilon"

    def ratio(self, loss: float) -> float:
        """Return the ratio of sensitivity and scale at which one statistic has this loss."""
        return RATIOS[self.currency](loss)

    def together(self, mechanism: Mechanism) -> float:
        """Return the ratio of all statistics that a datum enters together, for a ratio of 1 of each."""
        if self.column_norm is not None:
            return self.column_norm(mechanism)
        entered = mechanism.statistics_per_datum
        return entered if self.currency == "epsilon" else math.sqrt(entered)

    def loss(self, mechanism: Mechanism, sensitivity: float) -> float:
        return getattr(mechanism.charge(sensitivity), self.currency)

    def declare(self, sensitivity: float = 1, budget: float = 1.0) -> Mechanism:
        given = {self.currency: budget, **self.options}
        return self.mechanism(sensitivity=sensitivity, **given) if self.scaled else self.mechanism(**given)

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


def gaussian_pmf(sigma: float) -> np.ndarray:
    """Probabilities of discrete Gaussian noise on -reach, ..., reach; both tails are below 1e-300."""
    reach = math.ceil(40 * sigma) + 12
    weights = np.exp(-np.square(np.arange(-reach, reach + 1) / sigma) / 2)
    return weights / weights.sum()


def discrete_gaussian_worst_loss(mechanism: Mechanism, sensitivity: float) -> float:
    """rho from the Renyi divergence of order 2, term by term: sum p^2 / q = exp(2 rho)."""
    reach, size = math.ceil(20 * mechanism.scale), int(sensitivity)
    places = np.arange(-reach - 2 * size, reach + 2 * size + 1)
    squares = [np.square(shifted / mechanism.scale) / 2 for shifted in (places, places - size)]
    normaliser = special.logsumexp(-np.square(np.arange(-reach, reach + 1) / mechanism.scale) / 2)
    return float(special.logsumexp(squares[1] - 2 * squares[0]) - normaliser) / 2


def discrete_gaussian_change(rng: np.random.Generator, sensitivity: float) -> tuple[Any, Any, Any]:
    """Integers, integers that differ by `sensitivity` in one entry, and an output."""
    value = rng.integers(-5, 5, size=3)
    return value + rng.integers(-9, 9, size=3), value, value + rng.permutation([int(sensitivity), 0, 0])


def discrete_gaussian_p_value(mechanism: Mechanism, draws: np.ndarray) -> float:
    """Chi-square of both entries against the law by enumeration, and of the pair's signs against independence."""
    noise, law = draws - np.array(DISCRETE_VALUE), gaussian_pmf(mechanism.scale)
    middle = law.size // 2
    counts = np.bincount((np.clip(noise, -middle, middle) + middle).ravel(), minlength=law.size)
    kept = law * noise.size >= 5
    lumped = [np.array([*x[kept], x[~kept].sum()]) for x in (counts, law * noise.size)]
    if lumped[1][-1] < 1e-3 and lumped[0][-1]:
        return 0.0
    cells = slice(None) if lumped[1][-1] >= 1e-3 else slice(-1)
    entries = stats.chisquare(lumped[0][cells], lumped[1][cells], sum_check=False).pvalue if kept.sum() > 1 else 1.0
    signs = np.bincount((3 * np.sign(noise[:, 0]) + np.sign(noise[:, 1]) + 4).astype(int), minlength=9)
    single = np.array([law[:middle].sum(), law[middle], law[:middle].sum()])
    return 2 * min(entries, stats.chisquare(signs, np.outer(single, single).ravel() * len(noise)).pvalue)


def discrete_gaussian_opendp(scale: float, sensitivity: float) -> float:
    import opendp.prelude as dp

    dp.enable_features("contrib")
    space = dp.atom_domain(T="i64"), dp.absolute_distance(T=float)
    return dp.m.make_gaussian(*space, scale=scale).map(float(sensitivity))


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


def ternary_rows(mechanism: Mechanism, length: int) -> np.ndarray:
    return normal.rows_of(trees.kary_nodes(3), mechanism, length)


def stair_masses(mechanism: Staircase) -> tuple[np.ndarray, np.ndarray]:
    """Edges of the stairs on z >= 0 and the probability between them, from the definition of the law."""
    count = math.ceil(60 / mechanism.epsilon) + 2
    first = 1 / (1 + math.exp(mechanism.epsilon / 2))
    edges = np.concatenate(([0.0], (np.arange(count) + first))) * mechanism.sensitivity
    weights = np.exp(-mechanism.epsilon * np.arange(count)) * np.diff(edges)
    return edges, weights / weights.sum()


def staircase_worst_loss(mechanism: Mechanism, sensitivity: float) -> float:
    """The largest log-ratio over outputs on both sides of every edge, with the neighbour at the full distance."""
    edges, _ = stair_masses(mechanism)
    outputs = np.concatenate((edges * (1 - 1e-7), edges * (1 + 1e-7)))[:40]
    return float(np.abs(mechanism.log_ratio(outputs, 0.0, sensitivity)).max())


def staircase_change(rng: np.random.Generator, sensitivity: float) -> tuple[Any, Any, Any]:
    value = rng.normal() * 5
    return value + rng.laplace() * 5, value, value + rng.uniform(-1, 1) * sensitivity


def staircase_p_value(mechanism: Mechanism, draws: np.ndarray) -> float:
    """Two tests at once (Bonferroni): the size against the piecewise linear distribution function, and the sign."""
    edges, masses = stair_masses(mechanism)
    noise = draws - STAIRCASE_VALUE
    cdf = np.concatenate(([0.0], np.cumsum(masses)))
    sizes = stats.kstest(np.abs(noise), lambda size: np.interp(size, edges, cdf)).pvalue
    return 2 * min(sizes, stats.binomtest(int((noise > 0).sum()), len(noise)).pvalue)


STAIRCASE_VALUE = 2.0
LAPLACE_VALUE = (3.0, -2.0)
DISCRETE_VALUE = (3, -2)
RESPONSE_VALUE = (2, 0)
BAD_STREAMS = (1.0, [math.nan], [1.0, math.inf], "1", ["1"], [[1.0], [1.0, 2.0]], [], None, [True], [1j])
BAD_INTEGERS = (1.5, [math.nan], "1", [[1], [1, 2]], [], None, True, 1j)
SCORES = ([0.0, 3.0, 0.0], [1.0, 2.0, 0.0], 2.0)
NOISY_MAX_VALUE = (0.0, 1.0, 2.5, 1.0)
NOISY_MAX_BAD = (1.0, [math.nan, 1.0], [1.0, math.inf], ["1"], [[1.0], [1.0, 2.0]], [[1.0, 2.0]], [], None, [True])


def noisy_max_case(
    opendp_map: Callable[[float, float], float] | None, mechanism: type[Mechanism] = NoisyMax, **options: str
) -> Case:
    functions = noisy_max_worst_loss, noisy_max_change, noisy_max_p_value
    return Case(mechanism, NOISY_MAX_VALUE, (*NOISY_MAX_BAD, [1j]), *functions, opendp_map, options, pair=SCORES)


CASES = {
    "one-bit": Case(
        OneBit,
        local.ONE_BIT_VALUE,
        local.ONE_BIT_BAD,
        local.one_bit_worst_loss,
        local.one_bit_change,
        local.one_bit_p_value,
        None,
        {"radius": 2.0},
        st.just(1),
        pair=([-2.0], [2.0], 1),
    ),
    "subset-selection": Case(
        SubsetSelection,
        local.SUBSET_VALUE,
        (*BAD_INTEGERS, 5, -1),
        local.subset_worst_loss,
        local.subset_change,
        local.subset_p_value,
        None,
        {"categories": 5, "size": 2},
        st.just(1),
        pair=([0.0], [2.0], 1),
    ),
    "above-threshold": Case(
        AboveThreshold,
        sparse.VALUE,
        sparse.BAD,
        sparse.worst_loss,
        sparse.change,
        sparse.p_value,
        None,
        {"answers": 2},
        pair=([0.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0], [0.0, 2.0, 2.0, 2.0, 2.0, 0.0, 0.0], 1.0),
    ),
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
    "noisy-max": noisy_max_case(noisy_max_opendp, noise="laplace"),
    "noisy-max, exponential": noisy_max_case(noisy_max_opendp, noise="exponential"),
    "noisy-max, gumbel": noisy_max_case(gumbel_opendp, noise="gumbel"),
    "exponential-mechanism": noisy_max_case(gumbel_opendp, ExponentialMechanism),
    "permute-and-flip": noisy_max_case(noisy_max_opendp, PermuteAndFlip),
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
    "discrete-gaussian": Case(
        DiscreteGaussian,
        DISCRETE_VALUE,
        (*BAD_INTEGERS, 2**60),
        discrete_gaussian_worst_loss,
        discrete_gaussian_change,
        discrete_gaussian_p_value,
        discrete_gaussian_opendp,
        sensitivities=st.integers(1, 10),
        pair=([0.0, 3.0], [1.0, 3.0], 1),
        largest_ratio=gaussian_largest_ratio,
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
    "staircase": Case(
        Staircase,
        STAIRCASE_VALUE,
        (math.nan, math.inf, [1.0, 2.0], [1.0], "1", [[1.0], [1.0, 2.0]], [], None, True, 1j),
        staircase_worst_loss,
        staircase_change,
        staircase_p_value,
        None,  # OpenDP has no staircase noise
        {"sensitivity": 1.0},
        st.just(1.0),
        pair=(0.0, 1.0, 1.0),
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
    "k-ary-tree": Case(
        KaryTree,
        trees.TREE_VALUE,
        (*BAD_STREAMS, [1.0] * 9),
        trees.tree_worst_loss(trees.kary_nodes(3)),
        trees.tree_change,
        trees.tree_p_value(trees.kary_nodes(3)),
        None,  # OpenDP's tree pads the stream to a power of the degree and has a level more; see test_kary_tree.py
        {"horizon": 8, "degree": 3},
        pair=([0.0] * 4, [1.0, 0.0, 0.0, 0.0], 1.0),
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
    "gaussian-tree": Case(
        GaussianTree,
        trees.TREE_VALUE,
        (*BAD_STREAMS, [1.0] * 9),
        normal.worst_loss(ternary_rows),
        normal.vectors_change,
        normal.stream_p_value(ternary_rows, normal.prefixes_to_nodes, trees.TREE_VALUE),
        None,  # OpenDP's map of trees in L2 is unsound
        {"horizon": 8, "degree": 3},
        pair=([0.0] * 4, [1.0, 0.0, 0.0, 0.0], 1.0),
        largest_ratio=normal.largest_ratio(ternary_rows, normal.prefixes_to_nodes),
    ),
    "symmetric-gaussian-tree": Case(
        SymmetricGaussianTree,
        normal.MATRICES,
        (*BAD_STREAMS, [1.0] * 8, [[1.0, 2.0]], [[[1.0]]] * 9, [[[1.0, 2.0]]]),
        normal.worst_loss(ternary_rows),
        normal.matrices_change,
        normal.stream_p_value(ternary_rows, normal.prefixes_to_nodes, normal.MATRICES),
        None,
        {"horizon": 8, "degree": 3},
        pair=([[[0.0]]] * 4, [[[1.0]], *[[[0.0]]] * 3], 1.0),
        largest_ratio=normal.largest_ratio(ternary_rows, normal.prefixes_to_nodes),
    ),
    "factorised-stream": Case(
        FactorisedStream,
        trees.TREE_VALUE,
        (*BAD_STREAMS, [1.0] * 9),
        normal.worst_loss(normal.square_root_rows),
        normal.vectors_change,
        normal.stream_p_value(normal.square_root_rows, normal.prefixes_to_rows, trees.TREE_VALUE),
        None,  # OpenDP has no factorisations
        {"horizon": 8, "bandwidth": 5},
        pair=([0.0] * 6, [1.0, *[0.0] * 5], 1.0),
        largest_ratio=normal.largest_ratio(normal.square_root_rows, normal.prefixes_to_rows),
        column_norm=lambda mechanism: math.sqrt((normal.square_root_rows(mechanism, 8)[:, 0] ** 2).sum()),
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


APART = {"wishart": "test_wishart.py"}
"""Mechanisms whose privacy is no multiple of sensitivity / scale, and the files of their contracts."""


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
    return {"binary-tree": trees.binary_nodes, "hybrid-tree": trees.hybrid_nodes, "k-ary-tree": trees.kary_nodes(4)}


@pytest.fixture
def apart() -> dict[str, str]:
    return APART


@pytest.fixture(scope="session", name="sparse")
def sparse_oracles() -> ModuleType:
    return sparse


@pytest.fixture(scope="session", name="local")
def local_oracles() -> ModuleType:
    return local
