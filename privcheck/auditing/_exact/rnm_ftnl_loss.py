"""The exact law of the actions of RNM-FTNL, and its worst pair of tables."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from privcheck.accounting import NOTHING_CHANGES, FiniteLaws
from privcheck.arrays import Array
from privcheck.bandits import RNMFTNL


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
            laws = laws.times(algorithm.mechanism().law_of_pair(*sums))
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
