"""Candidate events: thresholds of learned scores, chosen on one fold, counted on another."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from privcheck.auditing.scores import PrefixScore, score_runs
from privcheck.auditing.views import Sequences, View

Floats = npt.NDArray[np.float64]

PESSIMISM = (0.5, 1.5, 3.0)
"""Standard errors taken off an event's log-ratio when events are compared: one event is sent on for each."""


@dataclass(frozen=True)
class Event:
    """The runs whose score, read through a view, is at least a threshold (or at most, when `reverse`).

    With `reverse` the event is more likely on the second stream, and its log-ratio is that of second over first.
    """

    view: View
    score: PrefixScore
    threshold: float
    reverse: bool

    def contains(self, actions: Sequences) -> npt.NDArray[np.bool_]:
        """Tell for each run, shape (runs, T), whether the event happened."""
        scores = score_runs(self.score, self.view.read(actions))
        return scores <= self.threshold if self.reverse else scores >= self.threshold

    def counts(self, first: Sequences, second: Sequences) -> tuple[int, int]:
        """Return how many runs on the (more likely, less likely) stream show the event."""
        k, l = int(self.contains(first).sum()), int(self.contains(second).sum())
        return (l, k) if self.reverse else (k, l)


def learn(views: list[View], first: Sequences, second: Sequences) -> list[tuple[View, PrefixScore]]:
    """Learn one score per view from training runs (n, T) on each stream."""
    return [(view, PrefixScore(view.read(first), view.read(second), view.common)) for view in views]


@dataclass(frozen=True)
class Candidate:
    """An event, its counts on the choosing runs, and the lower limit that it promises."""

    event: Event
    more: int
    less: int
    promise: float


def choose(
    scores: list[tuple[View, PrefixScore]], first: Sequences, second: Sequences, counting_runs: int, level: float
) -> list[Event]:
    """Choose the events that promise the largest lower limit, one for each degree of pessimism; fewer when they
    coincide.

    Parameters
    ----------
    scores : what `learn` returned for other runs.
    first, second : choosing runs (n, T) on each stream, used neither for learning nor for counting.
    counting_runs : runs a side on which the events will be counted.
    level : error probability of the limit that will be computed from them.

    """
    best = [max(promising(scores, first, second, counting_runs, level, p), key=lambda c: c.promise) for p in PESSIMISM]
    return list(dict.fromkeys(candidate.event for candidate in best))


def promising(
    scores: list[tuple[View, PrefixScore]],
    first: Sequences,
    second: Sequences,
    counting_runs: int,
    level: float,
    pessimism: float,
) -> list[Candidate]:
    """Return the most promising threshold of every score in both directions.

    The promise of an event seen k and l times is ln(k / l), less `pessimism` standard errors sqrt(1/k + 1/l) for
    having been chosen, less the half-width of a limit at `level` from `counting_runs` runs. Optimism favours rare
    events with a large ratio, pessimism frequent ones.
    """
    width = -NormalDist().inv_cdf(level / len(PESSIMISM)) * np.sqrt(len(first) / counting_runs)
    candidates = []
    for view, score in scores:
        scored = score_runs(score, view.read(first)), score_runs(score, view.read(second))
        for reverse in (False, True):
            values, more, less = _cumulative(*(scored[::-1] if reverse else scored), rising=reverse)
            standard_error = np.sqrt(1.0 / (more + 0.5) + 1.0 / (less + 0.5))
            promise = np.log((more + 0.5) / (less + 0.5)) - (pessimism + width) * standard_error
            i = int(np.argmax(promise))
            event = Event(view, score, float(values[i]), reverse)
            candidates.append(Candidate(event, int(more[i]), int(less[i]), float(promise[i])))
    return candidates


def _cumulative(more: Floats, less: Floats, *, rising: bool) -> tuple[Floats, Floats, Floats]:
    """Return the distinct scores, most telling first, and how many runs of each kind score at least that."""
    values, place = np.unique(np.concatenate([more, less]), return_inverse=True)
    k = np.bincount(place[: len(more)], minlength=len(values))
    l = np.bincount(place[len(more) :], minlength=len(values))
    step = 1 if rising else -1
    return values[::step], np.cumsum(k[::step]).astype(float), np.cumsum(l[::step]).astype(float)
