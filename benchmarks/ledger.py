"""The cost of a guarded round with a ledger: `python benchmarks/ledger.py`.

Times of the processor, and of the clock, of a `select` and an `update` of AdaP-UCB: in memory, with a ledger, and with
a ledger that does not wait for the disk, by turns; then of `update_many` on rewards of which none is released, and of a
restart. Beside them stands what as many plain `fdatasync`s cost on the same disk, in the same minute, and what a loop
of plain Python costs, by which times on a machine that others use can be compared. `--events N` fills a ledger with N
events in place of that, without waiting for the disk, and plays them again: from a snapshot, and from the first on.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import privcheck
from privcheck.bandits.adap_ucb import AdaPUCB


class Never:
    """Adds up rewards, and releases nothing."""

    def __init__(self, rng: Any) -> None:  # noqa: ARG002 - as policies are built
        self.total = 0.0

    def select(self) -> int:
        """Return arm 0."""
        return 0

    def update(self, action: int, reward: Any) -> None:  # noqa: ARG002
        """Add the reward up."""
        self.total = self.total + reward


SYNCED = (8240, 4120, 8240, 4120)
"""Bytes that a round without a draw writes before each wait for the disk: entry and head, of `select` and `update`."""


def by_turns(works: dict[str, Callable[[], None]], count: int, turn: int) -> dict[str, tuple[float, float]]:
    """Return the medians of the processor time and of the clock time of each, in microseconds.

    What waits for the disk takes turns of one round, since the disk changes from second to second; what does not, of
    several, after which the caches of the processor are warm.
    """
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in works}
    for name, work in [*works.items()] * max(1, count // turn):
        for _ in range(turn):
            started, clock = time.thread_time(), time.perf_counter()
            work()
            taken[name].append((1e6 * (time.thread_time() - started), 1e6 * (time.perf_counter() - clock)))
    found = {}
    for name, pairs in taken.items():
        busy, passed = zip(*pairs, strict=True)
        found[name] = statistics.median(busy), statistics.median(passed)
    return found


def a_round(guarded: Any) -> Callable[[], None]:
    """Return what plays one round."""
    return lambda: guarded.update(guarded.select(), 0.5)


def syncs(folder: str) -> Callable[[], None]:
    """Return what writes and waits as often as a round does, in plain files."""
    files = [os.open(Path(folder, name), os.O_CREAT | os.O_WRONLY | os.O_APPEND) for name in ("plain", "other")]

    def work() -> None:
        for place, size in enumerate(SYNCED):
            os.write(files[place % 2], bytes(size))
            os.fdatasync(files[place % 2])

    return work


def yardstick() -> None:
    """Count in a dictionary."""
    counts: dict[int, int] = {}
    for number in range(1000):
        counts[number % 8] = counts.get(number % 8, 0) + number


def hurry(guarded: Any) -> None:
    """Do not wait for the disk any more."""
    for database in (guarded._engine.journal.database, guarded._engine.journal.heads):
        database.execute("PRAGMA synchronous = OFF")


def busy(work: Callable[[], Any]) -> float:
    """Return the processor seconds that something takes."""
    started = time.thread_time()
    work()
    return time.thread_time() - started


def peak() -> float:
    """Return the most memory that this process has had, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)


