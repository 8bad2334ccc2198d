"""Candidate events: the thresholds of learned scores that promise the largest lower limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from privcheck.auditing.events import Codes, Event, Floats, Scored
from privcheck.auditing.outputs import Outputs
from privcheck.auditing.scoring.view import Score, View

PESSIMISM = (0.5, 1.5, 3.0)
"""Standard errors taken off an event's log-ratio when events are compared: candidates are sent on for each."""

GRID = 48
"""Thresholds of each tail that are combined to two-tailed events."""


@dataclass(frozen=True)
class Candidate:
    """An event and the lower limit that it promises."""

    event: Event
    promise: float


def choose(
    scores: Scored, first: Outputs, second: Outputs, counting_runs: int, level: float, delta: float = 0.0
) -> list[Event]:
    """Choose the events that promise the largest lower limit, one- and two-tailed, for each degree of pessimism.

    Parameters
    ----------
    scores : what `learn` returned for other runs.
    first, second : choosing runs on each stream, used neither for learning nor later.
    counting_runs : runs a side on which the events will be counted.
    level : error probability of the limit that will be computed from them.
    delta : of the claim.

    Returns
    -------
    The events, the most promising first, without those that contain the same choosing runs as one before.

    """
    found = promising(scores, first, second, counting_runs, level, PESSIMISM, delta)
    best = []
    for candidates in found:
        for mirrored in (False, True):
            kind = [c for c in candidates if (c.event.mirror is not None) == mirrored]
            if kind:
                best.append(max(kind, key=lambda c: c.promise))
    distinct: dict[bytes, Event] = {}
    for candidate in sorted(best, key=lambda c: -c.promise):
        codes: Codes = np.concatenate([candidate.event.codes(side) for side in (first, second)])
        distinct.setdefault(codes.tobytes() + bytes([candidate.event.reverse]), candidate.event)
    return list(distinct.values())


def promising(
    scores: Scored,
    first: Outputs,
    second: Outputs,
    counting_runs: int,
    level: float,
    pessimism: Sequence[float],
    delta: float = 0.0,
) -> list[list[Candidate]]:
    """Return, for each degree of pessimism, the most promising events of every score: of each tail, and of both.

    The promise of an event seen k and l times in n runs is ln((k - delta n) / l), less `pessimism` standard errors
    sqrt(k / (k - delta n)^2 + 1/l) for having been chosen, less the half-width of a limit at `level` from
    `counting_runs` runs. Optimism favours rare events with a large ratio, pessimism frequent ones. Two-tailed events
    are for pure claims, delta = 0.
    """
    n = len(first)
    width = -NormalDist().inv_cdf(level) * np.sqrt(n / counting_runs)
    found: list[list[Candidate]] = [[] for _ in pessimism]
    for view, score in scores:
        scored = view.scores(score, first), view.scores(score, second)
        upper, lower = _tail(*scored, rising=False), _tail(*scored[::-1], rising=True)
        for candidates, degree in zip(found, pessimism, strict=True):
            for reverse, tail in enumerate((upper, lower)):
                promise = _promise(tail.more, tail.less, n, delta, degree + width)
                i = int(np.argmax(promise))
                event = Event(view, score, float(tail.scores[i]), bool(reverse))
                candidates.append(Candidate(event, float(promise[i])))
            if delta == 0.0 and len(upper.scores) > 1:
                candidates.append(_two_tailed(view, score, upper, lower, n, degree + width))
    return found


@dataclass(frozen=True)
class _Tail:
    """Distinct scores, most telling first, and how many runs on either stream score at least that."""

    scores: Floats
    more: Floats
    less: Floats

    def thinned(self) -> _Tail:
        """Keep thresholds whose masses are spread evenly in log-odds."""
        if len(self.scores) <= GRID:
            return self
        mass = self.more + self.less
        edge = np.log(mass[-1] / 3.0)
        wanted = mass[-1] / (1.0 + np.exp(-np.linspace(-edge, edge, GRID)))
        kept = np.unique(np.minimum(np.searchsorted(mass, wanted), len(mass) - 1))
        return _Tail(self.scores[kept], self.more[kept], self.less[kept])


def _two_tailed(view: View, score: Score, upper: _Tail, lower: _Tail, n: int, errors: float) -> Candidate:
    one, two = upper.thinned(), lower.thinned()
    promise = _promise(np.add.outer(one.more, two.more), np.add.outer(one.less, two.less), n, 0.0, errors)
    promise[np.less_equal.outer(one.scores, two.scores)] = -np.inf
    i, j = np.unravel_index(int(np.argmax(promise)), promise.shape)
    return Candidate(Event(view, score, float(one.scores[i]), False, float(two.scores[j])), float(promise[i, j]))


def _promise(more: Floats, less: Floats, n: int, delta: float, errors: float) -> Floats:
    excess = more + 0.5 - delta * n
    with np.errstate(divide="ignore", invalid="ignore"):
        standard_error = np.sqrt((more + 0.5) / excess**2 + 1.0 / (less + 0.5))
        ratio = np.log(excess / (less + 0.5))
    return np.where(excess > 0.0, ratio - errors * standard_error, -np.inf)


def _tail(more: Floats, less: Floats, *, rising: bool) -> _Tail:
    values, place = np.unique(np.concatenate([more, less]), return_inverse=True)
    k: npt.NDArray[np.int64] = np.bincount(place[: len(more)], minlength=len(values))
    l: npt.NDArray[np.int64] = np.bincount(place[len(more) :], minlength=len(values))
    step = 1 if rising else -1
    return _Tail(values[::step], np.cumsum(k[::step]).astype(float), np.cumsum(l[::step]).astype(float))
