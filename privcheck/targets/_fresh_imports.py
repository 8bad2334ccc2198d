"""Importing a target's modules as their files are now."""

from __future__ import annotations

import ast
import hashlib
import importlib
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType

from privcheck.errors import PrivcheckError, words
from privcheck.reached_state import own_modules

OF_TARGET = "privcheck_target_"
"""What the last part of the name of a module begins with that is the file of a target; no import leads to it."""

Held = dict[str, tuple[ModuleType, str]]

_imported: Held = {}
"""Modules that targets have imported, by name, with the SHA-256 of their files."""


class FromSource(SourceFileLoader):
    """Loads a file as it is now, never as it was when bytecode of it was kept."""

    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002
        """Return the code of the file."""
        return self.source_to_code(self.get_data(self.path), self.path)


def executed(path: Path, name: str) -> ModuleType:
    """Return the module of a target's file under a name, or raise what it raises."""
    loader = FromSource(name, str(path))
    spec = spec_from_file_location(name, path, loader=loader)
    assert spec is not None
    sys.modules[name] = module = module_from_spec(spec)
    try:
        loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


@contextmanager
def imported_anew() -> Iterator[None]:
    """Import in the block what the file says now of modules that were imported in an earlier one.

    If one of them has changed, all are imported anew, for others may hold what they have taken from it. Modules that
    were there before the first block are left as they are: their user may have set something in them. Bytecode is not
    kept: Python would take it for that of a file of the same length that was written in the same second.
    """
    there = _there()
    if any(_digest(module) != known for module, known in there.values()):
        _forget(there)
        _imported.clear()
    before, kept = set(sys.modules), sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    try:
        yield
    finally:
        sys.dont_write_bytecode = kept
        for name in own_modules():
            if name not in before or (name in there and there[name][0] is not sys.modules[name]):
                _imported[name] = sys.modules[name], _digest(sys.modules[name])


@contextmanager
def without_those_of_others() -> Iterator[bool]:
    """Hide what earlier targets have imported, if the paths of now lead to other files for any of it; yield whether.

    Two targets in two folders, each with a helper beside it, would share the first one's. All are hidden, for others
    may hold what they have taken from it. What the block does not import again is there again afterwards: a policy may
    import it as it runs.
    """
    importlib.invalidate_caches()
    there = imported_now()
    others = any(_file_found(name) != Path(str(module.__file__)).resolve() for name, (module, _) in there.items())
    if others:
        _forget(there)
    try:
        yield others
    finally:
        for name, (module, _) in there.items():
            sys.modules.setdefault(name, module)


def imported_now() -> Held:
    """Return what the target that was loaded last has at hand, for `put_back`."""
    return {name: held for name, held in _there().items() if not name.rpartition(".")[2].startswith(OF_TARGET)}


def put_back(held: Held) -> None:
    """Let a policy that imports a module as it runs find that of its own target, whatever was loaded since."""
    for name, each in held.items():
        if sys.modules.get(name) is not each[0]:
            sys.modules[name], _imported[name] = each[0], each


def _there() -> Held:
    return {name: held for name, held in _imported.items() if sys.modules.get(name) is held[0]}


def _forget(names: Iterable[str]) -> None:
    """Let modules be imported anew, also those that a folder without `__init__.py` has as attributes."""
    for name in names:
        module = sys.modules.pop(name)
        package, _, own = name.rpartition(".")
        if getattr(sys.modules.get(package), own, None) is module:
            delattr(sys.modules[package], own)


def _file_found(name: str) -> Path | None:
    """Return the file to which an import would lead that finds nothing in `sys.modules`."""
    path, spec, parts = None, None, name.split(".")
    for place in range(len(parts)):
        spec = PathFinder.find_spec(".".join(parts[: place + 1]), path)
        if spec is None:
            return None
        path = list(spec.submodule_search_locations or ())
    return Path(spec.origin).resolve() if isinstance(spec, ModuleSpec) and spec.origin else None


@contextmanager
def importing_beside(path: Path, source: bytes) -> Iterator[str]:
    """Let the code of a file import what stands beside it, and yield the name of its module.

    A file in a package, whose folders have an `__init__.py`, can import the package by its name too. With relative
    imports it is a module of the package, which then is the one that it stands in and no other of this name.

    Parameters
    ----------
    path, source : of the file.
    """
    own, (packages, relative) = OF_TARGET + path.stem, packages_around(path, source)
    first, last = [str(path.resolve().parent)], [str(each.parent) for each in packages[-1:]]
    if relative:
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


def refuse_other_copy(path: Path, name: str) -> None:
    """Raise `PrivcheckError` if a file's own package was imported from another folder, by others than targets."""
    *packages, _ = name.split(".")
    imported = getattr(sys.modules.get(packages[0]), "__file__", None) if packages else None
    if imported is not None and Path(imported).resolve() != path.resolve().parents[len(packages) - 1] / "__init__.py":
        got = words(f"{path} of the package {packages[0]}, which was imported from {Path(imported).parent} before")
        raise PrivcheckError("target", got, "one copy of a package", f"give {packages[0]}.MODULE:NAME for that one")


def _digest(module: ModuleType) -> str:
    """Return the SHA-256 of a module's file as it is now; "" if it is gone."""
    file = Path(str(module.__file__))
    return hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else ""
