"""Where and how runs are played: workers, a store of finished chunks, a limit of time, a guard.

But for the guard, no result depends on it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from privcheck.declared import Declared, Integer, Real, Switch
from privcheck.targets._options.declaring import EFFORT, PLAYED, Checked, not_empty, option, scheduler

LEAST_LIMIT = 1e-3
"""Seconds: the shortest limit of a run. A shorter one would be over before the error about it has left the run."""

LARGEST_LIMIT = 1e9
"""Seconds, about 32 years: clocks of some systems go little further."""

MOST_JOBS = 10_000
"""Workers of one machine: its operating system counts no more processes or threads."""


@dataclass(frozen=True)
class Execution(Declared):
    """Where and how runs are played.

    >>> Execution(jobs=2).scheduler is None
    True
    """

    jobs: int = option(
        Integer(1, MOST_JOBS),
        doc="Number of workers; the results do not depend on it.",
        heading=EFFORT,
        default=1,
        hint="1 runs everything in this process",
        field="",
    )
    scheduler: str | None = option(
        Checked("'local:N' or the address of a Dask scheduler", scheduler),
        doc="Dask scheduler whose workers play, in place of --jobs: local:N, or tcp://host:port.",
        heading=EFFORT,
        value="ADDRESS",
        field="",
    )
    store: str | Path | None = option(  # noqa: RUF009
        Checked("a folder", not_empty), doc="Keep finished chunks in DIR, and go on from them.", heading=EFFORT,
        value="DIR", field="",
    )  # fmt: skip
    time_limit: float | None = option(
        Real(LEAST_LIMIT, LARGEST_LIMIT),
        doc="Seconds that a run may take, also among the many runs of one call; by default 10 for code in Python.",
        heading=EFFORT,
        hint="give seconds",
        value="SECONDS",
    )
    guarded: bool = option(
        Switch(),
        doc="Play the policy under its guard, with the claim as budget: the object that a certificate covers.",
        heading=PLAYED,
        default=False,
    )
