"""Importing a target's modules as their files are now."""

from __future__ import annotations

import ast
import hashlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

from privcheck.errors import PrivcheckError, words
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


@contextmanager
def importing_beside(path: Path, source: bytes) -> Iterator[str]:
    """Let the code of a file import what stands beside it, and yield the name of its module.

    A file in a package, whose folders have an `__init__.py`, can import the package by its name too. With relative
    imports it is a module of the package, which then is the one that it stands in and no other of this name.

    Parameters
    ----------
    path, source : of the file.

    Raises
    ------
    PrivcheckError : relative imports, and a package that was imported from another folder before.
    """
    own, (packages, relative) = f"privcheck_target_{path.stem}", packages_around(path, source)
    first, last = [str(path.resolve().parent)], [str(each.parent) for each in packages[-1:]]
    if relative:
        _refuse_other_copy(path, packages[-1])
        first, last = first + last, []
        own = ".".join([*(each.name for each in reversed(packages)), own])
    last = [each for each in last if each not in sys.path]
    sys.path[:] = [*first, *sys.path, *last]
    try:
        yield own
    finally:
        for place in first + last:
            sys.path.remove(place)


def packages_around(path: Path, source: bytes) -> tuple[list[Path], bool]:
    """Return the folders of the packages that a file stands in, the innermost first, and whether it imports relatively.

    A folder above is one if it has an `__init__.py`, or if relative imports go up to it.
    """
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError, RecursionError):
        nodes = []
    up = max((node.level for node in nodes if isinstance(node, ast.ImportFrom)), default=0)
    above = list(path.resolve().parents)
    named = next(n for n, each in enumerate(above) if not (each / "__init__.py").is_file())
    return above[: max(up, named)], up > 0


def _refuse_other_copy(path: Path, top: Path) -> None:
    imported = getattr(sys.modules.get(top.name), "__file__", None)
    if imported is not None and Path(imported).resolve() != (top / "__init__.py").resolve():
        got = words(f"{path} of the package {top.name}, which was imported from {Path(imported).parent} before")
        raise PrivcheckError("target", got, "one copy of a package", f"give {top.name}.MODULE:NAME for that one")


def _digest(module: ModuleType) -> str:
    """Return the SHA-256 of a module's file as it is now; "" if it is gone."""
    file = Path(str(module.__file__))
    return hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else ""
