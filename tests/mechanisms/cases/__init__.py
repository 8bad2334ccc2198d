"""The test data of each mechanism, one file for each kind; `conftest.py` imports this folder as a package."""

import importlib
import pkgutil

from . import above_threshold_oracles as sparse
from . import local_oracles as of_one_datum
from . import tree_oracles as of_trees
from .case import Case

__all__ = ["APART", "CASES", "Case", "of_one_datum", "of_trees", "sparse"]

FILES = [importlib.import_module(f"{__name__}.{found.name}") for found in pkgutil.iter_modules(__path__)]
CASES: dict[str, Case] = {name: case for file in FILES for name, case in getattr(file, "CASES", {}).items()}

APART = {"wishart": "test_wishart.py"}
"""Mechanisms whose privacy is no multiple of sensitivity / scale, and the files of their contracts."""
