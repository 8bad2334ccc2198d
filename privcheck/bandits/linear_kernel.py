"""The compiled kernel of LinUCB with changing regularisers: every variant of Shariff and Sheffet, and the plain one."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from privcheck.arrays import Actions, Array, Integers
from privcheck.kernels import (
    DecisionSets,
    add_symmetric_gaussian,
    add_wishart,
    compiled,
    draw_decision_set,
    draw_direction,
    draw_reward,
    factorised_noise,
    inverse_factor,
    length,
    nodes_before,
    record,
    solved,
)

Generator = np.random.Generator

PLAIN, GAUSSIAN_NODES, GAUSSIAN_ROWS, WISHART_NODES, GAUSSIAN_BATCHES = range(5)
"""What is added to the statistics: nothing, or noise of a tree, a factorisation, padded Wishart nodes or batches."""

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
    first, ratio : the rounds of the first batch, and how many times as long the next one is, rounded up.

    Of batches, of which each is released once, `shift`, `log_rho_min` and `offset` are those of the first release. The
    noise of k releases has sqrt(k) times their standard deviation; see `grown`.
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
    first: int = 1
    ratio: float = 2.0


@compiled
def take_set(place: DecisionSets, rewards: Generator, theta: Array, t: int, sets: Array, means: Array) -> int:
    """Write the decision set of round t and its means into `sets` and `means`; return the row of the table, 0 if none.

    Draws from `rewards` unless round t takes row t of a table.
    """
    if place.contexts.shape[0] == 0:
        draw_decision_set(rewards, theta, place.best, place.high, place.low, sets, means)
        return 0
    source = rewards.integers(0, place.contexts.shape[0]) if place.resampled else t - 1
    means[:] = place.means[source]
    sets[:] = place.contexts[source]
    return int(source)


@compiled
def grown(setup: LinearSetup, releases: int) -> tuple[float, float, float]:
    """Return the shift, log_rho_min and the offset of the width after some releases of batches, at least one.

    The largest eigenvalue U of the noise grows as its standard deviation, as sqrt(k). The shift and rho_min are
    multiples of U, and the offset S sqrt(3 U) + gamma one of sqrt(U), since gamma is a deviation over sqrt(U).
    """
    spread = math.sqrt(releases) if releases > 1 else 1.0
    return setup.shift * spread, setup.log_rho_min + math.log(spread), setup.offset * math.sqrt(spread)


@compiled
def choose(
    setup: LinearSetup, releases: int, total: Array, sets: Array, square: Array, factor: Array, vectors: Array
) -> int:
    """Return the action with the largest index, or -1 if the noisy Gram matrix is not positive definite.

    Parameters
    ----------
    releases : the number of batches that were released, 1 for other kinds of sums.
    total : the noisy sum of outer products, shape (d + 1, d + 1).
    sets : the decision set, shape (K, d).
    square, factor, vectors : working memory, shapes (d, d), (d, d) and (3, d).
    """
    size = sets.shape[1]
    vector, estimate, work = vectors[0], vectors[1], vectors[2]
    shift, log_rho_min, offset = grown(setup, releases)
    for i in range(size):
        for j in range(i + 1):
            square[i, j] = total[i, j]
        square[i, i] += shift
        vector[i] = total[i, size]
    log_det = inverse_factor(square, factor)
    if math.isnan(log_det):
        return -1
    solved(factor, vector, estimate, work)
    spread = max(setup.log_failure + log_det - size * log_rho_min, 0.0)
    beta = setup.sigma * math.sqrt(spread) + offset
    chosen, highest = 0, -math.inf
    for a in range(sets.shape[0]):
        index = beta * length(factor, sets[a])
        for j in range(size):
            index += estimate[j] * sets[a, j]
        if a == 0 or index > highest + TIED * max(1.0, abs(highest)):
            chosen, highest = a, index
    return chosen


@compiled
def add_row(sums: Array, action: Array, reward: float, norm: float) -> None:
    """Add the outer product of (x, y), scaled down to a norm, to the exact sums.

    >>> sums = np.zeros((2, 2))
    >>> add_row(sums, np.array([3.0]), 4.0, 1.0)
    >>> sums.round(2).tolist()
    [[0.36, 0.48], [0.48, 0.64]]
    """
    size, square = action.shape[0], reward * reward
    for j in range(size):
        square += action[j] * action[j]
    root = math.sqrt(square)
    scale = norm / root if root > norm else 1.0
    for i in range(size + 1):
        one = scale * (action[i] if i < size else reward)
        for j in range(size + 1):
            sums[i, j] += one * (scale * (action[j] if j < size else reward))


@compiled
def next_noise(setup: LinearSetup, noise: Generator, t: int, rows: Array, noisy: Array, kept: Array) -> None:
    """Replace the noise of the prefix sum of t - 1 items by that of t items.

    Parameters
    ----------
    rows : the noise of all prefix sums under a factorisation, in coordinates.
    noisy : the noise, shape (p, p).
    kept : working memory for trees, shape (66, p, p): `kept[j]` is the noise of a prefix sum of j nodes, j >= 1.
    """
    if setup.kind == GAUSSIAN_ROWS:
        place = 0
        for i in range(noisy.shape[0]):
            noisy[i, i] = rows[t - 1, place]
            place += 1
            for j in range(i + 1, noisy.shape[0]):
                noisy[i, j] = rows[t - 1, place] / math.sqrt(2.0)
                noisy[j, i] = noisy[i, j]
                place += 1
    elif setup.kind == GAUSSIAN_BATCHES:
        add_symmetric_gaussian(noise, setup.scale, noisy)
    elif setup.kind != PLAIN:
        before = nodes_before(t)
        noisy[:] = kept[before]
        if setup.kind == GAUSSIAN_NODES:
            add_symmetric_gaussian(noise, setup.scale, noisy)
        else:
            add_wishart(noise, setup.scale, setup.degrees, noisy, kept[65])
        kept[before + 1] = noisy


@compiled
def pad(setup: LinearSetup, noise: Generator, t: int, padding: Array, memory: Array) -> None:
    """Draw the Wishart noise of the nodes that the prefix sum of t items lacks, all of them for t = 0, anew."""
    missing = setup.levels - (nodes_before(t) + 1 if t > 0 else 0)
    padding[:] = 0.0
    if setup.kind == WISHART_NODES and missing > 0:
        add_wishart(noise, setup.scale, missing * setup.degrees, padding, memory)


@compiled
def linear_kernel(
    setup: LinearSetup,
    place: DecisionSets,
    arms: int,
    size: int,
    rewards: Generator,
    noise: Generator,
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
    width, tabled = size + 1, place.contexts.shape[0] > 0
    sets, means, theta = np.zeros((arms, size)), np.zeros(arms), np.zeros(size)
    square, factor, vectors = np.zeros((size, size)), np.zeros((size, size)), np.zeros((3, size))
    sums, noisy, padding = np.zeros((width, width)), np.zeros((width, width)), np.zeros((width, width))
    kept, rows, batches = np.zeros((66, width, width)), np.zeros((0, 0)), setup.kind == GAUSSIAN_BATCHES
    shown = np.zeros((width, width))
    for run in range(runs):
        if not tabled:
            draw_direction(rewards, theta)
        sums[:] = 0.0
        noisy[:] = 0.0
        shown[:] = 0.0
        releases, closes, batch = 0, setup.first, setup.first
        if setup.kind == GAUSSIAN_ROWS:
            drawn = min(horizon, setup.items)
            rows = factorised_noise(noise, setup.scale, setup.decoder, drawn, width * (width + 1) // 2)
        pad(setup, noise, 0, padding, kept[65])
        cursor, total = 0, 0.0
        for t in range(1, horizon + 1):
            source = take_set(place, rewards, theta, t, sets, means)
            chosen = choose(
                setup, releases, shown if batches else sums + noisy + padding, sets, square, factor, vectors
            )
            if chosen < 0:
                return t
            gap = means.max() - means[chosen]
            cursor, total = record(actions, run, checkpoints, gap, regret, cursor, total, chosen, t - 1, t)
            law_reward = 0.0 if tabled else draw_reward(rewards, means[chosen], place.law)
            if t <= setup.items:
                add_row(sums, sets[chosen], place.rewards[source, chosen] if tabled else law_reward, setup.norm)
                if batches and t < closes:
                    continue
                next_noise(setup, noise, t, rows, noisy, kept)
                if batches:
                    batch = math.ceil(setup.ratio * batch)
                    releases, closes = releases + 1, closes + batch
                    shown[:] = sums + noisy
                pad(setup, noise, t, padding, kept[65])
    return 0
