"""Events: thresholds of learned scores, one-tailed or two-tailed, and how often they are seen."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from privcheck.arrays import Array, Codes
from privcheck.auditing.scoring.view import Score, View
from privcheck.targets.outputs import Outputs


class Counts(NamedTuple):
    """How many runs show an event S on the stream where it is more likely and on the other, and its mirror image S' on
    the second and on the first stream.
    """

    more: int
    less: int
    mirrored_more: int = 0
    mirrored_less: int = 0

    @property
    def hits(self) -> int:
        """Runs that are evidence for the stream they were played on."""
        return self.more + self.mirrored_more

    @property
    def misses(self) -> int:
        """Runs that are evidence for the other stream."""
        return self.less + self.mirrored_less


@dataclass(frozen=True)
class Event:
    """The runs whose score, read through a view, is at least a threshold (or at most, when `reverse`).

    With `reverse` the event is more likely on the second stream, and its log-ratio is that of second over first. A
    two-tailed event has a mirror image too, the runs whose score is at most `mirror`, more likely on the second stream.
    """

    view: View
    score: Score
    threshold: float
    reverse: bool
    mirror: float | None = None

    def contains(self, outputs: Outputs) -> npt.NDArray[np.bool_]:
        """Tell for each run, shape (runs,), whether the event happened; the mirror image is left aside."""
        return np.asarray(self.codes(outputs) == 1)

    def codes(self, outputs: Outputs) -> Codes:
        """Return for each run, shape (runs,), 1 in the event, -1 in its mirror image, 0 in neither."""
        return self.of_scores(scores_of(self.view, self.score, outputs))

    def of_scores(self, scores: Array) -> Codes:
        """Return the same from scores that were computed before."""
        inside = scores <= self.threshold if self.reverse else scores >= self.threshold
        if self.mirror is None:
            return inside.astype(np.int8)
        return inside.astype(np.int8) - (scores <= self.mirror).astype(np.int8)

    def counts(self, first: Outputs, second: Outputs) -> Counts:
        """Count the event, and its mirror image, in the runs on each stream."""
        return self.of_codes(self.codes(first), self.codes(second))

    def of_codes(self, first: Codes, second: Codes) -> Counts:
        """Return the same from codes that were computed before."""
        k, l = int((first == 1).sum()), int((second == 1).sum())
        if self.mirror is None:
            return Counts(l, k) if self.reverse else Counts(k, l)
        return Counts(k, l, int((second == -1).sum()), int((first == -1).sum()))

    @property
    def tails(self) -> list[Event]:
        """The event without its mirror image, and the mirror image, as events of one tail."""
        if self.mirror is None:
            return [self]
        return [replace(self, mirror=None), Event(self.view, self.score, self.mirror, not self.reverse)]


def scores_of(view: View, score: Score, outputs: Outputs) -> Array:
    """Return the scores of runs, computed once for all events that rest on them."""
    key = id(view), id(score)
    if key not in outputs.memo:
        outputs.memo[key] = view.scores(score, outputs), view, score  # kept alive, so that their ids stay theirs
    return np.asarray(outputs.memo[key][0])


Scored = list[tuple[View, Score]]


def learn(views: list[View], first: Outputs, second: Outputs) -> Scored:
    """Learn one score per view from training runs on each stream."""
    return [(view, view.learn(first, second)) for view in views]
