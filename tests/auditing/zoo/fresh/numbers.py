"""Functions of data that return numbers: counts, histograms, sums, means, regressions, medians.

Each takes the line in which its twins differ as its first argument. One row is replaced; entries are in [0, 1].
"""

from __future__ import annotations

import numpy as np

from .pair import A, Pair, high, table, tail, tail_of_two, twins, two_sided


def count_and_mean(divisor, data, rng, runs):
    total = np.sum(data) + rng.laplace(scale=2.0, size=runs)
    noisy_count = high(data) + rng.laplace(scale=2.0, size=runs)
    return np.column_stack([total, total / divisor(high(data), noisy_count)])


def sliding_windows(scale, data, rng, runs):
    return data[:-1] + data[1:] + rng.laplace(scale=scale, size=(runs, len(data) - 1))


def median(candidates, data, rng, runs):
    points = candidates(data)
    utility = [-abs(float(np.sum(data < point) - np.sum(data > point))) / 2.0 for point in points]
    weights = np.exp(np.array(utility) / 2.0)
    return rng.choice(points, size=runs, p=weights / weights.sum())


def regression(bound, data, rng, runs):
    x, y = data.T
    largest = bound(x)
    return np.column_stack(
        [
            x @ y + rng.laplace(scale=2.0 * largest, size=runs),
            x @ x + rng.laplace(scale=2.0 * largest**2, size=runs),
        ]
    )


def two_bins(noise, data, rng, runs):
    counts = np.array([high(data), len(data) - high(data)])
    return counts + noise(rng, (runs, 2))


def sparse_histogram(present, data, rng, runs):
    counts = np.histogram(data, bins=4, range=(0.0, 1.0))[0]
    noisy = counts + rng.laplace(scale=2.0, size=(runs, 4))
    return np.maximum(0.0, noisy) * present(counts)


