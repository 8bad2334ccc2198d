"""Work of more than an hour begins only with `--yes`: a number of runs or rounds with a digit too many is noticed."""

from __future__ import annotations

import math
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

ROUNDS = 100
"""Rounds of a run for which these numbers hold; of longer runs fewer are many."""

FEW_ROUNDS = 1000
"""Rounds of a run on which it is measured first how long a round takes."""

SHORTEST = 8
"""Rounds of a run on which it is measured first how long a certificate takes, which plays each run many times."""

MEASURED = 2.0
"""Seconds that are spent on measuring how long the work would take."""

UNITS = (("year", 365.25 * 86400.0), ("day", 86400.0), ("hour", HOUR), ("minute", 60.0), ("second", 1.0))


@dataclass(frozen=True)
class Consent(Declared):
    """What lets long work begin."""

    yes: bool = option(Switch(), doc="Begin even if it takes more than an hour.", heading=EFFORT, default=False)


def duration(seconds: float) -> str:
    """Return a time in words, in the largest unit of which there are two or more.

    >>> duration(5400), duration(86400 * 3), duration(3e9), duration(3e20), duration(0.2)
    ('90 minutes', '3 days', '95 years', '9.5e+12 years', '0.2 seconds')
    """
    unit, size = next((each for each in UNITS if seconds >= 2.0 * each[1]), UNITS[-1])
    number = seconds / size
    return f"{number:.2g} {unit}s" if number >= 1000.0 or number < 1.0 else f"{number:.0f} {unit}s"


def check_effort(
    runs: int | None,
    yes: bool,
    seconds: Callable[[], float],
    many: int = MANY,
    horizon: int | None = None,
    rounds: int | None = None,
    less: Callable[[], str] = str,
) -> None:
    """Refuse work of more than an hour unless it was asked for twice.

    Parameters
    ----------
    runs : the number that was asked for.
    yes : whether `--yes` was given.
    seconds : measures how long one run takes, with its share of everything else.
    many : nothing is measured for fewer runs.
    horizon : the rounds of a run, if they were asked for.
    rounds : of all runs and everything else; by default those of the runs.
    less : says what would do as well, if that is known after `seconds`.

    Raises
    ------
    PrivcheckError : it would take more than an hour.
    KeyboardInterrupt : a signal ended what was measured.
    """
    if yes or runs is None:
        return
    if runs <= many and (runs * (horizon or 0) if rounds is None else rounds) <= many * ROUNDS:
        return
    expected = seconds() * runs
    if interrupted_status() is not None:  # an audit answers a signal with what it knows
        raise KeyboardInterrupt
    if expected <= HOUR:
        return
    told = f"take about {duration(expected)} on this machine"
    if runs > many or horizon is None:
        hint = f"they {told}: give fewer runs, or add --yes to begin"
        raise PrivcheckError("runs", runs, "at most an hour of work", hint)
    hint = f"{runs:,} runs of so many rounds {told}: give fewer of either, or add --yes to begin{less()}"
    raise PrivcheckError("horizon", horizon, "at most an hour of work", hint)


def seconds_of_audit(audit: Callable[..., Any], target: Any, options: dict[str, Any]) -> float:
    """Return what an audit takes for each run: that of the longest audit that fits into a short time.

    A long run is taken to cost as much a round as one of `FEW_ROUNDS`.
    """
    asked = options | {"runs": None, "time_budget": MEASURED, "sequential": False, "stop_after": None, "pairs": None}
    asked |= {"scheduler": None, "store": None}
    longer = max(1.0, (options.get("horizon") or 0) / FEW_ROUNDS)
    if longer > 1.0:
        asked["horizon"] = FEW_ROUNDS
    audit(target, **asked)  # pays for imports and compilation
    report = audit(target, **asked)
    return longer * float(report.seconds) / int(report.runs)


def seconds_of_long_run(play: Callable[[int, int], object], horizon: int, workers: int = 1) -> float:
    """Return the time of a run of many rounds, from runs of more and more of them; a run that is not reached is taken
    to cost as much a round, beyond what the shortest one costs: many policies take a second even for few rounds.

    Parameters
    ----------
    play : plays so many rounds, in so many runs. It may refuse a horizon that is too short.
    horizon : the rounds of a run.
    workers : runs that are played at the same time.
    """
    rounds, called, shortest = min(FEW_ROUNDS, horizon), False, (0, math.inf)
    while True:
        started = time.perf_counter()
        try:
            play(rounds, 1)
        except PrivcheckError as error:
            if error.parameter != "horizon" or rounds == horizon:
                raise
        else:
            taken = time.perf_counter() - started
            if not called:  # the first call pays for imports and compilation
                called = True
                continue
            if rounds == horizon:
                return seconds_per_run(lambda runs: play(horizon, runs))
            few, least = shortest
            if taken - least > 0.5 * MEASURED:
                return (taken + (taken - least) / (rounds - few) * (horizon - rounds)) / workers
            if taken < least:
                shortest = rounds, taken
        rounds = min(8 * rounds, horizon)


def seconds_of_rounds(play: Callable[[int], int], horizon: int, total: int) -> float:
    """Return the time of so many rounds in all, from calls of more and more of them, beyond what a call costs anyway.

    Parameters
    ----------
    play : makes a call with so many rounds in a run, and returns how many it played in all. It may refuse a horizon
        that is too short.
    horizon : the most rounds of a run.
    total : the rounds in all.
    """
    rounds, calls = min(SHORTEST, horizon), list[tuple[int, float]]()
    while True:
        started = time.perf_counter()
        try:
            played = play(rounds)
        except PrivcheckError as error:
            if error.parameter != "horizon" or rounds == horizon:
                raise
        else:
            calls.append((played, time.perf_counter() - started))
            if len(calls) == 1:  # the first call pays for imports and compilation
                continue
            few, least = calls[1]
            taken = calls[-1][1]
            if played > few and (taken - least > 0.5 * MEASURED or rounds == horizon):
                return max(0.0, taken - least) / (played - few) * total
            if rounds == horizon:
                return taken / played * total
        rounds = min(2 * rounds, horizon)


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


def timed_policies(policies: list[str], time_budget: float) -> list[str]:
    """Return the policies that play all runs, however long they take."""
    from privcheck.simulation import is_own

    return [policy for policy in policies if not is_own(policy) or time_budget == math.inf]
