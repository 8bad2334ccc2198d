"""Bonferroni with unequal weights: which candidate events are counted, and with what share of the level."""

from __future__ import annotations

import itertools

import numpy as np
from scipy.special import betaincinv, betaln, expit, logit, ndtri

from privcheck.arrays import Array, Codes
from privcheck.auditing._events.event import Event
from privcheck.auditing._events.event_selection import Candidate
from privcheck.targets import Sides

SHARES = ((1.0,), (0.5, 0.5), (0.8, 0.2), (0.2, 0.8), (0.6, 0.2, 0.2), (0.2, 0.6, 0.2), (0.2, 0.2, 0.6))
"""Ways to divide the level among at most three events: more events would leave each with less of it."""

DRAWS = 64
"""Posterior draws over which limits are averaged; they only guide the allocation, so their error affects no bound."""

SAFE_LEVEL = 1e-3
"""The event whose limit from the weighing runs is largest at this level, the default `error`, is always counted; at the
level of the limit, if that is smaller: else a rare event that was lucky twice is the only one now and then.
"""

MOST_EVENTS = 12
"""Candidates that are considered: the allocations to compare grow with the square of their number."""

UNSEEN = 1e-3
"""Hits and misses that are added to those of the safest event, so that its odds are defined if it has none."""

SAME = 0.5
"""Prior probability that the share of hits among an event's runs equals that of the safest event. It is equal in the
tails of Laplace noise; without this prior, the best of many rare events is mostly luck.
"""

PRIOR_RUNS = 20.0
"""Weight, in runs, with which an event's own share of hits is shrunk towards that of the safest event."""


def weigh(
    candidates: list[Candidate], sides: Sides, counting_runs: int, level: float, delta: float
) -> list[tuple[Event, float]]:
    """Return the events to be counted, each with its share of the level; the shares add up to 1.

    The probabilities of all events are drawn jointly from their posterior given the weighing runs. For each draw, the
    limits that the counting runs would give are computed. Among the allocations that include the safest event, the one
    with the highest mean of the largest limit is taken. The candidate events were chosen on other runs.

    Parameters
    ----------
    candidates : the events that `choose` returned for other runs.
    sides : weighing runs on each stream, used for nothing else.
    counting_runs : runs per stream on which the events will be counted.
    level : error probability of the limit.
    delta : the claimed delta.

    """
    candidates = candidates[:MOST_EVENTS]
    events = [candidate.event for candidate in candidates]
    if len(events) == 1:
        return [(events[0], 1.0)]
    codes = [[event.codes(side) for event in events] for side in sides]
    rng = np.random.Generator(np.random.PCG64(1994))
    hits, misses = _drawn(candidates, codes, len(sides[0]), rng)
    seen = _limits(hits.mean(axis=0), misses.mean(axis=0), len(sides[0]), min(SAFE_LEVEL, level), delta)
    safest = int(np.argmax(seen))
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
    """Return draws of the expected hits and misses of each event in `runs` runs, shape (DRAWS, events)."""
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
    """Return the draws with the odds of hits shrunk towards those of the safest event.

    Each other event has the same odds as that one with prior probability `SAME`, and otherwise its own odds.
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
