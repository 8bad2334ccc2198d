"""The true privacy loss of a shipped mechanism or algorithm on a pair of neighbouring inputs, and the worst pair."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from privcheck.arrays import Array
from privcheck.auditing._exact import adap_ucb_loss as adap_ucb
from privcheck.auditing._exact import rnm_ftnl_loss as rnm_ftnl
from privcheck.auditing._exact.above_threshold_loss import above_threshold_laws
from privcheck.auditing._exact.additive import DiscreteGaussianShift, GaussianShifts, LaplaceShifts, LatticeShifts
from privcheck.auditing._exact.laws import FiniteLaws, LossLaw, independent
from privcheck.auditing._exact.staircase_loss import StaircaseShift
from privcheck.auditing._exact.wishart_loss import wishart_laws
from privcheck.bandits import RNMFTNL, AdaPUCB, Algorithm
from privcheck.bounds import ROUNDING, Enclosure
from privcheck.declared import Real, check
from privcheck.errors import PrivcheckError, words
from privcheck.mechanisms import (
    AboveThreshold,
    DiscreteGaussian,
    DiscreteLaplace,
    ExponentialMechanism,
    FactorisedStream,
    Gaussian,
    GaussianTree,
    Laplace,
    NoisyMax,
    OneBit,
    PermuteAndFlip,
    PrefixTree,
    RandomisedResponse,
    Staircase,
    SubsetSelection,
    SymmetricGaussian,
    Wishart,
    finite_array,
    packed,
    same_shape,
)
from privcheck.privacy import as_table

MOST_SIGMA = 1e4
"""The largest sigma of discrete Gaussian noise whose outputs are summed, to bound the memory."""


def exact_loss(target: Any, pair: Any) -> Enclosure | None:
    """Return the true loss of `target` between two inputs: the largest |ln(P(event) / Q(event))| over all events.

    Parameters
    ----------
    target : a shipped mechanism, or the spec of a shipped algorithm, whose actions are observed.
    pair : (first, second), or an object with these attributes: two exact values of a mechanism (scores of a noisy
        maximum, streams of a tree); two reward tables of shape (T, K), which fix the horizon, of an algorithm.

    Returns
    -------
    An enclosure of the loss, from a closed form or quadrature. None if no closed form of the law is known: for any
    other target, and for AdaP-UCB with more than two arms, beyond 64 rounds, or with an epsilon or alpha so extreme
    that some actions have probability below 1e-280.

    Raises
    ------
    PrivcheckError : `pair` is not a pair, or its parts are not inputs of the target.

    Source: the law of each mechanism, cited there; Azize and Basu (2022), Algorithm 1; Hu, Huang, Mehta and Hegde,
    Algorithm 4.

    Examples
    --------
    >>> from privcheck.bandits import ALGORITHMS
    >>> from privcheck.mechanisms import Laplace, NoisyMax
    >>> exact_loss(Laplace.with_scale(2.0), (0.0, 1.0)).value
    0.5
    >>> round(exact_loss(NoisyMax.with_scale(1.0), ([0.0, 2.0], [1.0, 1.0])).value, 7)
    1.3068528
    >>> import numpy as np
    >>> table = np.ones((4, 2))
    >>> other = np.where(np.arange(4)[:, None] == 0, 0.0, table)
    >>> round(exact_loss(ALGORITHMS["adap-ucb"](arms=2, epsilon=1.0), (table, other)).value, 7)
    0.8532796

    """
    law = _law_of_pair(target, pair)
    return None if law is None else law.loss()


def exact_delta(target: Any, pair: Any, epsilon: float) -> Enclosure | None:
    """Return the true delta at epsilon >= 0: the largest P(event) - e^epsilon Q(event) over events, in either order.

    The parameters, errors and source are those of `exact_loss`.

    >>> from privcheck.mechanisms import RandomisedResponse
    >>> round(exact_delta(RandomisedResponse(categories=2, epsilon=1.0), (0, 1), 0.0).value, 7)
    0.4621172
    """
    budget = check("epsilon", epsilon, Real(0.0))
    law = _law_of_pair(target, pair)
    return None if law is None else law.delta(budget)


def worst_pair(algorithm: Algorithm, horizon: int) -> tuple[Array, Array] | None:
    """Return the two tables of shape (T, K) in [0, 1] that differ in one row and have the largest exact loss.

    None if they are not known: for other algorithms, for AdaP-UCB beyond 40 rounds, and for horizons at which no action
    depends on a reward. The proofs are in `adap_ucb.worst_tables` and `rnm_ftnl.worst_tables`.

    >>> from privcheck.bandits import ALGORITHMS
    >>> algorithm = ALGORITHMS["rnm-ftnl-published"](arms=3, epsilon=1.0)
    >>> [table.tolist() for table in worst_pair(algorithm, 2)]
    [[[0.0, 1.0, 1.0], [0.0, 0.0, 0.0]], [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]]
    >>> round(exact_loss(algorithm, worst_pair(algorithm, 2)).value, 7)
    1.4245743
    """
    if isinstance(algorithm, AdaPUCB):
        return adap_ucb.worst_tables(algorithm, horizon)
    return rnm_ftnl.worst_tables(algorithm, horizon) if isinstance(algorithm, RNMFTNL) else None


def _law_of_pair(target: Any, pair: Any) -> LossLaw | None:
    try:
        first, second = (pair.first, pair.second) if hasattr(pair, "first") else pair
    except (TypeError, ValueError):
        got = words(f"an object of type {type(pair).__name__}")
        raise PrivcheckError("pair", got, "a pair (first, second) of inputs") from None
    if isinstance(target, Algorithm):
        one, two = as_table(first, target.arms), as_table(second, target.arms)
        if one.shape != two.shape:
            raise PrivcheckError("pair", words(f"shapes {one.shape} and {two.shape}"), "two tables of the same shape")
        return _law(target, one, two)
    return _law(target, first, second)


@functools.singledispatch
def _law(target: object, first: Any, second: Any) -> LossLaw | None:  # noqa: ARG001
    return None


for _selection in (NoisyMax, ExponentialMechanism, PermuteAndFlip):
    _law.register(_selection, rnm_ftnl.noisy_max_laws)
_law.register(AdaPUCB, adap_ucb.action_laws)
_law.register(RNMFTNL, rnm_ftnl.action_laws)
_law.register(Wishart, wishart_laws)
_law.register(AboveThreshold, above_threshold_laws)


@_law.register
def _(target: Laplace, first: Any, second: Any) -> LossLaw:
    target.log_ratio(first, first, second)
    return LaplaceShifts(np.abs(finite_array("first", first) - finite_array("second", second)).ravel() / target.scale)


@_law.register
def _(target: Gaussian, first: Any, second: Any) -> LossLaw:
    target.log_ratio(first, first, second)
    return GaussianShifts(np.abs(finite_array("first", first) - finite_array("second", second)).ravel() / target.scale)


@_law.register
def _(target: FactorisedStream, first: Any, second: Any) -> LossLaw:
    target.log_ratio(first, first, second)
    return GaussianShifts((np.abs(target.rows(first) - target.rows(second)) / target.scale).ravel())


@_law.register
def _(target: SymmetricGaussian, first: Any, second: Any) -> LossLaw:
    target.log_ratio(first, first, second)
    return GaussianShifts(np.abs(packed("first", first) - packed("second", second)) / target.scale)


@_law.register
def _(target: DiscreteLaplace, first: Any, second: Any) -> LossLaw:
    target.log_ratio(first, first, second)
    sizes = np.abs(np.asarray(first, np.int64) - np.asarray(second, np.int64)).ravel()
    return LatticeShifts(target.scale, sizes[sizes > 0])


@_law.register
def _(target: DiscreteGaussian, first: Any, second: Any) -> LossLaw | None:
    """Known if at most one entry changes, and sigma is at most `MOST_SIGMA`."""
    target.log_ratio(first, first, second)
    sizes = np.abs(np.asarray(first, np.int64) - np.asarray(second, np.int64)).ravel()
    if np.count_nonzero(sizes) > 1 or target.scale > MOST_SIGMA:
        return None
    return DiscreteGaussianShift(target.scale, int(sizes.max()))


@_law.register
def _(target: RandomisedResponse, first: Any, second: Any) -> LossLaw:
    target.log_ratio(first, first, second)
    changed = np.count_nonzero(np.asarray(first) != np.asarray(second))
    return LatticeShifts(target.scale, np.ones(changed, np.int64), target.categories)


@_law.register
def _(target: Staircase, first: Any, second: Any) -> LossLaw:
    target.log_ratio(first, first, second)
    return StaircaseShift(target.drop, target.first, abs(float(first) - float(second)) / target.width)


@_law.register
def _(target: PrefixTree, first: Any, second: Any) -> LossLaw:
    """Nodes and prefix sums determine each other, and the noises of the nodes are independent."""
    target.log_ratio(first, first, second)
    one, two = target.node_sums(first), target.node_sums(second)
    scales = target.scales(len(one)).reshape(-1, *[1] * (one.ndim - 1))
    return LaplaceShifts((np.abs(one - two) / scales).ravel())


@_law.register
def _(target: OneBit, first: Any, second: Any) -> LossLaw | None:
    one, two = finite_array("first", first), finite_array("second", second)
    same_shape(one, two)
    moved = [(a, b) for a, b in zip(one.ravel().tolist(), two.ravel().tolist(), strict=True) if a != b]
    logs = [[np.array([target.log_density(report, side) for report in (1, -1)]) for side in pair] for pair in moved]
    return independent([FiniteLaws(one, two, np.full(2, 8.0 * ROUNDING)) for one, two in logs])


@_law.register
def _(target: SubsetSelection, first: Any, second: Any) -> LossLaw | None:
    """A set holds one of the two categories, or the other, or it has the same probability under both."""
    target.log_ratio(target.draw(first, np.random.default_rng(0)), first, second)
    count, truth = target.categories, target.inclusion
    only = [truth * (count - target.size) / (count - 1), (1.0 - truth) * target.size / (count - 1)]
    same = [1.0 - sum(only)] if count > 2 else []
    one, two = np.log([*only, *same]), np.log([*only[::-1], *same])
    error = np.where(one == two, 0.0, 16.0 * ROUNDING * (1.0 + np.abs(one)))
    return independent([FiniteLaws(one, two, error)] * np.count_nonzero(np.asarray(first) != np.asarray(second)))


@_law.register
def _(target: GaussianTree, first: Any, second: Any) -> LossLaw:
    target.log_ratio(first, first, second)
    return GaussianShifts((np.abs(target.node_sums(first) - target.node_sums(second)) / target.scale).ravel())
