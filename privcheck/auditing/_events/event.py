"""Events: learned scores past a threshold, in one tail or in both, and how often they occur."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from privcheck.arrays import Array, Codes
from privcheck.auditing._scoring.view import Score, View
from privcheck.errors import PrivcheckError, words
from privcheck.targets import Outputs


class Counts(NamedTuple):
    """The number of runs in an event S, on the stream where it is more likely and on the other one, and in its mirror
    image S', on the second stream and on the first.
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
    """The runs whose score, read through a view, is at least a threshold (with `reverse`, at most a threshold).

    With `reverse`, the event is more likely on the second stream, and its log-ratio is that of second over first. A
    two-tailed event also has a mirror image, more likely on the second stream: the runs with a score of at most
    `mirror`.
    """

    view: View
    score: Score
    threshold: float
    reverse: bool
    mirror: float | None = None

    def contains(self, outputs: Outputs) -> npt.NDArray[np.bool_]:
        """Tell for each run, shape (runs,), whether the event occurred; the mirror image is ignored."""
        return np.asarray(self.codes(outputs) == 1)

    def codes(self, outputs: Outputs) -> Codes:
        """Return for each run, shape (runs,), 1 in the event, -1 in its mirror image and 0 in neither."""
        return self.of_scores(scores_of(self.view, self.score, outputs))

    def of_scores(self, scores: Array) -> Codes:
        """Return the codes of runs with these scores."""
        inside = scores <= self.threshold if self.reverse else scores >= self.threshold
        if self.mirror is None:
            return inside.astype(np.int8)
        return inside.astype(np.int8) - (scores <= self.mirror).astype(np.int8)

    def counts(self, first: Outputs, second: Outputs) -> Counts:
        """Count the event, and its mirror image, in the runs on each stream."""
        return self.of_codes(self.codes(first), self.codes(second))

    def of_codes(self, first: Codes, second: Codes) -> Counts:
        """Return the counts of runs with these codes on each stream."""
        k, l = int((first == 1).sum()), int((second == 1).sum())
        if self.mirror is None:
            return Counts(l, k) if self.reverse else Counts(k, l)
        return Counts(k, l, int((second == -1).sum()), int((first == -1).sum()))

    @property
    def tails(self) -> list[Event]:
        """The event without its mirror image, and the mirror image, as one-tailed events."""
        if self.mirror is None:
            return [self]
        return [replace(self, mirror=None), Event(self.view, self.score, self.mirror, not self.reverse)]


def scores_of(view: View, score: Score, outputs: Outputs) -> Array:
    """Return the scores of runs, computed once for all events that use them."""
    key = id(view), id(score)
    if key not in outputs.memo:
        with np.errstate(over="ignore", invalid="ignore"):
            outputs.memo[key] = view.scores(score, outputs), view, score  # kept alive, so that their ids stay unique
    return np.asarray(outputs.memo[key][0])


Scored = list[tuple[View, Score]]


def learn(views: list[View], first: Outputs, second: Outputs) -> Scored:
    """Learn one score per view from training runs on each stream; numbers at the end of the floats may overflow."""
    with np.errstate(over="ignore", invalid="ignore"):
        return [(view, view.learn(first, second)) for view in views]


def learned(views: list[View], first: Outputs, second: Outputs) -> Scored:
    """Do the same, and refuse outputs that no view can read.

    Raises
    ------
    PrivcheckError : outputs that have no parts in which they could differ.
    """
    scores = learn(views, first, second)
    if not scores:  # say, the successive differences of a stream of one round
        got = words("outputs without parts, such as empty arrays")
        raise PrivcheckError("output", got, "outputs that can differ", "return what an observer sees")
    return scores
