"""The KL-UCB index, on a scale on which two indices near 1 stay distinct in floating point.

For a mean m in [0, 1] and a level c >= 0 the index is q = max{q in [m, 1] : kl(m, q) <= c}. Near 1, different indices
round to the same double (m = 0.9, c = 4 already gives 1 - q < 1e-15), so indices are compared as x = -ln(1 - q). In x,

    kl(m, q) = m ln m + (1 - m) ln(1 - m) - m ln(1 - e^-x) + (1 - m) x

is convex and increasing to the right of -ln(1 - m); x is infinite exactly when m = 1.
"""

from __future__ import annotations

import math

from privcheck.kernels import compiled


@compiled
def negative_entropy(mean: float) -> float:
    """Return m ln m + (1 - m) ln(1 - m)."""
    left = mean * math.log(mean) if mean > 0.0 else 0.0
    return left + (1.0 - mean) * math.log1p(-mean) if mean < 1.0 else left


@compiled
def excess(mean: float, level: float, x: float) -> float:
    """Return kl(mean, 1 - e^-x) - level."""
    left = -mean * math.log(-math.expm1(-x)) if mean > 0.0 else 0.0
    return negative_entropy(mean) + left + (1.0 - mean) * x - level


@compiled
def kl_index(mean: float, level: float) -> float:
    """Return x = -ln(1 - q) of the KL-UCB index q, by Newton's method from the right.

    Parameters
    ----------
    mean : m in [0, 1].
    level : c >= 0, the right-hand side of kl(m, q) <= c.

    """
    return kl_index_with_entropy(mean, negative_entropy(mean), level)


@compiled
def kl_index_with_entropy(mean: float, entropy: float, level: float) -> float:
    """Return `kl_index(mean, level)` for a known `negative_entropy(mean)`.

    Notes
    -----
    The function is convex in x, so Newton steps from the right of the root decrease monotonically to it. Two points are
    known to lie to the right, and the iteration starts at the smaller: (c - m ln m - (1 - m) ln(1 - m)) / (1 - m),
    because the dropped term -m ln(1 - e^-x) is positive, and q = m + sqrt(c / 2), by Pinsker's inequality. After a step
    s the next one is about s^2 f'' / (2 f'): the iteration ends when that is below rounding error.

    """
    if mean >= 1.0:
        return math.inf
    if mean <= 0.0:
        return level
    floor = -math.log1p(-mean)
    if level <= 0.0:
        return floor
    x = (level - entropy) / (1.0 - mean)
    pinsker = mean + math.sqrt(0.5 * level)
    if pinsker < 1.0:
        x = min(x, -math.log1p(-pinsker))
    for _ in range(60):
        tail = math.exp(-x)
        head = -math.expm1(-x) if x < 0.7 else 1.0 - tail
        value = entropy - mean * math.log(head) + (1.0 - mean) * x - level
        slope = 1.0 - mean - mean * tail / head
        if value <= 0.0 or slope <= 0.0:
            break
        step = value / slope
        x -= step
        next_step = step * step * mean * tail / (2.0 * slope * head * head)
        if next_step <= 1e-15 * x:
            break
    return max(x, floor)


def kl_index_by_bisection(mean: float, level: float) -> float:
    """Return the same x by bisection in plain Python: the readable reference, and the test oracle of `kl_index`.

    >>> round(1 - math.exp(-kl_index_by_bisection(0.5, 0.2)), 6)
    0.787089
    """
    if mean >= 1.0:
        return math.inf
    entropy = sum(p * math.log(p) for p in (mean, 1.0 - mean) if p > 0.0)
    low, high = -math.log1p(-mean), (level - entropy) / (1.0 - mean) + 1e-12
    for _ in range(200):
        x = 0.5 * (low + high)
        left = -mean * math.log(-math.expm1(-x)) if mean > 0.0 else 0.0
        if entropy + left + (1.0 - mean) * x <= level:
            low = x
        else:
            high = x
    return low
