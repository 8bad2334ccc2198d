"""The examples in the docstrings of privcheck.accounting run."""

import doctest
import importlib
import pkgutil

import pytest

import privcheck.accounting as package

MODULES = [f"{package.__name__}.{module.name}" for module in pkgutil.iter_modules(package.__path__)]


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0
    assert result.attempted > 0
