"""The examples in the docstrings of every module run: here those that no test of a package runs."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import privcheck

ELSEWHERE = {
    "accounting", "auditing", "auditing.exact", "bandits", "certifying", "cli", "environments", "mechanisms", "privacy",
    "reporting", "simulation", "testing",
}  # fmt: skip
"""Packages with a test that runs the examples of all modules directly in them."""

FOUND = [module.name for module in pkgutil.walk_packages(privcheck.__path__, "privcheck.")]
LEFT = [
    name
    for name in FOUND
    if name.removeprefix("privcheck.").rpartition(".")[0] not in ELSEWHERE and name != "privcheck.__main__"
]


@pytest.mark.parametrize("name", LEFT)
def test_examples_run(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_modules_were_found():
    assert {f"privcheck.{name}" for name in ELSEWHERE} <= set(FOUND)
    assert "privcheck.auditing.inference.tradeoff" in LEFT
    finder = doctest.DocTestFinder()
    assert sum(len(test.examples) for name in LEFT for test in finder.find(importlib.import_module(name))) >= 10
