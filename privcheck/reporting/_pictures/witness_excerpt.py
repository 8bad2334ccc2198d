"""Which part of a witness is shown: long or wide streams are cut to what surrounds the changed rounds."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np

from privcheck.feedback import FEEDBACKS
from privcheck.results import AuditReport, Certificate


class TwoStreams(Protocol):
    """Two tables, shape (T, K) or with further columns for contexts, and the rounds that differ, counted from 1."""

    @property
    def first(self) -> np.ndarray: ...
    @property
    def second(self) -> np.ndarray: ...
    @property
    def rounds(self) -> tuple[int, ...]: ...


class Words(NamedTuple):
    """How the rows and the columns of a witness are called, and how many of the columns are arms.

    Parameters
    ----------
    row, column : "round" and "arm", or "row" and "column" of the data of a function.
    arms : K, if further columns are entries of contexts; None when all columns are alike.
    """

    row: str = "round"
    column: str = "arm"
    arms: int | None = None

    @property
    def of_data(self) -> bool:
        """Whether they are the words for the data of a function."""
        return self.row == "row"

    @property
    def one(self) -> str:
        """What one of the two inputs is called."""
        return self.said("stream")

    def said(self, text: str) -> str:
        """Return a sentence about streams, of inputs where data have no rounds.

        >>> OF_DATA.said("both streams"), OF_ROUNDS.said("both streams")
        ('both inputs', 'both streams')
        """
        return re.sub(r"\bstream(s?)\b", r"input\1", text) if self.of_data else text


OF_ROUNDS, OF_DATA = Words(), Words("row", "column")


def words_of(report: AuditReport | Certificate) -> Words:
    """Return the words for the streams of an audit or a certificate; those of a certificate show no contexts."""
    if report.feedback == "mechanism":
        return OF_DATA
    if isinstance(report, Certificate):
        return OF_ROUNDS
    return Words(arms=report.arms if report.feedback in FEEDBACKS.contextual else None)


def is_drawn(streams: TwoStreams) -> bool:
    """Tell whether there is anything to draw: inputs that are no arrays have tables without entries."""
    return bool(streams.first.size or streams.second.size)


def aligned(streams: TwoStreams) -> tuple[np.ndarray, np.ndarray]:
    """Return both tables with the same rows side by side: NaN stands for the row that only the other one has.

    >>> from privcheck.results._example_results import VIOLATION
    >>> first, second = aligned(VIOLATION.witness)
    >>> first.shape == second.shape
    True
    """
    first, second = np.asarray(streams.first, float), np.asarray(streams.second, float)
    if len(first) == len(second):
        return first, second
    place = streams.rounds[0] - 1
    longer, shorter = sorted((first, second), key=len, reverse=True)
    filled = np.full(longer.shape, np.nan)
    filled[:place], filled[place + 1 :] = longer[:place], longer[place + 1 :]  # the rows of the shorter one
    assert len(shorter) == len(longer) - 1
    return (first, filled) if len(first) > len(second) else (filled, second)


@dataclass(frozen=True)
class View:
    """The rounds and columns of a witness that are shown.

    Parameters
    ----------
    start, stop : rounds counted from 0, `stop` excluded.
    arms : columns shown, in order: arms, and after them contexts.
    changed : changed rounds within the view, counted from 0.
    omitted : in words, what is not shown; empty when nothing is left out.
    words : how rows and columns are called.
    count : K; further columns are entries of contexts.
    contexts : the ends between which contexts are drawn: the smallest and the largest entry on either stream, or -m and
        m with the largest magnitude m when there are entries of both signs; None without contexts.

    """

    start: int
    stop: int
    arms: tuple[int, ...]
    changed: tuple[int, ...]
    omitted: str
    words: Words = field(default=OF_ROUNDS, repr=False)
    count: int = field(default=0, repr=False)
    contexts: tuple[float, float] | None = field(default=None, repr=False)

    @property
    def names(self) -> list[str]:
        """Names of the columns shown: arms from 0, the entries x1, x2, ... of a context in C order.

        The only column of data has none.
        """
        if self.count == 1 and self.words.of_data:
            return [""]
        return [f"{self.words.column} {i}" if i < self.count else f"context x{i - self.count + 1}" for i in self.arms]


def view(witness: TwoStreams, most_rounds: int, most_arms: int, words: Words = OF_ROUNDS) -> View:
    """Return the view of at most `most_rounds` rounds around the first change, and of columns, changed ones first.

    >>> from privcheck.results._example_results import VIOLATION
    >>> view(VIOLATION.witness, 4, 2)
    View(start=0, stop=4, arms=(0, 1), changed=(2,), omitted='rounds 1-4 of 8, 2 of 4 arms')
    """
    one, two = aligned(witness)
    horizon, columns = one.shape
    arms = columns if words.arms is None else words.arms
    start, stop = 0, horizon
    if horizon > most_rounds:
        start = min(max(0, witness.rounds[0] - 1 - most_rounds // 2), horizon - most_rounds)
        stop = start + most_rounds
    differing = (one != two)[start:stop].any(axis=0)
    shown = tuple(sorted(int(arm) for arm in np.argsort(~differing, kind="stable")[:most_arms]))
    changed = tuple(number - 1 for number in witness.rounds if start < number <= stop)
    omitted = [f"{words.row}s {start + 1}-{stop} of {horizon}"] if horizon > most_rounds else []
    what = f"{words.column}s" if columns == arms else "arms and entries of contexts"
    omitted += [f"{most_arms} of {columns} {what}"] if columns > most_arms else []
    outside = len(witness.rounds) - len(changed)
    omitted += [f"{outside} changed {words.row}{'s' * (outside != 1)} outside"] if outside else []
    both = np.concatenate([one, two])[:, arms:]
    ends = _ends(both) if both.size else None
    return View(start, stop, shown, changed, ", ".join(omitted), words, arms, ends)


def _ends(entries: np.ndarray) -> tuple[float, float]:
    low, high = float(entries.min()), float(entries.max())
    return (-max(-low, high), max(-low, high)) if low < 0.0 < high else (low, high)


def levels(rewards: tuple[float, float], table: np.ndarray, shown: View) -> np.ndarray:
    """Return the shown columns, shape (columns, rounds), as shares of the way from the lowest to the highest number.

    Rewards lie between the ends of `ends_of`, contexts between those of the view.
    """
    part = np.asarray(table, dtype=float)[shown.start : shown.stop, list(shown.arms)].T
    ends = np.array([rewards if i < shown.count or not shown.contexts else shown.contexts for i in shown.arms])
    low, high = ends[:, :1], ends[:, 1:]
    shares: np.ndarray = np.clip((part - low) / np.where(high > low, high - low, 1.0), 0.0, 1.0)
    return shares


def ends_of(rewards: tuple[float, float], streams: TwoStreams, shown: View) -> tuple[float, float]:
    """Return the declared range, widened to the data of a function that were given and lie outside of it.

    >>> from privcheck.results._example_results import VIOLATION
    >>> ends_of((0.0, 0.5), VIOLATION.witness, view(VIOLATION.witness, 64, 12))
    (0.0, 1.0)
    """
    entries = np.concatenate(aligned(streams))[:, : shown.count]
    return float(np.nanmin(entries, initial=rewards[0])), float(np.nanmax(entries, initial=rewards[1]))


def text_streams(report: AuditReport) -> str:
    """Return the two streams of the witness as characters, rounds from left to right, below one another arms and
    entries of contexts.

    >>> from privcheck.results._example_results import VIOLATION
    >>> print(text_streams(VIOLATION))
                    v round 3
    first   arm 0 ########
            arm 1 ..#.....
            arm 2 ..#.....
            arm 3 ........
    second  arm 0 ##.#####
            arm 1 ........
            arm 2 ........
            arm 3 ..#.....
                  . low (0)  # high (1)
    """
    return "" if report.witness is None else characters(report.witness, report.rewards, words_of(report))


def characters(streams: TwoStreams, rewards: tuple[float, float], words: Words = OF_ROUNDS) -> str:
    """Return two streams as characters."""
    from privcheck.reporting._text.witness_sentences import rounds_text

    shown = view(streams, 64, 12, words)
    contexts, (low, high) = shown.contexts, ends_of(rewards, streams, shown)
    wide = max(6 * bool(shown.names[0]), *(len(name) + 1 for name in shown.names))
    left = " " * (8 + wide)
    marks = "".join("v" if t in shown.changed else " " for t in range(shown.start, shown.stop)).rstrip()
    lines = [f"{left}{marks} {rounds_text(streams, shown.words.row)}"]
    between = False
    for name, table in zip(("first", "second"), aligned(streams), strict=True):
        for i, (label, row) in enumerate(zip(shown.names, levels((low, high), table, shown), strict=True)):
            cells = "".join(_symbol(level) for level in row)
            between = between or any(cell.isdigit() for cell in cells)
            lines.append(f"{name if i == 0 else '':8}{label:{wide}}{cells}")
    legend = f". low ({low:g})  # high ({high:g})" + ("  1-9 tenths of the way" if between else "")
    lines.append(f"{left}{legend}")
    if contexts:
        lines.append(f"{left}contexts: . {contexts[0]:.3g}  # {contexts[1]:.3g}")
    if shown.omitted:
        lines.append(f"{left}shown: {shown.omitted}")
    return "\n".join(lines)


def _symbol(level: float) -> str:
    if level != level:
        return " "
    if level in (0.0, 1.0):
        return "#" if level else "."
    return str(min(9, max(1, round(10 * level))))
