"""A patch, written into the file that it was made for."""

from __future__ import annotations

import hashlib
import os
import stat
import subprocess
from contextlib import suppress
from functools import partial
from pathlib import Path

from privcheck.errors import PrivcheckError, words
from privcheck.files import write_whole
from privcheck.fixing._source_text import SourceText

KEPT = ".orig"
"""What is added to the name of the file that keeps what was there before."""


def check_writable(source: SourceText) -> Path | None:
    """Refuse a file that cannot be written, before any work is done, and return the copy that would be made of it.

    Returns
    -------
    The copy; None if git has the file as it was read.

    Raises
    ------
    PrivcheckError : it is read-only, or its folder is, or the copy would replace another file.
    """
    file = source.path.resolve()  # of a link, what it points to
    if not (os.access(file, os.W_OK) and os.access(file.parent, os.W_OK)):
        hint = "take --diff FILE, and apply it where you can write"
        raise PrivcheckError("write", words(f"{source.path}, which is read-only"), "a file that can be written", hint)
    if _is_in_git(file, source.bytes_read):
        return None
    copy = file.with_name(file.name + KEPT)
    if copy.exists() and (not copy.is_file() or copy.read_bytes() != source.bytes_read):
        hint = "move it away: it would keep what was there before the patch"
        raise PrivcheckError("write", words(f"{copy}, which is there already"), "a name that is free", hint)
    return copy


def write_patch(source: SourceText, text: str) -> Path | None:
    """Write a patched text over the file that was read, if that is still the same, and return where the old one is.

    The file is replaced whole: an interruption leaves the old one or the new one. Its encoding, its newlines and its
    mode are kept. What was there before stays beside it, unless git has it.

    Returns
    -------
    The copy; None if git has the file as it was.

    Raises
    ------
    PrivcheckError : the file has changed since it was read, just before it is replaced at the latest; the copy would
        replace another file; or it cannot be written.
    """
    file = source.path.resolve()
    data = source.encoded(text)
    check_unchanged = partial(_check_unchanged, file, source)
    check_unchanged()
    copy = check_writable(source)
    mode = stat.S_IMODE(file.stat().st_mode)
    if copy is not None:
        write_whole(copy, source.bytes_read, "write", durable=True)
        copy.chmod(mode)
    write_whole(file, data, "write", durable=True, check=check_unchanged)
    with suppress(OSError):
        file.chmod(mode)
    return copy


def _check_unchanged(file: Path, source: SourceText) -> None:
    try:
        now = hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError as error:
        got = words(f"{file}, which cannot be read any more: {error.strerror or error}")
        raise PrivcheckError("write", got, "the file as it was read") from None
    if now != source.sha256:
        got = words(f"{file}, which has changed since it was read")
        raise PrivcheckError("write", got, "the file as it was read", "nothing was written: fix it again")


def _is_in_git(file: Path, content: bytes) -> bool:
    """Return whether the last commit has a file with just these bytes.

    `git status` does not tell: it is silent about files that it was told not to look at, and filters may leave out what
    is not to be committed.
    """
    try:
        asked = ["git", "cat-file", "blob", f"HEAD:./{file.name}"]
        had = subprocess.run(asked, cwd=file.parent, capture_output=True, check=True, timeout=10)
    except (OSError, ValueError, subprocess.SubprocessError):
        return False
    return had.stdout == content
