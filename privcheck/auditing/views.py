"""Ways of reading a run's actions as a sequence of symbols, for scores to learn from and for people to read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import numpy.typing as npt

Sequences = npt.NDArray[np.integer]

SPELLED_COUNTS = 2
"""Counts of pulls that are spelled out; finer ones are only counted."""


@dataclass(frozen=True)
class View:
    """A way of reading a run as a sequence of symbols, the most telling first.

    Parameters
    ----------
    name : in words.
    common : how many leading symbols are known to have the same law on both streams.
    read : maps actions (runs, T) to symbols (runs, D), non-negative integers.
    describe : spells out the beginning of such a sequence.

    """

    name: str
    common: int
    read: Callable[[Sequences], Sequences]
    describe: Callable[[tuple[int, ...]], str]


def views(arms: int, horizon: int, changed: int) -> list[View]:
    """Return the views: the actions in order, and how often each arm was played after the change, coarse to fine.

    Parameters
    ----------
    arms, horizon : K and T.
    changed : the first 0-based round in which the two streams differ; actions up to it have the same law.

    """
    start = changed + 1
    windows = [(arm, stop) for stop in _stops(start, horizon) for arm in range(arms - 1)]
    labels = [
        f"arm {arm} in round {stop}" if stop == start + 1 else f"arm {arm} in rounds {start + 1} to {stop}"
        for arm, stop in windows
    ]

    def counts(actions: Sequences) -> Sequences:
        columns = [np.count_nonzero(actions[:, start:stop] == arm, axis=1) for arm, stop in windows]
        return np.stack(columns, axis=1)

    def counts_in_words(symbols: tuple[int, ...]) -> str:
        spelled = [f"{label}: {n}" for label, n in zip(labels[:SPELLED_COUNTS], symbols, strict=False)]
        more = f" (and {len(symbols) - len(spelled)} finer counts)" if len(symbols) > len(spelled) else ""
        return "pulls of " + ", of ".join(spelled) + more

    everything = View("actions", start, lambda actions: actions, actions_in_words)
    return [everything, View("pulls of each arm", 0, counts, counts_in_words)] if windows else [everything]


def _stops(start: int, horizon: int) -> list[int]:
    """Return where the counted windows end: the horizon, then halves, quarters and eighths of the rest."""
    after = horizon - start
    stops = [horizon] if after else []
    for parts in (2, 4, 8):
        stops += [start + after * i // parts for i in range(1, parts, 2) if after >= parts]
    return stops


def actions_in_words(symbols: tuple[int, ...]) -> str:
    """Spell out a beginning of a run, repeated arms as a product.

    >>> actions_in_words((0, 1, 1, 0))
    'the actions begin 0, 1 x 2, 0'
    """
    if not symbols:
        return "every run"
    spelled = [(arm, len(list(group))) for arm, group in groupby(symbols)]
    return "the actions begin " + ", ".join(f"{arm} x {n}" if n > 1 else f"{arm}" for arm, n in spelled)
