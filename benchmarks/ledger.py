"""The cost of a guarded round with a ledger: `python benchmarks/ledger.py`.

Times of the processor, and of the clock, of a `select` and an `update` of AdaP-UCB: in memory, with a ledger, and with
a ledger that does not wait for the disk, by turns; then of `update_many` on rewards of which none is released, and of a
restart. Beside them stands what as many plain `fdatasync`s cost on the same disk, in the same minute.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

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


def main() -> None:
    """Measure, and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=2000)
    count = parser.parse_args().rounds
    build = AdaPUCB(arms=2, epsilon=1.0).build
    with tempfile.TemporaryDirectory() as folder:
        keeping: dict[str, Any] = {"ledger": Path(folder, "budget.db"), "head": Path(folder, "heads.db")}
        guarded = privcheck.guard(build, epsilon=1.0, arms=2, scope="one", **keeping)
        apart = {"ledger": Path(folder, "hasty.db"), "head": Path(folder, "heads of hasty.db")}
        hasty = privcheck.guard(build, epsilon=1.0, arms=2, scope="one", **apart)
        for database in (hasty._engine.journal.database, hasty._engine.journal.heads):
            database.execute("PRAGMA synchronous = OFF")
        memory = privcheck.guard(build, epsilon=1.0, arms=2)
        found = by_turns({"memory": a_round(memory), "hasty": a_round(hasty)}, count, 20)
        found |= by_turns({"ledger": a_round(guarded), "plain": syncs(folder)}, count, 1)
        busy, passed = found["ledger"]
        print(f"a round in memory: {found['memory'][0]:.1f} us of the processor")
        print(f"a round with a ledger: {busy:.1f} us of the processor, {passed:.0f} us in all")
        print(f"without waiting for the disk: {found['hasty'][0]:.1f} us of the processor")
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
        many.update_many(events)
        print(f"update_many: {len(events) / (time.perf_counter() - clock):.0f} updates a second")


if __name__ == "__main__":
    main()
