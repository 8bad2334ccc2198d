"""Views, the ways of reading the outputs of runs: what a score is learned from, and how an event is put into words."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from privcheck.arrays import Array, Symbols
from privcheck.auditing._scoring.prefix import PrefixScore, distinct_rows
from privcheck.auditing._scoring.sequences import MOST_SEQUENCES, Sequences
from privcheck.targets import Outputs, Sides, StreamPair


class Score(Protocol):
    """A number for every run; a positive score is evidence for the first stream."""

    def __call__(self, values: Any, /) -> Array:
        """Return the score of each row of what the view reads, shape (n,)."""


class View(Protocol):
    """A way of reading outputs, with a way of learning a score from what it reads."""

    @property
    def name(self) -> str:
        """What is read, in words."""

    def learn(self, first: Outputs, second: Outputs) -> Score:
        """Learn a score from training runs on the two streams."""

    def scores(self, score: Score, outputs: Outputs) -> Array:
        """Return the score of each run."""

    def words(self, event: ScoreEvent, shown: Shown) -> str:
        """Describe the event in words, with its shares of the runs on the two streams."""


@dataclass(frozen=True)
class Shown:
    """How often an event was seen.

    Parameters
    ----------
    first, second : runs on each stream in which it was seen.
    runs : runs on each stream.
    sequences : the distinct sequences that were read; None if they are too many, or if numbers were read.
    """

    first: int
    second: int
    runs: int
    sequences: Sequences | None = None


class ViewMaker(Protocol):
    """A function that returns the views of one kind of target."""

    def __call__(self, pair: StreamPair, sides: Sides, *, thorough: bool) -> list[View]:
        """Return the views of a pair's runs; `sides` are training runs, which show what there is to read."""


class ScoreEvent(Protocol):
    """What a view needs to know about an event to put it into words."""

    @property
    def score(self) -> Score:
        """The score behind it."""

    @property
    def threshold(self) -> float:
        """The event is a score of at least this, or with `reverse` of at most this."""

    @property
    def reverse(self) -> bool:
        """Whether it is more likely on the second stream."""


@dataclass(frozen=True)
class SequenceView:
    """A run as a sequence of symbols, scored by the counts of its prefixes, so that the symbols in front count most.

    Parameters
    ----------
    name : in words.
    common : how many leading symbols are known to have the same law on both streams.
    read : maps outputs to symbols (runs, D), integers.
    describe : spells out the beginning of such a sequence.

    """

    name: str
    common: int
    read: Callable[[Outputs], Symbols]
    describe: Callable[[tuple[int, ...]], str]

    def learn(self, first: Outputs, second: Outputs) -> PrefixScore:
        """Count prefixes."""
        (one, of_one), (two, of_two) = self._distinct(first), self._distinct(second)
        return PrefixScore(one, two, self.common, (np.bincount(of_one), np.bincount(of_two)))

    def scores(self, score: Score, outputs: Outputs) -> Array:
        """Score each distinct sequence once."""
        rows, kind = self._distinct(outputs)
        return np.asarray(score(rows)[kind], np.float64)

    def sequences(self, first: Outputs, second: Outputs) -> Sequences | None:
        """Return the distinct sequences of runs on the two streams; None if they are too many."""
        (one, of_one), (two, of_two) = self._distinct(first), self._distinct(second)
        counts = np.bincount(of_one, minlength=len(one)), np.bincount(of_two, minlength=len(two))
        none = np.zeros(len(one), np.int64), np.zeros(len(two), np.int64)
        if max(len(one), len(two)) > MOST_SEQUENCES:
            return None
        return Sequences.total(
            [
                Sequences(one, np.stack([counts[0], none[0]], axis=1)),
                Sequences(two, np.stack([none[1], counts[1]], axis=1)),
            ]
        )

    def _distinct(self, outputs: Outputs) -> tuple[Symbols, npt.NDArray[np.intp]]:
        """Return the distinct sequences, and for each run the number of its own, found once.

        Of runs without numbers, only the distinct ones are read: all views share these, and they are often few.
        """
        if id(self) not in outputs.memo:
            runs, of_run = distinct_runs(outputs)
            symbols = self.read(runs)
            if symbols is runs.symbols and of_run is not None:  # all of it is read, of runs that are distinct
                outputs.memo[id(self)] = symbols, of_run, self  # kept alive, so that the id stays unique
            else:
                kept, kind = distinct_rows(symbols)
                outputs.memo[id(self)] = symbols[kept], kind if of_run is None else kind[of_run], self
        rows, number, _ = outputs.memo[id(self)]
        return rows, number

    def words(self, event: ScoreEvent, shown: Shown) -> str:
        """Spell out the shortest beginnings that make up the event, the most frequent ones first."""
        if shown.sequences is None:
            many = f"of more than {MOST_SEQUENCES:,} sequences"
            return f"a learned score of the {self.name} is past its threshold ({many})"
        rows = shown.sequences.rows
        scores = event.score(rows)
        inside = scores <= event.threshold if event.reverse else scores >= event.threshold
        parts = sorted(_beginnings(rows, inside, shown.sequences.counts), key=lambda part: -part[1].max())
        lines = [
            f"{self.describe(symbols)} ({100 * k / shown.runs:.3g} % vs {100 * l / shown.runs:.3g} %)"
            for symbols, (k, l) in parts[:SHOWN]
        ]
        rest = len(parts) - len(lines)
        more = f"; or {'a rarer one' if rest == 1 else f'one of {rest} rarer ones'}" if rest else ""
        return "; or ".join(lines) + more


