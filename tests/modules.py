"""Modules that stand beside a test, which are in no package."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType


def beside(file: str, name: str, *, registered: bool = False) -> ModuleType:
    """Return a copy of its own of a module in the folder of a file.

    Parameters
    ----------
    registered : whether `sys.modules` has it under its name, as `pickle` needs it.
    """
    place = importlib.util.spec_from_file_location(name, Path(file).with_name(f"{name}.py"))
    module = importlib.util.module_from_spec(place)
    if registered:
        sys.modules[name] = module
    place.loader.exec_module(module)
    return module
