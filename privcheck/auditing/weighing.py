"""Which of the candidate events are counted, and with what share of the level."""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt
from scipy.special import betaincinv, ndtri

from privcheck.auditing.choosing import Candidate
from privcheck.auditing.events import Codes, Event
from privcheck.auditing.outputs import Sides

Floats = npt.NDArray[np.float64]

SHARES = ((1.0,), (0.5, 0.5), (0.8, 0.2), (0.2, 0.8), (0.6, 0.2, 0.2), (0.2, 0.6, 0.2), (0.2, 0.2, 0.6))
"""Ways to share the level among the events that are counted."""

DRAWS = 64

MOST_EVENTS = 8

AGREEMENT = 2.0
"""Standard errors by which smoothed and weighed counts may differ."""

PRIOR_RUNS = 8.0
"""Weight, in runs, with which the share of hits of an event is drawn to that of the most frequent one."""

TRUST = 1.0
"""Weight of smoothed counts, in weighing folds."""


def weigh(
    candidates: list[Candidate], sides: Sides, counting_runs: int, level: float, delta: float
) -> list[tuple[Event, float]]:
    """Return the events to be counted, each with its share of the level; shares add up to 1.

    Probabilities are drawn from their posterior given the weighing runs, the joint law of all events at once. For each
    draw the limits that the counting runs would give are worked out, and the way of sharing whose largest limit is
    largest on average is taken. The events were chosen on other runs, so the best of many is no mere luck here.

    Parameters
    ----------
    candidates : what `choose` returned for other runs.
    sides : weighing runs on each stream, used for nothing else.
    counting_runs : runs a side on which the events will be counted.
    level : error probability of the limit.
    delta : of the claim.

    """
    candidates = candidates[:MOST_EVENTS]
    events = [candidate.event for candidate in candidates]
    if len(events) == 1:
        return [(events[0], 1.0)]
    codes = [[event.codes(side) for event in events] for side in sides]
    rng = np.random.Generator(np.random.PCG64(1994))
    hits, misses = _rates(candidates, codes, len(sides[0]), rng)
    limits = {
        share: _limits(hits * counting_runs, misses * counting_runs, counting_runs, level * share, delta)
        for share in {share for shares in SHARES for share in shares}
    }
    plans = [
        (chosen, shares) for shares in SHARES for chosen in itertools.combinations(range(len(events)), len(shares))
    ]
    values = [np.max([limits[s][:, e] for e, s in zip(*plan, strict=True)], axis=0).mean() for plan in plans]
    chosen, shares = plans[int(np.argmax(values))]
    return [(events[e], share) for e, share in zip(chosen, shares, strict=True)]


def _rates(
    candidates: list[Candidate], coded: list[list[Codes]], runs: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Return draws of the rates of hits and of misses of each event, shape (DRAWS, events).

    Where smoothed counts of the choosing runs agree with the weighing runs, both are believed: rare tails are too
    rare to be weighed by themselves.
    """
    hits, misses = (np.zeros((DRAWS, len(candidates))) for _ in range(2))
    for side, codes in enumerate(coded):
        pattern = np.zeros(runs, np.int64)
        for code in codes:
            pattern = 3 * pattern + code + 1
        patterns, counts = np.unique(pattern, return_counts=True)
        drawn = rng.gamma(counts, size=(DRAWS, len(counts)))
        for place, candidate in enumerate(candidates):
            code = patterns // 3 ** (len(candidates) - 1 - place) % 3 - 1
            for_own = -1 if bool(side) != candidate.event.reverse else 1
            hits[:, place] += drawn[:, code == for_own].sum(axis=1)
            misses[:, place] += drawn[:, code == -for_own].sum(axis=1)
    common = int(np.argmax((hits + misses).mean(axis=0)))
    share = hits[:, common].mean() / max(1.0, (hits + misses)[:, common].mean())
    hits += rng.gamma(PRIOR_RUNS * share + 1e-3, size=hits.shape)
    misses += rng.gamma(PRIOR_RUNS * (1.0 - share) + 1e-3, size=hits.shape)
    weight = np.full(len(candidates), float(runs))
    for place, candidate in enumerate(candidates):
        if candidate.expected is None:
            continue
        expected = np.asarray(candidate.expected) * runs
        seen = np.array([hits[:, place].mean(), misses[:, place].mean()])
        if (np.abs(seen - expected) <= AGREEMENT * np.sqrt(2.0 * expected + 1.0)).all():
            hits[:, place] += TRUST * expected[0]
            misses[:, place] += TRUST * expected[1]
            weight[place] += TRUST * runs
    return hits / weight, misses / weight


def _limits(hits: Floats, misses: Floats, runs: int, level: float, delta: float) -> Floats:
    if delta == 0.0:
        share = betaincinv(np.maximum(hits, 1e-3), misses + 1.0, level)
        return np.asarray(np.log(share) - np.log1p(-share))
    excess = np.maximum(hits - delta * runs, 1e-3)
    spread = np.sqrt(hits / excess**2 + 1.0 / (misses + 1.0))
    return np.asarray(np.log(excess / (misses + 1.0)) + float(ndtri(level)) * spread)
