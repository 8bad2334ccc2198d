"""The likelihood of a Bernoulli mean on a grid, and an upper bound on what lies between.

The grid is q_i = sin(theta_i)^2 with theta_i the middle of the cell [(i - 1) h, i h], h = pi / (2 G), i = 1, ..., G.
Let L(theta) be the log-likelihood of an arm's n rewards, which are known through noisy sums. Given the sums of rewards
s_j, the second derivative of the log-likelihood in theta is -2 s_j / q - 2 (l_j - s_j) / (1 - q). L averages over what
the noise hides, which only flattens it (Louis 1982), and the noise tilts the law of s_j by a factor of at most
e^epsilon for each reward, so that E[s_j | Y_j] <= l_j q e^epsilon / A and E[l_j - s_j | Y_j] <= l_j (1 - q) / B, with A
and B as in `privcheck.kernels._noisy_binomial`. Hence

    -L''(theta) <= 2 n c(q),    c(q) = e^epsilon / A + 1 / B,

and c is largest at an end of an interval, because 1 / A and 1 / B are convex in q. So

1. at a stationary point theta of L in cell i, L(theta) <= L(theta_i) + n c h^2 / 4, and the same holds for the sum of
   two such functions with their two n. L is even about 0 and pi / 2, so these ends are stationary too;
2. between two neighbouring points of the grid, L <= max(L(theta_i), L(theta_i+1)) + n c h^2 / 4.

Where c is useless, near 0 and 1 for a large epsilon, the cell [low, high] has a point of its own: since q^s (1 -
q)^(l-s) <= high^s (1 - low)^(l-s), all q of the cell have L(q) <= L(x) + n ln(1 + high - low) at x = high / (1 + high -
low). `slack` is the smaller of the two bounds for each cell; which one it is depends on epsilon alone.

A point is dropped once it and its neighbour are 40 nats and the slack below the maximum: see `least_probability`.
"""

from __future__ import annotations

import math

import numpy as np

from privcheck.arrays import Array, Integers
from privcheck.kernels import SHORT, compiled, log_choices, noisy_binomial, short_noisy_binomial, value_weights

POINTS = 1000
"""G, the number of points of the grid."""

MOST_NATS = 300.0
"""How far apart the weights of a short batch may be, so that none underflows: the smallest float is near e^-708."""

DROPPED = 40.0
"""How many nats below the maximum a point is dropped."""


def least_probability(arms: int) -> float:
    """Return a bound on the probability that the point of an arm's true mean is ever dropped: K G e^-40.

    A dropped neighbourhood of the true mean mu has L(mu) <= max L - 40, by 2 above with distances of at most 1.5 h, or
    by the bound on a whole cell. Then mix - L(mu) >= 40 - ln G, with mix
    the logarithm of the mean of e^L over the grid. The exponential of the left-hand side is a non-negative
    martingale of mean 1 as long as nothing is dropped, so this happens with probability G e^-40 at most (Ville 1939).

    >>> round(1e14 * least_probability(5), 6)
    2.124177
    """
    return arms * POINTS * math.exp(-DROPPED)


@compiled
def curvature(q: float, epsilon: float) -> float:
    """Return c(q).

    >>> round(curvature(0.5, 1.0), 6)
    2.924234
    """
    shrink = math.exp(-epsilon)
    return 1.0 / (q + (1.0 - q) * shrink) + 1.0 / (1.0 - q + q * shrink)


@compiled
def mean_grid(epsilon: float) -> tuple[Array, Array]:
    """Return the points of the grid and the slack of their cells per reward, shape (G,) each.

    >>> points, slack = mean_grid(1.0)
    >>> round(float(points[499]), 6), round(float(slack[499]) * 1e6, 3)
    (0.499215, 1.804)
    """
    h = 0.5 * math.pi / POINTS
    points, slack = np.empty(POINTS), np.empty(POINTS)
    for i in range(POINTS):
        low, high = math.sin(i * h) ** 2, math.sin((i + 1) * h) ** 2
        width = high - low
        # one cell more on either side: rule 2 is about intervals that reach into the neighbouring cells
        left, right = math.sin(max(i - 1, 0) * h) ** 2, math.sin(min(i + 2, POINTS) * h) ** 2
        smooth = max(curvature(left, epsilon), curvature(right, epsilon)) * h * h / 4.0
        if smooth <= math.log1p(width):
            points[i], slack[i] = math.sin((i + 0.5) * h) ** 2, smooth
        else:
            points[i], slack[i] = high / (1.0 + width), math.log1p(width)
    return points, slack


