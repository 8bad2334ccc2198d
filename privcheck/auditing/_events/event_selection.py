"""Candidate events: the thresholds of learned scores with the largest expected lower limits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from privcheck.arrays import Array, Codes
from privcheck.auditing._events.event import Event, Scored, scores_of
from privcheck.auditing._events.smoothing import smoothed
from privcheck.auditing._scoring.view import Score, View
from privcheck.targets import Sides

PESSIMISM = (-1.0, 0.5, 1.5, 3.0)
"""Standard errors subtracted from an event's log-ratio when events are compared; the best event for each value is a
candidate. -1 adds one, because the best rare event often looks worse than it is.
"""

DEGREES = (1, 3)
"""Degrees of the polynomials that smooth the counts; a straight line suits a pair of normal laws."""

GRID = 48
"""Thresholds of each tail that are combined into two-tailed events: 48^2 pairs cost little for each score."""


@dataclass(frozen=True)
class Candidate:
    """An event, and its expected lower limit."""

    event: Event
    promise: float


def choose(scores: Scored, sides: Sides, counting_runs: int, level: float, delta: float = 0.0) -> list[Candidate]:
    """Choose the events with the largest expected lower limit, one- and two-tailed, for each degree of pessimism.

    Parameters
    ----------
    scores : the scores that `learn` returned for other runs.
    sides : choosing runs on each stream, which are used neither for learning nor later.
    counting_runs : runs per stream on which the events will be counted.
    level : error probability of the limit that will be computed from the counts.
    delta : the claimed delta.

    Returns
    -------
    The events, the most promising first; of events that contain the same choosing runs, only the first.

    """
    found = promising(scores, sides, counting_runs, level, PESSIMISM, delta, smooth=True)
    best = []
    for candidates in found:
        for mirrored in (False, True):
            kind = [c for c in candidates if (c.event.mirror is not None) == mirrored]
            if kind:
                best.append(max(kind, key=lambda c: c.promise))
    distinct: dict[bytes, Candidate] = {}
    for candidate in sorted(best, key=lambda c: -c.promise):
        codes: Codes = np.concatenate([candidate.event.codes(side) for side in sides])
        distinct.setdefault(codes.tobytes() + bytes([candidate.event.reverse]), candidate)
    return list(distinct.values())


def choose_for_delta(scores: Scored, sides: Sides, epsilon: float) -> Event:
    """Choose the one-tailed event whose probability on one stream most exceeds e^epsilon times that on the other.

    Parameters
    ----------
    scores : the scores that `learn` returned for other runs.
    sides : choosing runs on each stream.
    epsilon : the claimed epsilon, at which delta is bounded.

    """
    n, r = len(sides[0]), math.exp(min(epsilon, 350.0))  # the square is finite, too
    best: tuple[float, Event] | None = None
    for view, score in scores:
        values, k, l = _counted(scores_of(view, score, sides[0]), scores_of(view, score, sides[1]))
        for reverse, tail in enumerate((_upper(values, k, l), _lower(values, k, l))):
            excess = tail.more - r * tail.less - np.sqrt(tail.more + r * r * tail.less)
            i = int(np.argmax(excess))
            if best is None or excess[i] / n > best[0]:
                best = float(excess[i]) / n, Event(view, score, float(tail.scores[i]), bool(reverse))
    assert best is not None
    return best[1]


def promising(
    scores: Scored,
    sides: Sides,
    counting_runs: int,
    level: float,
    pessimism: Sequence[float],
    delta: float = 0.0,
    *,
    smooth: bool = False,
) -> list[list[Candidate]]:
    """Return, for each degree of pessimism, the most promising events of every score: of each tail, and of both.

    The promise of an event that occurs k and l times in n runs is ln((k - delta n) / l), minus `pessimism` standard
    errors sqrt(k / (k - delta n)^2 + 1/l) because the event was selected, minus the half-width of a limit at `level`
    from `counting_runs` runs. Optimism favours rare events with a large ratio, pessimism frequent ones. Two-tailed
    events are used for pure claims, delta = 0. With `smooth`, further lists hold the most promising events by smoothed
    counts, one list for each polynomial that fits.
    """
    n = len(sides[0])
    width = -NormalDist().inv_cdf(level) * np.sqrt(n / counting_runs)
    found: list[list[Candidate]] = [[] for _ in range(len(pessimism) + len(DEGREES) * smooth)]
    for view, score in scores:
        values, k, l = _counted(scores_of(view, score, sides[0]), scores_of(view, score, sides[1]))
        fits = [fit for degree in DEGREES if smooth and (fit := smoothed(values, k, l, degree))]
        tails = _upper(values, k, l), _lower(values, k, l)
        for candidates, degree in zip(found, pessimism, strict=False):
            candidates += _best(view, score, tails, n, delta, degree + width)
        for candidates, fit in zip(found[len(pessimism) :], fits, strict=False):
            tails = _upper(fit.starts, fit.first, fit.second), _lower(fit.ends, fit.first, fit.second)
            candidates += _best(view, score, tails, n, delta, width + 0.5)
    return [candidates for candidates in found if candidates]


def _best(view: View, score: Score, tails: tuple[_Tail, _Tail], n: int, delta: float, errors: float) -> list[Candidate]:
    """Return the most promising event of each tail and, for a pure claim, of both tails together."""
    found = []
    for reverse, tail in enumerate(tails):
        promise = _promise(tail.more, tail.less, n, delta, errors)
        i = int(np.argmax(promise))
        found.append(Candidate(Event(view, score, float(tail.scores[i]), bool(reverse)), float(promise[i])))
    if delta == 0.0 and len(tails[0].scores) > 1:
        one, two = tails[0].thinned(), tails[1].thinned()
        promise = _promise(np.add.outer(one.more, two.more), np.add.outer(one.less, two.less), n, 0.0, errors)
        promise[np.less_equal.outer(one.scores, two.scores)] = -np.inf
        best = np.unravel_index(int(np.argmax(promise)), promise.shape)
        event = Event(view, score, float(one.scores[best[0]]), False, float(two.scores[best[1]]))
        found.append(Candidate(event, float(promise[best])))
    return found


@dataclass(frozen=True)
class _Tail:
    """Distinct scores, the most extreme first, and how many runs on each stream score at least that."""

    scores: Array
    more: Array
    less: Array

    def thinned(self) -> _Tail:
        """Keep thresholds whose masses are spread evenly in log-odds."""
        if len(self.scores) <= GRID:
            return self
        mass = self.more + self.less
        edge = np.log(mass[-1] / 3.0)
        wanted = mass[-1] / (1.0 + np.exp(-np.linspace(-edge, edge, GRID)))
        kept = np.unique(np.minimum(np.searchsorted(mass, wanted), len(mass) - 1))
        return _Tail(self.scores[kept], self.more[kept], self.less[kept])


def _promise(more: Array, less: Array, n: int, delta: float, errors: float) -> Array:
    excess = more + 0.5 - delta * n
    with np.errstate(divide="ignore", invalid="ignore"):
        standard_error = np.sqrt((more + 0.5) / excess**2 + 1.0 / (less + 0.5))
        ratio = np.log(excess / (less + 0.5))
        if errors < 0.0:
            standard_error = np.minimum(standard_error, 1.0)  # with few runs, optimism would be unbounded
        return np.where(excess > 0.0, ratio - errors * standard_error, -np.inf)


def _counted(first: Array, second: Array) -> tuple[Array, Array, Array]:
    """Return the distinct scores in increasing order, and how many runs on each stream have each score."""
    values, place = np.unique(np.concatenate([first, second]), return_inverse=True)
    k = np.bincount(place[: len(first)], minlength=len(values))
    l = np.bincount(place[len(first) :], minlength=len(values))
    return values, k.astype(float), l.astype(float)


def _upper(values: Array, k: Array, l: Array) -> _Tail:
    """Return the events "at least a score", more likely on the first stream."""
    return _Tail(values[::-1], np.cumsum(k[::-1]), np.cumsum(l[::-1]))


def _lower(values: Array, k: Array, l: Array) -> _Tail:
    """Return the events "at most a score", more likely on the second stream."""
    return _Tail(values, np.cumsum(l), np.cumsum(k))
