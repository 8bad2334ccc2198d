"""Mechanisms with known losses, their worst pair of inputs, and the exact likelihood ratio of an output.

Auditors that need a score from the user are given this ratio, the best possible score; privcheck learns its own.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Case:
    """A mechanism on one pair of inputs.

    Parameters
    ----------
    name : the mechanism's name.
    truth : its true epsilon at delta on the pair.
    claim : its claimed epsilon.
    delta : the delta of both.
    pair : the two inputs.
    mechanism : `f(data, rng, runs)`.
    score : the log-likelihood ratio of outputs, first input over second, or an increasing function of it.

    """

    name: str
    truth: float
    claim: float
    delta: float
    pair: tuple[Array, Array]
    mechanism: Callable[[Array, np.random.Generator, int], Array]
    score: Callable[[Array], Array]

    def samples(self, runs: int, seed: int) -> dict[str, Array]:
        """Return outputs and scores of `runs` runs on each input."""
        rng = np.random.default_rng(seed)
        outputs = [self.mechanism(data, rng, runs) for data in self.pair]
        scores = [self.score(output) for output in outputs]
        return {"first": outputs[0], "second": outputs[1], "first_score": scores[0], "second_score": scores[1]}


def laplace(data: Array, rng: np.random.Generator, runs: int) -> Array:
    return data.sum() + rng.laplace(size=runs)


SIGMA = 3.730631
"""Gaussian noise of this scale is (1, 1e-5)-DP for a sum of sensitivity 1 (Balle and Wang 2018, Theorem 8)."""


def gaussian(data: Array, rng: np.random.Generator, runs: int) -> Array:
    return data.sum() + rng.normal(scale=SIGMA, size=runs)


def noisy_max(data: Array, rng: np.random.Generator, runs: int) -> Array:
    """Noisy maximum with Laplace noise of scale 1 on counts, one of which may fall while the others rise."""
    return np.argmax(data + rng.laplace(size=(runs, len(data))), axis=1)


def sparse_vector(data: Array, rng: np.random.Generator, runs: int) -> Array:
    """The sixth sparse vector algorithm of Lyu, Su and Li (2017), which does not limit the positive answers."""
    bar = rng.laplace(scale=2.0, size=(runs, 1))
    return (data + rng.laplace(scale=2.0, size=(runs, len(data))) >= bar).astype(int)


GRID = np.linspace(-60.0, 60.0, 24_001)


def _below(x: Array, scale: float) -> Array:
    return np.where(x < 0.0, 0.5 * np.exp(-np.abs(x) / scale), 1.0 - 0.5 * np.exp(-np.abs(x) / scale))


def winners(counts: Array) -> Array:
    """Return the law of `noisy_max`, by the trapezoid rule."""
    below = np.array([_below(GRID - count, 1.0) for count in counts])
    found = []
    for arm, count in enumerate(counts):
        others = np.prod(np.delete(below, arm, axis=0), axis=0)
        found.append(np.trapezoid(0.5 * np.exp(-np.abs(GRID - count)) * others, GRID))
    return np.array(found)


def answers(queries: Array) -> Array:
    """Return the law of `sparse_vector`: probabilities, indexed by the answers as a binary number."""
    density = 0.25 * np.exp(-np.abs(GRID) / 2.0)
    below = np.array([_below(GRID - query, 2.0) for query in queries])
    factors = itertools.product(*[(low, 1.0 - low) for low in below])
    return np.array([np.trapezoid(density * np.prod(factor, axis=0), GRID) for factor in factors])


def discrete(
    name: str, law: Callable[[Array], Array], pair: tuple[Any, Any], mechanism: Any, code: Callable[[Array], Array]
) -> Case:
    """Return the case of a mechanism whose law is known; `code` maps outputs to indices into the law."""
    first, second = (np.asarray(data, float) for data in pair)
    ratio = np.log(law(first) / law(second))
    return Case(name, float(np.abs(ratio).max()), 1.0, 0.0, (first, second), mechanism, lambda out: ratio[code(out)])


def cases() -> list[Case]:
    """Return all mechanisms."""
    zero, one = np.zeros(1), np.ones(1)
    positive, negative = np.repeat([1.0, 0.0], 5), np.repeat([0.0, 1.0], 5)
    return [
        Case("Laplace", 1.0, 1.0, 0.0, (one, zero), laplace, lambda out: out),
        Case("Gaussian, delta 1e-5", 1.0, 1.0, 1e-5, (one, zero), gaussian, lambda out: out),
        discrete("noisy max of 2", winners, ([1.0, 1.0], [0.0, 2.0]), noisy_max, lambda out: out),
        discrete("noisy max of 4", winners, ([2.0, 3.0, 3.0, 3.0], [1.0, 4.0, 4.0, 4.0]), noisy_max, lambda out: out),
        discrete(
            "sparse vector 6",
            answers,
            (positive, negative),
            sparse_vector,
            lambda out: out @ (1 << np.arange(10)[::-1]),
        ),
    ]
