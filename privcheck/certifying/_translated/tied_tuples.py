"""Lists and tuples that are compared, and whose private numbers decide where whole numbers before these are equal.

`max((round(noisy), reward), (0, 0.5))` reads the reward only if the rounded number is 0, which may happen in no run.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from privcheck.certifying._translated.raw_numbers import PRIVATE, is_raw

MOST_COMPARED = 64
"""Lists or tuples that are looked at, to bound the time: all pairs of them are."""

DECIMALS = 10.0 ** np.arange(7)
"""To so many decimals, from none to six, numbers are taken to be rounded."""


def watched(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return `min`, `max` or `sorted`, or what stands for it, which notes how far tuples are from ties."""

    def ordered(*values: Any, **options: Any) -> Any:
        items = values[0] if len(values) == 1 else values
        is_short = type(items) in (list, tuple, range) and len(items) <= MOST_COMPARED
        if not is_short or not callable(key := options.get("key")):
            if is_short and not options.get("key"):
                note_ties(items)
            return function(*values, **options)
        keys = list(map(key, items))
        note_ties(keys)
        found = function(range(len(items)), **{**options, "key": keys.__getitem__})
        if type(found) is list:
            return [items[place] for place in found]
        return items[found] if len(items) else found

    return ordered


def note_ties(keys: Sequence[Any]) -> None:
    """Note, for each two tuples whose private numbers the code may compare, how far the numbers before these differ.

    Numbers that were not rounded have noise, which makes ties improbable; two that differ in several places have none.
    """
    if not any(type(key) in (list, tuple) for key in keys):  # as of plain numbers, in most calls
        return
    for place, (one, two) in enumerate(itertools.combinations(keys, 2)):
        if type(one) is not type(two) or type(one) not in (list, tuple):
            continue
        pairs = list(zip(one, two, strict=False))
        private = [at for at, pair in enumerate(pairs) if any(map(is_raw, pair))]
        gaps = [_gap(*pair) for pair in pairs[: private[0]] if pair[0] is not pair[1]] if private else []
        apart = [gap for gap in gaps if gap != 0.0]
        if len(apart) == 1 and _is_rounded(apart[0]):
            held = next(value for value in pairs[private[0]] if is_raw(value))
            held.source.decided.note("tie", np.array(apart), np.sign(apart), [place])


def _is_rounded(gap: float) -> bool:
    """Tell whether a number has few decimals.

    >>> _is_rounded(3.0), _is_rounded(0.1 + 0.2), _is_rounded(0.12345678901)
    (True, True, False)
    """
    scaled = gap * DECIMALS
    return math.isfinite(gap) and bool((np.abs(scaled - np.rint(scaled)) < 1e-8).any())


def _gap(one: Any, two: Any) -> float:
    """Return how far two public numbers differ; infinity for anything else, of which no ties are looked for."""
    is_number = all(
        isinstance(value, int | float | np.number) and not isinstance(value, PRIVATE) for value in (one, two)
    )
    gap = float(np.clip(one, -1e300, 1e300)) - float(np.clip(two, -1e300, 1e300)) if is_number else math.nan
    return math.inf if math.isnan(gap) else gap
