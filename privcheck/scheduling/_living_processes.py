"""Clients of a store: processes at work on the same folder, and whether one of them may still live."""

from __future__ import annotations

import os
import platform
import threading
import uuid
from contextlib import suppress
from pathlib import Path

WAITS = "privcheck waits for "
"""How the names of threads begin that only wait, for signals or the end of the parent; forks may do without them."""


def this_client() -> str:
    """Return a name for this client: its machine, its process, when that began, and a word of its own.

    >>> may_live(this_client())
    True
    """
    return f"{_machine()} {os.getpid()} {_begun(os.getpid())} {uuid.uuid4().hex[:8]}"


def may_live(client: str) -> bool:
    """Tell whether a client may still be at work: a process of this machine that has ended is not.

    Neither is one whose number another process has by now. Nobody knows what runs on another machine.
    """
    machine, _, rest = client.partition(" ")
    process, _, rest = rest.partition(" ")
    if machine != _machine() or os.name != "posix":  # elsewhere signal 0 is none that asks
        return True
    try:
        os.kill(int(process), 0)
    except (ProcessLookupError, OverflowError, ValueError):
        return False
    except OSError:
        return True
    return _begun(int(process)) == rest.partition(" ")[0]


def other_threads() -> set[str]:
    """Return the names of the threads of this process beside the main one and those that only wait."""
    names = {thread.name for thread in threading.enumerate()} - {threading.main_thread().name}
    return {name for name in names if not name.startswith(WAITS)}


def _machine() -> str:
    return "-".join(platform.node().split()) or "-"


def _begun(pid: int) -> str:
    """Return when a process of this machine began, in the kernel's ticks; "-" if that is not known."""
    with suppress(OSError, IndexError):
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[19]
    return "-"
