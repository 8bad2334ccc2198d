"""How much is played, and which streams: runs, pairs of streams, seconds, the seed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from privcheck.declared import POSITIVE, Declared, Integer, Switch
from privcheck.targets._options.declaring import EFFORT, PLAYED, Checked, as_given, option

DEFAULT_RUNS = 200_000
"""Runs per stream of a shipped algorithm, which a compiled kernel plays, where the user says nothing: seconds of work
at the default horizon.
"""

DEFAULT_TIME_BUDGET = 60.0
"""Seconds for a target in Python where the user says nothing: as long as a user waits for a first answer."""


@dataclass(frozen=True)
class Effort(Declared):
    """How much is played, and which streams.

    >>> Effort(runs=1e4).runs
    10000
    """

    runs: int | None = option(
        Integer(20),
        doc="Runs per stream of the final pair.",
        heading=EFFORT,
        hint="tens of thousands are usual: few runs show nothing",
    )
    time_budget: float | None = option(
        POSITIVE,
        doc="Seconds, instead of a number of runs; 60 by default for your own policy.",
        heading=EFFORT,
        hint="give seconds",
        value="SECONDS",
        field="",
    )
    pairs: int | None = option(
        Integer(1), doc="The most candidate pairs of streams that are screened.", heading=EFFORT, hint="give a number"
    )
    stop_after: int | None = option(
        Integer(0),
        doc="Counted runs per stream after which the audit stops; repeats an audit that was cut short.",
        heading=EFFORT,
        hint="give a number of runs",
    )
    sequential: bool = option(
        Switch(), doc="Play runs until the claim is refuted, at most the given number.", heading=EFFORT, default=False
    )
    streams: Any = option(  # noqa: RUF009
        Checked("a pair of streams, a file with one, or a function that draws pairs", as_given),
        doc="A .npy file with a pair of streams, of shape (2, T) or (2, T, K), a .csv file with a line per round, or "
        "FILE.py:NAME of a function that draws pairs, or Adversary.",
        heading=PLAYED,
        value="FILE",
        field="",
    )
    read_code: bool = option(
        Switch(),
        doc="Read the numbers that the target's code names, and try data with these values, at rounds so numbered.",
        heading=EFFORT,
        default=False,
    )
    seed: int = option(Integer(0), doc="Seed of all randomness.", heading=EFFORT, default=0, hint="give an integer")
