"""Private prefix sums in kernels: only the noise is stored, one number for each level of a tree.

Step n of a tree mechanism releases the node of items n' + 1, ..., n, where n' is n without its lowest binary 1, and the
prefix sum at n is that node plus the prefix sum at n'. So the noise at n is the noise at n' plus one fresh draw; the
noise at n' was stored at the level of its own lowest 1.
"""

from __future__ import annotations

from privcheck.arrays import Array
from privcheck.kernels.building_blocks import inlined


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
