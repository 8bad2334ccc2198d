"""What a watch knows after its nights: the evidence of each of them, the versions of the code, and the alarms."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from privcheck import presenting
from privcheck.enclosure import as_given
from privcheck.errors import PrivcheckError, words
from privcheck.results._verdicts import check_claims, check_counts, check_levels, conditions
from privcheck.results._whole_result import WholeResult
from privcheck.tables import Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class WatchedNight:
    """One night of a watch.

    Parameters
    ----------
    number : from 1.
    at : when it was counted, by the clock, in UTC; nothing depends on it.
    version : the number of the version of the code that was played.
    runs : runs per stream that were counted; 0 if the night was lost.
    streams, event : the two streams and an event, in words.
    first, second : runs on each stream that were in the event.
    e_value : the largest evidence after the night that may raise an alarm, its share of the level taken off: 1 /
        `error` raises it. While an alarm stands it is that which raised it. Infinite above e^700.
    lost : why the night has no counts; None if it has.
    """

    number: int
    at: str
    version: int
    runs: int
    streams: str
    event: str
    first: int
    second: int
    e_value: float
    lost: str | None = None


@dataclass(frozen=True)
class WatchedVersion:
    """One version of the code.

    Parameters
    ----------
    number : from 1, in the order in which they were played; code that comes back is another version, and so is the
        same code after a lost night.
    code : the name that was given to it, or the beginning of the hash of its sources and of what they run on.
    first_night : the night in which it was first played.
    nights : nights in which it was played.
    log_e_value : the natural logarithm of the wealth of the bets that began with it.
    """

    number: int
    code: str
    first_night: int
    nights: int
    log_e_value: float


@dataclass(frozen=True)
class WatchAlarm:
    """An alarm: a version since the one named breaks the claim.

    Parameters
    ----------
    night : after which it was raised.
    since : the version with which its evidence begins.
    version : the version that was played that night.
    e_value : the evidence, at least 1 / `error`.
    """

    night: int
    since: int
    version: int
    e_value: float


@dataclass(frozen=True)
class WatchReport(WholeResult):
    """What a watch knows of a target.

    Parameters
    ----------
    name : of the watch, in its store.
    target : what is played, in words.
    epsilon, delta : the claim; None and 0 for one in rho or mu.
    error : the probability with which an alarm is ever raised while all versions satisfy the claim, at most.
    neighbours, observe, feedback : what is protected from whom.
    arms, horizon : K and T; for a mechanism, columns and rows.
    seeded : whether a night played again by the same code has the same counts.
    counted : nights that this call has counted.
    nights, versions, alarms : in their order.
    notes : what is worth knowing besides.
    rho, mu : the claim in zCDP or in Gaussian DP; None for one in epsilon.
    rewards : lowest and highest reward, or entry of a mechanism's data.
    guarded : whether the policy is played under its guard.
    given : which of the options `streams` and `encode` its nights had, which say more than this holds.

    Guarantee
    ---------
    If all versions of the code satisfy the claim, the probability that the watch ever raises an alarm is at most
    `error`, over all nights and versions. It requires that the runs of a night are independent of each other and of
    everything before it, which a target does that draws all its randomness from its Generator.
    """

    name: str
    target: str
    epsilon: float | None
    delta: float
    error: float
    neighbours: str
    observe: str
    feedback: str
    arms: int
    horizon: int
    seeded: bool
    counted: int
    nights: tuple[WatchedNight, ...] = field(repr=False)
    versions: tuple[WatchedVersion, ...] = field(repr=False)
    alarms: tuple[WatchAlarm, ...] = ()
    notes: tuple[str, ...] = field(default=(), repr=False)
    rho: float | None = None
    mu: float | None = None
    rewards: tuple[float, float] = (0.0, 1.0)
    guarded: bool = False
    given: tuple[str, ...] = field(default=(), repr=False)

    @property
    def provided(self) -> tuple[str, ...]:
        """On what the evidence holds besides the runs, in sentences: above all what is taken on the user's word."""
        seedless = "the target has no seeds: that its runs are independent is taken on your word"
        return conditions(self.notes) + (() if self.seeded else (seedless,))

    @property
    def alarm(self) -> WatchAlarm | None:
        """The alarm that stands: the last one, if no other code has been played since; None otherwise."""
        if not self.alarms:
            return None
        raised, *later = self.versions[self.alarms[-1].version - 1 :]
        return self.alarms[-1] if all(version.code == raised.code for version in later) else None

    @property
    def e_value(self) -> float:
        """The largest evidence now that may raise an alarm, its share of the level taken off."""
        return self.nights[-1].e_value if self.nights else 1.0

    @property
    def claim(self) -> str:
        """The claim in words.

        >>> from privcheck.results._example_results import WATCHED
        >>> WATCHED.claim
        'epsilon = 1'
        """
        amounts = {"epsilon": self.epsilon, "rho": self.rho, "mu": self.mu}
        said = next(f"{name} = {as_given(amount)}" for name, amount in amounts.items() if amount is not None)
        return said + (f", delta = {as_given(self.delta)}" if self.delta else "")

    @property
    def needed(self) -> float:
        """The evidence at which an alarm is raised."""
        return 1.0 / self.error

    def tables(self) -> dict[str, Callable[[], list[Row]]]:
        """Return "nights", a row for each night, and "versions", a row for each version of the code."""
        return {
            "nights": lambda: [dict(vars(night)) for night in self.nights],
            "versions": lambda: [dict(vars(version)) for version in self.versions],
        }

    @classmethod
    def from_json(cls, text: str) -> WatchReport:
        """Return the result whose `to_json` gave this text.

        Raises
        ------
        PrivcheckError : text that is not JSON, or no such result, or one that contradicts itself.
        """
        found = super().from_json(text)
        try:
            _check(found)
        except ValueError as why:
            raise PrivcheckError("text", words(f"a watch of which {why}"), "what WatchReport.to_json wrote") from None
        return found

    def save_html(self, path: str | Path) -> None:
        """Write one self-contained page about the watch."""
        presenting.save_page(self, path)

    def plot(self, path: str | Path | None = None) -> Figure:
        """Draw the evidence over the nights, and save the picture if there is a path."""
        return presenting.plot(self, path)

    def _repr_html_(self) -> str:
        return presenting.notebook(self)


