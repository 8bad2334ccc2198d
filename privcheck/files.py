"""Output files: checked before any work is done, and written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from privcheck.errors import PrivcheckError
from privcheck.extras import require_extra

DRAWN = (".html", ".pdf", ".png", ".svg")
"""Suffixes of files with pictures."""


def check_output(path: str | Path, parameter: str, suffixes: Sequence[str]) -> Path:
    """Return the path of an output file, or refuse it before any work is done.

    >>> check_output("report.html", "html", (".html",)).name
    'report.html'
    """
    target = Path(path)
    if target.suffix.lower() not in suffixes:
        expected = f"a file that ends in {' or '.join(suffixes)}"
        raise PrivcheckError(parameter, str(path), expected, "the suffix determines the format")
    if target.suffix.lower() in DRAWN:
        require_extra("plots", parameter)
    with _refusing(parameter, path):
        if target.is_dir():
            raise PrivcheckError(parameter, str(path), "a file", "this is a folder: add a file name")
        if target.exists() and not os.access(target, os.W_OK):
            raise PrivcheckError(parameter, str(path), "a writable location", "this file is read-only")
        _try(target.absolute())
    return target


def _try(target: Path) -> None:
    """Write a block beside the target, and remove it and the folders that were made for it."""
    made = [parent for parent in target.parents if not os.path.lexists(parent)]
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = _temporary(target)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(bytes(4096))
        finally:
            Path(name).unlink(missing_ok=True)
    finally:
        for parent in made:
            with suppress(OSError):  # not made, or in use by now
                parent.rmdir()


def _temporary(target: Path) -> tuple[int, str]:
    return tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}-")


@contextmanager
def _refusing(parameter: str, path: str | Path) -> Iterator[None]:
    """Turn the errors of the file system into a refusal of the path."""
    try:
        yield
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise PrivcheckError(parameter, str(path), "a writable location", reason) from None


def write_whole(
    path: str | Path,
    content: str | bytes,
    parameter: str = "path",
    *,
    durable: bool = False,
    check: Callable[[], None] | None = None,
) -> None:
    """Write a file through a temporary one beside it, so that an interruption leaves either the old file or the new.

    Characters that UTF-8 does not have, such as halves of file names in another encoding, become question marks. A
    durable file is on the disk when the function returns, so that it outlives a loss of power. `check` is asked when
    everything is ready, just before the old file is replaced: it raises where that must not be.
    """
    target = Path(path)
    data = content.encode(errors="replace") if isinstance(content, str) else content
    with _refusing(parameter, path):
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = _temporary(target)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                if durable:
                    file.flush()
                    os.fsync(file.fileno())
            mask = os.umask(0)
            os.umask(mask)
            Path(name).chmod(0o666 & ~mask)
            if check is not None:
                check()
            Path(name).replace(target)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
        if durable and os.name == "posix":  # the entry of the folder, too
            folder = os.open(target.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
