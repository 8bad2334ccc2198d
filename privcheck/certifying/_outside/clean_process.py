"""A process in which no code of a target has ever run; its forks run targets that another process has run before."""

from __future__ import annotations

import atexit
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NoReturn

from privcheck.reached_state import own_modules
from privcheck.scheduling import other_threads

OF_A_SCRIPT = {"main", "sys", "re"}
"""Names in the module of an installed command, besides those with two underscores."""


@dataclass(frozen=True)
class Surroundings:
    """What a process receives from the one that starts it, before a target has changed it."""

    folder: str
    path: list[str]
    environment: dict[str, str]

    @classmethod
    def now(cls) -> Surroundings:
        """Return those of this process."""
        try:
            folder = str(Path.cwd())
        except OSError:  # it was removed
            folder = ""
        return cls(folder, list(sys.path), dict(os.environ))

    def enter(self) -> None:
        """Make them those of this process."""
        if self.folder:
            os.chdir(self.folder)
        sys.path[:] = self.path
        os.environ.clear()
        os.environ.update(self.environment)


class CleanProcess:
    """A process that waits for work, and does each piece of it in a fork.

    Guarantee
    ---------
    A fork of it counts as fresh. Its memory was copied from a process in which nothing has run but Python, installed
    packages as far as they are imported, and privcheck: it is either an interpreter that was started for it, or a fork
    of one, made before anything of a user was imported, with a single thread. It runs no target itself, only its forks
    do, and these end with their work; so nothing that any run of a target leaves in memory can be seen by a later one.
    The environment, the working folder and the places of modules are those at the beginning of a certificate, when the
    target was loaded and not yet built. What it shares with other processes is what lies outside of all of them, such
    as files.

    Parameters
    ----------
    process : its number; it leads a group of its own.
    connection : to it.
    """

    def __init__(self, process: int, connection: Connection) -> None:
        self._process, self._connection, self._owner = process, connection, os.getpid()

    def ask(self, work: Any, seconds: float) -> Any:
        """Return what a fork returns for a piece of work, a function without arguments.

        Raises
        ------
        OSError, EOFError : it takes longer, or ended without an answer; the process is ended then.
        """
        try:
            self._connection.send(work)
            if not self._connection.poll(seconds):
                raise TimeoutError
            return self._connection.recv()
        except BaseException:
            self.end()
            raise

    @property
    def is_alive(self) -> bool:
        """Whether it is there, and was started by this process."""
        return self._owner == os.getpid() and not self._connection.closed

    def end(self) -> None:
        """End it, and what it has started."""
        if self.is_alive:
            self._connection.close()
            with suppress(OSError):
                os.killpg(self._process, signal.SIGKILL)
            with suppress(OSError):
                os.waitpid(self._process, 0)


_started: CleanProcess | None = None


def clean_process() -> CleanProcess:
    """Return the one that was started before, or start it."""
    global _started
    if _started is None or not _started.is_alive:
        _started = _forked() if is_untouched() else _interpreter()
        atexit.register(_started.end)
    return _started


def start_early() -> None:
    """Start it by a fork if nothing of a user is loaded yet; a fork is made in no time."""
    if hasattr(os, "fork") and (_started is None or not _started.is_alive) and is_untouched():
        clean_process()


def is_untouched() -> bool:
    """Return whether nothing of a user has run in this process: it is a command of privcheck's.

    Of other threads there are at most those that wait for signals and for the end of the parent, which hold no lock.
    """
    main = sys.modules["__main__"]
    names = {name for name in vars(main) if not name.startswith("__")}
    loaded = {name for name in own_modules() if sys.modules.get(name) is not main}
    return names <= OF_A_SCRIPT and not loaded and not other_threads()


def _forked() -> CleanProcess:
    ours, its = Pipe()
    process = os.fork()
    if process == 0:
        try:
            ours.close()
            serve(its)
        finally:
            os._exit(1)
    its.close()
    return CleanProcess(process, ours)


def _interpreter() -> CleanProcess:
    ours, its = Pipe()
    places = [str(Path(__file__).parents[3]), *sys.path]
    code = f"import sys; sys.path[:] = {places!r}; from {__name__} import begin; begin({its.fileno()})"
    command = [sys.executable, "-P", "-c", code]
    started = subprocess.Popen(
        command, pass_fds=[its.fileno()], env={**os.environ, "PYTHONHASHSEED": "0"}, stdin=subprocess.DEVNULL
    )
    its.close()
    started.returncode = 0  # it is waited for by its number
    return CleanProcess(started.pid, ours)


LOOKED = 0.05
"""Seconds between two looks at a fork."""


def begin(connection: int) -> None:
    """Serve in an interpreter of its own, after what guarded runs need is imported."""
    import privcheck.certifying._certify  # noqa: F401

    serve(Connection(connection))


def serve(connection: Connection) -> NoReturn:
    """Do each piece of work in a fork, until the other process ends."""
    os.setpgid(0, 0)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nothing, stream)
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, signal.SIG_DFL)
    work = _next(connection)
    while True:
        if (fork := os.fork()) == 0:
            _work(connection, work)
        ended = 0, 0
        while not ended[0] and not connection.poll(LOOKED):
            ended = os.waitpid(fork, os.WNOHANG)
        work = _next(connection) if ended == (0, 0) else b""
        if (ended if ended[0] else os.waitpid(fork, 0))[1]:
            os._exit(1)
        work = work or _next(connection)


def _next(connection: Connection) -> bytes:
    """Wait for work; end this process and its forks when the other process has ended."""
    try:
        return connection.recv_bytes()
    except (EOFError, OSError):
        os.killpg(0, signal.SIGKILL)
        raise


def _work(connection: Connection, work: bytes) -> NoReturn:
    try:
        done: Callable[[], Any] = pickle.loads(work)
        connection.send(done())
        os._exit(0)
    finally:
        os._exit(1)
