"""Inputs for the pilot and for the check of a target: those on which it returns something, if it does on any."""

from __future__ import annotations

from typing import Any

import numpy as np

from privcheck.auditing._search.stream_families import spread
from privcheck.errors import PolicyError
from privcheck.targets import RANDOM, MechanismRunner, Runner, StreamPair, all_raised

TRIED = 12
"""Pairs of each kind, structured and random, that are tried if the target raises an exception on the first ones."""


def accepted(runner: Runner, pairs: list[StreamPair], seed: int) -> list[StreamPair]:
    """Return the candidates that are not random; if a function of data raises on these, others that it takes.

    A classifier raises on data with one class, as most structured data are, and takes most random data.

    Parameters
    ----------
    runner : plays the target; keys of its runs begin with (0, 5).
    pairs : the candidates.
    seed : root of the runs.
    """
    plain = [pair for pair in pairs if pair.base != RANDOM] or pairs  # a target may not take what is random
    if not isinstance(runner, MechanismRunner) or runner.engine != "python":
        return plain
    ends = plain[0].first, plain[len(plain) // 2].second  # those of the check
    if any(_returns(runner, table, seed, number) for number, table in enumerate(ends)):
        return plain
    drawn = [pair for pair in pairs if pair.base == RANDOM]
    tried = enumerate([*spread(plain, TRIED), *spread(drawn, TRIED)], start=len(ends))
    return [pair for number, pair in tried if _returns(runner, pair.first, seed, number)] or plain


def _returns(runner: Runner, table: Any, seed: int, number: int) -> bool:
    """Tell whether a run on an input returns something."""
    try:
        return not all_raised(runner.play(table, 1, np.random.SeedSequence(seed, spawn_key=(0, 5, number))))
    except PolicyError:
        return False
