"""Whose code a file, a module or a class is: the user's, an installed package's, or privcheck's."""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from types import FunctionType
from typing import Any

from privcheck.extras import is_installed

_STANDARD = Path(sysconfig.get_paths()["stdlib"]).resolve()
_PRIVCHECK = Path(__file__).resolve().parents[1]
_OWN_OF_PRIVCHECK = ("bandits", "adapters", "mechanisms", "oracles")
_NEVER_OWN = {"privcheck", "numpy", "scipy", "numba"}
"""Packages whose classes targets are made of, or hold; what is own in privcheck itself is known."""
_TAKEN: set[Path] = set()
"""Folders and files of installed packages that targets belong to."""


def take_as_own(*values: Any) -> bool:
    """Take the installed packages that classes, functions and objects belong to for the user's; tell if one is new.

    A target may be installed like any other package. What it keeps is put back only where its code is looked into, so
    its package counts as the user's from then on, in this process.
    """
    found = set(_installed_places(values)) - _TAKEN
    if found:
        _TAKEN.update(found)
        is_own_file.cache_clear()
        is_taken.cache_clear()
    return bool(found)


def _installed_places(values: tuple[Any, ...]) -> Iterator[Path]:
    for value in values:
        whole = value.func if isinstance(value, partial) else value
        name: Any = (whole if isinstance(whole, type | FunctionType) else type(whole)).__module__
        if not isinstance(name, str):  # a class may have a property of this name
            continue
        if name.partition(".")[0] in _NEVER_OWN:
            continue
        for module in map(sys.modules.get, (name, name.partition(".")[0])):
            places = [*getattr(module, "__path__", ()), getattr(module, "__file__", None)]
            yield from (Path(place).resolve() for place in places if place and is_installed(Path(place)))


@cache
def is_taken(file: str) -> bool:
    """Tell whether a file belongs to an installed package that a target belongs to."""
    if not _TAKEN or file.startswith("<"):
        return False
    path = Path(file).resolve()
    return any(path.is_relative_to(place) for place in _TAKEN)


def is_inner(module: str) -> bool:
    """Tell whether a module is a part of privcheck that only privcheck's own code changes."""
    first, _, rest = module.partition(".")
    return first == "privcheck" and rest.partition(".")[0] not in _OWN_OF_PRIVCHECK


def is_of_others(kind: type) -> bool:
    """Tell whether a class belongs to an installed package, other than numpy, that is not taken for the user's."""
    module: Any = kind.__module__
    if not isinstance(module, str):  # a class may have a property of this name
        return False
    top = module.partition(".")[0]
    file = getattr(sys.modules.get(module), "__file__", None)
    return top not in {*sys.stdlib_module_names, "numpy", "privcheck"} and bool(file) and not is_own_file(str(file))


@cache
def is_own_file(file: str) -> bool:
    """Tell whether a file belongs neither to Python, nor to a package of others, nor to privcheck's machinery."""
    if file.startswith("<frozen"):
        return False
    if file.startswith("<"):
        return True
    path = Path(file).resolve()
    if path.is_relative_to(_PRIVCHECK):
        return path.relative_to(_PRIVCHECK).parts[0] in ("bandits", "adapters")
    return is_taken(file) or (not path.is_relative_to(_STANDARD) and not is_installed(path))


def is_own_class(value: type) -> bool:
    """Tell whether a class belongs neither to Python, nor to an installed package, nor to privcheck's machinery."""
    return is_own_module(sys.modules.get(value.__module__)) or _is_own_name(value.__module__)


def _is_own_name(name: str) -> bool:
    """Tell whether a module that is not there any more may be the user's."""
    return name not in sys.modules and name.partition(".")[0] not in {*sys.stdlib_module_names, "privcheck"}


def own_modules() -> set[str]:
    """Return the names of loaded modules whose files belong neither to Python, nor to a package, nor to privcheck.

    >>> own_modules().isdisjoint(["privcheck", "math", "numpy"])
    True
    """
    files = {name: getattr(module, "__file__", None) for name, module in list(sys.modules.items())}
    return {name for name, file in files.items() if file and is_own_file(file) and not is_of_privcheck(file)}


@cache
def is_of_privcheck(file: str) -> bool:
    """Tell whether a file is one of privcheck's."""
    return Path(file).resolve().is_relative_to(_PRIVCHECK)


def is_own_module(module: Any) -> bool:
    """Tell whether a module belongs neither to Python, nor to an installed package, nor to privcheck's machinery."""
    if module is None:
        return False
    if module.__name__ == "__main__":
        return True
    file = getattr(module, "__file__", None)
    return module.__name__ not in sys.builtin_module_names if file is None else is_own_file(file)
