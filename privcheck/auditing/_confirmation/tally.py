"""What counted runs show, in numbers that add up: a chunk is counted where it is played, and its runs forgotten."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from privcheck.arrays import Array, Bools, Codes, Integers
from privcheck.auditing._events.event import Counts, Event, scores_of
from privcheck.auditing._scoring.sequences import Sequences
from privcheck.auditing._scoring.view import SequenceView, View
from privcheck.inference import at_least, counted_pairs
from privcheck.scheduling import Arrays, Form
from privcheck.targets import CODED, MISSING, Outputs, Sides, padded


@dataclass(frozen=True, eq=False)
class Tally:
    """The counts of a number of pairs of runs, one on each stream.

    Parameters
    ----------
    runs : the number of pairs.
    counts : of each event.
    sequences : for each event, the distinct sequences that were read, if they are few and it is read from sequences.
    at_least : runs on each stream with a score of at least each threshold of the trade-off region, shape
        (2, thresholds).
    usual : runs, of both streams together, that put out what was the most common before they were counted.
    blocks, lengths, begin : counts by block of pairs for bets, the pairs in each, and the number of the first block.
    names : what symbols stand for.
    """

    runs: int
    counts: tuple[Counts, ...]
    sequences: tuple[Sequences | None, ...]
    at_least: Integers
    usual: int
    blocks: Integers
    lengths: Integers
    begin: int
    names: dict[int, str] = field(default_factory=dict)

    @property
    def common(self) -> float:
        """The share of the runs that put out what was the most common before they were counted."""
        return self.usual / (2 * self.runs)

    @classmethod
    def total(cls, parts: Sequence[Tally]) -> Tally:
        """Return the counts of all parts together, at least one; neither their order nor how they were cut matters."""
        begin = min(part.begin for part in parts)
        end = max(part.begin + len(part.lengths) for part in parts)
        blocks = np.zeros((end - begin, *parts[0].blocks.shape[1:]), np.int64)
        lengths = np.zeros(end - begin, np.int64)
        for part in parts:
            where = slice(part.begin - begin, part.begin - begin + len(part.lengths))
            blocks[where] += part.blocks
            lengths[where] += part.lengths
        of_events = zip(*(part.counts for part in parts), strict=True)
        return cls(
            runs=sum(part.runs for part in parts),
            counts=tuple(Counts(*(sum(each) for each in zip(*same, strict=True))) for same in of_events),
            sequences=tuple(Sequences.total(same) for same in zip(*(part.sequences for part in parts), strict=True)),
            at_least=np.sum([part.at_least for part in parts], axis=0),
            usual=sum(part.usual for part in parts),
            blocks=blocks,
            lengths=lengths,
            begin=begin,
            names={code: name for part in parts for code, name in part.names.items()},
        )


@dataclass(frozen=True)
class Counter:
    """Counts runs; everything in it was fixed before the first of them.

    Parameters
    ----------
    events : the events that are counted.
    bets : how many of them, from the first on, are bet on.
    main : the event whose score has the trade-off region.
    thresholds : those of the trade-off region.
    usual : one run, the most common output of the runs before.
    hidden : the rounds that an observer does not see.
    """

    events: tuple[Event, ...]
    bets: int
    main: Event
    thresholds: Array
    usual: Outputs
    hidden: tuple[int, ...] = ()

    def __call__(self, sides: Sides, before: int = 0) -> Tally:
        """Return the counts of runs in their order, `before` of which came before them on each stream."""
        codes = [[event.codes(side) for side in sides] for event in self.events]
        read = {id(view): _sequences(view, sides) for view in (event.view for event in self.events)}
        return Tally(
            len(sides[0]),
            tuple(event.of_codes(*pair) for event, pair in zip(self.events, codes, strict=True)),
            tuple(read[id(event.view)] for event in self.events),
            np.stack([at_least(oriented(self.main, side), self.thresholds) for side in sides]),
            sum(int(alike_runs(self.usual, side, self.hidden).sum()) for side in sides),
            *counted_pairs(*side_by_side(self.events[: self.bets], codes[: self.bets]), before),
            sides[0].names | sides[1].names,
        )


def side_by_side(events: Sequence[Event], codes: Sequence[Sequence[Codes]]) -> tuple[Codes, Codes]:
    """Return the codes of runs as bets take them, shape (runs, events).

    Parameters
    ----------
    events : the events.
    codes : for each of them, the codes of the runs on the first and on the second stream.

    Returns
    -------
    Those on the stream on which each event is likelier, and those on the other.
    """
    likelier = [pair[::-1] if event.reverse else pair for event, pair in zip(events, codes, strict=True)]
    return np.stack([one for one, _ in likelier], axis=1), np.stack([two for _, two in likelier], axis=1)


def _sequences(view: View, sides: Sides) -> Sequences | None:
    return view.sequences(*sides) if isinstance(view, SequenceView) else None


def oriented(event: Event, outputs: Outputs) -> Array:
    """Return the event's scores, all finite; high scores are evidence for the first stream."""
    scores = scores_of(event.view, event.score, outputs)
    return np.nan_to_num(scores, nan=-np.inf, neginf=-np.finfo(float).max, posinf=np.finfo(float).max)