DISTINCT = "distinct"
"""The name under which it is remembered which runs are distinct."""


def distinct_runs(outputs: Outputs) -> tuple[Outputs, npt.NDArray[np.intp] | None]:
    """Return the distinct runs, and for each run the number of its own; all runs, and None, if they have numbers."""
    if outputs.numbers.shape[1]:
        return outputs, None
    if DISTINCT not in outputs.memo:
        kept, kind = distinct_rows(outputs.symbols)
        outputs.memo[DISTINCT] = Outputs.of_symbols(outputs.symbols[kept]), kind
    found: tuple[Outputs, npt.NDArray[np.intp]] = outputs.memo[DISTINCT]
    return found


SHOWN = 4
"""Beginnings of runs that are spelled out, so that an event fits into a few lines."""


def _beginnings(rows: Symbols, inside: npt.NDArray[np.bool_], counts: Symbols) -> list[tuple[tuple[int, ...], Symbols]]:
    """Return the shortest beginnings whose observed continuations are all in the event, each with its two counts."""
    parts = []
    open_groups = [(np.arange(len(rows)), 0)]
    while open_groups:
        group, depth = open_groups.pop()
        if inside[group].all():
            parts.append((tuple(int(symbol) for symbol in rows[group[0], :depth]), counts[group].sum(axis=0)))
        elif inside[group].any():
            symbols = rows[group, depth]
            open_groups += [(group[symbols == symbol], depth + 1) for symbol in np.unique(symbols)]
    return parts


@dataclass(frozen=True)
class NumberView:
    """A run as real numbers, scored by a function that is learned from training runs.

    Parameters
    ----------
    name : of the score, in words, such as "output 0" or "|output 0 - its median|", or of what a score is learned from.
    read : maps outputs to an array with one row (or number) per run.
    learner : takes what was read from the training runs on each stream, and returns the score.
    plain : whether the score is a number that a reader can interpret, rather than a learned score.

    """

    name: str
    read: Callable[[Outputs], Any]
    learner: Callable[[Any, Any], Score]
    plain: bool = False

    def learn(self, first: Outputs, second: Outputs) -> Score:
        """Learn a score from what is read from the training runs."""
        return self.learner(self.read(first), self.read(second))

    def scores(self, score: Score, outputs: Outputs) -> Array:
        """Score each run."""
        return score(self.read(outputs))

    def words(self, event: ScoreEvent, shown: Shown) -> str:
        """Say on which side of the threshold the event lies."""
        shares = " vs ".join(f"{100 * (hits / shown.runs):.3g} %" for hits in (shown.first, shown.second))
        what = self.name if self.plain else f"a learned score of {getattr(event.score, 'described', self.name)}"
        sign = getattr(event.score, "sign", 1.0)
        side = "most" if event.reverse == (sign > 0.0) else "least"
        if event.threshold == -math.inf and event.reverse:
            return f"{what} is {'-inf' if sign > 0.0 else 'inf'} or NaN ({shares})"  # both score minus infinity
        if event.threshold == math.inf and not event.reverse and self.plain:
            return f"{what} is {'inf' if sign > 0.0 else '-inf, NaN or not there'} ({shares})"
        return f"{what} is at {side} {sign * event.threshold:.6g} ({shares})"
