"""Further faults seen in public code of sequential learners, restated as those in `restated.py`.

Their maintainers have not been told yet: none is named here.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.integrate import quad
from scipy.stats import laplace

from audits.wild.implementation import Project
from tests.wild.restated import Restated

# A Frank-Wolfe step over the l1 ball


FEATURES = np.array([0.5, 0.5])
STEP_SCALE = 2.0
"""Scores move by at most 1, so that the largest of several with Laplace noise of scale 2 is private for epsilon 1."""


def frank_wolfe_step(data, rng, *, right=False):
    """Return the vertex of the ball that a noisy gradient points away from: a coordinate and its sign."""
    gradient = -float(data[0]) * FEATURES
    if right:
        scores = np.concatenate([-gradient, gradient])
        chosen = int(np.argmax(scores + rng.laplace(0.0, STEP_SCALE, len(scores))))
        place, sign = chosen % 2, 1.0 if chosen < 2 else -1.0
    else:
        place = int(np.argmax(np.abs(gradient + rng.laplace(0.0, STEP_SCALE, 2))))
        sign = -np.sign(gradient[place])
    vertex = [0.0, 0.0]
    vertex[place] = float(sign)
    return vertex


def loss_of_step(*, right=False):
    """Return the loss between outcomes -1 and 1: all signs differ, or the law of the largest of four noisy scores."""
    if not right:
        return math.inf

    def probability(scores, place):
        def density(x):
            others = [laplace.cdf(x - s, scale=STEP_SCALE) for k, s in enumerate(scores) if k != place]
            return laplace.pdf(x - scores[place], scale=STEP_SCALE) * math.prod(others)

        return sum(quad(density, *ends)[0] for ends in ((-80.0, -0.5), (-0.5, 0.5), (0.5, 80.0)))

    low, high = [-0.5, -0.5, 0.5, 0.5], [0.5, 0.5, -0.5, -0.5]
    return max(abs(math.log(probability(low, k) / probability(high, k))) for k in range(4))


# Two private selections whose keys are split in the same way


SELECTION_SCALE = 2.0


def two_selections(data, rng, *, right=False):
    """Choose the larger of two noisy scores of each of two batches, which have one row each."""
    noise = rng.laplace(0.0, SELECTION_SCALE, (2, 2))
    if not right:
        noise[1] = noise[0]
    return [float(np.argmax([1.0 - value, value] + noise[k])) for k, value in enumerate(map(float, data))]


def loss_of_selections(*, right=False):
    """Return the loss of the first row: with shared noise equal batches never have different selections.

    The difference of two Laplace draws of scale b is at most t >= 0 with probability 1 - e^(-t/b) (1 + t/(2b)) / 2.
    """
    if not right:
        return math.inf
    beyond = math.exp(-1.0 / SELECTION_SCALE) * (1.0 + 1.0 / (2.0 * SELECTION_SCALE)) / 2.0
    return math.log((1.0 - beyond) / beyond)


# Prefix sums of losses between -1 and 1


def noisy_sums_of_losses(data, rng, *, right=False, epsilon=1.0, horizon=8):
    """Release the sums of the first 1, 2 and 4 losses, each of which is a node of the tree."""
    scale = (2.0 if right else 1.0) * math.log2(horizon) / epsilon
    return [float(np.sum(data[:t])) + rng.laplace(0.0, scale) for t in (1, 2, 4)]


def loss_of_sums(*, right=False, epsilon=1.0, horizon=8):
    """Return the loss of the first item: it is in three nodes, which move by 2 if -1 is replaced by 1."""
    return 3 * 2.0 * epsilon / ((2.0 if right else 1.0) * math.log2(horizon))


EVERYTHING = (
    Restated(
        "raw-sign-of-a-step",
        Project("an online Frank-Wolfe method", "2023", "MIT", owner="not named yet"),
        "the step of the learner for p = 1",
        "the coordinate is chosen with noise, and its sign is read from the gradient without noise",
        "after the first step the model shows the sign of the first outcome in every run",
        "add noise to the scores of all 2 d vertices and choose the largest, as the algorithm is printed",
        frank_wolfe_step,
        loss_of_step,
        ([-1.0], [1.0]),
        {"epsilon": 1.0},
    ),
    Restated(
        "keys-split-alike",
        Project("a sparse contextual bandit", "2025", "none stated", owner="not named yet"),
        "the private selection of coordinates",
        "a function splits the key that it is given, and so does its caller, in the same way: the second draw of one "
        "selection is the first draw of the next",
        "selections of different batches share noise, and agree in every run where the batches do",
        "split the key once where the function is called, and give it one part",
        two_selections,
        loss_of_selections,
        ([1.0, 1.0], [0.0, 1.0]),
        {"epsilon": 1.0},
    ),
    Restated(
        "losses-of-both-signs",
        Project("online linear optimisation", "2025", "none stated", owner="not named yet"),
        "the scale of the tree's noise",
        "it is that of losses between 0 and 1, and losses are between -1 and 1",
        "a loss vector that is replaced moves each node twice as far, so that twice epsilon is spent",
        "double the scale, or state that a loss vector is left out, not replaced",
        noisy_sums_of_losses,
        loss_of_sums,
        ([-1.0] * 4, [1.0] + [-1.0] * 3),
        {"epsilon": 1.0},
    ),
)
