"""Output files: checked before any work is done, and written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
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
    made = _missing_folders(target)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = _temporary(target)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(bytes(4096))
        finally:
            Path(name).unlink(missing_ok=True)
    finally:
        _remove_empty(made)


def _missing_folders(target: Path) -> list[Path]:
    """Return the folders of a target that do not exist, the innermost first."""
    return [parent for parent in target.parents if not os.path.lexists(parent)]


def _remove_empty(folders: Sequence[Path]) -> None:
    for folder in folders:
        with suppress(OSError):  # not made, or in use by now
            folder.rmdir()


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


def _ready(target: Path, content: str | bytes, held: ExitStack, *, durable: bool = False) -> Path:
    """Return a temporary file beside a target, with its content and its mode; it is removed with what is held."""
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = _temporary(target)
    held.callback(Path(name).unlink, missing_ok=True)
    with os.fdopen(handle, "wb") as file:
        file.write(content.encode(errors="replace") if isinstance(content, str) else content)
        if durable:
            file.flush()
            os.fsync(file.fileno())
    Path(name).chmod(_mode(target))
    return Path(name)


def _mode(target: Path) -> int:
    """Return the permissions of the file that is replaced; those of a new one if there is none."""
    with suppress(OSError):  # none, or a link in a circle
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def write_whole(
    path: str | Path,
    content: str | bytes,
    parameter: str = "path",
    *,
    durable: bool = False,
    check: Callable[[], None] | None = None,
) -> None:
    """Write a file through a temporary one beside it, so that an interruption leaves either the old file or the new.

    A file that is replaced keeps its permissions. Characters that UTF-8 does not have, such as halves of file names in
    another encoding, become question marks. A durable file is on the disk when the function returns, so that it
    outlives a loss of power. `check` is asked when everything is ready, just before the old file is replaced: it raises
    where that must not be.
    """
    target = Path(path)
    with _refusing(parameter, path), ExitStack() as held:
        ready = _ready(target, content, held, durable=durable)
        if check is not None:
            check()
        ready.replace(target)
        if durable and os.name == "posix":  # the entry of the folder, too
            folder = os.open(target.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)


def write_together(texts: Mapping[Path, str], parameter: str = "folder") -> None:
    """Write several files, all of them or none: if one cannot be written, or a signal comes, all is as it was before.

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_together({Path(folder, "a", "one.txt"): "1", Path(folder, "two.txt"): "2"})
    ...     sorted(found.name for found in Path(folder).rglob("*.txt"))
    ['one.txt', 'two.txt']
    """
    made = [folder for target in texts for folder in _missing_folders(target.absolute())]
    written = list[Path]()
    before = {target: target.read_bytes() for target in texts if target.exists()}
    try:
        with ExitStack() as held:
            ready = dict[Path, Path]()
            for target, text in texts.items():
                with _refusing(parameter, target):
                    ready[target] = _ready(target, text, held)
            for target, temporary in ready.items():
                written.append(target)
                with _refusing(parameter, target):
                    temporary.replace(target)
    except BaseException:
        for target in written:
            _put_back(target, before.get(target))
        _remove_empty(sorted(set(made), key=lambda folder: -len(folder.parts)))
        raise


def _put_back(target: Path, content: bytes | None) -> None:
    """Remove a file that was not there before, or give it the content that it had."""
    with suppress(OSError, PrivcheckError):
        if content is None:
            target.unlink(missing_ok=True)
        elif target.read_bytes() != content:
            write_whole(target, content)
