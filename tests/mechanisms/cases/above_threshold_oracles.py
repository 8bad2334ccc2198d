"""The law of the sparse vector technique by a rule of its own: fixed panels on each stretch between kinks."""

import itertools
import math

import numpy as np
from scipy import stats

VALUE = (3.0, 1.0, 7.0, -2.0, 5.0)
BAD = (1.0, [1.0], [math.nan, 1.0], [1.0, math.inf], ["1", "2"], [[1.0], [1.0, 2.0]], [[1.0, 2.0]], [], None, [1j, 2.0])
NODES, WEIGHTS = np.polynomial.legendre.leggauss(20)


def log_cdf(x):
    """scipy's underflows at -745."""
    return np.where(x < 0, x - math.log(2), np.log1p(-np.exp(-np.abs(x)) / 2))


def log_probability(answers, value, threshold_scale, query_scale, panels=200):
    """ln P(answers), by integration over the noisy threshold; -1 stands for a query that is not answered."""
    threshold, queries = value[0], np.asarray(value[1:])
    kinks = np.unique(np.concatenate(([threshold], queries)))
    reach = 60 * max(threshold_scale, query_scale)
    ends = np.concatenate(([kinks[0] - reach], kinks, [kinks[-1] + reach]))
    edges = np.unique(np.concatenate([np.linspace(*pair, panels + 1) for pair in itertools.pairwise(ends)]))
    half = np.diff(edges)[:, None] / 2
    x = edges[:-1, None] + half * (NODES + 1)
    logs = np.log(half * WEIGHTS) - np.abs(x - threshold) / threshold_scale - math.log(2 * threshold_scale)
    for answer, query in zip(answers, queries, strict=True):
        if answer >= 0:
            logs = logs + log_cdf((query - x if answer else x - query) / query_scale)
    return float(np.logaddexp.reduce(logs.ravel()))


def possible(queries, answers):
    """All sequences of answers, by their definition."""
    found = set()
    for above in itertools.product((0, 1), repeat=queries):
        left, given = answers, []
        for one in above:
            given.append(one if left else -1)
            left -= one if left else 0
        found.add(tuple(given))
    return sorted(found)


def law(mechanism, value):
    """The probability of every sequence of answers."""
    scales = mechanism.threshold_scale, mechanism.query_scale
    sequences = possible(len(value) - 1, mechanism.answers)
    return {answers: math.exp(log_probability(answers, value, *scales)) for answers in sequences}


def worst_loss(mechanism, sensitivity):
    """Queries that are answered "below" far above the threshold move up, and c that are answered "above" do not."""
    count = mechanism.answers
    below = count + 3
    far = 80 * mechanism.query_scale + sensitivity
    one = np.array([0.0] + [far] * below + [0.0] * count)
    two = one + sensitivity * (one > 0)
    scales = mechanism.threshold_scale, mechanism.query_scale
    answers = [0] * below + [1] * count
    return log_probability(answers, one, *scales) - log_probability(answers, two, *scales)


def change(rng, sensitivity):
    """Answers, a threshold and queries, and others whose changes have this range."""
    queries = int(rng.integers(1, 5))
    value, moved = rng.normal(size=queries + 1) * 3, rng.normal(size=queries + 1)
    moved = (moved - moved.min()) / np.ptp(moved) * sensitivity + rng.normal()
    sequences = possible(queries, 2)
    return sequences[int(rng.integers(len(sequences)))], value, value + moved


def p_value(mechanism, draws):
    """Chi-square of the sequences of answers; those that are expected less than 5 times are counted together."""
    exact = law(mechanism, VALUE)
    found, counts = np.unique(draws, axis=0, return_counts=True)
    seen = dict(zip(map(tuple, found.tolist()), counts.tolist(), strict=True))
    if not set(seen) <= set(exact):
        return 0.0
    table = np.array([(seen.get(answers, 0), p * len(draws)) for answers, p in exact.items()])
    rare = table[:, 1] < 5
    table = np.vstack([table[~rare], table[rare].sum(axis=0)]) if rare.any() else table
    table = table[table[:, 1] > 0]
    return stats.chisquare(table[:, 0], table[:, 1] * table[:, 0].sum() / table[:, 1].sum()).pvalue
