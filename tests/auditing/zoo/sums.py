"""One or two sums with Laplace noise."""

import numpy as np

from .twins import Twins, additive


def noisy_sum(scale):
    def release(data, rng, runs):
        return data.sum() + rng.laplace(scale=scale, size=runs)

    return release


def clipped_sum(data, rng, runs):
    return np.clip(data, 0.0, 1.0).sum() + rng.laplace(size=runs)


def two_sums(scale):
    """Release a sum and a sum of squares: one datum moves both by 1."""

    def release(data, rng, runs):
        return _moments(data) + rng.laplace(scale=scale, size=(runs, 2))

    return release


def _moments(data):
    return np.array([data.sum(), np.square(data).sum()])


def shared_stream(data, rng, runs):
    """Both releases seed their generators alike."""
    seed = rng.integers(2**32)
    noise = [np.random.default_rng(seed).laplace(scale=2.0, size=runs) for _ in range(2)]
    return data.sum(axis=0) + np.stack(noise, axis=1)


def separate_streams(data, rng, runs):
    noise = [np.random.default_rng(rng.integers(2**32)).laplace(scale=2.0, size=runs) for _ in range(2)]
    return data.sum(axis=0) + np.stack(noise, axis=1)


TWINS = [
    Twins(
        "half the scale",
        "Laplace noise of scale 1/2 on a sum of sensitivity 1",
        noisy_sum(0.5),
        noisy_sum(1.0),
        law=additive(0.5, np.sum),
    ),
    Twins(
        "rewards outside the range",
        "noise for rewards in [0, 1], rewards in [0, 3], no clipping",
        noisy_sum(1.0),
        clipped_sum,
        options={"rewards": (0.0, 3.0)},
        law=additive(1.0, np.sum),
    ),
    Twins(
        "budget not split",
        "two statistics of the same data are released, each with the whole budget",
        two_sums(1.0),
        two_sums(2.0),
        law=additive(1.0, _moments),
    ),
    Twins(
        "shared random stream",
        "two releases have the same noise: their difference has none",
        shared_stream,
        separate_streams,
        options={"arms": 2},
    ),
]
