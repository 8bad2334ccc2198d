"""Reads of private numbers whose results were the same for all data, but for other released numbers may not be.

With the noisy number n, `n + 0.001 * reward > 0.5` is the same for all rewards unless n is close to 0.5, which may not
happen in any run that is seen. But if it held in one run and failed in another, there are numbers in between.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field

import numpy as np

from privcheck.arrays import Array
from privcheck.private_values._leaks import own_spot

Spot = tuple[str, int, str]
"""A line, an instruction in its function, and what reads there."""

MOST_ENTRIES = 1024
"""Entries of an array that are looked at, to bound the time."""

MOST_NUMBERS = 64
"""Numbers of an entry that are kept, for the same reason."""

LEAST_NUMBERS = 6
"""Least number of places that a line was seen with in some runs and not in others: fewer may be counts or constants."""

SEVERAL = 2
"""Places at which a result depended on data from which on the code was seen with what is between."""


@dataclass
class Seen:
    """What was seen of one entry at one line.

    Parameters
    ----------
    results : those that were the same for all data, by where what was read lay.
    depends : where it lay when a result depended on data.
    """

    results: dict[float, float] = field(default_factory=dict)
    depends: set[float] = field(default_factory=set)

    @classmethod
    def together(cls, runs: Sequence[Seen]) -> Seen:
        """Return what was seen in several runs."""
        results = {number: result for run in runs for number, result in run.results.items()}
        return cls(results, set().union(*(run.depends for run in runs)))

    def is_crossed(self, constants: Set[float]) -> bool:
        """Return whether the results differed between two numbers, others lie in between, and hardly one was seen.

        Whole numbers are taken to be multiples of what their differences have in common, as counts are.

        Parameters
        ----------
        constants : the numbers that were the same in all runs, as those of the code are.
        """
        if len(self.results) - len(constants) < LEAST_NUMBERS or len(self.depends) >= SEVERAL:
            return False
        pairs = list(itertools.pairwise(sorted(self.results)))
        gaps = [two - one for one, two in pairs]
        step = math.gcd(*map(int, gaps)) if all(number == round(number) for number in self.results) else 0
        return any(
            gap > step and self.results[one] != self.results[two] and not {one, two} <= constants
            for (one, two), gap in zip(pairs, gaps, strict=True)
        )


class DecidedReads:
    """What was seen of reads of private numbers, by line, instruction, operation and entry.

    >>> runs = DecidedReads(), DecidedReads()
    >>> for run, numbers in zip(runs, ((0.25, 3.5, -0.125), (0.5, 3.75, -2.0)), strict=True):
    ...     for number in numbers:
    ...         run.note("<", np.array([number]), np.array([np.sign(number - 1.0)]))
    >>> len(runs[0].between(runs[1]))
    1
    """

    def __init__(self) -> None:
        self.seen: dict[tuple[Spot, int], Seen] = {}

    def note(self, read: str, numbers: Array, results: Array, entries: Iterable[int] | None = None) -> None:
        """Take in reads of entries at the line of the policy's own code that runs.

        Parameters
        ----------
        read : what reads.
        numbers : shape (n,), where what was read lay, as by its lower end; those that are not finite are left out.
        results : shape (n,), the results, or what stands for them; NaN for one that depends on data.
        entries : which entries they are; None for 0, ..., n - 1.
        """
        if not np.isfinite(numbers).any():
            return
        spot, rows = (*own_spot(), read), range(len(numbers)) if entries is None else entries
        for entry, number, result in zip(rows, numbers[:MOST_ENTRIES].tolist(), results.tolist(), strict=False):
            if not np.isfinite(number):
                continue
            seen = self.seen.setdefault((spot, entry), Seen())
            if result != result:
                if len(seen.depends) < SEVERAL:
                    seen.depends.add(number)
            elif len(seen.results) < MOST_NUMBERS:
                seen.results[number] = result

    def between(self, *others: DecidedReads) -> list[str]:
        """Return the lines whose results differed, in this run and others, were the same for all data, and need not be.

        They differed for numbers of which those in between give another result to other data.
        """
        runs = [run.seen for run in (self, *others)]
        found: dict[str, None] = {}
        for key in dict.fromkeys(key for run in runs for key in run):
            seen = [run[key] for run in runs if key in run]
            constants = set.intersection(*(set(run.results) for run in seen)) if len(seen) > 1 else set()
            if Seen.together(seen).is_crossed(constants):
                (place, *_), _ = key
                found[place] = None
        return list(found)
