"""Mechanisms that another interpreter plays: a count with Laplace noise, and one without."""

from __future__ import annotations

import random

ROWS = [[1, 1], [1, 1, 1]]


def noisy_count(data, rng):
    """Add Laplace noise of scale 1."""
    noise = random.SystemRandom()
    return len(ROWS[int(data[0])]) + noise.expovariate(1.0) - noise.expovariate(1.0)


def count(data, rng):
    """Add none."""
    return len(ROWS[int(data[0])])
