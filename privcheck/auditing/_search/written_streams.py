"""A user's own pair of streams, as it is written in a call that repeats an audit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from privcheck.targets import Adversary

SHORT = 40
"""The most entries of a stream that are written out."""


class Unwritten:
    """The names of streams that are not written out: of a pair, an adversary, and a function that draws pairs."""

    PAIR = "pair"
    ADVERSARY = "adversary"
    FUNCTION = "neighbours_of_mine"


def as_written(streams: Any) -> str | None:
    """Return the Python text of a pair: a file's name, or short arrays in full if they are read back as they are.

    >>> as_written("mine.npy"), as_written(([0, 1], [1, 1])), as_written((np.zeros(99), np.ones(99)))
    ("'mine.npy'", '([0, 1], [1, 1])', 'pair')
    """
    if streams is None:
        return None
    if isinstance(streams, str | Path):
        return repr(str(streams))
    if callable(streams):
        return Unwritten.FUNCTION
    if isinstance(streams, Adversary):
        return Unwritten.ADVERSARY
    if any(isinstance(part, str | bytes | dict | set) or hasattr(part, "columns") for part in streams):
        return Unwritten.PAIR
    try:
        arrays = [np.asarray(part) for part in streams]
    except ValueError:
        return Unwritten.PAIR
    if any(array.dtype.kind not in "biuf" for array in arrays):
        return Unwritten.PAIR
    again = [np.asarray(array.tolist()) for array in arrays]
    exact = all(one.dtype == two.dtype and one.shape == two.shape for one, two in zip(arrays, again, strict=True))
    if not exact or max(array.size for array in arrays) > SHORT:
        return Unwritten.PAIR
    return repr(tuple(array.tolist() for array in arrays))
