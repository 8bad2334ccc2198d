"""Prefix sums, released round by round."""

import numpy as np

from .twins import Twins, additive


def fresh_on_every_prefix(scale):
    def release(data, rng, runs):
        return np.cumsum(data) + rng.laplace(scale=scale, size=(runs, len(data)))

    return release


def tree(scale):
    """Return the binary tree mechanism for 2^h rounds: a datum enters h + 1 nodes."""

    def release(data, rng, runs):
        noise = {node: rng.laplace(scale=scale, size=runs) for node in _distinct(len(data))}
        noisy = [sum(noise[node] for node in nodes) for nodes in _nodes(len(data))]
        return np.cumsum(data) + np.stack(noisy, axis=1)

    return release


def _nodes(rounds):
    """Return for each prefix the (start, end) of the nodes that it is a sum of."""
    found = []
    for end in range(1, rounds + 1):
        nodes, start = [], 0
        for level in reversed(range(rounds.bit_length())):
            if end & (1 << level):
                nodes.append((start, start + (1 << level)))
                start += 1 << level
        found.append(nodes)
    return found


def _distinct(rounds):
    return sorted({node for nodes in _nodes(rounds) for node in nodes})


def _node_sums(data):
    return [data[start:end].sum() for start, end in _distinct(len(data))]


def one_frozen_noise(data, rng, runs):
    return np.cumsum(data) + rng.laplace(size=(runs, 1))


def noised_in_every_round(data, rng, runs):
    return data.sum() + rng.laplace(size=(runs, 4))


def noised_once(data, rng, runs):
    return np.repeat(data.sum() + rng.laplace(size=(runs, 1)), 4, axis=1)


TWINS = [
    Twins(
        "fresh noise on every prefix",
        "with the scale of a tree of 6 levels; the first of 32 rounds is in 32 prefixes",
        fresh_on_every_prefix(6.0),
        tree(6.0),
        runs=50_000,
        options={"streams": (np.zeros(32), np.eye(32)[0])},
        law=additive(6.0, np.cumsum),
    ),
    Twins(
        "one frozen noise",
        "all prefixes have the same noise: their differences are the data",
        one_frozen_noise,
        tree(4.0),
        options={"horizon": 8},
    ),
    Twins(
        "one level missed",
        "a tree of 3 levels with the noise for 2",
        tree(2.0),
        tree(3.0),
        runs=50_000,
        options={"horizon": 4},
        law=additive(2.0, _node_sums),
    ),
    Twins(
        "noised anew in every round",
        "the same sum is released four times with the budget of one release",
        noised_in_every_round,
        noised_once,
        law=additive(0.25, np.sum),
    ),
]
