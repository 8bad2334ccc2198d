"""The largest amount whose epsilon stays within a budget."""

from __future__ import annotations

import math
from collections.abc import Callable

STEPS = 200


def largest_within(epsilon_of: Callable[[float], float], epsilon: float) -> float:
    """Return the largest amount with epsilon_of(amount) <= epsilon, rounded down, of a function that increases.

    The logarithm of the amount is bisected, and only amounts that were found to be within are returned: an error of
    the search costs accuracy, never privacy.

    >>> largest_within(lambda amount: amount * amount, 9.0) <= 3.0
    True
    >>> abs(largest_within(lambda amount: amount * amount, 9.0) - 3.0) < 1e-13
    True
    """
    low, high = 0.0, 1.0
    while epsilon_of(high) <= epsilon and high < 1e150:
        low, high = high, 2.0 * high
    while low == 0.0 and high > 1e-150:
        low = high / 2.0 if epsilon_of(high / 2.0) <= epsilon else 0.0
        high = high if low else high / 2.0
    for _ in range(STEPS):
        middle = (low + high) / 2.0
        if middle in (low, high) or high <= low * (1.0 + 1e-15):
            break
        low, high = (middle, high) if epsilon_of(middle) <= epsilon else (low, middle)
    return low if math.isfinite(low) else -1.0
