"""Which of the candidate events are counted, and with what share of the level."""

from __future__ import annotations

import itertools

import numpy as np
from scipy.special import betaincinv, betaln, expit, logit, ndtri

from privcheck.arrays import Array, Codes
from privcheck.auditing.events.event import Event
from privcheck.auditing.events.event_selection import Candidate
from privcheck.targets.outputs import Sides

SHARES = ((1.0,), (0.5, 0.5), (0.8, 0.2), (0.2, 0.8), (0.6, 0.2, 0.2), (0.2, 0.6, 0.2), (0.2, 0.2, 0.6))
"""Ways to share the level among the events that are counted."""

DRAWS = 64

SAFE_LEVEL = 1e-3
"""The event with the largest limit of the weighing runs at this level is always counted."""

MOST_EVENTS = 12

UNSEEN = 1e-3
"""Hits and misses that are added, so that events which no weighing run showed have odds."""

SAME = 0.5
"""Probability, before any run is weighed, that hits are the same share of an event's runs as of the safest event's. So
it is in the tails of Laplace noise, and otherwise the best looking of many rare events is mostly luck.
"""

PRIOR_RUNS = 20.0
"""Weight, in runs, with which an event's own share of hits is drawn to that of the safest one."""


def weigh(
    candidates: list[Candidate], sides: Sides, counting_runs: int, level: float, delta: float
) -> list[tuple[Event, float]]:
    """Return the events to be counted, each with its share of the level; shares add up to 1.

    Probabilities are drawn from their posterior given the weighing runs, the joint law of all events at once. For each
    draw the limits that the counting runs would give are worked out, and the way of sharing whose largest limit is
    largest on average is taken, among those that count the safest event. The events were chosen on other runs.

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
    hits, misses = _drawn(candidates, codes, len(sides[0]), rng)
    safest = int(np.argmax(_limits(hits.mean(axis=0), misses.mean(axis=0), len(sides[0]), SAFE_LEVEL, delta)))
    hits, misses = _shrunk(hits, misses, safest, rng)
    growth = counting_runs / len(sides[0])
    limits = {
        share: _limits(hits * growth, misses * growth, counting_runs, level * share, delta)
        for share in {share for shares in SHARES for share in shares}
    }
    plans = [
        (chosen, shares)
        for shares in SHARES
        for chosen in itertools.combinations(range(len(events)), len(shares))
        if safest in chosen
    ]
    values = [np.max([limits[s][:, e] for e, s in zip(*plan, strict=True)], axis=0).mean() for plan in plans]
    chosen, shares = plans[int(np.argmax(values))]
    return [(events[e], share) for e, share in zip(chosen, shares, strict=True)]


def _drawn(
    candidates: list[Candidate], coded: list[list[Codes]], runs: int, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Return draws of the expected hits and misses of each event in so many runs, shape (DRAWS, events)."""
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
    return hits, misses


def _shrunk(hits: Array, misses: Array, safest: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Return the draws with the odds of hits drawn to those of the safest event.

    Each of the others has the same odds as that one with probability `SAME`, otherwise odds of its own.
    """
    of_safest = (hits + UNSEEN)[:, [safest]] / (hits + misses + 2.0 * UNSEEN)[:, [safest]]
    share = of_safest.mean()
    prior = PRIOR_RUNS * share, PRIOR_RUNS * (1.0 - share)
    k, l = hits.mean(axis=0), misses.mean(axis=0)
    of_their_own = betaln(prior[0] + k, prior[1] + l) - betaln(*prior)
    in_common = k * np.log(share) + l * np.log1p(-share)
    same = rng.random(hits.shape) < expit(in_common - of_their_own + logit(SAME))
    hits = hits + rng.gamma(prior[0], size=hits.shape)
    misses = misses + rng.gamma(prior[1], size=hits.shape)
    total = hits + misses
    odds = np.where(same, of_safest, hits / total)
    return total * odds, total * (1.0 - odds)


def _limits(hits: Array, misses: Array, runs: int, level: float, delta: float) -> Array:
    if delta == 0.0:
        share = betaincinv(np.maximum(hits, 0.1), misses + 1.0, level)
        return np.asarray(np.log(share) - np.log1p(-share))
    excess = np.maximum(hits - delta * runs, 1e-3)
    spread = np.sqrt(hits / excess**2 + 1.0 / (misses + 1.0))
    return np.asarray(np.log(excess / (misses + 1.0)) + float(ndtri(level)) * spread)
