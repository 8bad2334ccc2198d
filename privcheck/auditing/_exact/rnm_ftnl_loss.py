"""The exact law of the actions of RNM-FTNL, and its worst pair of tables."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from privcheck.arrays import Array
from privcheck.auditing._exact.laws import NOTHING_CHANGES, FiniteLaws
from privcheck.bandits import RNMFTNL
from privcheck.bounds import ROUNDING
from privcheck.mechanisms import Selection

_LAW_ERROR = 2e-12
"""Relative error of the probabilities of a noisy maximum: twice the error that its quadrature states."""


def noisy_max_laws(mechanism: Selection, first: npt.ArrayLike, second: npt.ArrayLike) -> FiniteLaws:
    """Return the laws of the winner on two vectors of scores, shape (K,).

    >>> from privcheck.mechanisms import NoisyMax
    >>> round(noisy_max_laws(NoisyMax.with_scale(1.0), [1.0, 1.0], [0.0, 2.0]).loss().value, 7)
    1.3068528
    """
    mechanism.log_ratio(0, first, second)
    one, two = mechanism.log_probabilities(first), mechanism.log_probabilities(second)
    error = _LAW_ERROR + 8.0 * ROUNDING * np.maximum(np.abs(one), np.abs(two))
    if (np.asarray(first) == np.asarray(second)).all():
        error = np.zeros_like(error)
    return FiniteLaws(one, two, error)


def epochs(horizon: int) -> Iterator[slice]:
    """Yield the 0-based rounds of the epochs of 1, 2, 4, ... rounds whose sums decide an action: all but the last one.

    >>> [(epoch.start, epoch.stop) for epoch in epochs(8)]
    [(0, 1), (1, 3), (3, 7)]
    """
    start, length = 0, 1
    while start + length < horizon:
        yield slice(start, start + length)
        start, length = start + length, 2 * length


def action_laws(algorithm: RNMFTNL, first: Array, second: Array) -> FiniteLaws | None:
    """Return the laws of the actions on two tables of shape (T, K), restricted to the epochs in which they differ.

    Epochs are independent, and an epoch in which no sum differs has the same law on both tables. None if too many
    epochs differ for their outcomes to be enumerated.

    Source: Hu, Huang, Mehta and Hegde, Algorithm 4; every decision is a noisy maximum of the last epoch's sums.
    """
    laws: FiniteLaws | None = NOTHING_CHANGES
    for epoch in epochs(len(first)):
        sums = first[epoch].sum(axis=0), second[epoch].sum(axis=0)
        if laws is not None and (sums[0] != sums[1]).any():
            laws = laws.times(noisy_max_laws(algorithm.mechanism(), *sums))
    return laws


def worst_tables(algorithm: RNMFTNL, horizon: int) -> tuple[Array, Array] | None:
    """Return the two tables in [0, 1] that differ in one row and have the largest loss; None if there is none.

    The probability that j wins is log-supermodular in the scores and invariant under a common shift. Its logarithm
    changes most when score j rises by one and all others fall by one, and this change increases in every other score
    and decreases in score j: the worst case starts with score j at 0 and all others at the length of the longest epoch.
    """
    found = list(epochs(horizon))
    if not found:
        return None
    one = np.zeros((horizon, algorithm.arms))
    one[found[-1], 1:] = 1.0
    two = one.copy()
    two[found[-1].start] = 1.0 - one[found[-1].start]
    return one, two