def usual_output(sides: Sides) -> Outputs:
    """Return as one run the median of each part of the outputs: the most common output, if more than half are the same.

    >>> usual_output((Outputs.of_symbols(np.array([[1, 0], [1, 3]])), Outputs.of_symbols(np.array([[1, 0]])))).symbols
    array([[1, 0]])
    """
    runs = Outputs.joined(sides)
    middle = len(runs) // 2
    return Outputs(
        np.partition(runs.symbols, middle, axis=0)[[middle]], np.partition(runs.numbers, middle, axis=0)[[middle]]
    )


MOST_COMPARED = 100_000
"""Runs on each stream whose texts are compared with those of the others, to bound the time."""


def share_with_texts_of_their_own(sides: Sides) -> float:
    """Return the share of the runs that put out, in some part, a text that no other run has there.

    Texts are compared as wholes, and so are keys, nestings and integers beyond 2^62, which have codes as well: where
    most are new, what they say is not read.

    >>> from privcheck.targets._output_parts import outputs_of
    >>> share_with_texts_of_their_own((outputs_of(["0.51", "a", "a"]), outputs_of(["0.73"])))
    0.5
    """
    few = padded([side.symbols[:MOST_COMPARED] for side in sides], MISSING)
    if few[0].dtype != np.int64 or few[1].dtype != np.int64:  # actions
        return 0.0
    symbols = np.concatenate(few)
    alone = np.zeros(len(symbols), bool)
    for column in symbols.T:
        coded = (column <= CODED) & (column != MISSING)
        if coded.any():
            _, place, times = np.unique(column, return_inverse=True, return_counts=True)
            alone |= coded & (times[place] == 1)
    return float(alone.mean())


def alike_runs(usual: Outputs, runs: Outputs, hidden: Sequence[int] = ()) -> Bools:
    """Tell which runs put out the same as the usual one, hidden symbols aside.

    >>> alike_runs(Outputs.of_symbols(np.array([[1, 0]])), Outputs.of_symbols(np.array([[1, 0], [2, 0]])), [0]).tolist()
    [True, True]
    """
    same = np.ones(len(runs), bool)
    symbols = padded([usual.symbols, runs.symbols], MISSING)
    numbers = padded([usual.numbers, runs.numbers], np.nan)
    for place in range(symbols[0].shape[1]):
        if place not in hidden:
            same &= symbols[1][:, place] == symbols[0][0, place]
    for place in range(numbers[0].shape[1]):
        one, each = numbers[0][0, place], numbers[1][:, place]
        same &= (each == one) | ((each != each) & (one != one))
    return same


def _as_arrays(tally: Tally) -> Arrays:
    found: Arrays = {
        "numbers": np.array([tally.runs, tally.usual, tally.begin]),
        "counts": np.array(tally.counts),
        "at_least": tally.at_least,
        "blocks": tally.blocks,
        "lengths": tally.lengths,
        "names": np.frombuffer(json.dumps(list(tally.names.items())).encode(), np.uint8),
    }
    for place, sequences in enumerate(tally.sequences):
        if sequences is not None:
            found |= {f"{place}.rows": sequences.rows, f"{place}.counts": sequences.counts}
    return found


def _from_arrays(arrays: Arrays) -> Tally:
    runs, usual, begin = arrays["numbers"].tolist()
    counts = tuple(Counts(*each) for each in arrays["counts"].tolist())
    sequences = tuple(
        Sequences(arrays[f"{place}.rows"], arrays[f"{place}.counts"]) if f"{place}.rows" in arrays else None
        for place in range(len(counts))
    )
    names = dict(json.loads(arrays["names"].tobytes()))
    at_least, blocks, lengths = (arrays[name] for name in ("at_least", "blocks", "lengths"))
    return Tally(runs, counts, sequences, at_least, usual, blocks, lengths, begin, names)


TALLY_FORM: Form[Tally] = Form(_as_arrays, _from_arrays)
"""How counts are kept in a store."""
