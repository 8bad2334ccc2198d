"""The source files that a target consists of, and their hashes."""

from __future__ import annotations

import ast
import hashlib
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from privcheck.errors import PrivcheckError
from privcheck.targets import Location

OWN = "privcheck"
"""The package whose version stands in every key, in place of its source."""


def is_place(target: str) -> bool:
    """Return whether a target is a place, FILE.py:NAME or package.module:NAME, rather than a shipped id.

    >>> is_place("my_bandit.py:MyBandit"), is_place("adap-ucb(alpha=2)")
    (True, False)
    """
    return ":" in target


def source_files(*places: str) -> dict[str, Path]:
    """Return the files of a target and of functions that it is given, the files of the modules that they import, and so
    on.

    Imports are read from the source, without importing anything, in functions and branches too. A module counts if it
    lies beside the target or in a folder of Python's path that is neither the standard library nor site-packages, or
    belongs to the package that has the target. Modules that are imported by a computed name are not seen.

    Parameters
    ----------
    places : each FILE.py:NAME or package.module:NAME.

    Returns
    -------
    Paths by what names them: the parts of the path below the folder from which they are imported. Empty for a place
    that does not exist: playing it says what is wrong.
    """
    return {name: path for place in places for name, path in _files_of(place).items()}


def _files_of(place: str) -> dict[str, Path]:
    module = place.rpartition(":")[0]
    file, installed = Path(module), Installed()
    if module.endswith(".py"):
        if not file.is_file():
            return {}
        roots, todo = _of_file(file.resolve())
    else:
        roots, parts = _own_folders(), module.split(".")
        todo = [found for root in roots for found in _modules(root, parts, "")]
        if not todo:
            installed = Installed(parts[0], tuple(folder for folder in _path() if folder not in roots))
            todo = installed.files(parts)
    known: dict[str, Path] = {}
    while todo:
        name, path = todo.pop()
        if path not in known.values():
            known[name] = path
            todo += [found for found in _imported(path, name, roots, installed) if not found[0].startswith(f"{OWN}/")]
    return dict(sorted(known.items()))


@dataclass(frozen=True)
class Installed:
    """The package that a target is installed in, which is its own source wherever it lies; by default none.

    Parameters
    ----------
    package : the name of the package, or of a module that is none.
    folders : where packages are installed.
    """

    package: str = ""
    folders: tuple[Path, ...] = ()

    def files(self, parts: list[str]) -> list[tuple[str, Path]]:
        """Return the files of a module of the package, nothing for any other."""
        mine = parts[0] == self.package and self.package not in {*sys.stdlib_module_names, OWN}
        return _first(self.folders, parts) if mine else []


def _of_file(file: Path) -> tuple[list[Path], list[tuple[str, Path]]]:
    """Return the folders in which a target's file looks for modules, and that file with what its package runs first."""
    packages, relative = Location(str(file), "").packages
    last = [each.parent for each in packages[-1:]]
    if not relative:
        return [file.parent, *_own_folders(), *last], [(file.name, file)]
    inits = [each / "__init__.py" for each in packages]
    named = [(each.relative_to(last[0]).as_posix(), each) for each in (file, *inits) if each.is_file()]
    return [file.parent, *last, *_own_folders()], named


def digest_of(path: str | Path, parameter: str = "data") -> str:
    """Return the SHA-256 of a file's content.

    Raises
    ------
    PrivcheckError : a file that cannot be read.
    """
    try:
        with Path(path).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise PrivcheckError(parameter, str(path), "a file that can be read", error.strerror or "") from None


def from_here(file: Path) -> str:
    """Return the path of a file, relative to the working directory if it lies below it, as paths of targets are."""
    here = Path.cwd().resolve()
    return str(file.relative_to(here) if file.is_relative_to(here) else file)


def _own_folders() -> list[Path]:
    """Return the folders of Python's path, without those of the standard library and of installed packages."""
    paths = sysconfig.get_paths()
    installed = [Path(paths[name]).resolve() for name in ("stdlib", "platstdlib", "purelib", "platlib", "scripts")]
    return [folder for folder in _path() if not any(map(folder.is_relative_to, installed))]


def _path() -> dict[Path, None]:
    """Return the folders of Python's path, in order."""
    folders = [Path(entry or ".").resolve() for entry in sys.path]
    return dict.fromkeys(folder for folder in folders if folder.is_dir())


def _imported(path: Path, name: str, roots: list[Path], installed: Installed) -> Iterator[tuple[str, Path]]:
    """Yield the files of the modules that a file imports; nothing for a file that is not Python."""
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _first(roots, alias.name.split(".")) or installed.files(alias.name.split("."))
        elif isinstance(node, ast.ImportFrom):
            stem = node.module.split(".") if node.module else []
            for alias in node.names:
                if node.level:
                    folder, above = path.parents[node.level - 1], name.split("/")[: -node.level]
                    yield from _modules(folder, [*stem, alias.name], "".join(f"{part}/" for part in above))
                else:
                    parts = [*stem, alias.name]
                    yield from _first(roots, parts) or installed.files(parts)


def _first(roots: Sequence[Path], parts: list[str]) -> list[tuple[str, Path]]:
    """Return the files of a module in the first folder that has it."""
    return next((found for root in roots if (found := list(_modules(root, parts, "")))), [])


def _modules(folder: Path, parts: list[str], above: str) -> Iterator[tuple[str, Path]]:
    """Yield the file of a module and those of the packages around it; the last parts may be names inside it."""
    for part in parts:
        if part == "*":
            return
        module, package = folder / f"{part}.py", folder / part
        if (package / "__init__.py").is_file():
            yield f"{above}{part}/__init__.py", package / "__init__.py"
        elif module.is_file():
            yield f"{above}{part}.py", module
            return
        elif not package.is_dir():
            return
        folder, above = package, f"{above}{part}/"
