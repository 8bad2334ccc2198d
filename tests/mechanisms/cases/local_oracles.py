"""Laws of the local randomisers, by enumeration of their answers."""

import itertools
import math

import numpy as np
from scipy import special, stats

ONE_BIT_VALUE = (0.5, -2.0, 9.0)
ONE_BIT_BAD = (math.nan, [1.0, math.inf], "1", [[1.0], [1.0, 2.0]], [], None, True, 1j)
SUBSET_VALUE = (4, 0)


def one_bit_chances(mechanism, values):
    """The probability of 1: the value is rounded to an end of its range, and that end is reported as by a coin."""
    shares = (np.clip(np.array(values) / mechanism.radius, -1, 1) + 1) / 2
    keep = special.expit(1 / mechanism.scale)
    return shares * keep + (1 - shares) * special.expit(-1 / mechanism.scale)


def one_bit_worst_loss(mechanism, _):
    """The largest log-ratio of a report between any two of 41 values."""
    values = np.linspace(-mechanism.radius, mechanism.radius, 41)
    logs = np.array([[mechanism.log_density(report, value) for value in values] for report in (1, -1)])
    return float(np.ptp(logs, axis=1).max())


def one_bit_change(rng, _):
    value = rng.normal(size=3) * 3
    other = value.copy()
    other[rng.integers(3)] = rng.normal() * 3
    return rng.choice([-1, 1], size=3), value, other


def one_bit_p_value(mechanism, draws):
    """Chi-square of three reports against the product of their laws."""
    chances = one_bit_chances(mechanism, ONE_BIT_VALUE)
    signs = itertools.product((False, True), repeat=3)
    law = [math.prod(p if up else 1 - p for p, up in zip(chances, one, strict=True)) for one in signs]
    counts = np.bincount((draws > 0) @ [4, 2, 1], minlength=8)
    return stats.chisquare(counts, np.array(law) * len(draws)).pvalue


def subset_law(mechanism, truth):
    """The probability of every set, by normalising its weights."""
    sets = list(itertools.combinations(range(mechanism.categories), mechanism.size))
    weights = np.array([math.exp(1 / mechanism.scale) if truth in chosen else 1.0 for chosen in sets])
    return dict(zip(sets, weights / weights.sum(), strict=True))


def rows(mechanism, sets):
    return np.array([[int(j in chosen) for j in range(mechanism.categories)] for chosen in sets])


def subset_change(rng, _):
    value = rng.integers(5, size=3)
    other = value.copy()
    other[rng.integers(3)] = rng.integers(5)
    return np.array([rng.permutation([1, 1, 0, 0, 0]) for _ in range(3)]), value, other


def subset_worst_loss(mechanism, _):
    """The largest log-ratio in the table of all sets and categories."""
    sets = rows(mechanism, itertools.combinations(range(mechanism.categories), mechanism.size))
    logs = np.array([mechanism.log_density(sets, truth) for truth in range(mechanism.categories)])
    return float(np.ptp(logs, axis=0).max())


def subset_p_value(mechanism, draws):
    """Chi-square of the pair of sets against the product of their laws, rare ones together."""
    laws = [subset_law(mechanism, truth) for truth in SUBSET_VALUE]
    bits = 2 ** np.arange(mechanism.categories)
    number = np.full(2**mechanism.categories, -1)
    number[rows(mechanism, laws[0]) @ bits] = np.arange(len(laws[0]))
    drawn = number[draws @ bits]
    if drawn.min() < 0:
        return 0.0
    counts = np.zeros((len(laws[0]), len(laws[0])))
    np.add.at(counts, tuple(drawn.T), 1)
    expected = np.outer(*(list(law.values()) for law in laws)) * len(draws)
    rare = expected < 5
    pairs = [np.append(table[~rare], table[rare].sum()) for table in (counts, expected)]
    kept = pairs[1] > 0
    return stats.chisquare(pairs[0][kept], pairs[1][kept]).pvalue
