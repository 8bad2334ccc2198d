r"""Bets against a claim (epsilon, delta) on pairs of runs, one on each input, compiled.

Let S be likelier on the first input and S' on the second, disjoint; a, d are the probabilities of S and S' on the
first input and b, c those on the second. The claim says a <= r b + delta and c <= r d + delta with r = e^epsilon.
Before a pair is seen, choose centres b0, d0, put a0 = r b0 + delta and c0 = r d0 + delta, and stakes x, y >= 0. The
pair's factor is

    (1 + x (1[first in S] - a0) - r y (1[first in S'] - d0)) (1 + y (1[second in S'] - c0) - r x (1[second in S] - b0)).

The two runs are independent; with u = r (b - b0) and v = r (d - d0) the expectation is at most

    (1 + x u - y v) (1 + y v - x u) = 1 - (x u - y v)^2 <= 1,

so the product of such factors is a test supermartingale as long as no factor can be negative, which bounds the stakes.
With the best stakes and centres it is the likelihood ratio against the projection of the truth on the claim (Turner, Ly
and Grünwald 2024, Generic e-variables for exact sequential k-sample tests).
"""

from __future__ import annotations

import math

import numpy as np

from privcheck.arrays import Array, Codes, Integers
from privcheck.kernels import compiled

SHARES = np.array([0.5, 0.7] + [0.5 ** (j / 2) for j in range(3, 22)])
"""Stakes, as shares of the largest stake that keeps wealth from becoming negative."""

WEIGHTS = np.arange(1.0, len(SHARES) + 1.0) ** -2.0
WEIGHTS /= WEIGHTS.sum()

DIRECTIONS = np.array([0.8, 0.1, 0.1])
"""Weights of bets on both events equally, on S alone and on S' alone; tuned on one case (docs/evidence/betting.md)."""


