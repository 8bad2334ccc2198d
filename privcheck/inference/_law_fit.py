"""Tests of a sample against a law with known probabilities: Kolmogorov-Smirnov, and boxes chosen on other samples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from privcheck.arrays import Array

LEAST_IN_A_BOX, MOST_BOXES = 16, 64
"""Boxes are halved until fewer of the first half of the samples than this would be in one, or there are that many."""


@dataclass(frozen=True)
class LawFit:
    """How well samples fit a law.

    Parameters
    ----------
    p_value : the test rejects a true law at level alpha with probability at most alpha, up to the error of the
        probabilities.
    where : the event whose share is furthest from its probability, as one (low, high) for each axis.
    share, probability : of that event, among the samples and by the law.
    test : "Kolmogorov-Smirnov", or "binomial tests of boxes".
    """

    p_value: float
    where: tuple[tuple[float, float], ...]
    share: float
    probability: float
    test: str


def fit_on_the_line(samples: Array, below: Array, off: float = 0.0) -> LawFit:
    """Test real samples by Kolmogorov and Smirnov, against that distribution function in reach which fits them best.

    Parameters
    ----------
    samples : shape (n,), in increasing order.
    below : shape (n,), the probability by the law of an output of at most each of them.
    off : how far these may be from the true ones.

    Examples
    --------
    >>> samples = np.sort(np.random.default_rng(0).random(500))
    >>> fit_on_the_line(samples, samples).p_value > 0.01, fit_on_the_line(samples, samples**2).p_value < 1e-9
    (True, True)
    """
    from scipy.stats import kstwo

    n = len(samples)
    places = np.concatenate([np.arange(1, n + 1) / n - below, np.arange(n) / n - below])
    worst = int(np.argmax(np.abs(places)))
    p_value = float(kstwo.sf(max(0.0, float(np.abs(places[worst])) - off), n))
    at, probability = float(samples[worst % n]), float(below[worst % n])
    if worst < n:
        return LawFit(p_value, ((-np.inf, at),), (worst + 1) / n, probability, "Kolmogorov-Smirnov")
    return LawFit(p_value, ((at, np.inf),), 1.0 - (worst - n) / n, 1.0 - probability, "Kolmogorov-Smirnov")


def fit_in_boxes(samples: Array, box: Array, probability: Callable[[Array], tuple[float, float]]) -> LawFit:
    """Test samples of several numbers: half of them halve the support into boxes, the other half is counted in these.

    Each count is binomial, whatever boxes the first half has led to. The p-value is the smallest two-sided one times
    the number of boxes, large and small ones together.

    Parameters
    ----------
    samples : shape (n, d), independent.
    box : shape (d, 2), the support.
    probability : returns that of a box, shape (d, 2), and how far it may be off.
    """
    from scipy.stats import binomtest

    half = len(samples) // 2
    boxes = _halved(samples[:half], box)
    counted = samples[half:]
    results = []
    for one in boxes:
        below = (counted < one[:, 1]) | ((counted == one[:, 1]) & (one[:, 1] == box[:, 1]))
        inside = int(((counted >= one[:, 0]) & below).all(axis=1).sum())
        chance, off = probability(one)
        share = inside / len(counted)
        chance = min(1.0, max(0.0, chance + float(np.clip(share - chance, -off, off))))
        p_value = float(binomtest(inside, len(counted), chance).pvalue)
        results.append((p_value, share, chance, one))
    p_value, share, chance, where = min(results, key=lambda result: result[0])
    return LawFit(
        min(1.0, p_value * len(boxes)),
        tuple((float(low), float(high)) for low, high in where),
        share,
        chance,
        "binomial tests of boxes",
    )


def _halved(samples: Array, box: Array) -> list[Array]:
    """Return the boxes that halve samples at their medians, axis after axis, without the first one, which has all.

    Where half of the samples or more are at an end of a box, that end is a box of its own.
    """
    least = max(LEAST_IN_A_BOX, len(samples) // MOST_BOXES)
    found, waiting = list[Array](), [(samples, box, 0)]
    while waiting:
        own, place, depth = waiting.pop()
        if depth:
            found.append(place)
        axis = depth % len(box)
        low, high = place[axis]
        if len(own) < 2 * least or np.nextafter(low, high) >= np.nextafter(high, low):
            continue
        middle = min(max(float(np.median(own[:, axis])), np.nextafter(low, high)), np.nextafter(high, low))
        for side in (0, 1):
            part = place.copy()
            part[axis, 1 - side] = middle
            waiting.append((own[own[:, axis] < middle] if side == 0 else own[own[:, axis] >= middle], part, depth + 1))
    return found
