"""Nights as entries of a store, and what follows from them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from privcheck.auditing import PlayedNight
from privcheck.errors import PrivcheckError, words
from privcheck.inference import Night, alarms_over_nights, counted_night, mean_wealth, wealth_over_nights
from privcheck.journal import Entry
from privcheck.results import WatchAlarm, WatchedNight, WatchedVersion, WatchReport, shown_e_value
from privcheck.scheduling import digest
from privcheck.targets import DRAWN, OUTPUTS_FORM, Given, Sides, StreamPair, joined_sides
from privcheck.watching._evidence_store import BEGUN, COUNTED, LOST, EvidenceStore

REPEATED = ("target", "epsilon", "delta", "error", "neighbours", "observe", "feedback", "arms", "horizon", "seeded")
"""What a report repeats of what a watch plays and claims."""

LATEST = 50
"""Nights whose runs the next one learns from."""


@dataclass(frozen=True)
class Course:
    """The entries of a watch, read.

    Parameters
    ----------
    entries : of the watch, in order.
    """

    entries: tuple[Entry, ...]

    @property
    def asked(self) -> dict[str, Any]:
        """What the watch plays and claims."""
        return self.entries[0].said

    @property
    def ended(self) -> list[Entry]:
        """The entries with which nights ended, counted or lost."""
        return [entry for entry in self.entries if entry.kind in (COUNTED, LOST)]

    @property
    def pending(self) -> Entry | None:
        """The night that was begun and has no outcome; None if there is none."""
        return self.entries[-1] if self.entries[-1].kind == BEGUN else None

    @property
    def next_night(self) -> int:
        """The number of the night that is played next."""
        return len(self.ended) + 1

    def version_of(self, code: str) -> int:
        """Return the number of the version that code is if it is played next.

        After a lost night it is another one, whether or not the code is the same: the evidence up to it is given up,
        and only that of a new version could ever raise an alarm.
        """
        if not self.ended:
            return 1
        last = self.ended[-1]
        return int(last.said["version"]) + (last.kind == LOST or last.said["code"] != code)

    def pair_before(
        self, store: EvidenceStore, candidates: Sequence[StreamPair], *, given: bool
    ) -> tuple[StreamPair, Sides] | None:
        """Return the pair of the last night that was counted, and the runs of the latest nights on it.

        It is None where streams are `given` and the pair is none of them.
        """
        nights = [entry for entry in self.ended if entry.kind == COUNTED]
        if not nights:
            return None
        kept = nights[-1].said["pair"]
        same = [entry for entry in nights[-LATEST:] if entry.said["pair"] == kept]
        parts = []
        for entry in same:
            first, second = OUTPUTS_FORM.result(store.runs(entry))
            parts.append((first, second))
        pair = read_pair(kept, candidates, given=given)
        return None if pair is None else (pair, joined_sides(parts))

    def nights(self) -> list[Night]:
        """Return what was counted in each night."""
        events = next((len(entry.said["past"]) for entry in self.ended if entry.kind == COUNTED), 1)
        return [_night(entry, events) for entry in self.ended]

    @property
    def target(self) -> str:
        """What was played last: code may be renamed."""
        begun = [entry.said for entry in self.entries if entry.kind == BEGUN]
        return str((begun or [{}])[-1].get("target", self.asked["target"]))  # earlier versions kept the first name only

    @property
    def trusted(self) -> dict[str, None]:
        """What all nights together take on the user's word, or took for neighbours, in words."""
        return self._together("trusted")

    def _together(self, what: str) -> dict[str, None]:
        return dict.fromkeys(each for entry in self.ended for each in entry.said.get(what, ()))

    def report(self, name: str, counted: int) -> WatchReport:
        """Return what is known."""
        asked, nights = self.asked | {"target": self.target}, self.nights()
        if asked["bets"] != bets():
            hint = "show it with the privcheck that played it, and begin another store with this one"
            raise PrivcheckError(
                "store", words(f"{name!r}, whose nights were bet on in another way"), "bets of now", hint
            )
        tested = asked.get("tested") or [[asked["epsilon"], asked["delta"]]]
        wealth = mean_wealth([wealth_over_nights(nights, *point) for point in tested])
        alarms, course = alarms_over_nights(nights, wealth, asked["error"])
        versions = []
        for number in range(1, len(wealth) + 1):
            played = [(place, entry) for place, entry in enumerate(self.ended) if entry.said["version"] == number]
            code = str(played[0][1].said["code"])
            at = float(wealth[number - 1, -1])
            versions.append(WatchedVersion(number, code, played[0][0] + 1, len(played), at))
        return WatchReport(
            name=name,
            **{field: asked[field] for field in REPEATED},
            rho=asked.get("rho"),  # stores of earlier versions have no such claims
            mu=asked.get("mu"),
            rewards=tuple(asked.get("rewards", (0.0, 1.0))),
            guarded=asked.get("guarded", False),
            counted=counted,
            nights=tuple(map(_told, self.ended, course)),
            versions=tuple(versions),
            alarms=tuple(WatchAlarm(*alarm) for alarm in alarms),
            notes=tuple(self.trusted),
            given=tuple(self._together("given")),
        )


