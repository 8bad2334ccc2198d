"""The exit status of a command that did not come to its end, and the line on standard error that goes with it."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import traceback
from pathlib import Path

from privcheck import __version__
from privcheck.cli._interruption import INTERRUPTED, interrupted_status
from privcheck.errors import PrivcheckError, on_one_line

BAD_INPUT, INTERNAL_ERROR, UNREAD = 2, 70, 141
"""70 is EX_SOFTWARE of sysexits.h; 141 is what shells report of a process killed by SIGPIPE."""


def status_of(error: BaseException) -> int:
    """Return the exit status of an exception, after telling it in one line.

    An exception that none of the commands expects is an internal error, never a status that means something else.
    """
    stopped = interrupted_status()
    if stopped is not None and not isinstance(error, PrivcheckError | BrokenPipeError):
        return _told("interrupted", stopped)  # workers that the same signal ended raise errors of their own
    if isinstance(error, PrivcheckError):
        return _told(str(error), BAD_INPUT)
    if isinstance(error, KeyboardInterrupt) or type(error).__name__ == "Abort":
        return _told("interrupted", INTERRUPTED)
    if isinstance(error, BrokenPipeError):
        return _unread()
    if isinstance(error, SystemExit) and isinstance(error.__context__, BrokenPipeError):
        return _unread()  # click and rich exit with 1 when a pipe breaks
    if isinstance(error, OSError) and error.filename is None:
        _unread()
        return _told(
            f"output: got {error.strerror or error}, expected a writable output; write it elsewhere", BAD_INPUT
        )
    if isinstance(error, MemoryError):
        got = str(error) or "no memory left"
        return _told(f"memory: got {got}, expected work that fits into memory; ask for less at once", BAD_INPUT)
    if hasattr(error, "format_message"):  # of click: a wrong option or command
        return _usage(error)
    return _told(_internal(error), INTERNAL_ERROR)


def _told(message: str, status: int) -> int:
    sys.stderr.write(f"privcheck: {on_one_line(message)}\n")
    return status


def _unread() -> int:
    """Discard what is still buffered, and return the exit status of a process killed by a broken pipe."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return UNREAD


def _usage(error: BaseException) -> int:
    text: str = error.format_message()  # type: ignore[attr-defined]
    if type(error).__name__ == "NoArgsIsHelpError":
        sys.stdout.write(text + "\n")
        return 0
    message = " ".join(text.split()).rstrip(".")
    return _told(f"{message}; {_what_there_is(error)}", BAD_INPUT)


def _what_there_is(error: BaseException) -> str:
    """Return which help to read."""
    context = getattr(error, "ctx", None)
    command = context.info_name if context is not None and context.parent is not None else ""
    if not command:
        return f"`privcheck --help` lists the {'options' if 'option' in type(error).__name__.lower() else 'commands'}"
    return f"`privcheck {command} --help` lists the options"


def _internal(error: BaseException) -> str:
    """Return what to report about an exception that is a fault of privcheck's, and where its traceback is kept."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    told = f"{type(error).__name__}: {str(error)[:200]}" if str(error) else type(error).__name__
    kept = _kept(error)
    what = f"the command and {kept}" if kept else "the command"
    version = f"privcheck {__version__}, Python {platform.python_version()}"
    return f"internal error: {told}{where}; this is a fault of privcheck ({version}): please report {what}"


def _kept(error: BaseException) -> str:
    """Write the traceback to a temporary file and return its path; "" if that is impossible."""
    try:
        handle, path = tempfile.mkstemp(prefix="privcheck-", suffix=".txt", text=True)
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write("".join(traceback.format_exception(error)))
    except Exception:  # a line about the error is worth more than its traceback
        return ""
    return path