def two_queries(key, data, rng, runs):
    answers = {}
    for query, half in enumerate((data[: len(data) // 2], data[len(data) // 2 :])):
        name = key(query, high(half))
        if name not in answers:
            answers[name] = high(half) + rng.laplace(size=runs)
    keys = [key(query, high(half)) for query, half in enumerate((data[: len(data) // 2], data[len(data) // 2 :]))]
    return np.column_stack([answers[name] for name in keys])


def signed_count(noise, data, rng, runs):
    return high(data) + noise(rng, runs)


def geometric_with_sign(rng, size):
    """Return two-sided noise that is never zero."""
    return rng.choice([-1, 1], size=size) * rng.geometric(1.0 - np.exp(-1.0), size)


def cyclic_count(wrapped, data, rng, runs):
    return wrapped(high(data), two_sided(rng, 1.0, runs))


RATE = 0.3
AMPLIFIED = float(np.log1p((np.e - 1.0) / RATE))
"""The epsilon that a random share of the rows may have if nobody knows which rows it has."""


def sampled_sum(published, data, rng, runs):
    sample = rng.random((runs, len(data))) < RATE
    total = sample @ data + rng.laplace(scale=1.0 / AMPLIFIED, size=runs)
    return np.column_stack([total, published(sample, rng)])


def sum_and_count(share, data, rng, runs):
    part = share(data)
    total = np.sum(data) + rng.laplace(scale=1.0 / part, size=runs)
    return np.column_stack([total, high(data) + rng.laplace(scale=1.0 / (1.0 - part), size=runs)])


def told(horizon=4, **more):
    return {"horizon": horizon, **more}


PAIRS = [
    Pair(
        name="a noisy sum beside its ratio to the raw count",
        why="both numbers are noisy; their quotient is the count",
        loss=np.inf,
        bound="a sum and a count that move by at most 1, with a half of the budget each",
        **twins(count_and_mean, lambda count, noisy: max(count, 1), lambda count, noisy: noisy),
        streams=([1.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]),
        event=lambda output: np.abs(output[:, 0] - 2.0 * output[:, 1]) <= 0.01 * np.abs(output[:, 0]),
        shares=(1.0, 0.0),
        options=told(),
    ),
    Pair(
        name="overlapping windows with the noise of one",
        why="each window is private by itself, and so are the first and the last row",
        loss=2.0,
        bound="a row is in two windows, which together move by at most 2",
        **twins(sliding_windows, 1.0, 2.0),
        streams=([0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]),
        event=lambda output: (output[:, 0] > 1.0) & (output[:, 1] > 1.0),
        shares=(0.5**2, tail(1.0) ** 2),
        options=told(),
    ),
    Pair(
        name="a median that is one of the rows",
        why="the law of its rank is private; a value that no other row has is not",
        loss=np.inf,
        bound="the exponential mechanism on a grid, with ranks that move by at most 1",
        **twins(median, lambda data: data, lambda data: np.linspace(0.0, 1.0, 5)),
        streams=([0.25, 0.5, 0.75, 1.0], [0.0, 0.5, 0.75, 1.0]),
        event=lambda output: output == 0.25,
        shares=(0.5 / (1.0 + np.exp(0.5)), 0.0),
        options=told(),
    ),
    Pair(
        name="a regression with the noise of the largest feature in the data",
        why="a single feature of 1 hides all others; it takes data with small features, and values far from the centre",
        loss=np.inf,
        bound="two sums that move by at most 1, with a half of the budget each",
        **twins(regression, lambda x: max(float(x.max()), 0.2), lambda x: 1.0),
        streams=(table([1, 0], [0.2, 0], [0.2, 0], [0.2, 0]), table([0.2, 0], [0.2, 0], [0.2, 0], [0.2, 0])),
        event=lambda output: np.abs(output[:, 0]) > 2.0,
        shares=(2.0 * tail(2.0, 2.0), 2.0 * tail(2.0, 0.4)),
        options=told(arms=2),
    ),
    Pair(
        name="integer noise that is doubled keeps the parity",
        why="every interval of counts is private; odd counts and even counts are told apart",
        loss=np.inf,
        bound="two counts, which together move by at most 2",
        **twins(
            two_bins,
            lambda rng, size: 2 * two_sided(rng, 1.0, size),
            lambda rng, size: two_sided(rng, 0.5, size),
        ),
        streams=([1.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0]),
        event=lambda output: output[:, 0] % 2 == 1,
        shares=(1.0, 0.0),
        options=told(),
    ),
    Pair(
        name="no noise for empty bins",
        why="zero is a frequent value of every bin; only a positive one tells that a bin has a row",
        loss=np.inf,
        bound="four counts, which together move by at most 2",
        **twins(sparse_histogram, lambda counts: counts > 0, lambda counts: np.ones(4)),
        streams=([0.1, 0.3, 0.6, 0.9], [0.1, 0.3, 0.6, 0.6]),
        event=lambda output: output[:, 3] > 0.0,
        shares=(tail(-1.0, 2.0), 0.0),
        options=told(),
    ),
    Pair(
        name="answers cached by their raw value",
        why="each answer has its noise; only that two are equal tells that the counts are",
        loss=np.inf,
        bound="two counts of different rows, each released once",
        **twins(two_queries, lambda query, answer: answer, lambda query, answer: query),
        streams=([1.0, 0.0, 1.0, 0.0], [0.0, 0.0, 1.0, 0.0]),
        event=lambda output: np.abs(output[:, 0] - output[:, 1]) < 0.1,
        shares=(1.0, tail_of_two(0.9) - tail_of_two(1.1)),
        options=told(),
    ),
    Pair(
        name="integer noise that is never zero",
        why="every tail has the right ratio; only the count itself never appears",
        loss=np.inf,
        bound="a count that moves by at most 1",
        **twins(signed_count, geometric_with_sign, lambda rng, size: two_sided(rng, 1.0, size)),
        streams=([1.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]),
        event=lambda output: output == 1,
        shares=(0.5 * (1.0 - A), 0.0),
        options=told(),
    ),
    Pair(
        name="the remainder is taken before the noise",
        why="it takes a count that wraps around: all rows high, or all but one",
        loss=3.0,
        bound="a count that moves by at most 1; the remainder is taken of what is released",
        **twins(cyclic_count, lambda count, noise: count % 4 + noise, lambda count, noise: (count + noise) % 4),
        streams=([1.0, 1.0, 1.0, 0.0], [1.0, 1.0, 1.0, 1.0]),
        event=lambda output: output >= 3,
        shares=(1.0 / (1.0 + A), A**3 / (1.0 + A)),
        options=told(),
    ),
    Pair(
        name="an amplified sum whose sample is known",
        why="the sum is private, and the sample is independent of the data; both together are not",
        loss=AMPLIFIED,
        bound="amplification by a secret sample: ln(1 - q + q e^a) = 1 for the rate q and the inner a",
        **twins(sampled_sum, lambda sample, rng: sample, lambda sample, rng: rng.random(sample.shape) < RATE),
        streams=([1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]),
        event=lambda output: (output[:, 1] == 1.0) & (output[:, 0] > 1.0),
        shares=(RATE * 0.5, RATE * tail(1.0, 1.0 / AMPLIFIED)),
        options=told(),
    ),
    Pair(
        name="a budget divided by the raw sum",
        why="both halves always add up to the budget; it takes a sum that crosses 2, and values far from the centre",
        loss=np.inf,
        bound="a sum and a count that move by at most 1, with a half of the budget each",
        **twins(sum_and_count, lambda data: 0.8 if np.sum(data) > 2.0 else 0.2, lambda data: 0.5),
        streams=([1.0, 0.0, 0.5, 0.0], [1.0, 1.0, 0.5, 0.0]),
        event=lambda output: np.abs(output[:, 0] - 2.0) > 6.0,
        shares=(tail(6.5, 5.0) + tail(5.5, 5.0), tail(5.5, 1.25) + tail(6.5, 1.25)),
        options=told(),
    ),
]
