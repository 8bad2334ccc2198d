"""The likelihood of a Bernoulli mean on a grid, and an upper bound on what lies between.

The grid is q_i = sin(theta_i)^2 with theta_i the middle of the cell [(i - 1) h, i h], h = pi / (2 G), i = 1, ..., G.
Let L(theta) be the log-likelihood of an arm's n rewards, which are known through noisy sums. The noise tilts the law of
a sum s_j of l_j rewards: when s_j grows by one, e^(-epsilon |Y_j - s_j|) changes by a factor between e^-epsilon and
e^epsilon. Given Y_j, s_j is therefore stochastically between two Binomials, and with A and B as in
`privcheck.kernels._noisy_binomial`

    l_j q e^-epsilon / B <= E[s_j | Y_j] <= l_j q e^epsilon / A.

**Curvature.** Given the sums, the second derivative of the log-likelihood in theta is -2 s_j / q - 2 (l_j - s_j) /
(1 - q). L averages over what the noise hides, which only flattens it (Louis 1982). Hence

    -L''(theta) <= 2 n c(q),    c(q) = e^epsilon / A + 1 / B.

**Slope.** The derivative of L in q is the sum of (E[s_j | Y_j] - l_j q) / (q (1 - q)). Hence

    |dL/dq| <= n v(q),    v(q) = (1 - e^-epsilon) max(e^epsilon / A, 1 / B).

Both c and v are largest at an end of an interval, because 1 / A and 1 / B are convex in q. So in cell i

1. L(q) <= L(q_i) + n c h^2 / 4 at a stationary point q, and the same holds for the sum of two such functions with their
   two n. L is even about 0 and pi / 2, so these ends are stationary too;
2. L(q) <= L(q_i) + n v |q - q_i| for all q, which is less while noise dominates: it falls with epsilon;
3. L(q) <= L(x) + n ln(1 + high - low) for all q, if the cell [low, high] has the point x = high / (1 + high - low) in
   place of q_i, since q^s (1 - q)^(l-s) <= high^s (1 - low)^(l-s). This is for cells near 0 and 1 and a large epsilon.

`slack` is, per reward, the smallest of the three bounds; which one it is depends on the cell and epsilon alone. So at
every stationary point of L in a cell, and of a sum of two, L exceeds its value at the cell's point by n times the slack
at most. Between two neighbouring points L is largest at one of them, or at a stationary point in the cell of one of
them: it is at most the larger one of L + n slack.

A point is dropped once it and its neighbour are 40 nats and the slack below the maximum: see `least_probability`.

Means that are too close for the grid may never be told apart. If two arms have n rewards each and their means are a gap
apart, the likelihood of both falls by 2 n d(q + gap / 2, q) at equal means, d = d_epsilon. The slack takes 2 n times
itself from that, and a mixture over points up to half a cell away from the means 2 n d(q + edge, q) at most, edge being
the cell's half width in q. Where noise dominates for ever, these are n epsilon gap, n epsilon width and n epsilon
width, so the gap has to exceed 2 h = 0.0032 in the middle of [0, 1]; without noise it has to exceed sqrt(3) h.
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

    When points on both sides of the true mean mu are dropped, or the outermost ones, L(mu) <= max L - 40, with the
    maximum over the points that are kept. Then mix - L(mu) >= 40 - ln G, with mix the logarithm of the mean of e^L over
    all points, as if none had been dropped: it is at least max L - ln G. The exponential of the left-hand side is a
    non-negative martingale of mean 1, so this happens with probability G e^-40 at most (Ville 1939).

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
def slope(q: float, epsilon: float) -> float:
    """Return v(q).

    >>> round(slope(0.5, 1.0), 6), round(slope(0.2, 1e-9) * 1e9, 6)
    (0.924234, 1.0)
    """
    lost = -math.expm1(-epsilon)
    return lost / (1.0 - max(q, 1.0 - q) * lost)


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
        low, middle, high = math.sin(i * h) ** 2, math.sin((i + 0.5) * h) ** 2, math.sin((i + 1) * h) ** 2
        width = high - low
        smooth = max(curvature(low, epsilon), curvature(high, epsilon)) * h * h / 4.0
        steep = max(slope(low, epsilon), slope(high, epsilon)) * max(middle - low, high - middle)
        points[i], slack[i] = middle, min(smooth, steep)
        if slack[i] > math.log1p(width):
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
    """Tell whether a point, and what its cell adds, is 40 nats below the maximum."""
    return bool(likelihood[i] + slack[i] * pulls < top - DROPPED)


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
    of the grid, or at q = r, where the sum is. The points of their cells have the same order as q and r, and the slack
    bounds what lies between.
    """
    best, highest = -math.inf, -math.inf
    i = int(first_window[0])
    for j in range(int(other_window[0]), int(other_window[1]) + 1):
        while i <= min(j, int(first_window[1])):
            highest = max(highest, first[i] + slack[i] * first_pulls)
            i += 1
        best = max(best, highest + other[j] + slack[j] * other_pulls)
    return best
