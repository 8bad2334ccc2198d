"""The modules of the folder benchmarks, which is no package."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

FOLDER = Path(__file__).parents[1] / "benchmarks"


def loaded(name: str) -> ModuleType:
    """Import a module of the folder; those that it imports itself have to be loaded before."""
    place = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(place)
    sys.modules[name] = module
    place.loader.exec_module(module)
    return module
