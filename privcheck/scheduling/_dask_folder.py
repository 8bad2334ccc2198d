"""The folder in which a scheduler of its own and its workers keep their files; none is left behind for long."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from privcheck.scheduling._living_processes import may_live, this_client

PREFIX = "privcheck-dask-"
CLIENT = "client"
"""The file that names the client."""


@contextmanager
def dask_folder() -> Iterator[Path]:
    """Yield a folder for temporary files, which ends with the block; those of clients that have ended are removed."""
    for left in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError, ValueError):  # another user's, or one that is being made or removed
            if not may_live((left / CLIENT).read_text(encoding="utf-8")):
                shutil.rmtree(left, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    (folder / CLIENT).write_text(this_client(), encoding="utf-8")
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
