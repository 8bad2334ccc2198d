"""Rows with which parts of streams are filled, and a key by which equal pairs are known."""

from __future__ import annotations

import numpy as np

from privcheck.arrays import Table
from privcheck.targets import RANDOM, StreamPair


def palette(pairs: list[StreamPair]) -> list[Table]:
    """Return the different rows with which structured streams begin."""
    some = [pair for pair in pairs if pair.base != RANDOM and np.ndim(pair.first) and len(pair.first)]
    return list({np.atleast_1d(pair.first)[:1].tobytes(): pair.first[0] for pair in some}.values())


def key_of(pair: StreamPair) -> bytes:
    """Return bytes that only equal pairs share."""
    return np.asarray(pair.first).tobytes() + b"|" + np.asarray(pair.second).tobytes()