def shown_e_value(logarithm: float) -> float:
    """Return an e-value from its logarithm, infinite above e^700.

    >>> shown_e_value(0.0), shown_e_value(701.0)
    (1.0, inf)
    """
    return math.exp(logarithm) if logarithm <= 700.0 else math.inf


def _check(found: WatchReport) -> None:
    """Refuse a report of which one part contradicts another.

    Raises
    ------
    ValueError : it does.
    """
    check_levels(error=found.error)
    check_claims([found.epsilon, found.rho, found.mu])
    nights, versions = len(found.nights), len(found.versions)
    for part in (found.nights, found.versions):
        if [each.number for each in part] != [*range(1, len(part) + 1)]:
            raise ValueError(f"numbers are {[each.number for each in part]}"[:100])
    for night in found.nights:
        check_counts(first=night.first, runs=night.runs)
        check_counts(second=night.second, runs=night.runs)
        check_counts(one=1, version=night.version, versions=versions)
    for version in found.versions:
        check_counts(one=1, first_night=version.first_night, nights=nights)
    for alarm in found.alarms:
        check_counts(one=1, since=alarm.since, version=alarm.version, versions=versions)
        check_counts(one=1, night=alarm.night, nights=nights)
    raised = min((alarm.night for alarm in found.alarms), default=nights + 1)
    needed = found.needed * (1.0 - 1e-9)
    if any(alarm.e_value < needed for alarm in found.alarms):
        raise ValueError(f"an alarm has less evidence than {found.needed}")
    if any(night.e_value > found.needed * (1.0 + 1e-9) for night in found.nights[: raised - 1]):
        raise ValueError(f"there is no alarm at an evidence of more than {found.needed}")
