"""A command that reads a JSON object from each line of standard input and answers with one on standard output."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time
import weakref
from collections.abc import Sequence
from contextlib import suppress
from typing import IO

from privcheck.errors import PolicyError, PrivcheckError, words
from privcheck.targets._services.messages import LARGEST_REPLY, Message, decoded, encoded, shown, wrong

GRACE = 0.5
"""Seconds for a command to end by itself after its input has ended; then its process group is killed."""

LAST_WORDS = 2000
"""Bytes that are kept of what a command writes to standard error."""

SHELL_WORDS = {"&&", "||", "|", ";", ">", "<", "cd", "export", "source"}
"""Words of a command that only a shell knows."""

NO_SHELL = "no shell reads it: for what a shell does write sh -c '...'"

LAST_LINES, LAST_SHOWN = 15, 1200
"""Lines of it that an error shows, and characters: the last line alone may name no more than the interpreter."""

_LIVING: weakref.WeakSet[LineProcess] = weakref.WeakSet()


class LineProcess:
    """A running command, in a process group of its own.

    Several lines may wait in its input: replies are read in the order of the messages.

    Parameters
    ----------
    command : the program and its arguments.
    timeout : seconds within which each reply must come.
    parameter : what errors are about.
    """

    def __init__(self, command: Sequence[str], timeout: float, parameter: str = "command") -> None:
        self.parameter, self.timeout, self.name = parameter, timeout, command[0]
        pipe = subprocess.PIPE
        try:
            self._process = subprocess.Popen(
                list(command), bufsize=0, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True
            )
        except (OSError, ValueError) as error:
            told = getattr(error, "strerror", None) or str(error)
            got = words(f"{command[0]!r}, which cannot be started: {told}")
            hint = NO_SHELL if SHELL_WORDS & {*command} or "=" in command[0] else "check the path and its permissions"
            raise PrivcheckError(parameter, got, "a program that runs", hint) from None
        pipes = self._process.stdin, self._process.stdout, self._process.stderr
        self._pipes: list[IO[bytes]] = [found for found in pipes if found is not None]
        self._in, self._out, self._err = (found.fileno() for found in self._pipes)
        os.set_blocking(self._in, False)
        os.set_blocking(self._err, False)
        self._readers = select.poll()
        self._readers.register(self._out, select.POLLIN)
        self._readers.register(self._err, select.POLLIN)
        self._buffer, self._last_words, self._closed = b"", b"", False
        _LIVING.add(self)

    def exchange(self, messages: Sequence[Message]) -> list[Message]:
        """Send messages, and return their replies in order."""
        if self._readers.poll(0):
            self._wait(0.001)
        if self._buffer:
            hint = "answer each message once; what else the program prints goes to standard error"
            raise wrong(
                self.parameter, f"{shown(self._buffer)}, a reply to no message", "one reply to each message", hint
            )
        self._send(b"".join(encoded(message) + b"\n" for message in messages))
        return [decoded(self._line(message), message, self.parameter) for message in messages]

    def _send(self, content: bytes) -> None:
        deadline = time.monotonic() + self.timeout
        while content:
            try:
                content = content[os.write(self._in, content) :]
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise wrong(
                        self.parameter, "no reading of its input", f"a read within {self.timeout:g} s"
                    ) from None
                self._readers.register(self._in, select.POLLOUT)
                self._wait(0.1)
                self._readers.unregister(self._in)
            except OSError:
                raise self._ended("it was sent a message") from None

    def _line(self, asked: Message) -> bytes:
        deadline = time.monotonic() + self.timeout
        while (end := self._buffer.find(b"\n")) < 0:
            if len(self._buffer) > LARGEST_REPLY:
                got = f"a line of more than {LARGEST_REPLY:,} bytes in reply to {asked['op']!r}"
                raise wrong(self.parameter, got, "one JSON object on one line", "end each reply with a newline")
            left = deadline - time.monotonic()
            if left <= 0.0:
                got = f"no reply to {asked['op']!r} within {self.timeout:g} seconds" + self._rest()
                hint = "flush standard output after each reply, or raise the timeout"
                raise wrong(self.parameter, got, "one reply to each message", hint)
            if not self._wait(left):
                raise self._ended(f"it had answered {asked['op']!r}", before=True)
        line, self._buffer = self._buffer[:end], self._buffer[end + 1 :]
        return line

    def _rest(self) -> str:
        return f" (only {shown(self._buffer)}, without a newline)" if self._buffer else ""

    def _wait(self, seconds: float) -> bool:
        """Wait for output, and keep it; return False at the end of it."""
        for place, _ in self._readers.poll(max(1, int(1000 * seconds))):
            if place == self._out:
                read = os.read(self._out, 1 << 16)
                self._buffer += read
                if not read:
                    return False
            elif place != self._in:
                self._read_errors()
        return True

    def _read_errors(self) -> None:
        with suppress(OSError):
            read = os.read(self._err, 1 << 16)
            self._last_words = (self._last_words + read)[-LAST_WORDS:]
            if not read:
                with suppress(KeyError):
                    self._readers.unregister(self._err)

    def _ended(self, what: str, *, before: bool = False) -> PolicyError:
        """Return the error for a command that ended, with its status and the last lines that it wrote."""
        self._read_errors()
        if self._ends():
            self.kill()  # what it has started, before its number is free
            self._process.wait()
        status = self._process.returncode
        how = "closed its output" if status is None else f"ended with status {status}"
        if status is not None and status < 0:
            how = f"was ended by {signal.Signals(-status).name}"
        told = f"; the end of its standard error: {told_last(self._last_words)}" if self._last_words.strip() else ""
        when = "before" if before else "when"
        got = f"{self.name!r}, which {how} {when} {what}{told}"
        return wrong(self.parameter, got, "a program that answers until its input ends", "fix the program first")

    def close(self) -> None:
        """End the command: its input ends, and shortly afterwards its whole process group is killed."""
        if self._closed:
            return
        self._closed = True
        with suppress(OSError):
            self._pipes[0].close()
        if self._process.returncode is None:
            self._ends()
            self.kill()
            self._process.wait()
        for pipe in self._pipes[1:]:
            pipe.close()
        _LIVING.discard(self)

    def _ends(self) -> bool:
        """Return whether the program ends by itself; it is left unreaped, so that its group's number stays its own."""
        until = time.monotonic() + GRACE
        while not (over := self._is_over()) and time.monotonic() < until:
            time.sleep(0.005)
        return over

    def _is_over(self) -> bool:
        if not hasattr(os, "waitid"):
            return self._process.poll() is not None
        try:
            return os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None
        except ChildProcessError:  # its status was collected elsewhere: no end may hide the answer, or an error
            return True

    def kill(self) -> None:
        """Kill the process group at once."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def __del__(self) -> None:
        if hasattr(self, "_closed"):
            self.close()


def told_last(content: bytes) -> str:
    r"""Return the last lines of standard error on one line; what is cut off is a beginning.

    >>> told_last(b"TypeError: no\n    at f (x.js:2)\n\nNode.js v20\n")
    'TypeError: no | at f (x.js:2) | Node.js v20'
    """
    lines = [line.strip() for line in content.decode(errors="replace").splitlines() if line.strip()]
    told = " | ".join(lines[-LAST_LINES:])
    return told if len(told) <= LAST_SHOWN else f"…{told[-LAST_SHOWN:]}"


def kill_all() -> None:
    """Kill the process groups of all commands that are running, for an end that waits for nothing."""
    for process in list(_LIVING):
        process.kill()
