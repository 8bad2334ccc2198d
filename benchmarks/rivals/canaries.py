"""Mechanisms of which one run is audited: scores of canaries that fair coins included, and the true loss of each.

A canary's own coin affects its own score alone; in "shared failure" the scores depend on each other nevertheless.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.special import ndtr

Array = npt.NDArray[Any]

DELTA = 1e-5
"""The delta of all bounds: one of the tools needs a positive one."""


@dataclass(frozen=True, eq=False)
class Canaries:
    """A mechanism with one score for each canary.

    Parameters
    ----------
    name : the mechanism's name.
    scores : `f(included, rng)`, the scores; higher ones speak for inclusion.
    profile : `f(epsilon)`, the smallest delta at which the mechanism is (epsilon, delta)-DP for one canary.

    """

    name: str
    scores: Callable[[Array, np.random.Generator], Array]
    profile: Callable[[float], float]

    @property
    def truth(self) -> float:
        """The true epsilon at `DELTA`."""
        if self.profile(0.0) <= DELTA:
            return 0.0
        return float(brentq(lambda epsilon: self.profile(epsilon) - DELTA, 0.0, 40.0))

    def runs(self, canaries: int, repetitions: int) -> dict[str, Array]:
        """Return scores and coins, each of shape (repetitions, canaries), with the seeds 0, 1, ..."""
        scores, coins = [], []
        for seed in range(repetitions):
            rng = np.random.default_rng(seed)
            coins.append(rng.random(canaries) < 0.5)
            scores.append(self.scores(coins[-1], rng))
        return {"scores": np.array(scores, float), "included": np.array(coins)}


def gaussian_profile(epsilon: float, mu: float) -> float:
    """Return the delta of mu-GDP."""
    return float(ndtr(mu / 2.0 - epsilon / mu) - math.exp(epsilon) * ndtr(-mu / 2.0 - epsilon / mu))


def gaussian(mu: float) -> Canaries:
    """A coordinate for each canary, with unit Gaussian noise."""
    return Canaries(
        f"Gaussian, mu = {mu:g}",
        lambda coins, rng: mu * coins + rng.normal(size=len(coins)),
        lambda epsilon: gaussian_profile(epsilon, mu),
    )


def laplace(epsilon: float) -> Canaries:
    """A coordinate for each canary, with Laplace noise of scale 1 / epsilon."""
    return Canaries(
        f"Laplace, epsilon = {epsilon:g}",
        lambda coins, rng: coins + rng.laplace(scale=1.0 / epsilon, size=len(coins)),
        lambda claim: max(0.0, 1.0 - math.exp((claim - epsilon) / 2.0)),
    )


def randomised_response(epsilon: float) -> Canaries:
    """Each coin is told, and is right with probability e^epsilon / (1 + e^epsilon): there are two scores only."""
    right = 1.0 / (1.0 + math.exp(-epsilon))
    return Canaries(
        f"randomised response, epsilon = {epsilon:g}",
        lambda coins, rng: np.where(rng.random(len(coins)) < right, coins, ~coins),
        lambda claim: max(0.0, right - math.exp(claim) * (1.0 - right)),
    )


def sampled_gaussian(mu: float, share: float) -> Canaries:
    """An included canary is used with probability `share`, as in one step on a batch; high scores alone tell much."""

    def profile(epsilon: float) -> float:
        if epsilon <= 0.0:
            return share * gaussian_profile(0.0, mu)
        more = math.log1p(math.expm1(epsilon) / share)  # the used mixture against no canary (Balle et al. 2018)
        return share * gaussian_profile(more, mu)

    return Canaries(
        f"sampled Gaussian, mu = {mu:g}, share {share:g}",
        lambda coins, rng: mu * (coins & (rng.random(len(coins)) < share)) + rng.normal(size=len(coins)),
        profile,
    )


def rare_answer(often: float, epsilon: float) -> Canaries:
    """An included canary is named with probability `often`, another e^epsilon times as rarely."""
    return Canaries(
        f"rare answer {often:g}, epsilon = {epsilon:g}",
        lambda coins, rng: rng.random(len(coins)) < np.where(coins, often, often * math.exp(-epsilon)),
        lambda claim: max(0.0, often * (1.0 - math.exp(claim - epsilon))),
    )


def shared_failure(right: float, probability: float) -> Canaries:
    """With some probability every coin is told, and is right with probability `right`; otherwise scores are noise."""

    def scores(coins: Array, rng: np.random.Generator) -> Array:
        told = np.where(rng.random(len(coins)) < right, coins, ~coins)
        return told if rng.random() < probability else rng.normal(size=len(coins))

    epsilon = math.log(right / (1.0 - right))
    return Canaries(
        f"shared failure in {probability:g}, epsilon = {epsilon:.3g}",
        scores,
        lambda claim: probability * max(0.0, right - math.exp(claim) * (1.0 - right)),
    )


def noise() -> Canaries:
    """Scores that tell nothing: every positive bound is above the truth."""
    return Canaries("noise", lambda coins, rng: rng.normal(size=len(coins)), lambda _: 0.0)


def mechanisms() -> list[Canaries]:
    """Return the mechanisms of the comparison."""
    return [
        gaussian(1.0),
        laplace(2.0),
        randomised_response(3.0),
        sampled_gaussian(4.0, 0.2),
        rare_answer(0.05, 4.0),
        shared_failure(0.9, 0.0625),
    ]
