"""A text as a file of its own beside what the original file stands beside."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from privcheck.fixing._source_text import SourceText

LEFT_OUT = ("__pycache__", ".git")
"""What a neighbour is not: compiled modules would be written through the link."""


@contextmanager
def as_file(source: SourceText, text: str) -> Iterator[Path]:
    """Yield the path of a file with this text and the name of the original, in a temporary folder.

    Links to what stands beside the original let it import its neighbours and read its data files. Certificates and
    simulations name a file by its name, so what they say of it, and the random numbers that they draw for it, are those
    of the original.
    """
    own = source.path.absolute()
    with tempfile.TemporaryDirectory(prefix="privcheck-fix-") as folder:
        for each in own.parent.iterdir():
            if each.name != own.name and each.name not in LEFT_OUT:
                with suppress(OSError, NotImplementedError):  # without rights to make links the file stands alone
                    Path(folder, each.name).symlink_to(each)
        file = Path(folder, own.name)
        file.write_bytes(source.encoded(text))
        yield file
