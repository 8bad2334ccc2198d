"""The examples in the docstrings of privcheck.certifying run, and what users call has some."""

import doctest
import importlib
import pkgutil

import pytest

import privcheck.certifying as package

MODULES = [f"{package.__name__}.{module.name}" for module in pkgutil.iter_modules(package.__path__)]


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


@pytest.mark.parametrize("name", ["certify", "guard", "leaks", "linear", "private", "recording"])
def test_what_users_meet_has_examples(name):
    assert doctest.testmod(importlib.import_module(f"{package.__name__}.{name}")).attempted > 0
