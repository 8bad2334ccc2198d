"""Which data a function was tried on, said beside its verdict: what it does with others was not seen."""

from __future__ import annotations

from typing import Any

import numpy as np

from privcheck.auditing._relation_note import knows_its_neighbours
from privcheck.auditing._search.values_in_code import limits_beyond
from privcheck.targets import Game, Given, StreamPair, Target

MOST_NAMED = 4
"""Numbers of the code that are named."""


def values_note(verdict: str | None, policy: Target, game: Game, streams: Any, pair: StreamPair) -> tuple[str, ...]:
    """Return the note for a function that was tried on data made by the search, and not refuted; nothing for others.

    A clip at 100 never acts on values from 0 to 1. Noise that is wrong for the clip may be right for these.

    Parameters
    ----------
    verdict : of the audit.
    policy : the target.
    game : the range of the values, and the columns.
    streams : as they were given; data of the user's own have the range that the user gave them.
    pair : a candidate.
    """
    if not _takes_arrays(policy) or streams is not None or verdict not in ("consistent", "inconclusive"):
        return ()
    (low, high), rows = game.rewards, max(len(np.atleast_1d(table)) for table in (pair.first, pair.second))
    row = "a number" if not game.arms else f"{game.arms} number{'s' * (game.arms > 1)}"
    tried, others = f"{rows} row{'s' * (rows > 1)}, each {row} from {low:g} to {high:g}", pair.OTHER_DATA
    if game.neighbours == "report":
        tried = f"reports, each {row} from {low:g} to {high:g}"
        others = "arms=K gives reports of K numbers, rewards=(LOW, HIGH) is the range of the values"
    note = f"this verdict is about data like those that were tried: {tried}; {others}"
    if beyond := limits_beyond(policy.mechanism, low, high)[:MOST_NAMED]:
        numbers = ", ".join(f"{number:g}" for number in beyond)
        note += f". The code has a clip, minimum or maximum and names {numbers}: a limit there never acted"
    return (note,)


def range_note(policy: Target, game: Game, streams: Any, pairs: list[StreamPair]) -> tuple[str, ...]:
    """Return what a verdict takes on trust where the user gave a function arrays beyond the declared range.

    A claim about numbers in [0, 1] says nothing of others. The parameters are those of `values_note`.
    """
    if not _takes_arrays(policy) or streams is None:
        return ()
    low, high = game.rewards
    tables = [
        np.asarray(table) for pair in pairs for table in (pair.first, pair.second) if not isinstance(table, Given)
    ]
    if not any(table.dtype.kind in "biuf" and ((table < low) | (table > high)).any() for table in tables):
        return ()
    return (
        f"inputs that were given leave the range [{low:g}, {high:g}] of the values: this holds provided that the claim "
        "is about such data, too (rewards=(LOW, HIGH) is the range)",
    )


def _takes_arrays(policy: Target) -> bool:
    """Tell whether a target is a function of data, whose range and size the user declares."""
    return policy.mechanism is not None and not knows_its_neighbours(policy.mechanism)
