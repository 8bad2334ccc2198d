"""The time of a look at steps: of the processor, so that what it finds does not hang on what else the machine does."""

from __future__ import annotations

import math
import time

from privcheck.auditing._costs import Stopwatch


class LookTime:
    """Seconds of the processor that a look may take, of the clock where the target waits, and when it ends at last.

    Parameters
    ----------
    seconds : that are planned with, from now on; infinite if numbers of runs are given.
    ends : `time.monotonic()` after which nothing is begun, whatever time other programs took.
    """

    def __init__(self, seconds: float = math.inf, ends: float = math.inf) -> None:
        self.seconds, self.ends = seconds, ends
        self._watch, self._begun = Stopwatch(), time.monotonic()

    def left(self, runs: int) -> float:
        """Return the seconds that are left; fewer if the clock would end the look before.

        Parameters
        ----------
        runs : of the target that were played: one that gave up the processor so often waits.
        """
        if self.seconds == math.inf:
            return math.inf
        now = time.monotonic()
        used, passed = self._watch.seconds(max(1, runs)), now - self._begun
        share = 1.0 if passed < LEAST_MEASURED else min(1.0, used / passed)
        return min(self.seconds - used, share * (self.ends - now))

    @property
    def is_over(self) -> bool:
        """Whether nothing more is to be begun."""
        return time.monotonic() > self.ends

    def part(self, share: float, runs: int = 0) -> LookTime:
        """Return a share of what is left."""
        now = time.monotonic()
        return LookTime(
            share * self.left(runs), self.ends if self.ends == math.inf else now + share * (self.ends - now)
        )

    def extend(self, seconds: float) -> None:
        """Let it end so many seconds from now at the earliest."""
        self.ends = max(self.ends, time.monotonic() + seconds)


LEAST_MEASURED = 0.5
"""Seconds after which the share of the processor that a look is given is known."""
