"""What an observer sees of runs, and whether it ever differs."""

from __future__ import annotations

from collections.abc import Mapping

from privcheck.auditing._scoring.view import SequenceView, ViewMaker
from privcheck.targets import RAISED, Outputs, Sides, StreamPair, alike


def exceptions_in(names: Mapping[int, str]) -> str:
    """Return the classes of the exceptions that runs raised, in a phrase; nothing if none did.

    >>> exceptions_in({1: "the exception ValueError", 2: "a", 3: "the exception KeyError"})
    'the exception KeyError or the exception ValueError'
    """
    return " or ".join(sorted({name for name in names.values() if name.startswith(RAISED)}))


def observed(views: ViewMaker, pair: StreamPair, sides: Sides) -> Sides:
    """Return what an observer sees of the runs: under joint privacy, without the actions of the rounds that differ."""
    for view in views(pair, sides, thorough=False):
        if isinstance(view, SequenceView):
            one, two = (Outputs(view.read(side), side.numbers) for side in sides)
            return one, two
    return sides


class Constancy:
    """Whether all runs so far look the same to an observer.

    Parameters
    ----------
    views : how outputs are read.

    """

    def __init__(self, views: ViewMaker) -> None:
        self.views = views
        self.within = True
        """Whether the runs of each pair all agree."""
        self.overall = True
        """Whether the runs of all pairs agree."""
        self._first: Outputs | None = None

    def add(self, pair: StreamPair, sides: Sides) -> None:
        """Look at the runs of a further pair."""
        if not self.within:
            return
        runs = Outputs.joined(alike(observed(self.views, pair, sides)))
        self._first = self._first or runs[:1]
        self.within = not runs.differs(Outputs.joined([runs[:1]] * len(runs))).any()
        self.overall = self.overall and self.within and not runs[:1].differs(self._first).any()
