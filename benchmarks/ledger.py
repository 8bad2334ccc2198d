"""The cost of a guarded round with a ledger: `python benchmarks/ledger.py`.

Times of the processor, and of the clock, of a `select` and an `update` of AdaP-UCB: in memory, and with a ledger; then
of `update_many` on rewards of which none is released, and of a restart. Beside them stands what one `fdatasync` costs
on the same disk.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
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


def rounds(guarded: Any, count: int) -> tuple[float, float]:
    """Return the medians of the processor time and of the clock time of a round, in microseconds."""
    busy, passed = [], []
    for _ in range(count):
        started, clock = time.thread_time(), time.perf_counter()
        guarded.update(guarded.select(), 0.5)
        busy.append(1e6 * (time.thread_time() - started))
        passed.append(1e6 * (time.perf_counter() - clock))
    return statistics.median(busy), statistics.median(passed)


def sync(folder: str, count: int) -> float:
    """Return the median of the clock time of a write and an `fdatasync` of 12 KiB, in microseconds."""
    found = []
    with Path(folder, "plain").open("wb") as file:
        for _ in range(count):
            clock = time.perf_counter()
            file.write(bytes(12_288))
            file.flush()
            os.fdatasync(file.fileno())
            found.append(1e6 * (time.perf_counter() - clock))
    return statistics.median(found)


def main() -> None:
    """Measure, and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=2000)
    count = parser.parse_args().rounds
    build = AdaPUCB(arms=2, epsilon=1.0).build
    memory = privcheck.guard(build, epsilon=1.0, arms=2)
    print(f"a round in memory: {rounds(memory, 10 * count)[0]:.1f} us of the processor")
    with tempfile.TemporaryDirectory() as folder:
        keeping: dict[str, Any] = {"ledger": Path(folder, "budget.db"), "head": Path(folder, "heads.db")}
        guarded = privcheck.guard(build, epsilon=1.0, arms=2, scope="one", **keeping)
        busy, passed = rounds(guarded, count)
        print(f"a round with a ledger: {busy:.1f} us of the processor, {passed:.0f} us in all")
        print(f"one fdatasync of 12 KiB: {sync(folder, min(count, 200)):.0f} us")
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
