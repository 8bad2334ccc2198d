"""Leaks that rewards at the ends of their range never show."""

from __future__ import annotations

import numpy as np

from ..twins import Twins, policy

BINS = np.linspace(0.0, 1.0, 9)[1:-1]


def histogram(bare):
    def release(data, rng, runs):
        counts = np.bincount(np.searchsorted(BINS, data, side="right"), minlength=8)
        noise = rng.laplace(scale=2.0, size=(runs, 8))
        if bare is not None:
            noise[:, bare] = 0.0
        return counts + noise

    return release


def spread(scale):
    def release(data, rng, runs):
        return np.sum(data * (1.0 - data)) + rng.laplace(scale=scale, size=runs)

    return release


def partial_rewards(flip):
    """Return a policy whose later actions are the parity of the rewards seen inside the range, flipped with noise."""

    def play(table, rng, runs):
        horizon = len(table)
        actions = rng.integers(2, size=(runs, horizon))
        seen = np.zeros(runs, int)
        for t in range(horizon):
            if t >= horizon // 2:
                actions[:, t] = (seen + (rng.random(runs) < flip)) % 2
            reward = table[t, actions[:, t]]
            seen += (reward > 0.0) & (reward < 1.0)
        return actions

    return policy(play)


def report(bare):
    low, high = bare

    def respond(data, rng, runs):
        bit = int(data > 0.5)
        if low <= data < high:
            return np.full(runs, 2)
        return np.where(rng.random(runs) < 1.0 / (1.0 + np.e), 1 - bit, bit)

    return respond


def window(low, high):
    def release(data, rng, runs):
        total = float(np.sum(data))
        return total + (0.0 if low < total < high else 1.0) * rng.laplace(size=runs)

    return release


TWINS = [
    Twins(
        "one bin without noise", "only rewards from .25 to .375 are in it", histogram(2), histogram(None),
        needs="interior",
    ),
    Twins("spread", "x (1 - x) is 0 at both ends", spread(0.05), spread(0.25), needs="interior"),
    Twins(
        "parity of partial rewards",
        "a reward inside the range changes what all later rounds play",
        partial_rewards(0.1),
        partial_rewards(1.0 / (1.0 + np.exp(1.0 / 6.0))),
        options={"arms": 2, "horizon": 12},
        needs="interior",
    ),
    Twins(
        "a report sent as it is", "values from .2 to .3 have a symbol of their own", report((0.2, 0.3)), report((2, 3)),
        options={"neighbours": "report"}, needs="interior",
    ),
    Twins("window", "sums from 1.2 to 1.4 get no noise", window(1.2, 1.4), window(9.0, 9.0), needs="interior"),
]  # fmt: skip
