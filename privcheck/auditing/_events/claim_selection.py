"""The event, and the epsilon, at which a claim in mu, in rho or as a trade-off curve is tested."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
from scipy.special import betaincinv

from privcheck.accounting import ClaimedProfile
from privcheck.arrays import Array
from privcheck.auditing._events.event import Event, Scored, scores_of
from privcheck.targets import Sides

EPSILONS = (0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0)
"""Values of epsilon that are considered. Gaussian laws are told apart best at 0, where delta is a total variation."""

THRESHOLDS = 48
"""Thresholds of each score that are considered, at quantiles evenly spaced in log-odds."""

PESSIMISM = 5.0
"""Standard errors of the choosing runs that are subtracted: they are far fewer than those that count, and the best of
many rare events is mostly luck. With 3, one event in six had a bound of 0 for Gaussian noise of 2.2 times a claimed
rho of 0.5, which 15 of 16 audits refute at 6,000 runs with 5.
"""

AMOUNTS = np.geomspace(1e-3, 30.0, 60)
"""Amounts between which the promise of an event is interpolated; it guides the choice alone."""


def choose_for_claim(
    scores: Scored, sides: Sides, counting_runs: int, level: float, profile: ClaimedProfile, error: float
) -> tuple[Event, float]:
    """Choose the event and the epsilon with the largest expected lower limit on the amount that is claimed.

    The limit is that of the verdict if it is expected to be above the claim, and that of the lower bound otherwise: a
    rare event at a large epsilon may promise the larger bound at 95 %, and refute nothing at an error of 1e-6. If no
    limit is expected to be above 0, the luck of the choosing runs is not subtracted: an event that every run has
    would be the best.

    Parameters
    ----------
    scores : the scores that `learn` returned for other runs.
    sides : choosing runs on each stream.
    counting_runs : runs per stream on which the event will be counted.
    level : error probability of the limit that will be computed from the counts.
    profile : the claim.
    error : that of the verdict.
    """
    chosen_by = PESSIMISM / math.sqrt(len(sides[0]))
    counted_by = -NormalDist().inv_cdf(level) / math.sqrt(counting_runs)
    best: tuple[tuple[int, float], Event, float] | None = None
    tables = {epsilon: _Inverse(profile, epsilon) for epsilon in EPSILONS}
    for view, score in scores:
        first, second = (np.sort(scores_of(view, score, side)) for side in sides)
        thresholds = _thresholds(np.concatenate([first, second]))
        p, q = (1.0 - np.searchsorted(side, thresholds, "left") / len(side) for side in (first, second))
        below = tuple(np.searchsorted(side, thresholds, "right") / len(side) for side in (second, first))
        for reverse, (more, less) in enumerate(((p, q), below)):
            least, most = _limits(more, less, counting_runs, min(level, error) / 2.0)
            for epsilon in EPSILONS:
                r = math.exp(epsilon)
                spread = np.sqrt(_variance(more, len(first)) + r * r * _variance(less, len(first)))
                expected = (  # each with what it has to be above
                    (least - r * most - chosen_by * spread, tables[epsilon].claimed),
                    (more - r * less - (counted_by + chosen_by) * spread, 0.0),
                    (more - r * less - counted_by * spread, -math.inf),
                )
                promises = ((tables[epsilon](delta), bar) for delta, bar in expected)
                rank, promise = next((-n, found) for n, (found, bar) in enumerate(promises) if found.max() > bar)
                i = int(np.argmax(promise))
                if best is None or (rank, float(promise[i])) > best[0]:
                    event = Event(view, score, float(thresholds[i]), bool(reverse))
                    best = (rank, float(promise[i])), event, epsilon
    assert best is not None
    return best[1], best[2]


def _limits(more: Array, less: Array, runs: int, level: float) -> tuple[Array, Array]:
    """Return Clopper and Pearson's lower limits of shares and upper limits of others, if so many runs show them.

    A normal law would promise too much of events that are seen a few times on the other stream.
    """
    k, l = more * runs, less * runs
    least = np.where(k > 0.0, betaincinv(np.maximum(k, 1e-9), runs - k + 1.0, level), 0.0)
    most = np.where(l < runs, betaincinv(l + 1.0, np.maximum(runs - l, 1e-9), 1.0 - level), 1.0)
    return least, most


def _variance(share: Array, runs: int) -> Array:
    some = (share * runs + 0.5) / (runs + 1.0)
    return some * (1.0 - some)


def _thresholds(scores: Array) -> Array:
    edge = math.log(len(scores) / 3.0)
    shares = 1.0 / (1.0 + np.exp(-np.linspace(-edge, edge, THRESHOLDS)))
    return np.unique(np.quantile(scores, shares, method="lower"))


class _Inverse:
    """The amount for a delta at one epsilon, interpolated; below 0 it falls with delta."""

    def __init__(self, profile: ClaimedProfile, epsilon: float) -> None:
        self.claimed = profile.claimed_at(epsilon)
        if profile.name == "delta":
            self.claimed = 0.0  # amounts are what is beyond the claim
            self.deltas, self.amounts = np.array([0.0, 1.0]), np.array([0.0, 1.0]) - profile.delta_at(epsilon)
            return
        made = type(profile)
        self.deltas = np.array([0.0, *(made(amount).delta_at(epsilon) for amount in AMOUNTS)])  # type: ignore[call-arg]
        self.amounts = np.array([0.0, *AMOUNTS])

    def __call__(self, deltas: Array) -> Array:
        found = np.interp(deltas, self.deltas, self.amounts)
        return np.where(deltas < 0.0, self.amounts[0] + deltas, found)
