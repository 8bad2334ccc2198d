"""Rewards under local privacy: each is reported by one bit before the learner sees it. What these bandits share.

A reward r in [0, 1] becomes a bit with P(1 | r) = q + (p - q) r, p = e^epsilon / (1 + e^epsilon), q = 1 - p: the
mechanism `OneBit` of the number 2 r - 1. Independent rewards of mean m, of any law on [0, 1], become independent
Bernoulli(q + (p - q) m) reports, so the likelihood of reports is exact, and known. Reports tell a mean in [0, 1] from
another one by kl(q + (p - q) m, q + (p - q) m'); no epsilon-private report on a bit tells more
(docs/evidence/derivations.md).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from privcheck.arrays import Array
from privcheck.declared import Real, parameter
from privcheck.kernels import Laws, compiled, inlined, reward_sum
from privcheck.mechanisms import OneBit


def local_epsilon_parameter() -> Any:
    """Declare the budget of one report."""
    return parameter(
        Real(0.0, 20.0, low_open=True), typical=(0.1, 4.0), doc="epsilon, the budget of each report",
        hint="an epsilon above 20 protects next to nothing",
    )  # fmt: skip


def reporter(epsilon: float) -> OneBit:
    """Return the mechanism of one user's report."""
    return OneBit(epsilon=epsilon, radius=1.0)


def reported(mechanism: OneBit, reward: Any, noise: np.random.Generator) -> int:
    """Release the report of a reward in [0, 1], as 0 or 1.

    >>> noise = np.random.default_rng(0)
    >>> [reported(reporter(1.0), 1.0, noise) for _ in range(8)]
    [1, 1, 1, 1, 0, 0, 1, 1]
    """
    return (int(mechanism.release(2.0 * reward - 1.0, noise)) + 1) // 2


def least_chance(epsilon: float) -> float:
    """Return q, the chance that the report of the reward 0 is 1, of the noise that is drawn.

    >>> round(least_chance(math.log(3.0)), 6)
    0.25
    """
    return 1.0 / (1.0 + math.exp(1.0 / reporter(epsilon).scale))


def contrast(epsilon: float) -> float:
    """Return p - q = tanh(epsilon / 2), of the noise that is drawn.

    >>> round(contrast(math.log(3.0)), 6)
    0.5
    """
    return math.tanh(0.5 / reporter(epsilon).scale)


@inlined
def report(reward: float, q: float, spread: float, uniform: float) -> float:
    """Return what `reported` returns for this uniform draw, in the same arithmetic.

    >>> report(1.0, 0.25, 0.5, 0.74), report(1.0, 0.25, 0.5, 0.76)
    (1.0, 0.0)
    """
    return 1.0 if uniform < q + (((2.0 * reward - 1.0) + 1.0) / 2.0) * spread else 0.0


@compiled
def bernoulli_report_sum(
    table: Array,
    means: Array,
    rewards: np.random.Generator,
    noise: np.random.Generator,
    q: float,
    spread: float,
    arm: int,
    start: int,
    stop: int,
) -> float:
    """Return the sum of the reports on a table; without one, that of Bernoulli rewards at once."""
    if table.shape[0] == 0:
        ones = int(reward_sum(table, means, rewards, arm, start, stop))
        return float(noise.binomial(ones, q + spread) + noise.binomial(stop - start - ones, q))
    return single_reports(table, means, rewards, noise, q, spread, arm, start, stop)


@inlined
def single_reports(
    source: Array | Laws,
    means: Array,
    rewards: np.random.Generator,
    noise: np.random.Generator,
    q: float,
    spread: float,
    arm: int,
    start: int,
    stop: int,
) -> float:
    """Return the sum of the reports, each drawn for its reward."""
    total = 0.0
    for t in range(start, stop):
        total += report(reward_sum(source, means, rewards, arm, t, t + 1), q, spread, noise.random())
    return total


def report_sum(
    source: Array | Laws,
    means: Array,
    rewards: np.random.Generator,
    noise: np.random.Generator,
    q: float,
    spread: float,
    arm: int,
    start: int,
    stop: int,
) -> float:
    """Return the sum of the reports on the rewards of an arm in the 0-based rounds start, ..., stop - 1."""
    if isinstance(source, Laws):
        return single_reports(source, means, rewards, noise, q, spread, arm, start, stop)
    return bernoulli_report_sum(source, means, rewards, noise, q, spread, arm, start, stop)


def _by_type(source, means, rewards, noise, q, spread, arm, start, stop):  # type: ignore[no-untyped-def]
    if isinstance(source, types.Array):
        return lambda source, means, rewards, noise, q, spread, arm, start, stop: bernoulli_report_sum(
            source, means, rewards, noise, q, spread, arm, start, stop
        )
    return lambda source, means, rewards, noise, q, spread, arm, start, stop: single_reports(
        source, means, rewards, noise, q, spread, arm, start, stop
    )


overload(report_sum)(_by_type)
