"""Functions of data that return text, lists and records of various lengths."""

from __future__ import annotations

import numpy as np
from scipy import integrate, stats

from .pair import Pair, high, tail, twins, two_sided


def formatted_mean(nothing, data, rng):
    """A mean of numbers in [-1, 1] with two decimals, or zero if it is negative."""
    mean = float(np.mean(data))
    estimate = mean + rng.laplace(scale=2.0 / len(data))
    return f"{estimate if estimate > 0 else nothing(mean):.2f}"


def count_or_error(said, data, rng):
    """A count, or the text of an error if it is small."""
    count = high(data)
    noisy = count + int(two_sided(rng, 1.0))
    try:
        if noisy < 2:
            raise ValueError(f"{said(count, noisy)} records are too few")
    except ValueError as error:
        return str(error)
    return str(noisy)


def synthetic_records(most, data, rng):
    """As many ages as the noisy count of rows says, or as can be."""
    noisy = high(data) + int(two_sided(rng, 1.0))
    return [int(age) for age in rng.integers(18, 90, size=max(0, min(noisy, most(data))))]


def top_two(key, data, rng):
    """The two most popular of three items, the better one first; a row has a grade for each item."""
    totals = data.sum(axis=0)
    noisy = totals + rng.laplace(scale=3.0, size=3)
    best = sorted(range(3), key=lambda item: -noisy[item])[:2]
    return sorted(best, key=lambda item: -key(totals, noisy)[item])


def rounded_sum(size, data, rng):
    """A sum with two decimals if it is below 1, and without decimals otherwise."""
    total = float(np.sum(data))
    noisy = total + rng.laplace()
    decimals = 2 if size(total, noisy) < 1.0 else 0
    return f"{noisy:.{decimals}f}"


def share_of_the_last_being_third(totals):
    """Return the probability that the last of three noisy totals is the smallest, by quadrature."""
    laws = [stats.laplace(total, 3.0) for total in totals]
    density = lambda x: laws[2].pdf(x) * laws[0].sf(x) * laws[1].sf(x)  # noqa: E731
    return integrate.quad(density, -80.0, 80.0, points=totals, limit=200)[0]


NOT_BELOW = 1.0 / (1.0 + np.exp(-1.0))
"""The probability that two-sided noise at epsilon = 1 is not negative."""

PAIRS = [
    Pair(
        name="zero times the raw mean has its sign",
        why="as numbers both zeros are equal; only the text shows the sign",
        loss=np.inf,
        bound="a mean that moves by at most 2/n; all else is computed from its release",
        **twins(formatted_mean, lambda mean: 0.0 * mean, lambda mean: 0.0),
        streams=([-1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]),
        event=lambda text: text == "-0.00",
        shares=(1.0 - tail(0.25, 0.5), 0.0),
        options={"horizon": 4, "rewards": (-1.0, 1.0)},
    ),
    Pair(
        name="the text of an error has the raw count",
        why="it takes a noisy count that is too small, and a reader of the text",
        loss=np.inf,
        bound="a count that moves by at most 1; all else is computed from its release",
        **twins(count_or_error, lambda count, noisy: count, lambda count, noisy: noisy),
        streams=([1.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0]),
        event=lambda text: text == "1 records are too few",
        shares=(NOT_BELOW, 0.0),
        options={"horizon": 4},
    ),
    Pair(
        name="no more synthetic records than there are rows",
        why="the records are independent of the data; only their number tells",
        loss=np.inf,
        bound="a count that moves by at most 1; all else is computed from its release",
        **twins(synthetic_records, high, len),
        streams=([1.0, 1.0, 1.0, 0.0], [1.0, 1.0, 0.0, 0.0]),
        event=lambda records: len(records) == 3,
        shares=(NOT_BELOW, 0.0),
        options={"horizon": 4},
    ),
    Pair(
        name="the best two in the order of their raw totals",
        why="which items are named is private; which of them comes first is not",
        loss=np.inf,
        bound="three totals, which together move by at most 3; all else is computed from their release",
        **twins(top_two, lambda totals, noisy: totals, lambda totals, noisy: noisy),
        streams=(np.array([[1.0, 0.5, 0.0], [0.0, 0.2, 0.1]]), np.array([[0.0, 0.5, 1.0], [0.0, 0.2, 0.1]])),
        event=lambda items: items == [0, 1],
        shares=(share_of_the_last_being_third([1.0, 0.7, 0.1]), 0.0),
        options={"horizon": 2, "arms": 3},
    ),
    Pair(
        name="decimals chosen by the raw sum",
        why="the digits are private; how many there are tells on which side of 1 the sum is",
        loss=np.inf,
        bound="a sum that moves by at most 1; all else is computed from its release",
        **twins(rounded_sum, lambda total, noisy: total, lambda total, noisy: noisy),
        streams=([0.5, 0.0, 0.0, 0.0], [0.5, 1.0, 0.0, 0.0]),
        event=lambda text: "." in text,
        shares=(1.0, 0.0),
        options={"horizon": 4},
    ),
]
