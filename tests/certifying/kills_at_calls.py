"""A process that `strace` kills at one of its system calls on some files.

The process is a fork, so that nothing is loaded anew for each of the calls: it stops, `strace` takes hold of it, and it
goes on. A process is killed before the call has done anything, so that each state which a call leaves is met once.
"""

from __future__ import annotations

import itertools
import os
import re
import shutil
import signal
import subprocess
from collections import Counter
from functools import partial

FILES = [f"{name}.db{end}" for name in ("budget", "heads") for end in ("", "-wal", "-journal", "-shm")]
MADE = re.compile(r"^(?:\[pid +\d+\] |\d+ +)?(\w+)\(")


def can_trace():
    """Return whether a process can be traced here: containers may forbid it."""
    if shutil.which("strace") is None or not hasattr(os, "fork"):
        return False
    try:
        return killed_at(lambda: os.stat("/"), ["/"], "newfstatat,stat,statx", 1)  # noqa: PTH116 - the call itself
    except (AssertionError, subprocess.SubprocessError):
        return False


def stopped(function):
    """Return a fork that stops, and then runs a function."""
    child = os.fork()
    if child == 0:
        try:
            os.kill(os.getpid(), signal.SIGSTOP)
            function()
            os._exit(0)
        finally:
            os._exit(1)
    os.waitpid(child, os.WUNTRACED)
    return child


def traced(function, files, *options):
    """Run a function in a fork, tracing its calls on files; return how it ended."""
    child = stopped(function)
    command = ["strace", "-f", *(f"-P{file}" for file in files), *options, "-p", str(child)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as tracer:
        taken = tracer.stderr.readline()
        os.kill(child, signal.SIGCONT if "attached" in taken else signal.SIGKILL)
        if "attached" not in taken:
            os.kill(child, signal.SIGCONT)
        _, status = os.waitpid(child, 0)
        tracer.communicate()
    assert "attached" in taken, taken
    return status


def calls_on(function, files, trace):
    """Return how often each system call is made on files by a function that is run in a fork."""
    status = traced(function, files, f"-o{trace}")
    assert status == 0
    return Counter(found[1] for line in trace.read_text().splitlines() if (found := MADE.match(line)))


def killed_at(function, files, call, place):
    """Run a function in a fork that is killed at its n-th system call of a name on files; return whether it was."""
    status = traced(function, files, "-o/dev/null", f"-einject={call}:signal=KILL:when={place}")
    assert os.WIFSIGNALED(status) or status == 0
    return os.WIFSIGNALED(status)


def files_of(folder):
    """Return the files of a ledger and its head in a folder, and the folder itself."""
    return [folder, *(folder / name for name in FILES)]


def each_kill(tmp_path, begin, function, step):
    """Run a function of a folder and of a file in forks, each of which is killed at another system call on the files.

    Parameters
    ----------
    begin : makes the folder and the file of each run.
    step : 1 for every system call, n for every n-th of each name.

    Yields
    ------
    The system call, the folder and the file after each kill; at last of each name those of a run that was not killed.
    """
    folder, shown = tmp_path / "traced", tmp_path / "shown in it"
    begin(folder, shown)
    for call in calls_on(partial(function, folder, shown), files_of(folder), tmp_path / "trace"):
        for place in itertools.count(1, step):
            folder, shown = tmp_path / f"{call} {place}", tmp_path / f"shown at {call} {place}"
            begin(folder, shown)
            killed = killed_at(partial(function, folder, shown), files_of(folder), call, place)
            yield call, folder, shown
            shutil.rmtree(folder)
            if not killed:
                break