def fill(count: int) -> None:
    """Measure a ledger with many events, and print a line for each; half of them are choices, half are rewards."""
    build = AdaPUCB(arms=2, epsilon=0.5).build
    with tempfile.TemporaryDirectory() as folder:
        keeping: dict[str, Any] = {"ledger": Path(folder, "budget.db"), "head": Path(folder, "heads.db")}
        keeping |= {"scope": "one", "epsilon": 0.5, "arms": 2, "per_user": 1.0}
        guarded = privcheck.guard(build, **keeping)
        hurry(guarded)

        def play(first: int, last: int) -> None:
            for start in range(first, last, 250):
                names = [f"e{number}" for number in range(start, min(start + 250, last))]
                chosen = [(name, guarded.select(request_id=name)) for name in names]
                told = [{"action": arm, "reward": 0.5, "request_id": name, "user": name} for name, arm in chosen]
                guarded.update_many(told)

        play(0, 1000)
        before = peak()
        played = busy(lambda: play(1000, count // 2)) / (count - 2000)
        print(f"{count} events: {1e6 * played:.0f} us of the processor each, {peak() - before:.1f} MiB more memory")
        guarded._engine.journal.database.rows("PRAGMA wal_checkpoint(TRUNCATE)")
        size, state = Path(folder, "budget.db").stat().st_size, guarded._engine.journal.database
        ((kept,),) = state.rows("SELECT length(state) FROM snapshot")
        print(
            f"on the disk: {size / count:.0f} bytes an event with an id, half of them of persons; snapshot {kept} bytes"
        )
        clock = time.perf_counter()
        found = busy(lambda: privcheck.guard(build, **keeping))
        print(f"a start from the snapshot: {found:.2f} s of the processor, {time.perf_counter() - clock:.2f} s in all")
        state.execute("DELETE FROM snapshot")
        again = busy(lambda: privcheck.guard(build, **keeping)) / count
        print(f"a start from the first event: {1e6 * again:.0f} us of the processor for each, ", end="")
        print(f"{again / played:.2f} of the time in which it was played")


def main() -> None:
    """Measure, and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=2000)
    parser.add_argument("--events", type=int, help="fill a ledger with this many")
    given = parser.parse_args()
    if given.events:
        fill(given.events)
        return
    count = given.rounds
    build = AdaPUCB(arms=2, epsilon=1.0).build
    with tempfile.TemporaryDirectory() as folder:
        keeping: dict[str, Any] = {"ledger": Path(folder, "budget.db"), "head": Path(folder, "heads.db")}
        guarded = privcheck.guard(build, epsilon=1.0, arms=2, scope="one", **keeping)
        apart = {"ledger": Path(folder, "hasty.db"), "head": Path(folder, "heads of hasty.db")}
        hasty = privcheck.guard(build, epsilon=1.0, arms=2, scope="one", **apart)
        hurry(hasty)
        memory, alone = privcheck.guard(build, epsilon=1.0, arms=2), build(np.random.default_rng(0))
        works = {"memory": a_round(memory), "hasty": a_round(hasty), "alone": a_round(alone), "yardstick": yardstick}
        found = by_turns(works, count, 20)
        found |= by_turns({"ledger": a_round(guarded), "plain": syncs(folder)}, count, 1)
        taken, passed = found["ledger"]
        stick = found["yardstick"][0]
        print(
            f"the yardstick: {stick:.1f} us of the processor; a round of the policy alone: {found['alone'][0]:.1f} us"
        )
        for name, words in (("memory", "in memory"), ("hasty", "with a ledger, without waiting for the disk")):
            print(f"a round {words}: {found[name][0]:.1f} us of the processor, {found[name][0] / stick:.3f} yardsticks")
        print(f"a round with a ledger: {taken:.1f} us of the processor, {passed:.0f} us in all")
        print(f"{len(SYNCED)} writes and fdatasyncs: {found['plain'][1]:.0f} us, ", end="")
        print(f"{found['plain'][0]:.1f} us of the processor")
        print(f"the round takes {passed / found['plain'][1]:.2f} times as long as these")
        clock = time.perf_counter()
        privcheck.guard(build, epsilon=1.0, arms=2, scope="one", **keeping)
        print(f"a restart after {2 * count} events: {time.perf_counter() - clock:.2f} s")
        clock = time.perf_counter()
        deleted = guarded.forget()
        print(f"forgetting what {deleted} events were told: {time.perf_counter() - clock:.2f} s")
        size = Path(folder, "budget.db").stat().st_size
        print(f"on the disk: {size / (2 * count):.0f} bytes an event, beside the log of the database, of about 4 MB")
        many = privcheck.guard(Never, epsilon=1.0, arms=2, scope="many", **keeping)
        names = [f"e{number}" for number in range(5 * count)]
        events = [{"action": many.select(request_id=name), "reward": 0.5, "request_id": name} for name in names]
        clock = time.perf_counter()
        spent = busy(lambda: many.update_many(events))
        print(f"update_many: {len(events) / (time.perf_counter() - clock):.0f} updates a second by the clock, ", end="")
        print(f"{len(events) / spent:.0f} of the processor")


if __name__ == "__main__":
    main()
