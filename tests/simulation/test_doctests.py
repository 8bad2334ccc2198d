"""The examples in the docstrings of the simulation, the environments and the algorithms run."""

import doctest
import importlib
import pkgutil

import pytest

import privcheck.bandits
import privcheck.environments
import privcheck.simulation

PACKAGES = [privcheck.simulation, privcheck.environments, privcheck.bandits]
MODULES = [p.__name__ for p in PACKAGES] + [
    f"{p.__name__}.{m.name}" for p in PACKAGES for m in pkgutil.iter_modules(p.__path__)
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_there_are_examples():
    assert sum(doctest.testmod(importlib.import_module(name)).attempted for name in MODULES) > 30


def test_heavy_imports_are_lazy():
    import subprocess
    import sys

    heavy = ("matplotlib", "joblib", "rich")
    code = f"import sys, privcheck.simulation.simulate; print([m for m in {heavy} if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
