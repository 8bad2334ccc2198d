"""Leaks in a linear function of the parts of an output, each of which hides everything by itself."""

from __future__ import annotations

import numpy as np

from ..twins import Twins, additive

LARGEST = 1_000_000
"""Integers that hide a count are uniform below this."""


def integer_noise(rng, epsilon, size):
    """Return two-sided geometric noise, which adds no more than epsilon to the loss of a count."""
    share = 1.0 - np.exp(-epsilon)
    return rng.geometric(share, size) - rng.geometric(share, size)


def count(data):
    return round(float(np.sum(data)))


def shares(noise):
    def release(data, rng, runs):
        parts = rng.normal(scale=100.0, size=(runs, 4))
        total = np.sum(data) + (rng.laplace(scale=noise, size=runs) if noise else 0.0)
        parts[:, 3] = total - parts[:, :3].sum(axis=1)
        return parts

    return release


def combined(noise):
    def release(data, rng, runs):
        hidden = rng.laplace(scale=5.0, size=(runs, 2))
        total = np.sum(data) + (rng.laplace(scale=noise, size=runs) if noise else 0.0)
        return np.column_stack([hidden, total + hidden[:, 0] - 2.0 * hidden[:, 1]])

    return release


def prefixes_with_reused_noise(data, rng, runs):
    return np.cumsum(data) + np.tile(rng.laplace(scale=8.0, size=(runs, 4)), 2)


def prefixes_with_fresh_noise(data, rng, runs):
    return np.cumsum(data) + rng.laplace(scale=8.0, size=(runs, 8))


def telescoping(scale):
    def release(data, rng, runs):
        noise = rng.laplace(scale=scale, size=(runs, len(data)))
        return data + np.diff(noise, axis=1, prepend=0.0)

    return release


def random_walk(scale):
    def release(data, rng, runs):
        start = rng.laplace(scale=100.0, size=(runs, 1))
        return start + np.cumsum(data + rng.laplace(scale=scale, size=(runs, len(data))), axis=1)

    return release


def padded_count(epsilon):
    def release(data, rng, runs):
        pad = rng.integers(LARGEST, size=runs)
        noise = integer_noise(rng, epsilon, runs) if epsilon else 0
        return np.column_stack([count(data) + noise + pad, pad])

    return release


def count_and_two_pads(epsilon):
    def release(data, rng, runs):
        pads = rng.integers(LARGEST, size=(runs, 2))
        noise = integer_noise(rng, epsilon, runs) if epsilon else 0
        return np.column_stack([pads, count(data) + noise + pads[:, 0] - pads[:, 1]])

    return release


def counts_with_one_offset(data, rng, runs):
    return np.cumsum(np.round(data).astype(int)) + rng.integers(LARGEST, size=(runs, 1))


def counts_with_fresh_noise(data, rng, runs):
    return np.cumsum(np.round(data).astype(int)) + integer_noise(rng, 1.0 / len(data), (runs, len(data)))


TWINS = [
    Twins("additive shares", "the four parts add up to the sum", shares(0.0), shares(1.0), needs="linear"),
    Twins("noise released twice", "part 3 - part 1 + 2 part 2 is bare", combined(0.0), combined(1.0), needs="linear"),
    Twins(
        "noise reused after four rounds",
        "the differences of prefixes four rounds apart are bare",
        prefixes_with_reused_noise,
        prefixes_with_fresh_noise,
        options={"horizon": 8},
        needs="linear",
    ),
    Twins(
        "noise that telescopes",
        "the first t releases add up to the first t entries and one noise",
        telescoping(4.0),
        telescoping(16.0),
        options={"horizon": 16},
        law=additive(4.0, np.cumsum),
        needs="linear",
    ),
    Twins(
        "random walk",
        "every step has its own entry and little noise",
        random_walk(0.25),
        random_walk(1.0),
        options={"horizon": 8},
        needs="linear",
    ),
    Twins("integer and its pad", "the difference of the parts", padded_count(0.0), padded_count(1.0), needs="linear"),
    Twins(
        "integer and two pads",
        "part 3 - part 1 + part 2",
        count_and_two_pads(0.0),
        count_and_two_pads(1.0),
        needs="linear",
    ),
    Twins(
        "counts with one offset",
        "successive counts differ by the entry between them",
        counts_with_one_offset,
        counts_with_fresh_noise,
        options={"horizon": 8},
        needs="linear",
    ),
]
