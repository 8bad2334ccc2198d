"""Contextual learners whose noise is missing, or in the wrong place."""

from __future__ import annotations

import numpy as np

import privcheck

from ..twins import Twins, policy

FEATURES = {
    "arms": 2,
    "horizon": 12,
    "feedback": "contextual",
    "neighbours": "context-reward",
    "contexts": privcheck.Contexts(shape=(2, 2), norm=1.0),
}
VECTOR = {**FEATURES, "contexts": privcheck.Contexts(shape=(3,), norm=1.0)}
SENSITIVITY = 2.0 * (2.0 + np.sqrt(2.0))
"""Of the sums of outer products and of products with rewards, in L1, when a round is replaced."""


def lin_ucb(scale, gram_scale=None, block=1):
    """Return LinUCB in two dimensions: sums of blocks of rounds are used with Laplace noise of a scale.

    A round is in one block only, so noise of scale `SENSITIVITY` costs epsilon = 1.
    """
    gram_scale = scale if gram_scale is None else gram_scale
    shift = 1.0 + 8.0 * gram_scale

    def play(table, rng, runs):
        actions = np.zeros((runs, len(table)), int)
        gram, response = np.zeros((2, runs, 2, 2)), np.zeros((2, runs, 2))
        for t, row in enumerate(table):
            features = row[2:].reshape(2, 2)
            a, b, d = gram[0, :, 0, 0] + shift, gram[0, :, 0, 1], gram[0, :, 1, 1] + shift
            inverse = np.stack([d, -b, -b, a], axis=1).reshape(-1, 2, 2) / (a * d - b * b)[:, None, None]
            estimate = np.einsum("rij,rj->ri", inverse, response[0])
            width = np.einsum("ki,rij,kj->rk", features, inverse, features)
            chosen = np.argmax(estimate @ features.T + np.sqrt(np.maximum(width, 0.0)), axis=1)
            actions[:, t] = chosen
            x = features[chosen]
            gram[1] += x[:, :, None] * x[:, None, :]
            response[1] += row[chosen][:, None] * x
            if (t + 1) % block == 0:
                noise = rng.laplace(scale=gram_scale, size=(runs, 3))
                gram[0] += gram[1] + noise[:, [0, 1, 1, 2]].reshape(-1, 2, 2)
                response[0] += response[1] + rng.laplace(scale=scale, size=(runs, 2))
                gram[1], response[1] = 0.0, 0.0
        return actions

    return policy(play)


def most_similar(raw):
    """Return a policy that repeats what the most similar context so far earned, or what noisy memories say."""

    def play(table, rng, runs):
        actions = np.zeros((runs, len(table)), int)
        good, side = np.zeros((len(table), runs), int), np.zeros((len(table), runs), int)
        for t, row in enumerate(table):
            context = row[2:]
            if raw:
                near = int(np.argmax(table[:t, 2:] @ context)) if t else 0
                choice = good[near]
            else:
                choice = ((side[:t] == (context[0] > 0.0)) & (good[:t] == 1)).sum(axis=0) * 2 > t
            actions[:, t] = np.where(rng.random(runs) < 0.05, rng.integers(2, size=runs), choice)
            memory = 2 * (context[0] > 0.0) + (row[actions[:, t]] > 0.5)
            if not raw:  # one of four values, told with epsilon = 1
                other = (memory + rng.integers(1, 4, size=runs)) % 4
                memory = np.where(rng.random(runs) < np.e / (np.e + 3.0), memory, other)
            side[t], good[t] = memory // 2, memory % 2
        return actions

    return policy(play)


TWINS = [
    Twins(
        "LinUCB with next to no noise", "noise of scale 3e-9", lin_ucb(3e-9), lin_ucb(SENSITIVITY, block=4),
        options=FEATURES, needs="contexts",
    ),
    Twins(
        "LinUCB with a raw Gram matrix", "only the products with rewards have noise", lin_ucb(SENSITIVITY, 1e-9),
        lin_ucb(SENSITIVITY, block=4), options=FEATURES, needs="contexts",
    ),
    Twins(
        "the most similar context", "a later round with a context like it shows its reward", most_similar(True),
        most_similar(False), options=VECTOR, needs="contexts",
    ),
]  # fmt: skip
