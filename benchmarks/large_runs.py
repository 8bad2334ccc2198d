"""What large audits take: `python benchmarks/large_runs.py [--runs 24000000] [--counted 10000000 100000000]`.

Prints three tables: an audit of a kernel by one process and by two workers (wall time, alternating, medians), the time
that a call takes beyond what it does on each engine, and the peak memory of audits with few and with many counted runs.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import time

from rich.console import Console
from rich.table import Table

import privcheck
from privcheck.scheduling import Calls, executor

POLICY = {"target": "adap-ucb", "epsilon": 1.0, "arms": 2, "horizon": 16}


def main() -> None:
    """Parse the command line, measure, print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=24_000_000, help="runs of the audit that is timed")
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--counted", type=int, nargs="*", default=[10**7, 10**8], help="runs of which memory is taken")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(alone(arguments.one)))
        return
    console = Console()
    console.print(speed_up(arguments.runs, arguments.times))
    console.print(overheads())
    console.print(memory(arguments.counted))


def speed_up(runs: int, times: int) -> Table:
    """Time the same audit with one process and with two workers that are warm."""
    for jobs in (1, 2):
        privcheck.audit(**POLICY, runs=800_000, jobs=jobs)
    taken: dict[int, list[float]] = {1: [], 2: []}
    reports, busy = [], []
    for _ in range(times):
        for jobs, seconds in taken.items():
            started, before = time.perf_counter(), time.process_time()
            report = json.loads(privcheck.audit(**POLICY, runs=runs, jobs=jobs).to_json())
            seconds.append(time.perf_counter() - started)
            if jobs == 1:
                busy.append(time.process_time() - before)
            reports.append(report | {"seconds": 0.0})
    assert all(report == reports[0] for report in reports)
    one, two = (statistics.median(taken[jobs]) for jobs in (1, 2))
    ratio = statistics.median(alone / both for alone, both in zip(taken[1], taken[2], strict=True))
    table = Table("runs per stream", "one process", "of it CPU", "two workers", "ratio", title="An audit, seconds")
    table.add_row(f"{runs:,}", f"{one:.1f}", f"{statistics.median(busy):.1f}", f"{two:.1f}", f"{ratio:.2f}")
    return table


def overheads() -> Table:
    """Time calls of known length beyond that length; one worker each."""
    table = Table("engine", "calls of 0 s: each, ms", "calls of 1 s: beyond it, %", title="What a call takes")
    engines = {
        "here": (1, None, False),
        "threads": (2, None, False),
        "processes": (2, None, True),
        "Dask": (1, "local:2", False),
        "Dask, alone": (1, "local:2", True),
    }
    for name, (jobs, scheduler, alone) in engines.items():
        with executor(jobs, scheduler) as workers:
            list(workers.completed(Calls(time.sleep, [(0.0,)] * 4, alone)))
            started = time.perf_counter()
            list(workers.completed(Calls(time.sleep, [(0.0,)] * 200, alone)))
            each = (time.perf_counter() - started) / 200
            together, number = (1, 6) if name == "here" else (2, 12)
            started = time.perf_counter()
            list(workers.completed(Calls(time.sleep, [(1.0,)] * number, alone)))
            beyond = (time.perf_counter() - started) / (number / together) - 1.0
        table.add_row(name, f"{1e3 * each:.2f}", f"{100 * beyond:.1f}")
    return table


def memory(counted: list[int]) -> Table:
    """Take the peak memory of audits, each in a process of its own."""
    table = Table("runs per stream", "counted", "peak, MiB", "CPU s", title="Memory of an audit")
    for runs in counted:
        command = [sys.executable, "-P", __file__, "--one", str(runs)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        found = json.loads(done.stdout)
        table.add_row(f"{runs:,}", f"{found['counted']:,}", f"{found['peak']:.0f}", f"{found['seconds']:.0f}")
    return table


def alone(runs: int) -> dict[str, float]:
    """Audit in this process, with two threads."""
    report = privcheck.audit(**POLICY, runs=runs, jobs=2)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"counted": report.counted_runs, "peak": peak, "seconds": time.process_time()}


if __name__ == "__main__":
    main()
