"""What a target reads and writes outside of its process: files, databases, the environment, programs, connections."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from privcheck.certifying._outside.state_apart import Separated, select_apart
from privcheck.private_values import feature
from privcheck.reached_state import is_of_privcheck, is_own_file

READS, WRITES, BOTH, RUNS, CONNECTS = "reads", "writes to", "reads and writes to", "runs", "connects to"

EVENTS = {
    "open": READS,
    "os.listdir": READS, "os.scandir": READS, "os.getxattr": READS, "os.listxattr": READS, "glob.glob": READS,
    "os.putenv": WRITES, "os.unsetenv": WRITES, "os.remove": WRITES, "os.rename": WRITES, "os.mkdir": WRITES,
    "os.rmdir": WRITES, "os.truncate": WRITES, "os.link": WRITES, "os.symlink": WRITES, "os.utime": WRITES,
    "os.chmod": WRITES, "os.chown": WRITES, "os.setxattr": WRITES, "os.removexattr": WRITES, "os.chdir": WRITES,
    "sqlite3.connect": CONNECTS, "socket.connect": CONNECTS, "socket.bind": CONNECTS, "socket.getaddrinfo": CONNECTS,
    "subprocess.Popen": RUNS, "os.system": RUNS, "os.posix_spawn": RUNS, "os.exec": RUNS, "os.fork": RUNS,
    "os.forkpty": RUNS, "pty.spawn": RUNS,
}  # fmt: skip
"""Events of Python's audit hooks, with what they do."""

WRITING = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND
NOTHING = ("/dev/null", "/dev/urandom", "/dev/random")
OF_SOURCE = frozenset(["linecache.py", "inspect.py", "tokenize.py", "traceback.py", "warnings.py"])
"""Modules of the standard library that read the source of code."""

COMPILERS = ("numba", "llvmlite")


@dataclass(frozen=True)
class Access:
    """What a line of a target's own code does outside of its process.

    Parameters
    ----------
    what : in words.
    name : of the file, the variable, the program.
    function, file, line : the own function, and the place in it.
    played : whether it was called in a round; otherwise when the target was imported, or the policy built.
    told : whether it was told an ordinary number that is private: it is the contextual `select`, or is called by it or
        by `privcheck.feature`.
    """

    what: str
    name: str
    function: str
    file: str
    line: int
    played: bool
    told: bool

    def __str__(self) -> str:
        return f"{self.function} {self.what} {self.name} ({Path(self.file).name}:{self.line})"


class Accesses:
    """What a target did outside of its process while it was watched."""

    def __init__(self) -> None:
        self.found: dict[Access, None] = {}
        self.thread = threading.get_ident()

    @property
    def told(self) -> list[str]:
        """Sentences about code that receives private numbers: the guard does not put back what it leaves there."""
        after = "that is not put back, so what it receives may reach later rounds: keep what is constant in the policy"
        return [f"{access}: {after}" for access in self.found if access.told]

    @property
    def played(self) -> list[str]:
        """Sentences about the other rounds."""
        after = (
            "what is outside of the process is not put back, so the code alone may carry rewards from run to run: read "
            "constant files when the policy is built, and keep the rest in the policy"
        )
        return [f"{access}: {after}" for access in self.found if access.played and not access.told]

    @property
    def built(self) -> list[str]:
        """What was read when the target was imported and policies were built."""
        read = (access for access in self.found if not access.played and access.what != WRITES)
        return list(dict.fromkeys(access.name for access in read))


_watching: list[Accesses] = []
_installed = False


@contextmanager
def watched() -> Iterator[Accesses]:
    """Take note of what the own code of a target does outside of its process in the block.

    An audit hook sees it, which is installed at the first use and looks at nothing outside of such blocks: no hook can
    be removed. It sees what goes through Python's own functions: a compiled extension may open files unseen.
    """
    global _installed
    if not _installed:
        _installed = True
        sys.addaudithook(_hook)
    found = Accesses()
    _watching.append(found)
    try:
        yield found
    finally:
        _watching.remove(found)


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if not _watching or event not in EVENTS:
        return
    watching = [each for each in _watching if each.thread == threading.get_ident()]
    if watching and (access := _access(event, arguments)) is not None:
        for each in watching:
            each.found[access] = None


def _access(event: str, arguments: tuple[Any, ...]) -> Access | None:
    """Return what own code does; None for what Python, packages and privcheck do on their own."""
    named = arguments[0] if arguments else ""
    if event == "socket.connect" or event == "socket.bind":
        named = arguments[1]
    what, name = EVENTS[event], os.fsdecode(named) if isinstance(named, str | bytes | os.PathLike) else repr(named)
    if isinstance(named, int) or name in NOTHING:
        return None
    if event == "open":
        mode, flags = str(arguments[1] or ""), int(arguments[2] or 0)
        if "+" in mode or flags & os.O_RDWR:
            what = BOTH
        elif set(mode) & set("wax") or flags & WRITING:
            what = WRITES
    own = _own_frame(sys._getframe(2))
    if own is None or (what == READS and is_of_privcheck(name)):  # an adapter is own code, and imported by its stub
        return None
    function, played, told = _role(own)
    return Access(what, name, function, own.f_code.co_filename, own.f_lineno, played, told)


def _own_frame(frame: FrameType | None) -> FrameType | None:
    """Return the own function that asks for something; None if a package, an import or privcheck does for itself."""
    while frame is not None:
        file = frame.f_code.co_filename
        if is_own_file(file):
            return frame
        parts = Path(file).parts
        if file.startswith("<frozen importlib") or is_of_privcheck(file):
            return None
        if parts[-1] in OF_SOURCE or any(name in parts for name in COMPILERS):
            return None
        frame = frame.f_back
    return None


def _role(own: FrameType) -> tuple[str, bool, bool]:
    """Return the name of an own function, whether it was called in a round, and whether it receives private numbers."""
    frame: FrameType | None = own
    told = False
    while frame is not None:
        code = frame.f_code
        told = told or code in TOLD
        if Path(code.co_filename).parent.name == "feedback" and is_of_privcheck(code.co_filename):
            break
        frame = frame.f_back
    name = {"<lambda>": "a lambda", "<module>": "the module"}.get(own.f_code.co_name, f"{own.f_code.co_name}()")
    return name, frame is not None, told


TOLD = (feature.__code__, select_apart.__code__, Separated.select.__code__)
"""What calls own functions with ordinary numbers that are private."""
