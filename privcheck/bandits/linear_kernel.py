"""The compiled kernel of LinUCB with changing regularisers: every variant of Shariff and Sheffet, and the plain one."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from privcheck.arrays import Actions, Array, Integers
from privcheck.kernels.cache import compiled
from privcheck.kernels.decision_sets import DecisionSets, draw_decision_set, draw_direction, draw_reward
from privcheck.kernels.linear_algebra import inverse_factor, length, solved
from privcheck.kernels.matrix_noise import add_symmetric_gaussian, add_wishart, factorised_noise, nodes_before

PLAIN, GAUSSIAN_NODES, GAUSSIAN_ROWS, WISHART_NODES = range(4)
"""What is added to the statistics: nothing, the noise of a tree or of a factorisation, or padded Wishart noise."""

TIED = 1e-9
"""Two indices are tied if they differ by no more than this share of the larger one, or by no more than this."""


class LinearSetup(NamedTuple):
    """What the kernel needs to know of an algorithm.

    Parameters
    ----------
    kind : one of the above.
    items : the number of items whose prefix sums are released.
    scale : of the noise of a node or of a row.
    degrees, levels : of Wishart noise.
    decoder : of a factorisation, shape (items,); empty for trees.
    shift : the multiple of the identity that is added to the noisy Gram matrix.
    sigma, log_failure, log_rho_min, offset : of the width
        beta = sigma sqrt(2 ln(2 / alpha) + ln det V - d ln rho_min) + offset, with log_failure = 2 ln(2 / alpha).
    norm : the largest norm of a row (x, y), to which longer rows are clipped; infinite if they are not.
    """

    kind: int
    items: int
    scale: float
    degrees: float
    levels: int
    decoder: Array
    shift: float
    sigma: float
    log_failure: float
    log_rho_min: float
    offset: float
    norm: float


@compiled
def linear_kernel(
    setup: LinearSetup,
    place: DecisionSets,
    arms: int,
    size: int,
    rewards: np.random.Generator,
    noise: np.random.Generator,
    horizon: int,
    runs: int,
    actions: Actions,
    checkpoints: Integers,
    regret: Array,
) -> int:
    """Play runs of LinUCB; return the round in which a noisy matrix was not positive definite, or 0.

    Parameters
    ----------
    setup, place : the algorithm, and where decision sets and rewards come from.
    arms, size : K and d.
    rewards, noise : Generators of the environment and of the privacy noise.
    horizon, runs : T, and the number of runs.
    actions : int8, (runs, T), or (0, 0) to omit them.
    checkpoints, regret : the rounds at which the pseudo-regret is recorded, and where, shape (runs, C).
    """
    width = size + 1
    sets, means, theta = np.zeros((arms, size)), np.zeros(arms), np.zeros(size)
    matrix, factor, work = np.zeros((size, size)), np.zeros((size, size)), np.zeros(size)
    vector, estimate, row = np.zeros(size), np.zeros(size), np.zeros(width)
    sums, noisy, extra = np.zeros((width, width)), np.zeros((width, width)), np.zeros((width, width))
    bartlett, kept = np.zeros((width, width)), np.zeros((64, width, width))
    tabled = place.contexts.shape[0] > 0
    for run in range(runs):
        if not tabled:
            draw_direction(rewards, theta)
        sums[:] = 0.0
        noisy[:] = 0.0
        extra[:] = 0.0
        drawn = min(horizon, setup.items)
        rows = np.zeros((0, 0))
        if setup.kind == GAUSSIAN_ROWS:
            rows = factorised_noise(noise, setup.scale, setup.decoder, drawn, width * (width + 1) // 2)
        if setup.kind == WISHART_NODES:
            add_wishart(noise, setup.scale, setup.levels * setup.degrees, extra, bartlett)
        cursor, total = 0, 0.0
        for t in range(1, horizon + 1):
            if tabled:
                source = rewards.integers(0, place.contexts.shape[0]) if place.resampled else t - 1
                for a in range(arms):
                    means[a] = place.means[source, a]
                    for j in range(size):
                        sets[a, j] = place.contexts[source, a, j]
            else:
                source = 0
                draw_decision_set(rewards, theta, place.best, place.high, place.low, sets, means)
            for i in range(size):
                for j in range(i + 1):
                    matrix[i, j] = sums[i, j] + noisy[i, j] + extra[i, j]
                matrix[i, i] += setup.shift
                vector[i] = sums[i, size] + noisy[i, size] + extra[i, size]
            log_det = inverse_factor(matrix, factor)
            if math.isnan(log_det):
                return t
            solved(factor, vector, estimate, work)
            spread = max(setup.log_failure + log_det - size * setup.log_rho_min, 0.0)
            beta = setup.sigma * math.sqrt(spread) + setup.offset
            chosen, highest = 0, -math.inf
            for a in range(arms):
                index = beta * length(factor, sets[a])
                for j in range(size):
                    index += estimate[j] * sets[a, j]
                if a == 0 or index > highest + TIED * max(1.0, abs(highest)):
                    chosen, highest = a, index
            if actions.shape[0] > 0:
                actions[run, t - 1] = chosen
            largest = means[0]
            for a in range(1, arms):
                largest = max(largest, means[a])
            total += largest - means[chosen]
            while cursor < checkpoints.shape[0] and checkpoints[cursor] <= t:
                regret[run, cursor] = total
                cursor += 1
            if tabled:
                reward = place.rewards[source, chosen]
            else:
                reward = draw_reward(rewards, means[chosen], place.law)
            if t > setup.items:
                continue
            square = reward * reward
            for j in range(size):
                row[j] = sets[chosen, j]
                square += row[j] * row[j]
            row[size] = reward
            if math.sqrt(square) > setup.norm:
                for j in range(width):
                    row[j] *= setup.norm / math.sqrt(square)
            for i in range(width):
                for j in range(width):
                    sums[i, j] += row[i] * row[j]
            if setup.kind == GAUSSIAN_ROWS:
                c = 0
                for i in range(width):
                    noisy[i, i] = rows[t - 1, c]
                    c += 1
                    for j in range(i + 1, width):
                        noisy[i, j] = rows[t - 1, c] / math.sqrt(2.0)
                        noisy[j, i] = noisy[i, j]
                        c += 1
            elif setup.kind != PLAIN:
                before = nodes_before(t)
                for i in range(width):
                    for j in range(width):
                        noisy[i, j] = kept[before, i, j] if before > 0 else 0.0
                if setup.kind == GAUSSIAN_NODES:
                    add_symmetric_gaussian(noise, setup.scale, noisy)
                else:
                    add_wishart(noise, setup.scale, setup.degrees, noisy, bartlett)
                for i in range(width):
                    for j in range(width):
                        kept[before + 1, i, j] = noisy[i, j]
                        extra[i, j] = 0.0
                missing = setup.levels - before - 1
                if setup.kind == WISHART_NODES and missing > 0:
                    add_wishart(noise, setup.scale, missing * setup.degrees, extra, bartlett)
    return 0
