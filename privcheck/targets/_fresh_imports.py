"""Importing a target's modules as their files are now."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

from privcheck.reached_state import own_modules

_imported: dict[str, tuple[ModuleType, str]] = {}
"""Modules that targets have imported, by name, with the SHA-256 of their files."""


class FromSource(SourceFileLoader):
    """Loads a file as it is now, never as it was when bytecode of it was kept."""

    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002
        """Return the code of the file."""
        return self.source_to_code(self.get_data(self.path), self.path)


@contextmanager
def imported_anew() -> Iterator[None]:
    """Import in the block what the file says now of modules that were imported in an earlier one.

    If one of them has changed, all are imported anew, for others may hold what they have taken from it. Modules that
    were there before the first block are left as they are: their user may have set something in them. Bytecode is not
    kept: Python would take it for that of a file of the same length that was written in the same second.
    """
    there = {name: held for name, held in _imported.items() if sys.modules.get(name) is held[0]}
    if any(_digest(module) != known for module, known in there.values()):
        for name in there:
            del sys.modules[name]
        _imported.clear()
    before, kept = set(sys.modules), sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    try:
        yield
    finally:
        sys.dont_write_bytecode = kept
        for name in own_modules() - before:
            _imported[name] = sys.modules[name], _digest(sys.modules[name])


def _digest(module: ModuleType) -> str:
    """Return the SHA-256 of a module's file as it is now; "" if it is gone."""
    file = Path(str(module.__file__))
    return hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else ""