@compiled
def end_of_block(start: int) -> int:
    """Return where the block of pairs that begins at `start` ends: bets change there, at first after every pair."""
    return start + max(1, start // 32)


@compiled
def largest_stake(direction: int, r: float, a0: float, b0: float, c0: float, d0: float) -> float:
    """Return the stake at which the worst outcome of a pair loses all wealth."""
    if direction == 0:
        worst = max(a0 + r * (1.0 - d0), c0 + r * (1.0 - b0))
    elif direction == 1:
        worst = max(a0, r * (1.0 - b0))
    else:
        worst = max(c0, r * (1.0 - d0))
    return 1.0 / worst


@compiled
def add_block(wealth: Array, past: Integers, block: Integers, pairs: int, length: int, r: float, delta: float) -> None:
    """Add to the logarithms of wealth, shape (directions, shares), what one event's bets gain in a block.

    Parameters
    ----------
    wealth : changed in place; -inf in a direction's first entry leaves that direction out.
    past, block : counts of S on the first, S' on the first, S' on the second and S on the second input, before and in
        the block.
    pairs, length : pairs before and in the block.
    r, delta : e^epsilon and delta of the claim.

    """
    # the null that fits the past best when counts are Poisson; one pair without events is added so that bets start low
    top = (1.0 - delta) / r
    b0 = min(top, max(0.0, ((past[0] + past[3]) / (pairs + 1.0) - delta) / (1.0 + r)))
    d0 = min(top, max(0.0, ((past[2] + past[1]) / (pairs + 1.0) - delta) / (1.0 + r)))
    a0, c0 = r * b0 + delta, r * d0 + delta
    first_other, second_other = length - block[0] - block[1], length - block[2] - block[3]
    for i in range(wealth.shape[0]):
        if wealth[i, 0] == -math.inf:
            continue
        largest = largest_stake(i, r, a0, b0, c0, d0)
        for j in range(wealth.shape[1]):
            x = SHARES[j] * largest if i != 2 else 0.0
            y = SHARES[j] * largest if i != 1 else 0.0
            first, second = 1.0 - x * a0 + r * y * d0, 1.0 - y * c0 + r * x * b0
            gain = first_other * math.log(first) + second_other * math.log(second)
            if block[0] > 0:
                gain += block[0] * math.log(first + x)
            if block[1] > 0:
                gain += block[1] * math.log(first - r * y)
            if block[2] > 0:
                gain += block[2] * math.log(second + y)
            if block[3] > 0:
                gain += block[3] * math.log(second - r * x)
            wealth[i, j] += gain


@compiled
def log_mean_exp(wealth: Array) -> float:
    """Return the logarithm of the mean over events (first axis) of the sum of wealth over its bets."""
    top: float = wealth.max()
    if top == -math.inf:
        return top
    mean: float = np.exp(wealth - top).sum() / wealth.shape[0]
    return top + math.log(mean)


@compiled
def evidence(
    blocks: Integers,
    lengths: Integers,
    changes: Integers,
    pasts: Integers,
    r: float,
    delta: float,
    mirrored: bool,
    enough: float,
) -> tuple[float, float]:
    """Return the logarithm of the e-value after all blocks, and its largest value after any.

    Blocks after the first at which the value is at least `enough` are left out, of both.

    Parameters
    ----------
    blocks : counts as in `add_block`, shape (blocks, events, 4).
    lengths : pairs in each block.
    changes : shape (m, 2), the blocks before which events changed, in order, and the pairs of runs known by then.
    pasts : shape (m, events, 4), the counts of the new events in these.
    r, delta : e^epsilon and delta of the claim.
    mirrored : whether there are events S'.
    enough : infinity, or what the largest value is compared with.

    """
    events = blocks.shape[1]
    wealth = np.full((events, DIRECTIONS.shape[0], SHARES.shape[0]), -math.inf)
    for i in range(DIRECTIONS.shape[0]):
        if mirrored or i == 1:
            wealth[:, i, :] = np.log(WEIGHTS) + (math.log(DIRECTIONS[i]) if mirrored else 0.0)
    past = np.zeros((events, 4), np.int64)
    pairs, now, highest, change = 0, 0.0, 0.0, 0
    for t in range(blocks.shape[0]):
        if highest >= enough:
            break
        while change < len(changes) and changes[change, 0] == t:
            past, pairs = pasts[change].copy(), changes[change, 1]
            change += 1
        for e in range(events):
            add_block(wealth[e], past[e], blocks[t, e], pairs, lengths[t], r, delta)
        past += blocks[t]
        pairs += lengths[t]
        now = log_mean_exp(wealth)
        highest = max(highest, now)
    return now, highest


@compiled
def last_block(pairs: int) -> tuple[int, int]:
    """Return how many blocks the first so many pairs begin, and where the last of them starts."""
    if pairs == 0:
        return 0, 0
    begun, start = 1, 0
    while end_of_block(start) < pairs:
        start = end_of_block(start)
        begun += 1
    return begun, start


def counted_pairs(first: Codes, second: Codes, before: int) -> tuple[Integers, Integers, int]:
    """Count pairs as `add_pairs` does, of which `before` came before; return counts, lengths and the first block.

    >>> counts, lengths, begin = counted_pairs(np.ones((3, 1), np.int8), np.zeros((3, 1), np.int8), 64)
    >>> counts[:, 0, 0].tolist(), lengths.tolist(), begin
    ([0, 2, 1], [0, 2, 1], 63)
    """
    begun, start = last_block(before)
    begin = max(0, begun - 1)
    size = last_block(before + len(first))[0] - begin
    blocks, lengths = np.zeros((size, first.shape[1], 4), np.int64), np.zeros(size, np.int64)
    if begun and size:
        lengths[0] = before - start
    add_pairs(np.ascontiguousarray(first), np.ascontiguousarray(second), blocks, lengths, min(begun, 1), start)
    if begun and size:
        lengths[0] -= before - start
    return blocks, lengths, begin


@compiled
def add_pairs(
    first: Codes,
    second: Codes,
    blocks: Integers,
    lengths: Integers,
    filled: int,
    start: int,
) -> tuple[int, int]:
    """Count pairs (n, events) of codes 1 (S), -1 (S'), 0 into blocks; return (blocks begun, start of the last one).

    The last block may be short: the next call continues it.
    """
    for t in range(first.shape[0]):
        if filled == 0 or start + lengths[filled - 1] >= end_of_block(start):
            start += lengths[filled - 1] if filled > 0 else 0
            filled += 1
        lengths[filled - 1] += 1
        for e in range(first.shape[1]):
            counts = blocks[filled - 1, e]
            if first[t, e] != 0:
                counts[0 if first[t, e] > 0 else 1] += 1
            if second[t, e] != 0:
                counts[2 if second[t, e] < 0 else 3] += 1
    return filled, start
