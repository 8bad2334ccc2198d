"""The source files that a target consists of: its module, and whatever this imports that nobody has installed."""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.util
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from privcheck.extras import is_installed

_STANDARD = Path(sysconfig.get_paths()["stdlib"]).resolve()
_PRIVCHECK = Path(__file__).resolve().parents[1]
_OTHERS = {*sys.stdlib_module_names, "privcheck"} - {"__main__"}


def own_sources(objects: Iterable[Any]) -> dict[str, str]:
    """Return the SHA-256 of the file of every module that some objects consist of, by the module's name.

    These are the modules that define the objects or their classes, and the modules that these import anywhere in their
    text, except for the standard library, privcheck, and installed packages that none of the objects belongs to. An
    import whose name is only known when it runs is not seen.

    Parameters
    ----------
    objects : functions, classes, or instances, whose classes count.

    Examples
    --------
    >>> own_sources([len, ast.NodeVisitor(), Path])
    {}
    """
    found: dict[str, str] = {}
    every = list(objects)
    todo = [name for each in every for name in _modules_of(each)]
    of_target = {_package_of(each) for each in every} - {*sys.stdlib_module_names, "privcheck"}
    while todo:
        name = todo.pop()
        package = name.partition(".")[0]
        if name in found or not (package in of_target or _may_be_own(package)):  # before its package is imported
            continue
        file = _file_of(name)
        if file is None or not (is_own(file) or package in of_target):
            continue
        content = file.read_bytes()
        found[name] = hashlib.sha256(content).hexdigest()
        if file.suffix == ".py":
            todo += _imported(content, name, is_package=file.name == "__init__.py")
    return dict(sorted(found.items()))


def source_of(name: str) -> str | None:
    """Return the SHA-256 of the file of an installed module, "" for one of privcheck or Python; None without a file.

    >>> source_of("json"), source_of("no_such_module")
    ('', None)
    """
    if name.partition(".")[0] in _OTHERS:
        return ""
    file = _file_of(name)
    return None if file is None else hashlib.sha256(file.read_bytes()).hexdigest()


def _may_be_own(package: str) -> bool:
    """Tell whether a package is not an installed one; of one in several folders its modules decide."""
    file = _file_of(package)
    return file is None or is_own(file)


@functools.cache
def _is_own_file(place: str) -> bool:
    return is_own(Path(place).resolve())


def is_own_module(name: str) -> bool:
    """Tell whether a module belongs neither to the standard library, nor to an installed package, nor to privcheck.

    >>> is_own_module("json"), is_own_module("privcheck.errors"), is_own_module("numpy")
    (False, False, False)
    """
    if name.partition(".")[0] in _OTHERS:
        return False
    place = getattr(sys.modules.get(name), "__file__", None)
    return place is None or _is_own_file(place)


def _package_of(value: Any) -> str:
    """Return the top-level package of a function, a class or what an object is of; it may be an installed one."""
    while isinstance(value, functools.partial):
        value = value.func
    name = getattr(value, "__module__", None)
    return name.partition(".")[0] if isinstance(name, str) else ""


def _modules_of(value: Any) -> Iterator[str]:
    if isinstance(value, functools.partial):
        yield from _modules_of(value.func)
    classes = value.__mro__ if isinstance(value, type) else type(value).__mro__
    for each in (value, *classes):
        name = getattr(each, "__module__", None)
        if isinstance(name, str):
            yield name


def _file_of(name: str) -> Path | None:
    """Return the file of a module, without importing it; None if it has none."""
    module = sys.modules.get(name)
    place = getattr(module, "__file__", None)
    if module is None:
        try:
            spec = importlib.util.find_spec(name)
        except (ImportError, ValueError, AttributeError):
            return None
        place = None if spec is None else spec.origin
    return Path(place).resolve() if place and Path(place).is_file() else None


def is_own(file: Path) -> bool:
    """Tell whether a file belongs neither to the standard library, nor to an installed package, nor to privcheck."""
    return not (file.is_relative_to(_STANDARD) or file.is_relative_to(_PRIVCHECK) or is_installed(file))


def _imported(content: bytes, name: str, *, is_package: bool) -> Iterator[str]:
    """Yield the names of modules that a module may import, those of their packages included."""
    try:
        tree = ast.parse(content)
    except SyntaxError:
        return
    package = name if is_package else name.rpartition(".")[0]
    for node in ast.walk(tree):
        named: list[str] = []
        if isinstance(node, ast.Import):
            named = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            named = [base, *(f"{base}.{alias.name}" for alias in node.names)]
        for each in named:
            parts = each.split(".")
            if parts[0] not in sys.stdlib_module_names and parts[0] != "privcheck":
                yield from (".".join(parts[:length]) for length in range(1, len(parts) + 1))
