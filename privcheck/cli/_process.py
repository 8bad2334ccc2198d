"""What the command line changes in its process: encoding of characters, warnings, and what a target may do to it."""

from __future__ import annotations

import codecs
import logging
import os
import sys
import unicodedata
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NoReturn, TextIO

PLAIN = {
    "∞": "inf",
    "≥": ">=",
    "≤": "<=",
    "≈": "~",
    "×": "x",
    "·": "*",
    "…": "...",
    "–": "-",
    "✓": "ok",
    "✗": "x",
    "★": "*",
}
"""What stands for characters that an encoding does not have; others become question marks."""

_REPLACE = "privcheck.replace"


def _replaced(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    texts = (PLAIN.get(character) or _ascii(character) for character in error.object[error.start : error.end])
    return "".join(texts), error.end


def _ascii(character: str) -> str:
    """Return the letter without its accents, or a question mark.

    >>> _ascii("é"), _ascii("漢")
    ('e', '?')
    """
    return unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode() or "?"


@contextmanager
def all_streams_open() -> Iterator[None]:
    """Discard what is written to a standard stream that the caller closed, as in `2>&-`; Python has None for it."""
    closed = [name for name in ("stdout", "stderr") if getattr(sys, name) is None]
    for name in closed:
        setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
    try:
        yield
    finally:
        for name in closed:
            getattr(sys, name).close()
            setattr(sys, name, None)


@contextmanager
def replacing_characters() -> Iterator[None]:
    """Let standard output and standard error replace characters that their encoding does not have."""
    codecs.register_error(_REPLACE, _replaced)
    before = []
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            before.append((stream, stream.errors))
            stream.reconfigure(errors=_REPLACE)
    try:
        yield
    finally:
        for stream, errors in before:
            stream.reconfigure(errors=errors)


@contextmanager
def quiet_warnings() -> Iterator[None]:
    """Show no warnings, here and in workers, unless Python was started with -W or PYTHONWARNINGS.

    Matplotlib logs its own, of fonts and of its cache; logging shows those of a logger without a handler.
    """
    if sys.warnoptions or "PYTHONWARNINGS" in os.environ:
        yield
        return
    logging.getLogger("matplotlib").addHandler(logging.NullHandler())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        os.environ["PYTHONWARNINGS"] = "ignore"
        try:
            yield
        finally:
            del os.environ["PYTHONWARNINGS"]


@contextmanager
def contained_target() -> Iterator[None]:
    """Leave standard output and the end of the process to the command while a target runs.

    What the target prints goes to standard error, as does what workers and programs started by it print; of what a line
    of its code logs the first message does. `os._exit`
    raises SystemExit, which is an error of the target: its status would be taken for a verdict.
    """
    from privcheck.progress import messages_once

    output, leave, process = sys.stdout, os._exit, os.getpid()

    def refused(status: int) -> NoReturn:
        if os.getpid() != process:  # how forked children end
            leave(status)
        raise SystemExit(f"os._exit({status})")

    os._exit = refused
    sys.stdout = _copy_of_standard_error()
    output.flush()
    kept = _set_aside(output)
    try:
        with messages_once():
            yield
    finally:
        with suppress(OSError, ValueError):  # of a target that closed it
            sys.stdout.close()
        if kept is not None:
            os.dup2(kept, 1)
            os.close(kept)
        sys.stdout, os._exit = output, leave


def _copy_of_standard_error() -> TextIO:
    try:
        return os.fdopen(os.dup(2), "w", buffering=1, encoding="utf-8", errors="backslashreplace")
    except OSError:  # standard error is closed
        return Path(os.devnull).open("w", encoding="utf-8")


def _set_aside(output: TextIO) -> int | None:
    """Let descriptor 1 be that of standard error, and return a copy of what it was; None if `output` is not there."""
    try:
        if output.fileno() != 1:
            return None
        kept = os.dup(1)
        os.dup2(sys.stdout.fileno(), 1)
    except (OSError, ValueError):  # in memory, or closed
        return None
    return kept
