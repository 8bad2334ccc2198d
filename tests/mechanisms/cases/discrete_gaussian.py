"""Discrete Gaussian noise: the law by enumeration, the loss map by OpenDP."""

import math
from typing import Any

import numpy as np
from hypothesis import strategies as st
from scipy import special, stats

from privcheck.mechanisms import DiscreteGaussian, Mechanism

from .bad_values import BAD_INTEGERS
from .case import Case
from .discrete_laplace import DISCRETE_VALUE
from .gaussian import gaussian_largest_ratio


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


CASES = {
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
}
