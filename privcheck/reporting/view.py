"""Which part of a witness is shown: long or wide streams are cut to what surrounds the changed rounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from privcheck.auditing.report import AuditReport


class TwoStreams(Protocol):
    """Two reward tables, shape (T, K), and the rounds in which they differ, counted from 1."""

    @property
    def first(self) -> np.ndarray: ...
    @property
    def second(self) -> np.ndarray: ...
    @property
    def rounds(self) -> tuple[int, ...]: ...


@dataclass(frozen=True)
class View:
    """The rounds and arms of a witness that are shown.

    Parameters
    ----------
    start, stop : rounds counted from 0, `stop` excluded.
    arms : arms shown, in order.
    changed : changed rounds within the view, counted from 0.
    omitted : in words, what is not shown; empty when nothing is left out.

    """

    start: int
    stop: int
    arms: tuple[int, ...]
    changed: tuple[int, ...]
    omitted: str


def view(witness: TwoStreams, most_rounds: int, most_arms: int) -> View:
    """Return the view of at most so many rounds, around the first that changed, and arms, those that changed first.

    >>> from privcheck.reporting.examples import VIOLATION
    >>> view(VIOLATION.witness, 4, 2)
    View(start=0, stop=4, arms=(0, 1), changed=(2,), omitted='rounds 1-4 of 8, 2 of 4 arms')
    """
    horizon, arms = witness.first.shape
    start, stop = 0, horizon
    if horizon > most_rounds:
        start = min(max(0, witness.rounds[0] - 1 - most_rounds // 2), horizon - most_rounds)
        stop = start + most_rounds
    differing = (witness.first != witness.second)[start:stop].any(axis=0)
    shown = tuple(sorted(int(arm) for arm in np.argsort(~differing, kind="stable")[:most_arms]))
    changed = tuple(number - 1 for number in witness.rounds if start < number <= stop)
    omitted = [f"rounds {start + 1}-{stop} of {horizon}"] if horizon > most_rounds else []
    omitted += [f"{most_arms} of {arms} arms"] if arms > most_arms else []
    outside = len(witness.rounds) - len(changed)
    omitted += [f"{outside} changed round{'s' * (outside != 1)} outside"] if outside else []
    return View(start, stop, shown, changed, ", ".join(omitted))


def levels(rewards: tuple[float, float], table: np.ndarray, shown: View) -> np.ndarray:
    """Return the shown rewards, shape (arms, rounds), as shares of the way from the lowest to the highest reward."""
    low, high = rewards
    part = np.asarray(table, dtype=float)[shown.start : shown.stop, list(shown.arms)].T
    return np.clip((part - low) / (high - low), 0.0, 1.0)


def text_streams(report: AuditReport) -> str:
    """Return the two streams of the witness as characters: arms below one another, rounds from left to right.

    >>> from privcheck.reporting.examples import VIOLATION
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
    return "" if report.witness is None else characters(report.witness, report.rewards)


def characters(streams: TwoStreams, rewards: tuple[float, float]) -> str:
    """Return two streams as characters."""
    from privcheck.reporting.sentences import rounds_text

    shown = view(streams, 64, 12)
    low, high = rewards
    marks = "".join("v" if t in shown.changed else " " for t in range(shown.start, shown.stop)).rstrip()
    lines = [f"{'':14}{marks} {rounds_text(streams)}"]
    between = False
    for name, table in (("first", streams.first), ("second", streams.second)):
        for i, (arm, row) in enumerate(zip(shown.arms, levels(rewards, table, shown), strict=True)):
            cells = "".join(_symbol(level) for level in row)
            between = between or any(cell.isdigit() for cell in cells)
            lines.append(f"{name if i == 0 else '':7} arm {arm:<2}{cells}")
    legend = f". low ({low:g})  # high ({high:g})" + ("  1-9 tenths of the way" if between else "")
    lines.append(f"{'':14}{legend}")
    if shown.omitted:
        lines.append(f"{'':14}shown: {shown.omitted}")
    return "\n".join(lines)


def _symbol(level: float) -> str:
    if level in (0.0, 1.0):
        return "#" if level else "."
    return str(min(9, max(1, round(10 * level))))