@compiled
def add_sum(
    likelihood: Array,
    window: Integers,
    points: Array,
    slack: Array,
    total: float,
    length: int,
    pulls: int,
    epsilon: float,
) -> tuple[float, float]:
    """Add a released sum to an arm's likelihood, drop points; return its maximum and its most likely mean.

    Parameters
    ----------
    likelihood : L at the points, shape (G,); changed in place.
    window : the first and the last point that are kept, shape (2,); changed in place.
    points, slack : from `mean_grid`.
    total, length : the released sum of so many rewards.
    pulls : the arm's rewards so far, with these.
    epsilon : 1 / scale of the noise; infinite without noise.
    """
    low, high = int(window[0]), int(window[1])
    choices = log_choices(length, np.floor(total))
    is_short = length <= SHORT and epsilon * (abs(total) + length) < MOST_NATS
    weights, log_most = value_weights(total, length if is_short else 0, epsilon if is_short else 0.0)
    best = low
    for i in range(low, high + 1):
        if is_short:
            likelihood[i] += short_noisy_binomial(weights, log_most, points[i])
        else:
            likelihood[i] += noisy_binomial(total, length, points[i], epsilon, choices)
        if likelihood[i] > likelihood[best]:
            best = i
    top = likelihood[best]
    estimate = _vertex(likelihood, best, low, high)
    while (
        low < best and _is_low(likelihood, slack, low, top, pulls) and _is_low(likelihood, slack, low + 1, top, pulls)
    ):
        low += 1
    while (
        high > best
        and _is_low(likelihood, slack, high, top, pulls)
        and _is_low(likelihood, slack, high - 1, top, pulls)
    ):
        high -= 1
    window[0], window[1] = low, high
    return top, estimate


@compiled
def _is_low(likelihood: Array, slack: Array, i: int, top: float, pulls: int) -> bool:
    """Tell whether a point is 40 nats below the maximum; 2.25 is for neighbours that are up to 1.5 h apart."""
    return bool(likelihood[i] + 2.25 * slack[i] * pulls < top - DROPPED)


@compiled
def _vertex(likelihood: Array, best: int, low: int, high: int) -> float:
    """Return the mean at the vertex of the parabola in theta through the best point and its neighbours.

    Beyond the ends of [0, pi / 2] the likelihood is that of the mirrored point.
    """
    centre = likelihood[best]
    left = likelihood[best - 1] if best > low else centre
    right = likelihood[best + 1] if best < high else centre
    bend = left - 2.0 * centre + right
    shift = 0.5 * (left - right) / bend if bend < 0.0 else 0.0
    return math.sin((best + 0.5 + shift) * 0.5 * math.pi / POINTS) ** 2


@compiled
def null_bound(
    first: Array,
    first_window: Integers,
    first_pulls: int,
    other: Array,
    other_window: Integers,
    other_pulls: int,
    slack: Array,
) -> float:
    """Return an upper bound on sup over q <= r of L(q) + L'(r): the first arm is no better than the other one.

    The supremum, over the kept windows, is attained where each of q and r is stationary or at an end, which is a point
    of the grid, or at q = r, where the sum is. The nearest points have the same order as q and r, and rule 1 bounds
    what lies between.
    """
    best, highest = -math.inf, -math.inf
    i = int(first_window[0])
    for j in range(int(other_window[0]), int(other_window[1]) + 1):
        while i <= min(j, int(first_window[1])):
            highest = max(highest, first[i] + slack[i] * first_pulls)
            i += 1
        best = max(best, highest + other[j] + slack[j] * other_pulls)
    return best
