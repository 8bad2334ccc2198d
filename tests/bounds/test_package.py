"""The package as a whole: examples in docstrings, weight of the import, direction of imports, exported names."""

import ast
import doctest
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import bounds

FOLDER = Path(bounds.__file__).parent
MODULES = ["bounds", *(found.name for found in pkgutil.walk_packages([str(FOLDER)], "bounds."))]
WITHOUT_EXAMPLES = {"bounds.theorem"}


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples_run(name):
    failed, attempted = doctest.testmod(importlib.import_module(name))
    assert failed == 0
    assert (attempted > 0) == (name not in WITHOUT_EXAMPLES)


def test_walking_the_package_found_it_all():
    assert len(list(FOLDER.rglob("*.py"))) == len(MODULES)


@pytest.mark.parametrize("name", MODULES)
def test_no_module_imports_upwards(name):
    source = importlib.import_module(name).__file__
    imported = set()
    for node in ast.walk(ast.parse(Path(source).read_text())):
        if isinstance(node, ast.Import):
            imported |= {alias.name.split(".")[0] for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            imported.add((node.module or "bounds").split(".")[0])
    assert not imported & {"privcheck", "audits", "tests"}


def test_importing_is_light():
    code = "import sys, bounds; print(*sorted({'scipy', 'sympy', 'numba', 'privcheck'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=FOLDER.parent)
    assert done.stdout.strip() == ""


def test_every_exported_name_exists_and_is_documented():
    assert len(set(bounds.__all__)) == len(bounds.__all__)
    for name in bounds.__all__:
        assert getattr(bounds, name).__doc__, name
