"""Time that an audit needs, and what is said where its time budget is too short."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

ENOUGH_RUNS = 100
"""Runs per stream of an audit that can refute a claim: of 60 counted runs on each, a certain event shows 2.1 at level
.001.
"""


@dataclass(frozen=True)
class TimeNeeded:
    """What is known of the time of an audit before it is played, in seconds.

    Parameters
    ----------
    run : a run.
    least : the smallest audit: its check, its search among the fewest pairs, and the fewest runs.
    whole : the time budget of an audit that screens so many pairs, and counts as long.
    budget : the time budget that was given, or the usual one.
    pairs : all candidate pairs, or as many as were asked for.
    screened : those for which there is time.
    short : whether the search among them leaves time for the fewest runs only.
    """

    run: float
    least: float
    whole: float
    budget: float
    pairs: int
    screened: int
    short: bool

    @property
    def too_long(self) -> bool:
        """Whether not even the smallest audit fits into the time budget."""
        return self.least > self.budget

    @property
    def nothing_counted(self) -> str:
        """What is said where no run could be counted."""
        every = f"screens {self.pairs:,} candidate pairs" if self.pairs > 1 else "counts enough runs"
        return (
            f"no run was counted, so there is no lower bound: a run takes {_digits(self.run)} s, so that the smallest "
            f"audit takes about {rounded(self.least):,} s, and one that {every} needs a time budget of "
            f"{rounded(self.whole):,} s. A shorter horizon takes less, and so do streams of your own, alone or "
            "in nights of `privcheck watch`, whose evidence adds up"
        )

    def ended_by_the_clock(self, cap: float) -> str:
        """What is said where no run could be counted of an audit that would have fitted into its time budget.

        Parameters
        ----------
        cap : the multiple of the time budget at which the clock ended it.
        """
        return (
            f"no run was counted, so there is no lower bound: the audit ended at {cap:g} times its time budget by the "
            f"clock. It was planned for runs of {_digits(self.run)} s of the processor, as in the pilot: either other "
            "programs had the processor meanwhile, or later runs took longer. Ask again on an idle machine, or with a "
            f"time budget of more than {rounded(self.budget):,} s"
        )

    @property
    def too_many_pairs(self) -> str:
        """What is said where the pairs that were asked for leave no time for counted runs."""
        return (
            f"the search among {_pairs(self.screened)} leaves time for the fewest runs only: fewer pairs, or a time "
            f"budget of {rounded(self.whole):,} s, count more"
        )

    @property
    def remedy(self) -> str:
        """The time budget that is enough."""
        return f"a time budget of {rounded(self.whole):,} s screens all of them"


def time_needed(
    run: float, passed: float, budget: float, check: Callable[[int], int], course: Callable[[int, int], float],
    pairs: tuple[int, int, int], runs: tuple[int, int], share: float,
) -> TimeNeeded:  # fmt: skip
    """Return the time that an audit needs.

    Parameters
    ----------
    run : seconds of a run.
    passed : seconds since the audit began.
    budget : its time budget.
    check : the number of runs of the check, for a number of runs per stream.
    course : seconds of the search and the counted runs, for runs per stream and pairs.
    pairs : the fewest pairs, those that are screened, and all that are to be.
    runs : the fewest runs per stream, and those that were planned.
    share : of a time budget, for the search and the counted runs.
    """
    fewest, screened, every = pairs
    few, planned = runs
    least = passed + check(few) * run + course(few, fewest)
    twice = 2.0 * course(0, every) + course(ENOUGH_RUNS, 1)
    most = max(ENOUGH_RUNS, int(0.5 * twice / run))
    whole = passed + check(most) * run + twice / share
    return TimeNeeded(run, least, whole, budget, every, screened, planned <= few)


def rounded(seconds: float) -> int:
    """Return seconds of two significant digits, rounded up, so that a budget that is named is enough.

    >>> rounded(29_312.4), rounded(61.2), rounded(0.2)
    (30000, 62, 1)
    """
    unit: int = 10 ** max(0, math.floor(math.log10(max(1.0, seconds))) - 1)
    return math.ceil(seconds / unit) * unit


def _pairs(number: int) -> str:
    return f"{number:,} pair{'s' * (number != 1)}"


def _digits(seconds: float) -> str:
    """Return the time of a run with two significant digits."""
    return f"{seconds:.2g}"
