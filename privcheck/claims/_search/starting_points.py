"""Where the search starts: the edges of a domain, special values, and random points on several scales."""

from __future__ import annotations

from typing import Any

import numpy as np

from privcheck.claims._claim import Reading
from privcheck.claims._variables import Variable

NEAR = (1e-12, 1e-9, 1e-6, 1e-4, 1e-2)
"""Relative distances from an edge at which limits show."""

WIDE = 100.0
"""A positive range whose ends have a larger ratio is searched on a logarithmic scale too."""


def edge_values(of: Variable) -> list[float]:
    """Return values at and near the ends of a variable's domain, and its special values.

    >>> from privcheck.claims._variables import integer
    >>> edge_values(integer("n", 1, 5))
    [1.0, 2.0, 3.0, 4.0, 5.0]
    """
    low, high = of.searched
    if of.integer:
        steps = [low + step for step in range(12)] + [low + 2.0**power for power in range(4, 20)] + [high - 1, high]
        return sorted({float(value) for value in steps if low <= value <= high} | set(map(float, of.specials)))
    near = [low + distance * (min(high, low + 1.0) - low) for distance in NEAR]
    near += [high - distance * (high - max(low, high - 1.0)) for distance in NEAR]
    round_values = [0.1, 0.25, 0.5, 0.9, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 100.0]
    ends = ([] if of.low_open else [low]) + ([] if of.high_open else [high])
    values = [*ends, *near, *round_values, *map(float, of.specials)]
    return sorted({value for value in values if low <= value <= high})


def random_values(of: Variable, count: int, rng: np.random.Generator) -> Any:
    """Return random values of a variable: uniform, on a logarithmic scale, and close to its ends."""
    low, high = of.searched
    if of.integer:
        narrow = rng.integers(int(low), int(min(high, low + 12)) + 1, count)
        wide = np.floor(low + (high - low) ** rng.random(count)) if high - low > 1 else narrow
        return np.clip(np.where(rng.random(count) < 0.7, narrow, wide), low, high).astype(float)
    uniform = low + (min(high, low + 10.0) - low) * rng.random(count)
    distance = 10.0 ** rng.uniform(-9.0, 0.0, count) * min(1.0, high - low)
    if high / max(low, 1e-9) > WIDE and low >= 0.0:
        scaled = np.exp(rng.uniform(np.log(max(low, 1e-9)), np.log(high), count))
    else:
        scaled = low + (high - low) * rng.random(count)
    drawn = np.choose(rng.integers(0, 4, count), [uniform, scaled, low + distance, high - distance])
    return np.clip(drawn, low, high)


def candidates(reading: Reading, count: int, rng: np.random.Generator) -> dict[str, Any]:
    """Return points of a reading's domain as one array for each variable; a third of them combine edge values."""
    edges = count // 3
    points = {}
    for of in reading.variables:
        listed = np.array(edge_values(of))
        at_edges = listed[rng.integers(0, len(listed), edges)]
        points[of.name] = np.concatenate([at_edges, random_values(of, count - edges, rng)])
    return points
