"""Output files: checked before any work is done, and written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from privcheck.errors import PrivcheckError


def check_output(path: str | Path, parameter: str, suffixes: Sequence[str]) -> Path:
    """Return the path of an output file, or refuse it before any work is done.

    >>> check_output("report.html", "html", (".html",)).name
    'report.html'
    """
    target = Path(path)
    if target.suffix.lower() not in suffixes:
        expected = f"a file that ends in {' or '.join(suffixes)}"
        raise PrivcheckError(parameter, str(path), expected, "the suffix determines the format")
    if target.is_dir():
        raise PrivcheckError(parameter, str(path), "a file", "this is a folder: add a file name")
    folder = next(parent for parent in target.absolute().parents if os.path.lexists(parent))
    if not (folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)):
        raise PrivcheckError(parameter, str(path), "a writable location", f"{folder} is not a writable folder")
    return target


def write_whole(path: str | Path, content: str | bytes, parameter: str = "path") -> None:
    """Write a file through a temporary one beside it, so that an interruption leaves either the old file or the new."""
    target = Path(path)
    data = content.encode() if isinstance(content, str) else content
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}-")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise PrivcheckError(parameter, str(path), "a writable location", reason) from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        mask = os.umask(0)
        os.umask(mask)
        Path(name).chmod(0o666 & ~mask)
        Path(name).replace(target)
    except BaseException as error:
        Path(name).unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise PrivcheckError(parameter, str(path), "a writable location", str(error.strerror)) from None
        raise
