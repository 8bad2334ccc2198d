"""Reads of private numbers whose results were the same for all data, but for other released numbers may not be.

With the noisy number n, `n + 0.001 * reward > 0.5` is the same for all rewards unless n is close to 0.5, which may not
happen in any run that is seen. But if it held in one run and failed in another, there are numbers in between.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from privcheck.arrays import Array
from privcheck.private_values._leaks import own_spot

Spot = tuple[str, int, str]
"""A line, an instruction in its function, and what reads there."""

MOST_ENTRIES = 1024
"""Entries of an array that are looked at, to bound the time."""

LEAST_NUMBERS = 6
"""Least number of places, none of them whole, that a line was seen with: fewer may be constants of the code."""

SEVERAL = 2
"""Places at which a result depended on data from which on the code was seen with what is between."""


@dataclass
class Seen:
    """What was seen of one entry at one line.

    Parameters
    ----------
    results : those that were the same for all data.
    numbers : where what was read lay, as far as these are no whole numbers: counts pass over what is between.
    depends : where it lay when a result depended on data.
    """

    results: set[float] = field(default_factory=set)
    numbers: set[float] = field(default_factory=set)
    depends: set[float] = field(default_factory=set)

    @property
    def is_crossed(self) -> bool:
        """Whether the results differed between numbers that are no constants, and hardly one depended on data."""
        return len(self.results) > 1 and len(self.numbers) >= LEAST_NUMBERS and len(self.depends) < SEVERAL


class DecidedReads:
    """What was seen of reads of private numbers, by line, instruction, operation and entry.

    >>> reads = DecidedReads()
    >>> for number in (0.25, 0.5, 3.75, -0.125, 1.5, 2.25):
    ...     reads.note("<", np.array([number]), np.array([np.sign(number - 1.0)]))
    >>> len(reads.between())
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
            else:
                seen.results.add(result)
                if abs(number - round(number)) > 1e-9 and len(seen.numbers) < LEAST_NUMBERS:
                    seen.numbers.add(number)

    def between(self, *others: DecidedReads) -> list[str]:
        """Return the lines whose results differed, in this run and others, were the same for all data, and need not be.

        They differed for numbers of which those in between give another result to other data.
        """
        together: dict[tuple[Spot, int], Seen] = {}
        for run in (self, *others):
            for key, seen in run.seen.items():
                found = together.setdefault(key, Seen())
                found.results |= seen.results
                found.numbers |= seen.numbers
                found.depends |= seen.depends
        return list(dict.fromkeys(place for ((place, *_), _), seen in together.items() if seen.is_crossed))
