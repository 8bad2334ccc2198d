"""Candidate events: thresholds of learned scores, chosen on one fold, counted on another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from privcheck.auditing.outputs import Outputs
from privcheck.auditing.scoring.view import Score, View

Floats = npt.NDArray[np.float64]

PESSIMISM = (0.5, 1.5, 3.0)
"""Standard errors taken off an event's log-ratio when events are compared: one event is sent on for each."""


@dataclass(frozen=True)
class Event:
    """The runs whose score, read through a view, is at least a threshold (or at most, when `reverse`).

    With `reverse` the event is more likely on the second stream, and its log-ratio is that of second over first.
    """

    view: View
    score: Score
    threshold: float
    reverse: bool

    def contains(self, outputs: Outputs) -> npt.NDArray[np.bool_]:
        """Tell for each run, shape (runs,), whether the event happened."""
        scores = self.view.scores(self.score, outputs)
        return scores <= self.threshold if self.reverse else scores >= self.threshold

    def counts(self, first: Outputs, second: Outputs) -> tuple[int, int]:
        """Return how many runs on the (more likely, less likely) stream show the event."""
        k, l = int(self.contains(first).sum()), int(self.contains(second).sum())
        return (l, k) if self.reverse else (k, l)


Scored = list[tuple[View, Score]]


def learn(views: list[View], first: Outputs, second: Outputs) -> Scored:
    """Learn one score per view from training runs on each stream."""
    return [(view, view.learn(first, second)) for view in views]


@dataclass(frozen=True)
class Candidate:
    """An event, its counts on the choosing runs, and the lower limit that it promises."""

    event: Event
    more: int
    less: int
    promise: float


def choose(
    scores: Scored, first: Outputs, second: Outputs, counting_runs: int, level: float, delta: float = 0.0
) -> list[Event]:
    """Choose the events that promise the largest lower limit, one for each degree of pessimism; fewer when they
    coincide.

    Parameters
    ----------
    scores : what `learn` returned for other runs.
    first, second : choosing runs on each stream, used neither for learning nor for counting.
    counting_runs : runs a side on which the events will be counted.
    level : error probability of the limit that will be computed from them.
    delta : of the claim.

    """
    found = promising(scores, first, second, counting_runs, level, PESSIMISM, delta)
    best = [max(candidates, key=lambda c: c.promise) for candidates in found]
    return list(dict.fromkeys(candidate.event for candidate in best))


def promising(
    scores: Scored,
    first: Outputs,
    second: Outputs,
    counting_runs: int,
    level: float,
    pessimism: Sequence[float],
    delta: float = 0.0,
) -> list[list[Candidate]]:
    """Return, for each degree of pessimism, the most promising threshold of every score in both directions.

    The promise of an event seen k and l times in n runs is ln((k - delta n) / l), less `pessimism` standard errors
    sqrt(k / (k - delta n)^2 + 1/l) for having been chosen, less the half-width of a limit at `level` from
    `counting_runs` runs. Optimism favours rare events with a large ratio, pessimism frequent ones.
    """
    n = len(first)
    width = -NormalDist().inv_cdf(level / len(PESSIMISM)) * np.sqrt(n / counting_runs)
    found: list[list[Candidate]] = [[] for _ in pessimism]
    for view, score in scores:
        scored = view.scores(score, first), view.scores(score, second)
        for reverse in (False, True):
            values, more, less = _cumulative(*(scored[::-1] if reverse else scored), rising=reverse)
            excess = more + 0.5 - delta * n
            with np.errstate(divide="ignore", invalid="ignore"):
                standard_error = np.sqrt((more + 0.5) / excess**2 + 1.0 / (less + 0.5))
                ratio = np.log(excess / (less + 0.5))
            for candidates, degree in zip(found, pessimism, strict=True):
                promise = np.where(excess > 0.0, ratio - (degree + width) * standard_error, -np.inf)
                i = int(np.argmax(promise))
                event = Event(view, score, float(values[i]), reverse)
                candidates.append(Candidate(event, int(more[i]), int(less[i]), float(promise[i])))
    return found


def _cumulative(more: Floats, less: Floats, *, rising: bool) -> tuple[Floats, Floats, Floats]:
    """Return the distinct scores, most telling first, and how many runs of each kind score at least that."""
    values, place = np.unique(np.concatenate([more, less]), return_inverse=True)
    k = np.bincount(place[: len(more)], minlength=len(values))
    l = np.bincount(place[len(more) :], minlength=len(values))
    step = 1 if rising else -1
    return values[::step], np.cumsum(k[::step]).astype(float), np.cumsum(l[::step]).astype(float)
