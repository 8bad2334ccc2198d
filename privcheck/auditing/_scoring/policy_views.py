"""Views of the runs of a policy: the actions in order, how often each arm was played, its releases, and more."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from itertools import groupby

import numpy as np

from privcheck.arrays import Symbols
from privcheck.auditing._scoring.number_views import number_views, numbered
from privcheck.auditing._scoring.prefix import distinct_rows, order_of_beginnings
from privcheck.auditing._scoring.view import SequenceView, View
from privcheck.feedback import Feedback, Reading, kind
from privcheck.targets import Outputs, Sides, StreamPair

FEW_COURSES = 16
"""Courses of the actions before the change up to which no score disregards them: each has enough training runs."""

RUNS_OF_A_COURSE = 16
"""Training runs, on average, of each course of the actions in the first rounds from the change on."""

SPELLED_COUNTS = 2
"""Counts of pulls that are spelled out in a witness; of the finer ones, only the number is given."""

BEGIN = "the actions begin"
"""What stands before the actions that are spelled out."""

CHUNK = 1 << 12
"""Runs whose pulls are counted at a time, so that they stay in the processor's cache."""


def policy_views(
    pair: StreamPair, sides: Sides, *, arms: int, feedback: Feedback | str = "bandit", thorough: bool = False
) -> list[View]:
    """Return the views of a policy's runs.

    They read the actions in order; where those before the change take many courses, the actions from the change on;
    whatever else the kind of feedback shows, such as the stopping time and the recommendation; how often each arm was
    played after the change, from coarse to fine; and the released numbers.

    Parameters
    ----------
    pair : the two streams; actions up to the first round that differs have the same law on both.
    sides : training runs on each stream, which show what there is to read.
    arms : K.
    feedback : the kind of feedback, or its id, which determines the rounds that are not read (those that differ, for
        joint DP).
    thorough : for the confirmation rather than the search.

    """
    horizon, start = len(pair.first), pair.changed + 1
    by = kind(feedback) if isinstance(feedback, str) else feedback
    hidden = by.hidden(pair.rounds)

    def actions(outputs: Outputs) -> Symbols:
        if not hidden:
            return outputs.symbols
        symbols = outputs.symbols.copy()
        symbols[:, hidden] = arms
        return symbols

    def with_later_first(outputs: Outputs) -> Symbols:
        return np.roll(actions(outputs), -pair.changed, axis=1)

    found: list[View] = [SequenceView("actions", start, actions, _spelling(arms, by, horizon))]
    found += _later(
        actions, sides[0], pair.changed, _spelling(arms, by, horizon - pair.changed, start), thorough=thorough
    )
    found += [_read(reading) for reading in by.readings(arms, horizon)]
    stops = _stops(start, horizon)
    if stops:
        found.append(_pulls(stops, by.counted(arms), start, by))
    released = numbered("released statistic", sides[0])
    return found + number_views(sides, with_later_first, released, "sequence", thorough=thorough)


def _later(
    actions: Callable[[Outputs], Symbols],
    outputs: Outputs,
    changed: int,
    spelling: Callable[[tuple[int, ...]], str],
    *,
    thorough: bool,
) -> list[View]:
    """Return views of the actions from the change on: of as many rounds as have few courses, and if `thorough` of all.

    A score of all actions from the beginning has too few training runs of each course if those before it are many.
    """
    shown = actions(outputs)
    if len(distinct_rows(shown[:, :changed])[0]) <= FEW_COURSES:
        return []
    most = max(FEW_COURSES, len(shown) // RUNS_OF_A_COURSE)
    alike = order_of_beginnings(shown[:, changed:])[1]
    stop = changed + bisect_right(range(1, shown.shape[1] - changed + 1), most, key=lambda n: int((alike < n).sum()))
    found: list[View] = []
    if changed < stop < shown.shape[1]:
        name = "actions in the first rounds from the change on"
        found.append(SequenceView(name, 1, lambda runs: actions(runs)[:, changed:stop], spelling))
    if thorough or not found:
        found.append(SequenceView("actions from the change on", 1, lambda runs: actions(runs)[:, changed:], spelling))
    return found


def _pulls(stops: list[int], arms: int, start: int, by: Feedback) -> SequenceView:
    labels = [
        f"arm {arm} in round {stop}" if stop == start + 1 else f"arm {arm} in rounds {start + 1} to {stop}"
        for stop in stops
        for arm in range(arms)
    ]

    def counts(outputs: Outputs) -> Symbols:
        shown = outputs.symbols[:, start : stops[0]]
        found, in_order = np.empty((len(stops), arms, len(shown)), np.int32), np.argsort(stops)
        for begin in range(0, len(shown), CHUNK):
            part = slice(begin, begin + CHUNK)
            for arm in range(arms):
                pulled = np.ascontiguousarray(by.pulled(shown[part], arm).T)
                pulls, before = 0, 0
                for place in in_order:
                    pulls = pulls + pulled[before : stops[place] - start].sum(axis=0, dtype=np.int32)
                    found[place, arm, part], before = pulls, stops[place] - start
        return found.transpose(2, 0, 1).reshape(len(shown), -1)

    def in_words(symbols: tuple[int, ...]) -> str:
        spelled = [f"{label}: {n}" for label, n in zip(labels[:SPELLED_COUNTS], symbols, strict=False)]
        more = f" (and {len(symbols) - len(spelled)} finer counts)" if len(symbols) > len(spelled) else ""
        return "pulls of " + ", of ".join(spelled) + more

    return SequenceView("pulls of each arm", 0, counts, in_words)


def _read(reading: Reading) -> SequenceView:
    return SequenceView(reading.name, 0, lambda outputs: reading.read(outputs.symbols), reading.in_words)


def _stops(start: int, horizon: int) -> list[int]:
    """Return where the counted windows end: at the horizon, then at halves, quarters and eighths of the rounds after
    the change.
    """
    after = horizon - start
    stops = [horizon] if after else []
    for parts in (2, 4, 8):
        stops += [start + after * i // parts for i in range(1, parts, 2) if after >= parts]
    return stops


def _spelling(arms: int, by: Feedback, horizon: int, start: int = 1) -> Callable[[tuple[int, ...]], str]:
    begin = BEGIN if start == 1 else f"the actions from round {start} on begin"

    def name(symbol: int) -> str:
        return by.word(symbol, arms)

    def spell(symbols: tuple[int, ...]) -> str:
        actions = actions_in_words(symbols[:horizon], name, begin)
        return f"{actions}; {by.ending(symbols[horizon:], arms)}" if len(symbols) > horizon else actions

    return spell


def actions_in_words(symbols: tuple[int, ...], name: Callable[[int], str] = str, begin: str = BEGIN) -> str:
    """Spell out the beginning of a run, with repeated arms as a product.

    >>> actions_in_words((0, 1, 1, 0))
    'the actions begin 0, 1 x 2, 0'
    """
    if not symbols:
        return "every run"
    spelled = [(arm, len(list(group))) for arm, group in groupby(symbols)]
    return f"{begin} " + ", ".join(f"{name(arm)} x {n}" if n > 1 else name(arm) for arm, n in spelled)
