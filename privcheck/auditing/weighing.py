"""Which of the candidate events are counted, and with what share of the level."""

from __future__ import annotations

import itertools
import numpy as np
import numpy.typing as npt
from scipy.special import betaincinv, ndtri

from privcheck.auditing.events import Codes, Event
from privcheck.auditing.outputs import Outputs

Floats = npt.NDArray[np.float64]

SHARES = ((1.0,), (0.5, 0.5), (0.8, 0.2), (0.2, 0.8), (0.6, 0.2, 0.2), (0.2, 0.6, 0.2), (0.2, 0.2, 0.6))
"""Ways to share the level among the events that are counted."""

DRAWS = 64

MOST_EVENTS = 6


def weigh(
    events: list[Event], first: Outputs, second: Outputs, counting_runs: int, level: float, delta: float
) -> list[tuple[Event, float]]:
    """Return the events to be counted, each with its share of the level; shares add up to 1.

    Probabilities are drawn from their posterior given the weighing runs, the joint law of all events at once. For each
    draw the limits that the counting runs would give are worked out, and the way of sharing whose largest limit is
    largest on average is taken. The events were chosen on other runs, so the best of many is no mere luck here.

    Parameters
    ----------
    events : candidates.
    first, second : weighing runs on each stream, used for nothing else.
    counting_runs : runs a side on which the events will be counted.
    level : error probability of the limit.
    delta : of the claim.

    """
    events = events[:MOST_EVENTS]
    if len(events) == 1:
        return [(events[0], 1.0)]
    codes = [[event.codes(side) for event in events] for side in (first, second)]
    rng = np.random.Generator(np.random.PCG64(1994))
    hits, misses = _rates(events, *codes, len(first), rng)
    limits = {
        share: _limits(hits * counting_runs, misses * counting_runs, counting_runs, level * share, delta)
        for share in {share for shares in SHARES for share in shares}
    }
    plans = [
        (chosen, shares)
        for shares in SHARES
        for chosen in itertools.combinations(range(len(events)), len(shares))
    ]
    values = [np.max([limits[s][:, e] for e, s in zip(*plan, strict=True)], axis=0).mean() for plan in plans]
    chosen, shares = plans[int(np.argmax(values))]
    return [(events[e], share) for e, share in zip(chosen, shares, strict=True)]


def _rates(
    events: list[Event], first: list[Codes], second: list[Codes], runs: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Return draws of the rates of hits and of misses of each event, shape (DRAWS, events)."""
    hits, misses = (rng.gamma(0.5, size=(DRAWS, len(events))) for _ in range(2))
    for side, codes in enumerate((first, second)):
        pattern = np.zeros(runs, np.int64)
        for code in codes:
            pattern = 3 * pattern + code + 1
        patterns, counts = np.unique(pattern, return_counts=True)
        drawn = rng.gamma(counts, size=(DRAWS, len(counts)))
        for place, event in enumerate(events):
            code = patterns // 3 ** (len(events) - 1 - place) % 3 - 1
            for_own = -1 if bool(side) != event.reverse else 1
            hits[:, place] += drawn[:, code == for_own].sum(axis=1)
            misses[:, place] += drawn[:, code == -for_own].sum(axis=1)
    return hits / runs, misses / runs


def _limits(hits: Floats, misses: Floats, runs: int, level: float, delta: float) -> Floats:
    if delta == 0.0:
        share = betaincinv(np.maximum(hits, 1e-3), misses + 1.0, level)
        return np.asarray(np.log(share) - np.log1p(-share))
    excess = np.maximum(hits - delta * runs, 1e-3)
    spread = np.sqrt(hits / excess**2 + 1.0 / (misses + 1.0))
    return np.asarray(np.log(excess / (misses + 1.0)) + float(ndtri(level)) * spread)