def _told(entry: Entry, value: float) -> WatchedNight:
    said = entry.said
    if entry.kind == LOST:
        return WatchedNight(
            entry.event, said["at"], said["version"], 0, "", "", 0, 0, shown_e_value(value), said["why"]
        )
    runs, streams, event = said["runs_counted"], said["streams"], said["event"]
    counts = said["first"], said["second"]
    return WatchedNight(entry.event, said["at"], said["version"], runs, streams, event, *counts, shown_e_value(value))


def _night(entry: Entry, events: int) -> Night:
    said = entry.said
    if entry.kind == LOST:
        none = np.zeros((0, events, 4), np.int64), np.zeros(0, np.int64), np.zeros((events, 4), np.int64), 0
        return Night(said["version"], *none, lost=True)
    blocks = np.array(said["blocks"], np.int64).reshape(-1, events, 4)
    lengths, past = np.array(said["lengths"], np.int64), np.array(said["past"], np.int64)
    return Night(said["version"], blocks, lengths, past, int(said["known"]))


def said_of(played: PlayedNight, version: int) -> dict[str, Any]:
    """Return what is kept of a night that was played."""
    night, seen = counted_night(version, played.counted, played.known), played.witness
    runs = night.pairs
    return {
        "runs_counted": runs,
        "blocks": night.blocks.tolist(),
        "lengths": night.lengths.tolist(),
        "past": night.past.tolist(),
        "known": night.known,
        "streams": seen.streams,
        "event": seen.event,
        "first": round(seen.probability_first.value * runs),
        "second": round(seen.probability_second.value * runs),
    }


def said_of_pair(pair: StreamPair, candidates: Sequence[StreamPair]) -> dict[str, Any]:
    """Return what is kept of a pair: its tables, or of Python objects their place among the candidates and a hash."""
    if isinstance(pair.first, Given):
        place = next(number for number, each in enumerate(candidates) if each is pair)
        return {"candidate": place, "label": pair.label, "content": _content(pair)}
    named = {"label": pair.label, "base": pair.base, "change": pair.change}
    return {"first": pair.first.tolist(), "second": pair.second.tolist()} | named


def is_same_choice(begun: dict[str, Any], chosen: dict[str, Any]) -> bool:
    """Return whether a night that is played again has chosen what it had when it was begun.

    Objects without a hash may be others. Texts are compared, since a NaN differs from itself.
    """
    if begun["pair"].get("content", "") is None:
        return False
    return all(json.dumps(begun[each]) == json.dumps(chosen[each]) for each in ("pair", "seen"))


def read_pair(said: dict[str, Any], candidates: Sequence[StreamPair], *, given: bool) -> StreamPair | None:
    """Return the pair of which this was kept; None if it is a candidate that is not there any more.

    Inputs that a user has given or drawn, and all pairs where streams are `given`, are the candidates alone: that
    others are neighbours is not said, or not any more.
    """
    if "candidate" in said:
        place = said["candidate"]
        there = place < len(candidates) and said_of_pair(candidates[place], candidates) == said
        return candidates[place] if there else None
    first, second = np.array(said["first"], np.float64), np.array(said["second"], np.float64)
    for pair in candidates:
        if isinstance(pair.first, np.ndarray) and _equal(pair.first, first) and _equal(pair.second, second):
            return pair
    if given or said["base"] in (DRAWN, StreamPair.GIVEN):
        return None
    return StreamPair(first, second, said["label"], said["base"], said["change"])


def _content(pair: StreamPair) -> str | None:
    """Return a hash of two Python objects; None if they have none."""
    try:
        return digest((pair.first, pair.second))
    except PrivcheckError:
        return None


def _equal(one: Any, two: Any) -> bool:
    return one.shape == two.shape and bool((one == two).all())


def bets() -> float:
    """Return the evidence of a night that is always the same: another number says that bets are now made otherwise.

    The evidence of a watch is computed anew each time, so nights that were bet on in one way and then in another would
    have two chances of a false alarm.
    """
    one, two = (
        np.array([[1, 0], [1, -1], [0, 1], [1, 1]], np.int8),
        np.array([[0, 0], [-1, 1], [1, 0], [-1, 0]], np.int8),
    )
    night = counted_night(1, (np.tile(one, (20, 1)), np.tile(two, (20, 1))), (one, two))
    return float(f"{wealth_over_nights([night], 0.5, 0.01)[0, -1]:.6g}")


def seed_of(store: str, watch: str, code: str, night: int) -> int:
    """Return the seed of a night: the same for the same night of the same code, whoever plays it and however often.

    >>> seed_of("s", "w", "c", 1) == seed_of("s", "w", "c", 1) != seed_of("s", "w", "c", 2)
    True
    """
    said = "\0".join((store, watch, code, str(night)))
    return int.from_bytes(hashlib.sha256(said.encode()).digest()[:16], "big")
