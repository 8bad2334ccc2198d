"""A patch, written into the file that it was made for."""

from __future__ import annotations

import hashlib
import os
import stat
import subprocess
from contextlib import suppress
from pathlib import Path

from privcheck.errors import PrivcheckError, words
from privcheck.files import write_whole
from privcheck.fixing._source_text import SourceText

KEPT = ".orig"
"""What is added to the name of the file that keeps what was there before."""


def check_writable(path: Path) -> None:
    """Refuse a file that cannot be written, before any work is done.

    Raises
    ------
    PrivcheckError : it is read-only, or its folder is.
    """
    if os.access(path, os.W_OK) and os.access(path.absolute().parent, os.W_OK):
        return
    hint = "take --diff FILE, and apply it where you can write"
    raise PrivcheckError("write", words(f"{path}, which is read-only"), "a file that can be written", hint)


def write_patch(source: SourceText, text: str) -> Path | None:
    """Write a patched text over the file that was read, if that is still the same, and return where the old one is.

    The file is replaced whole: an interruption leaves the old one or the new one. Its encoding, its newlines and its
    mode are kept. What was there before stays beside it, unless git has it.

    Returns
    -------
    The copy; None if git has the file as it was.

    Raises
    ------
    PrivcheckError : the file has changed since it was read, the copy would replace another file, or it cannot be
        written.
    """
    file = source.path.resolve()  # of a link, what it points to
    data = source.encoded(text)
    check_writable(file)
    _check_unchanged(file, source)
    mode = stat.S_IMODE(file.stat().st_mode)
    copy = None
    if not _is_clean_in_git(file):
        copy = file.with_name(file.name + KEPT)
        if copy.exists() and copy.read_bytes() != source.bytes_read:
            hint = "move it away: it would keep what was there before the patch"
            raise PrivcheckError("write", words(f"{copy}, which is there already"), "a name that is free", hint)
        write_whole(copy, source.bytes_read, "write")
        copy.chmod(mode)
    _check_unchanged(file, source)
    write_whole(file, data, "write", durable=True)
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


def _is_clean_in_git(file: Path) -> bool:
    """Return whether git has the file exactly as it is."""
    try:
        asked = ["git", "ls-files", "--error-unmatch", "--", file.name]
        subprocess.run(asked, cwd=file.parent, capture_output=True, check=True, timeout=10)
        told = subprocess.run(
            ["git", "status", "--porcelain", "--ignored", "--", file.name],
            cwd=file.parent, capture_output=True, check=True, timeout=10,
        )  # fmt: skip
        had = subprocess.run(
            ["git", "cat-file", "-e", f"HEAD:./{file.name}"], cwd=file.parent, capture_output=True, timeout=10
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return not told.stdout.strip() and had.returncode == 0
