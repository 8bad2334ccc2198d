"""Notebooks and examples import public names only: from a package, never from a module inside one."""

from __future__ import annotations

import ast
import importlib
import json
import pickle
import traceback
from pathlib import Path

import pytest

import privcheck
import privcheck.testing
from privcheck.private_values import Private

HERE = Path(__file__).parents[1]
NOTEBOOKS = sorted((HERE / "notebooks").glob("*.ipynb"))
EXAMPLES = sorted((HERE / "examples").rglob("*.py"))


def code(file):
    """Return the Python code of a file or of the cells of a notebook, without the commands of the latter."""
    if file.suffix == ".py":
        return file.read_text(encoding="utf-8")
    cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
    lines = [line for cell in cells if cell["cell_type"] == "code" for line in "".join(cell["source"]).splitlines()]
    return "\n".join("pass" if line.startswith(("%", "!")) else line for line in lines)


@pytest.mark.parametrize("file", [*NOTEBOOKS, *EXAMPLES], ids=lambda file: file.name)
def test_only_public_names_are_imported(file):
    for node in ast.walk(ast.parse(code(file))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "privcheck":
            package = importlib.import_module(node.module)
            assert hasattr(package, "__path__"), f"{node.module} is a module inside a package"
            public = [*getattr(package, "__all__", []), "bounds"]
            assert {name.name for name in node.names} <= set(public), node.module


def test_errors_are_named_in_tracebacks_as_they_are_imported():
    """And private values in the errors of other libraries: a path with modules that nobody can import helps nobody."""
    public = [getattr(package, name) for package in (privcheck, privcheck.testing) for name in package.__all__]
    errors = [found for found in public if isinstance(found, type) and issubclass(found, BaseException)]
    assert {privcheck.LeakError, privcheck.BudgetExceededError, privcheck.testing.PrivacyFailure} <= {*errors}
    for found in (*errors, Private):
        assert "._" not in f".{found.__module__}", found
        assert getattr(importlib.import_module(found.__module__), found.__name__) is found
        assert pickle.loads(pickle.dumps(found)) is found
    (line,) = traceback.format_exception_only(privcheck.GuardClosedError("call", 1, "two"))
    assert line.startswith("privcheck.errors.GuardClosedError: call: got 1")
