"""The confirmation: one pair of streams, fresh runs, three folds, one lower limit."""

from __future__ import annotations

from dataclasses import dataclass

from privcheck.auditing.events import Event, choose, learn
from privcheck.auditing.inference.approximate import delta_lower, epsilon_lower
from privcheck.auditing.limits import clopper_pearson_lower, conditional_binomial_lower
from privcheck.auditing.outputs import Outputs
from privcheck.auditing.scoring.view import ViewMaker
from privcheck.auditing.streams import StreamPair

LEARNING_SHARE = 0.2
CHOOSING_SHARE = 0.2


@dataclass(frozen=True)
class CountedEvent:
    """An event with its counts in the same number of runs on each stream."""

    event: Event
    more: int
    less: int


@dataclass(frozen=True)
class Evidence:
    """Counts of a few events, chosen before any of the counted runs was looked at.

    Every limit is corrected for the number of events, so that with probability at least 1 - level it is below the true
    log-ratio of each of them, hence below epsilon.
    """

    counted: list[CountedEvent]
    runs: int
    delta: float

    def limit(self, more: int, less: int, level: float) -> float:
        """Return the limit of an event seen so often: conditional binomial, or Berger-Boos for delta > 0."""
        each = level / len(self.counted)
        if self.delta > 0.0:
            return epsilon_lower(more, less, self.runs, self.delta, each)
        return conditional_binomial_lower(more, less, each)

    def lower(self, level: float) -> tuple[float, CountedEvent]:
        """Return the largest lower limit of epsilon, and its event."""
        return max(((self.limit(c.more, c.less, level), c) for c in self.counted), key=lambda pair: pair[0])

    def delta_lower(self, epsilon: float, level: float) -> float:
        """Return the largest lower limit of delta given epsilon."""
        each = level / len(self.counted)
        return max(delta_lower(c.more, c.less, self.runs, epsilon, each) for c in self.counted)

    def clopper_pearson_lower(self, level: float) -> float:
        """Return the largest lower limit by two Clopper-Pearson limits, the textbook method."""
        each = level / len(self.counted)
        return max(clopper_pearson_lower(c.more, c.less, self.runs, each, self.delta) for c in self.counted)


def folds(runs: int) -> tuple[slice, slice, slice]:
    """Split runs into those to learn scores from, to choose events on, and to count.

    >>> folds(1000)
    (slice(0, 200, None), slice(200, 400, None), slice(400, 1000, None))
    """
    learning, choosing = int(runs * LEARNING_SHARE), int(runs * (LEARNING_SHARE + CHOOSING_SHARE))
    return slice(0, learning), slice(learning, choosing), slice(choosing, runs)


def gather(pair: StreamPair, first: Outputs, second: Outputs, level: float, delta: float, views: ViewMaker) -> Evidence:
    """Learn, choose and count on three disjoint folds of the runs (n, T) on each stream.

    Parameters
    ----------
    pair : the two streams.
    first, second : outputs on each, from independent seeds, not used for anything else.
    level : error probability that the choice of events has in mind.
    delta : of the claim.
    views : how outputs are read.

    """
    learning, choosing, counting = folds(len(first))
    scores = learn(views(pair, first[learning], thorough=True), first[learning], second[learning])
    counting_runs = counting.stop - counting.start
    events = choose(scores, first[choosing], second[choosing], counting_runs, level, delta)
    counted = [CountedEvent(event, *event.counts(first[counting], second[counting])) for event in events]
    return Evidence(counted, counting_runs, delta)
