"""The fixtures of the mechanisms' tests; their data are in the files of `cases`."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest


def package(folder: str) -> ModuleType:
    """Import a package that lies in this folder, which is none."""
    place = Path(__file__).with_name(folder)
    name = f"mechanism_{folder}"
    spec = importlib.util.spec_from_file_location(name, place / "__init__.py", submodule_search_locations=[str(place)])
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


cases_of = package("cases")


@pytest.fixture(params=list(cases_of.CASES))
def case(request) -> cases_of.Case:
    return cases_of.CASES[request.param]


@pytest.fixture(params=[name for name, case in cases_of.CASES.items() if case.scaled])
def scaled_case(request) -> cases_of.Case:
    return cases_of.CASES[request.param]


@pytest.fixture
def cases() -> dict[str, cases_of.Case]:
    return cases_of.CASES


@pytest.fixture
def expected_nodes() -> dict[str, Callable]:
    return {
        "binary-tree": cases_of.of_trees.binary_nodes,
        "hybrid-tree": cases_of.of_trees.hybrid_nodes,
        "k-ary-tree": cases_of.of_trees.kary_nodes(4),
    }


@pytest.fixture
def apart() -> dict[str, str]:
    return cases_of.APART


@pytest.fixture(scope="session", name="sparse")
def sparse_oracles() -> ModuleType:
    return cases_of.sparse


@pytest.fixture(scope="session", name="local")
def local_oracles() -> ModuleType:
    return cases_of.of_one_datum
