"""Private prefix sums in kernels: only the noise is stored, one number for each level of a tree.

Step n of a binary tree releases the node of items n' + 1, ..., n, where n' is n without its lowest binary 1, and the
prefix sum at n is that node plus the prefix sum at n'. So the noise at n is the noise at n' plus one fresh draw; the
noise at n' was stored at the level of its own lowest 1.

In a tree of degree k the node at step n has the items n - k^v + 1, ..., n, where n ends in v zeros in base k. So the
noise at n is one fresh draw plus the noise at n - k^v, the last step before n that ends in v or more zeros; the stack
has at place v the noise at the last such step.
"""

from __future__ import annotations

from privcheck.arrays import Array, Integers
from privcheck.kernels import inlined


@inlined
def trailing_zeros(number: int) -> int:
    """Return the level of the lowest binary 1 of a positive integer.

    >>> [trailing_zeros(n) for n in (1, 2, 3, 4, 12)]
    [0, 1, 0, 2, 2]
    """
    level = 0
    while number & 1 == 0:
        number >>= 1
        level += 1
    return level


@inlined
def prefix_noise(stack: Array, step: int, draw: float) -> float:
    """Return the noise of the prefix sum at a step >= 1 whose node has the noise `draw`, and store it in `stack`."""
    before = step & (step - 1)
    if before > 0:
        draw += stack[trailing_zeros(before)]
    stack[trailing_zeros(step)] = draw
    return draw


@inlined
def next_level(digits: Integers, degree: int) -> int:
    """Add 1 to a number with these digits, the last one first, and return how many zeros it then ends in.

    >>> import numpy as np
    >>> digits = np.array([2, 2, 0])
    >>> next_level(digits, 3), digits.tolist()
    (2, [0, 0, 1])
    """
    level = 0
    while digits[level] == degree - 1:
        digits[level] = 0
        level += 1
    digits[level] += 1
    return level


@inlined
def prefix_noise_at(stack: Array, level: int, draw: float) -> float:
    """Return the noise of the prefix sum at a step that ends in `level` zeros, and store it in `stack`."""
    draw += stack[level]
    for place in range(level + 1):
        stack[place] = draw
    return draw
