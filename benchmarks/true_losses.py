"""True privacy losses of the mechanisms in tightness.py, for the pair of inputs that is played.

Each function takes the two inputs and returns the largest log-ratio of an output's two probabilities.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
from scipy.special import log_softmax

from privcheck.auditing._exact.comparisons import chain_probabilities

PANEL, REACH = 0.5, 40.0
"""Width of a panel of Gauss-Legendre quadrature, and how far beyond all centres it goes; both in units of the scale."""

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)

Values = Any


def largest_log_ratio(first: Values, second: Values) -> float:
    """Return the largest absolute difference of two arrays of log-probabilities."""
    return float(np.max(np.abs(np.asarray(first) - np.asarray(second))))


def noisy_max(first: Values, second: Values) -> float:
    """Index of the largest of given numbers with Laplace(1) noise."""
    return largest_log_ratio(*(np.log(_winners(np.asarray(x, float))) for x in (first, second)))


def noisy_max_of_sums(first: Values, second: Values) -> float:
    """The same for the sums of the columns of tables."""
    return noisy_max(np.sum(first, axis=0), np.sum(second, axis=0))


def gumbel_max(first: Values, second: Values) -> float:
    """Index of the largest of given numbers with standard Gumbel noise: a softmax."""
    return largest_log_ratio(*(log_softmax(np.asarray(x, float)) for x in (first, second)))


def bits_above(first: Values, second: Values) -> float:
    """Which answers with Laplace(2) noise are at least a threshold with Laplace(2) noise; the last index is the bit."""
    nodes, weights = _nodes([0.0], 2.0)
    weights = weights * _density(nodes, 2.0)
    above = [_above(nodes[:, None] - np.asarray(answers, float), 2.0) for answers in (first, second)]
    outputs = itertools.product((False, True), repeat=len(first))
    chances = [[weights @ np.where(bits, side, 1.0 - side).prod(axis=1) for side in above] for bits in outputs]
    return largest_log_ratio(*np.log(chances).T)


def first_above(first: Values, second: Values) -> float:
    """Index of the first answer with Laplace(4/3) noise that is at least a threshold with Laplace(4) noise, if any."""
    nodes, weights = _nodes([0.0], 4.0)
    weights = weights * _density(nodes, 4.0)
    logarithms = []
    for answers in (first, second):
        above = _above(nodes[:, None] - np.asarray(answers, float), 4.0 / 3.0)
        none_yet = np.cumprod(np.hstack((np.ones((len(nodes), 1)), 1.0 - above)), axis=1)
        logarithms.append(np.log(weights @ (none_yet * np.hstack((above, np.ones((len(nodes), 1)))))))
    return largest_log_ratio(*logarithms)


def blocks_of_sums(first: Values, second: Values) -> float:
    """Actions of two arms in blocks of 1, 1, 2, 4, 8 rounds, where a block's sum gets Laplace(1 / length) noise."""
    tables = [np.asarray(x, float) for x in (first, second)]
    starts, lengths = [0, 1, 2, 4, 8], [1, 1, 2, 4, 8]
    used = [start + length <= len(tables[0]) for start, length in zip(starts, lengths, strict=True)]
    blocks = [(start, length) for start, length, ends in zip(starts, lengths, used, strict=True) if ends]
    ratios = []
    for replaced in itertools.product((False, True), repeat=len(blocks) - 1):
        # the arm that is not played is held; it is played next when its score is the larger one
        arms, arm = [0, 1], 1
        for swap in replaced[:-1]:
            arm = 1 - arm if swap else arm
            arms.append(arm)
        sums = [[table[s : s + n, a].sum() for (s, n), a in zip(blocks, arms, strict=True)] for table in tables]
        chances = chain_probabilities(np.array(sums), [length for _, length in blocks], replaced)
        ratios.append(math.log(chances[0] / chances[1]))
    return float(np.max(np.abs(ratios)))


def _winners(centres: Any) -> Any:
    nodes, weights = _nodes(centres, 1.0)
    below = 1.0 - _above(nodes[:, None] - centres, 1.0)
    return [
        float(weights @ (_density(nodes - centre, 1.0) * np.delete(below, i, axis=1).prod(axis=1)))
        for i, centre in enumerate(centres)
    ]


def _nodes(centres: Any, scale: float) -> tuple[Any, Any]:
    """Return nodes and weights on panels that end at integers, where all densities here have their corners."""
    low, high = math.floor(min(centres) - REACH * scale), math.ceil(max(centres) + REACH * scale)
    ends = np.unique(np.concatenate((np.arange(low, high + PANEL, PANEL), np.ravel(centres))))
    middles, halves = (ends[1:] + ends[:-1]) / 2.0, (ends[1:] - ends[:-1]) / 2.0
    return (middles[:, None] + halves[:, None] * _NODES).ravel(), (halves[:, None] * _WEIGHTS).ravel()


def _density(x: Any, scale: float) -> Any:
    return np.exp(-np.abs(x) / scale) / (2.0 * scale)


def _above(x: Any, scale: float) -> Any:
    """Return P(noise >= x)."""
    half = np.exp(-np.abs(x) / scale) / 2.0
    return np.where(x > 0.0, half, 1.0 - half)
