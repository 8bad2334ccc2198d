"""The examples of the documentation run."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import privcheck.reporting as package

MODULES = [
    package.__name__,
    *(f"{package.__name__}.{module.name}" for module in pkgutil.iter_modules(package.__path__)),
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_there_are_examples():
    finder = doctest.DocTestFinder()
    found = [test for name in MODULES for test in finder.find(importlib.import_module(name)) if test.examples]
    assert len(found) >= 20
