"""The evidence that one arm is better than another, from the likelihoods of both on a grid of means.

Let L_a be the log-likelihood of arm a's releases, F_a that of its first batch alone, and let sums be over the pairs of
grid points q > r. For the arms B and a, with null(L_B, L_a) above the supremum over q <= r of L_B(q) + L_a(r),

    all   = sum e^(L_B(q) + L_a(r)) / (number of pairs)        / e^null(L_B, L_a),
    later = sum e^(L_B(q) + L_a(r)) / sum e^(F_B(q) + F_a(r))  / e^null(L_B - F_B, L_a - F_a).

Put the likelihood at the true means in place of the suprema. Then `all` is a mixture of likelihood ratios over pairs in
the right order, drawn uniformly; `later` is one of the later batches alone, over pairs drawn by what the first batches
say. Both are non-negative martingales of mean 1, however long the arms are played and in which order, and so is their
average. It is at least (all + later) / 2 if B is no better than a.

Only pairs in the right order take part, which the other half of all pairs would cost ln 2 of. What `later` saves is the
price of the first batches: while noise dominates, they say where means are, and hardly which is the larger one.
"""

from __future__ import annotations

import math

from privcheck.arrays import Array, Integers
from privcheck.bandits.mean_grid import POINTS, null_bound
from privcheck.kernels import compiled

LOG_PAIRS = math.log(POINTS * (POINTS - 1) / 2)
"""The logarithm of the number of pairs of grid points q > r."""


@compiled
def log_ordered_mass(first: Array, other: Array, low: int, high: int, other_low: int, other_high: int) -> float:
    """Return ln of the sum of e^(L(i) + L'(j)) over i > j, low <= i <= high and other_low <= j <= other_high.

    >>> import numpy as np
    >>> value = log_ordered_mass(np.log([1.0, 2.0, 3.0]), np.log([1.0, 4.0, 9.0]), 0, 2, 0, 2)
    >>> round(math.exp(value), 9)
    17.0
    """
    top, other_top = first[low : high + 1].max(), other[other_low : other_high + 1].max()
    below, total, j = 0.0, 0.0, other_low
    for i in range(low, high + 1):
        while j < i and j <= other_high:
            below += math.exp(other[j] - other_top)
            j += 1
        total += math.exp(first[i] - top) * below
    return top + other_top + math.log(total) if total > 0.0 else -math.inf


@compiled
def pair_evidence(
    likelihood: Array, start: Array, windows: Integers, pulls: Integers, first: int, slack: Array, leader: int, arm: int
) -> tuple[float, float]:
    """Return ln((all + later) / 2), and null(L_B, L_a).

    Parameters
    ----------
    likelihood, start : L and F of every arm, shape (K, G).
    windows : the first and the last point that is kept of every arm, shape (K, 2). F is used at all points.
    pulls, first : the numbers of rewards of every arm, and of its first batch.
    slack : from `mean_grid`.
    leader, arm : B and a.
    """
    one, other = windows[leader], windows[arm]
    mass = log_ordered_mass(likelihood[leader], likelihood[arm], one[0], one[1], other[0], other[1])
    null = null_bound(likelihood[leader], one, pulls[leader], likelihood[arm], other, pulls[arm], slack)
    later_null = null_bound(
        likelihood[leader] - start[leader],
        one,
        pulls[leader] - first,
        likelihood[arm] - start[arm],
        other,
        pulls[arm] - first,
        slack,
    )
    start_mass = log_ordered_mass(start[leader], start[arm], 0, POINTS - 1, 0, POINTS - 1)
    every, later = mass - LOG_PAIRS - null, mass - start_mass - later_null
    # without a kept pair in the right order there is no mass, and without one in the wrong order no null
    if math.isinf(max(every, later)):
        return max(every, later), null
    return max(every, later) + math.log1p(math.exp(-abs(every - later))) - math.log(2.0), null
