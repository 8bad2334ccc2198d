"""Whose code a file, a module or a class is: the user's, an installed package's, or privcheck's."""

from __future__ import annotations

import sys
import sysconfig
from functools import lru_cache
from pathlib import Path
from typing import Any

_STANDARD = Path(sysconfig.get_paths()["stdlib"]).resolve()
_PRIVCHECK = Path(__file__).resolve().parents[1]
_OWN_OF_PRIVCHECK = ("bandits", "adapters", "mechanisms", "oracles")


def is_inner(module: str) -> bool:
    """Tell whether a module is a part of privcheck that only privcheck's own code changes."""
    first, _, rest = module.partition(".")
    return first == "privcheck" and rest.partition(".")[0] not in _OWN_OF_PRIVCHECK


@lru_cache(maxsize=4096)
def is_own_file(file: str) -> bool:
    """Tell whether a file belongs neither to Python, nor to an installed package, nor to privcheck's machinery."""
    if file.startswith("<frozen"):
        return False
    if file.startswith("<"):
        return True
    path = Path(file).resolve()
    if path.is_relative_to(_PRIVCHECK):
        return path.relative_to(_PRIVCHECK).parts[0] in ("bandits", "adapters")
    return not path.is_relative_to(_STANDARD) and not {"site-packages", "dist-packages"} & set(path.parts)


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


@lru_cache(maxsize=4096)
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
