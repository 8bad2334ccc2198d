"""How runs of a policy are read: the actions in order, how often each arm was played, when it stopped, its releases."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby

import numpy as np

from privcheck.arrays import Symbols
from privcheck.auditing.scoring.number_views import number_views, numbered
from privcheck.auditing.scoring.view import SequenceView, View
from privcheck.targets.outputs import Outputs
from privcheck.targets.stream_pair import StreamPair

SPELLED_COUNTS = 2
"""Counts of pulls that are spelled out; finer ones are only counted."""

CHUNK = 1 << 15
"""Runs whose pulls are counted at a time."""


def policy_views(
    pair: StreamPair, outputs: Outputs, *, arms: int, feedback: str = "bandit", thorough: bool = False
) -> list[View]:
    """Return the views of a policy's runs.

    The actions in order; how often each arm was played after the change, coarse to fine; under "identification" when it
    stopped and what it recommended; and the released numbers.

    Parameters
    ----------
    pair : the two streams; actions up to the first round that differs have the same law on both.
    outputs : training runs, which show what there is to read.
    arms : K, or the number of base arms under "semi-bandit".
    feedback : of the policy; under "contextual" the actions of the rounds that differ are not read (joint DP).
    thorough : for the confirmation rather than the search.

    """
    horizon, start = len(pair.first), pair.changed + 1
    hidden = list(pair.rounds) if feedback == "contextual" else []

    def actions(outputs: Outputs) -> Symbols:
        if not hidden:
            return outputs.symbols
        symbols = outputs.symbols.copy()
        symbols[:, hidden] = arms
        return symbols

    found: list[View] = [SequenceView("actions", start, actions, _spelling(arms, feedback, horizon))]
    if feedback == "identification":
        found.append(_stopping(arms, horizon))
    stops = _stops(start, horizon)
    if stops:
        found.append(_pulls(stops, arms - (feedback != "semi-bandit"), start, feedback))
    released = numbered("released statistic", outputs)
    return found + number_views(outputs, actions, released, "sequence", thorough=thorough)


def _pulls(stops: list[int], arms: int, start: int, feedback: str) -> SequenceView:
    labels = [
        f"arm {arm} in round {stop}" if stop == start + 1 else f"arm {arm} in rounds {start + 1} to {stop}"
        for stop in stops
        for arm in range(arms)
    ]

    def counts(outputs: Outputs) -> Symbols:
        shown = outputs.symbols[:, start : stops[0]]
        inside = (np.arange(start, stops[0])[:, None] < stops).astype(np.float32)
        found = np.empty((len(shown), len(stops), arms), np.int32)
        for begin in range(0, len(shown), CHUNK):
            part = shown[begin : begin + CHUNK]
            for arm in range(arms):
                pulled = (part >> arm) & 1 if feedback == "semi-bandit" else part == arm
                found[begin : begin + CHUNK, :, arm] = pulled.astype(np.float32) @ inside  # far faster than counting
        return found.reshape(len(shown), -1)

    def in_words(symbols: tuple[int, ...]) -> str:
        spelled = [f"{label}: {n}" for label, n in zip(labels[:SPELLED_COUNTS], symbols, strict=False)]
        more = f" (and {len(symbols) - len(spelled)} finer counts)" if len(symbols) > len(spelled) else ""
        return "pulls of " + ", of ".join(spelled) + more

    return SequenceView("pulls of each arm", 0, counts, in_words)


def _stopping(arms: int, horizon: int) -> SequenceView:
    def read(outputs: Outputs) -> Symbols:
        rounds = np.count_nonzero(outputs.symbols[:, :horizon] < arms, axis=1)
        return np.stack([outputs.symbols[:, horizon], rounds], axis=1)

    def in_words(symbols: tuple[int, ...]) -> str:
        if not symbols:
            return "every run"
        what = "no recommendation" if symbols[0] == arms else f"arm {symbols[0]} is recommended"
        return what + (f" after {symbols[1]} rounds" if len(symbols) > 1 else "")

    return SequenceView("stopping time and recommendation", 0, read, in_words)


def _stops(start: int, horizon: int) -> list[int]:
    """Return where the counted windows end: the horizon, then halves, quarters and eighths of the rest."""
    after = horizon - start
    stops = [horizon] if after else []
    for parts in (2, 4, 8):
        stops += [start + after * i // parts for i in range(1, parts, 2) if after >= parts]
    return stops


def _spelling(arms: int, feedback: str, horizon: int) -> Callable[[tuple[int, ...]], str]:
    def name(symbol: int) -> str:
        if feedback == "semi-bandit":
            return "{" + ", ".join(str(arm) for arm in range(arms) if symbol >> arm & 1) + "}"
        if feedback == "identification" and symbol == arms:
            return "stopped"
        return "(not shown)" if symbol == arms else str(symbol)

    def spell(symbols: tuple[int, ...]) -> str:
        if feedback == "identification" and len(symbols) > horizon:
            last = "nothing is recommended" if symbols[-1] == arms else f"arm {symbols[-1]} is recommended"
            return f"{actions_in_words(symbols[:-1], name)}; {last}"
        return actions_in_words(symbols, name)

    return spell


def actions_in_words(symbols: tuple[int, ...], name: Callable[[int], str] = str) -> str:
    """Spell out a beginning of a run, repeated arms as a product.

    >>> actions_in_words((0, 1, 1, 0))
    'the actions begin 0, 1 x 2, 0'
    """
    if not symbols:
        return "every run"
    spelled = [(arm, len(list(group))) for arm, group in groupby(symbols)]
    return "the actions begin " + ", ".join(f"{name(arm)} x {n}" if n > 1 else name(arm) for arm, n in spelled)
