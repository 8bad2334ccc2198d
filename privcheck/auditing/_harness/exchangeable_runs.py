"""Whether the runs of one call are independent, tried on many small calls and, where runs are cheap, on large ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from privcheck.arrays import Array
from privcheck.inference import Departure, departures, exchangeability_p_value
from privcheck.targets import MISSING, Outputs, fitted

SUSPECT = 5.0
"""Standard score at which fresh runs are made to confirm a departure: rare enough to cost nothing on average."""

PERMUTATIONS = 199
CONFIRMATIONS = 3
"""A departure must be larger than in all permutations, on that many sets of fresh calls: by chance, this happens with
probability at most (1 / 200)^3 for each departure that is suspected.
"""

PRIORITY = ("shared", "repeated", "place", "balanced", "linked")
"""The kinds of departures, the most telling one first; each is confirmed at most once in each layout."""

FALSE_REFUSAL = 2 * len(PRIORITY) / (1 + PERMUTATIONS) ** CONFIRMATIONS
"""Probability, at most, with which independent runs are refused: two layouts with five kinds each."""


class Layout(NamedTuple):
    """Calls on each of two inputs, runs of a call, and columns of the outputs that are looked at."""

    calls: int
    runs: int
    columns: int


SMALL = Layout(30, 6, 64)
"""Few runs a call: what the runs of a call have in common shows in each."""

Calls = Callable[[int], list[list[Outputs]]]
"""Makes fresh calls of one layout, by the number of the attempt: a list of outputs for each input."""


def dependence(
    first: list[list[Outputs]], more: Calls, layout: Layout, seed: int, *, together: int | None = None
) -> tuple[str, str] | None:
    """Return the kind of dependence between runs of one call that was confirmed, and what shows it, in words.

    Parameters
    ----------
    first : outputs of the calls on each input; they say what to suspect.
    more : makes fresh calls, which confirm it.
    layout : how many.
    seed : of the permutations.
    together : calls in succession that are compared with each other alone, since others may have another law by then;
        None for all of them.

    Guarantee
    ---------
    For independent runs this is None, except with probability `FALSE_REFUSAL` / 2.
    """
    columns = Columns(first, layout.columns, together)
    suspected = {found.kind: found for found in departures(columns.read(first), SUSPECT)}
    rng = np.random.Generator(np.random.PCG64([seed, layout.runs]))
    for kind in PRIORITY:
        if kind in suspected and _confirmed(suspected[kind], columns, more, rng):
            return kind, columns.name(suspected[kind].column)
    return None


def _confirmed(departure: Departure, columns: Columns, more: Calls, rng: np.random.Generator) -> bool:
    attempt = 1 + CONFIRMATIONS * PRIORITY.index(departure.kind)
    return all(
        exchangeability_p_value(columns.read(more(attempt + number)), departure, rng, PERMUTATIONS)
        <= 1.0 / (1 + PERMUTATIONS)
        for number in range(CONFIRMATIONS)
    )


class Columns:
    """The columns of the outputs that vary, evenly chosen where they are many, and the sums of symbols and numbers."""

    def __init__(self, calls: list[list[Outputs]], most: int, together: int | None = None) -> None:
        self.together = together
        joined = Outputs.joined([part for of_input in calls for part in of_input])
        self.symbols, self.numbers = joined.symbols.shape[1], joined.numbers.shape[1]
        everything = _matrix(joined)
        varying = np.flatnonzero((everything != everything[:1]).any(axis=0))
        self.chosen = varying[np.unique(np.linspace(0, len(varying) - 1, min(most, len(varying))).astype(int))]

    def name(self, column: int) -> str:
        """Name the column of a departure."""
        if column < 0:
            return "whole outputs"
        column %= len(self.chosen) + (self.symbols > 1) + (self.numbers > 1)
        if column >= len(self.chosen):
            return "the sum of the parts of an output"
        return f"part {self.chosen[column] + 1} of the outputs"

    def read(self, calls: list[list[Outputs]]) -> Array:
        """Return the columns, shape (inputs, calls, runs, columns); calls that are not compared are other inputs."""
        joined = Outputs.joined([part for of_input in calls for part in of_input])
        rows = _matrix(
            Outputs(fitted(joined.symbols, self.symbols, MISSING), fitted(joined.numbers, self.numbers, np.nan))
        )
        finite = np.nan_to_num(rows, neginf=0.0, posinf=0.0)
        sums = [
            (part / part.shape[1]).sum(axis=1)  # of shares, which cannot overflow
            for part in (finite[:, : self.symbols], finite[:, self.symbols :])
            if part.shape[1] > 1
        ]
        shown = np.column_stack([rows[:, self.chosen], *sums])
        found = shown.reshape(len(calls), len(calls[0]), len(calls[0][0]), shown.shape[1])
        if self.together is None or len(calls[0]) < 2 * self.together:
            return found
        groups = len(calls[0]) // self.together
        kept = found[:, : groups * self.together]
        return kept.reshape(len(calls) * groups, self.together, *found.shape[2:])


def _matrix(outputs: Outputs) -> Array:
    """Return all parts of outputs, symbols first; NaN, a part that is missing, is the least number."""
    numbers: npt.NDArray[np.float64] = np.where(np.isnan(outputs.numbers), -np.inf, outputs.numbers)
    return np.column_stack([outputs.symbols.astype(np.float64), numbers])
