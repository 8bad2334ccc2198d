"""A text as a file of its own beside what the original file stands beside."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path

from privcheck.fixing._source_text import SourceText

LEFT_OUT = ("__pycache__", ".git")
"""What a neighbour is not: compiled modules would be written through the link."""

ABOVE = 3
"""Folders above that of the file whose entries are linked too: code may import from `Path(__file__).parents[1]`."""

MOST = 2000
"""Entries of such a folder; one that has more is none of a project."""


@contextmanager
def as_file(source: SourceText, text: str) -> Iterator[Path]:
    """Yield the path of a file with this text and the name of the original, in a temporary folder.

    Links to what stands beside the original, and beside the folders that it is in, let it import its neighbours and
    read its data files. If the original is itself a link, so is the file: what it imports stands beside what a link
    points to, and its data beside the link. Certificates and simulations name a file by its name, so what they say of
    it, and the random numbers that they draw for it, are those of the original.
    """
    own, real = source.path.absolute(), source.path.resolve()
    with _temporary_folder() as folder:
        file = _beside(real, Path(folder, "privcheck-file") if own.is_symlink() else Path(folder))
        file.write_bytes(source.encoded(text))
        if own.is_symlink():
            link = _beside(own, Path(folder, "privcheck-link"))
            link.symlink_to(file)
            file = link
        yield file


@contextmanager
def _temporary_folder() -> Iterator[str]:
    """Yield a folder that is removed at the end, also if a signal comes while that goes on: it has many links."""
    folder = tempfile.mkdtemp(prefix="privcheck-fix-")
    try:
        yield folder
    finally:
        try:
            shutil.rmtree(folder, ignore_errors=True)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise


def _beside(own: Path, top: Path) -> Path:
    """Return a free path below a folder; what is beside it, and beside the folders above, is that of another path."""
    above = list(own.parents)[: ABOVE + 1]
    file = top.joinpath(*[each.name for each in above[:-1]][::-1], own.name)
    file.parent.mkdir(parents=True, exist_ok=True)
    kept = own.name
    for original, here in zip(above, file.parents, strict=False):
        with suppress(OSError):  # a folder above may not be ours to list
            found = list(islice(original.iterdir(), MOST + 1 if here != file.parent else None))
            for each in found if here == file.parent or len(found) <= MOST else ():
                if each.name not in (kept, *LEFT_OUT):
                    with suppress(OSError, NotImplementedError):  # without the right to make links
                        Path(here, each.name).symlink_to(each)
        kept = original.name
    return file
