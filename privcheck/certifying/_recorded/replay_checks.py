"""Whether what is played again is what was recorded, and what is read what was written."""

from __future__ import annotations

import warnings
from typing import Any

from privcheck.certifying._recorded.draw_log import AGAIN, DrawLog, Interrupted, changed
from privcheck.certifying._recorded.events import Answer, Event, digest
from privcheck.errors import PrivcheckError, words
from privcheck.journal import Entry

CHANGED = "the file was changed or damaged: `privcheck ledger verify` says where"


def check_end(end: tuple[int, bytes], before: tuple[int, bytes]) -> None:
    """Refuse a ledger that has become shorter, or another one that is as long."""
    if end[0] < before[0] or (end[0] == before[0] and end != before):
        now = f"ends at entry {end[0]}" if end[0] < before[0] else f"has another entry {end[0]}"
        got = words(f"one that {now}, after it ended at entry {before[0]}")
        raise PrivcheckError("ledger", got, "the file that the guard was opened with", "it was put back: restore it")


def check_chain(entry: Entry, position: tuple[int, bytes]) -> None:
    """Refuse an entry that does not follow from those up to a position."""
    if not entry.follows(position[1]) or entry.number != position[0] + 1:
        got = words(f"one whose entry {entry.number} does not follow from those before it")
        raise PrivcheckError("ledger", got, "a ledger as it was written", CHANGED)


def check_kept(entry: Entry, began: int) -> None:
    """Refuse to go on in memory where another worker has forgotten: all go on from what was kept then.

    Parameters
    ----------
    began : the entry of the snapshot from which the policy was played; 0 for none.
    """
    if "forgot" in entry.said and began != entry.number - 1:
        got = words(f"a policy that was played before entry {entry.number}, where what it was told was forgotten")
        raise PrivcheckError("policy", got, "the snapshot that was taken there", "open the guard again")


def check_told(entry: Entry, told: tuple[bytes, bytes]) -> None:
    """Refuse what an event was told if it is not what its entry has the hash of."""
    if entry.said["told"] != digest(*told):
        got = words(f"one in which what the event of entry {entry.number} was told is not what it was told")
        raise PrivcheckError("ledger", got, "a ledger as it was written", CHANGED)


IN_THREADS = (
    "it releases in threads of its own, which may come in another order each time: release in one thread; or else "
)


def cause(error: BaseException, log: DrawLog) -> BaseException:
    """Return why a call has no answer: an error has ended it, or what has ended its draws, or the end of its scope.

    In a scope that another one continues, the code need not be what it was.
    """
    if log.stopped is not None and not isinstance(log.stopped, Interrupted):
        error = log.stopped
    if not isinstance(error, PrivcheckError) or error.parameter != "policy":
        return error
    if (closed := log.journal.closed()) is not None:
        return closed
    if log.in_threads and AGAIN in str(error.value):
        return PrivcheckError(error.parameter, error.value, error.expected, IN_THREADS + error.hint)
    return error


def warn_of_another(before: dict[str, str], now: dict[str, str]) -> None:
    """Warn that the versions or the processor are not those that have played before."""
    names = [name for name in {**before, **now} if before.get(name) != now.get(name)]
    text = f"the ledger was written with another {', '.join(names)}: recorded answers stand, and are not compared"
    warnings.warn(text, RuntimeWarning, stacklevel=2)


def agree(found: Answer, kept: dict[str, Any]) -> bool:
    """Return whether answers agree: values in all, errors in their kind, since their words may name lines.

    An earlier version wrote the name of any class, also of one that its module does not know.
    """
    said = found.said
    if "error" in said and "error" in kept:
        return kept["error"]["type"] in (said["error"]["type"], type(found.error).__name__)
    return said == kept


LACKS = ("MemoryError", "RecursionError")
"""Errors of a contextual `select` that another machine, or another caller, need not meet again; no state is left."""


def check_answer(event: Event, found: Answer, kept: dict[str, Any]) -> None:
    """Refuse a policy that does not answer an event as it did."""
    if kept.get("error", {}).get("type") not in LACKS and not agree(found, kept):
        raise changed(f"event {event.number}, {event.kind}(), gives {short(found.said)}, not {short(kept)}")


def short(said: dict[str, Any]) -> str:
    """Return an answer in a few words."""
    return str(said.get("value", said.get("error", {}).get("text")))[:100]
