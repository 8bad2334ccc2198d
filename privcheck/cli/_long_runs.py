"""Work of more than an hour begins only with `--yes`: a number of runs with a digit too many is noticed at once."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from privcheck.cli._interruption import interrupted_status
from privcheck.declared import Declared, Switch
from privcheck.errors import PrivcheckError
from privcheck.targets import EFFORT, option

HOUR = 3600.0

MANY, MANY_GUARDED = 1_000_000, 10_000
"""Numbers of runs up to which nothing is measured: most targets take less than an hour for them."""

MEASURED = 2.0
"""Seconds that are spent on measuring how long the work would take."""

UNITS = (("year", 365.25 * 86400.0), ("day", 86400.0), ("hour", HOUR), ("minute", 60.0), ("second", 1.0))


@dataclass(frozen=True)
class Consent(Declared):
    """What lets long work begin."""

    yes: bool = option(
        Switch(), doc="Begin even if the number of runs takes more than an hour.", heading=EFFORT, default=False
    )


def duration(seconds: float) -> str:
    """Return a time in words, in the largest unit of which there are two or more.

    >>> duration(5400), duration(86400 * 3), duration(3e9), duration(3e20), duration(0.2)
    ('90 minutes', '3 days', '95 years', '9.5e+12 years', '0.2 seconds')
    """
    unit, size = next((each for each in UNITS if seconds >= 2.0 * each[1]), UNITS[-1])
    number = seconds / size
    return f"{number:.2g} {unit}s" if number >= 1000.0 or number < 1.0 else f"{number:.0f} {unit}s"


def check_effort(runs: int | None, yes: bool, seconds: Callable[[], float], many: int = MANY) -> None:
    """Refuse work of more than an hour unless it was asked for twice.

    Parameters
    ----------
    runs : the number that was asked for.
    yes : whether `--yes` was given.
    seconds : measures how long one run takes, with its share of everything else.
    many : nothing is measured for fewer runs.

    Raises
    ------
    PrivcheckError : it would take more than an hour.
    KeyboardInterrupt : a signal ended what was measured.
    """
    if yes or runs is None or runs <= many:
        return
    expected = seconds() * runs
    if interrupted_status() is not None:  # an audit answers a signal with what it knows
        raise KeyboardInterrupt
    if expected > HOUR:
        hint = f"they take about {duration(expected)} on this machine: give fewer runs, or add --yes to begin"
        raise PrivcheckError("runs", runs, "at most an hour of work", hint)


def seconds_of_audit(audit: Callable[..., Any], target: Any, options: dict[str, Any]) -> float:
    """Return what an audit takes for each run: that of the longest audit that fits into a short time."""
    asked = options | {"runs": None, "time_budget": MEASURED, "sequential": False, "stop_after": None, "pairs": None}
    asked |= {"scheduler": None, "store": None}
    report = audit(target, **asked)
    return float(report.seconds) / int(report.runs)


def seconds_per_run(play: Callable[[int], object]) -> float:
    """Return the time of a run, measured on more and more of them; the first call pays for imports and compilation.

    Parameters
    ----------
    play : makes so many runs.
    """
    play(2)
    runs = 2
    while True:
        begun = time.perf_counter()
        play(runs)
        taken = time.perf_counter() - begun
        if taken > 0.5 * MEASURED or runs >= MANY_GUARDED:
            return taken / runs
        runs *= 8
