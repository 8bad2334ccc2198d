"""How wide the rooms' faces are: what somebody has to know of a room in order to work in another one.

The face of a room is what other rooms import from it. It stands in the room's `__init__.pyi`, from which `lazy_loader`
loads each name when it is first used; the modules below it begin with an underscore. The limits here are what was
measured when they were last changed: they fall, but for names that a new capability adds.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

import privcheck
from tests.modules import beside

HERE = Path(__file__).parent
reader = beside(__file__, "imports")

PACKAGE = Path(privcheck.__file__).parent
STUBS = sorted(PACKAGE.rglob("__init__.pyi"))

MODULES_ON_FACES = 40
NAMES_ON_FACES = 750
LARGEST_CIRCLE = 6
INNER_MODULES_IN_TESTS = 100
"""Modules inside rooms that tests import by name, each counted once for each folder of tests but the room's own."""


def modules(package):
    """Return the files of a package by dotted name."""
    found = {}
    for file in package.rglob("*.py"):
        parts = ["privcheck", *file.relative_to(package).with_suffix("").parts]
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return found


def module_of(target, known):
    """Return the module that an imported dotted name is, or is in; "" for the package itself and what is no module."""
    while target and target not in known:
        target = target.rpartition(".")[0]
    return "" if target == "privcheck" else target


@cache
def graph(package):
    """Return the modules that each module imports, in functions too; what only type checkers import is left out."""
    known = modules(package)
    arrows = defaultdict(set)
    for name, file in known.items():
        if name in ("privcheck", "privcheck.__main__"):
            continue
        hidden = _lines_for_type_checkers(file)
        for found in reader.imports(file):
            target = module_of(found.target, known)
            if target not in ("", name) and found.line not in hidden:
                arrows[name].add(target)
    return arrows


def _lines_for_type_checkers(file):
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            found |= set(range(node.lineno, node.end_lineno + 1))
    return found


def faces(package):
    """Return the modules of each room that modules of other rooms import."""
    found = defaultdict(set)
    for name, targets in graph(package).items():
        for target in targets:
            if reader.room(target) != reader.room(name):
                found[reader.room(target)].add(target)
    return found


def circles(arrows):
    """Return the strongly connected components of more than one module (Tarjan), the largest first."""
    index, low, stack, found = {}, {}, [], []

    def visit(module):
        index[module] = low[module] = len(index)
        stack.append(module)
        for other in sorted(arrows.get(module, ())):
            if other not in index:
                visit(other)
            if other in stack:
                low[module] = min(low[module], low[other])
        if low[module] == index[module]:
            part = stack[stack.index(module) :]
            del stack[stack.index(module) :]
            if len(part) > 1:
                found.append(sorted(part))

    for module in sorted(arrows):
        if module not in index:
            visit(module)
    return sorted(found, key=len, reverse=True)


def names_on_faces(stub):
    """Return the names that a room shows, with the modules they are loaded from."""
    tree = ast.parse(stub.read_text(encoding="utf-8"))
    lines = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: node.module for node in lines for alias in node.names}


def inner_modules_in_tests(tests):
    """Return the (folder of tests, module) in which tests of another room import a module inside a room by name."""
    known, found = modules(PACKAGE), set()
    for file in tests.rglob("*.py"):
        folder = file.relative_to(tests).parts[0]
        for line in reader.imports(file):
            module = module_of(line.target, known)
            inner = any(part.startswith("_") and part != "__init__" for part in module.split("."))
            if inner and reader.room(module) != folder:
                found.add((folder, module))
    return found


def test_faces_are_narrow():
    """A new module on a face is loaded through the room's `__init__.pyi` instead."""
    wide = {room: sorted(names) for room, names in faces(PACKAGE).items() if len(names) > 1}
    assert sum(map(len, faces(PACKAGE).values())) <= MODULES_ON_FACES, wide


def test_faces_show_few_names():
    shown = {stub.parent.name: len(names_on_faces(stub)) for stub in STUBS if stub.parent != PACKAGE}
    assert sum(shown.values()) <= NAMES_ON_FACES, shown


def test_modules_import_each_other_in_small_circles():
    assert len(circles(graph(PACKAGE))[0]) <= LARGEST_CIRCLE, circles(graph(PACKAGE))[0]


def test_tests_import_from_faces():
    found = inner_modules_in_tests(HERE)
    assert len(found) <= INNER_MODULES_IN_TESTS, sorted(found)


@pytest.mark.parametrize("stub", STUBS, ids=lambda stub: stub.parent.name)
def test_each_name_on_a_face_is_there_and_is_used(stub):
    """A name is in the room's `__all__`, which is for users, or another room, an audit or a page imports it."""
    package = ".".join(["privcheck", *stub.parent.relative_to(PACKAGE).parts])
    face = importlib.import_module(package)
    names = names_on_faces(stub)
    assert [name for name in names if not hasattr(face, name)] == []
    for_users = set(getattr(face, "__all__", ()))
    assert sorted(set(names) - used()[package] - for_users) == []


@cache
def used():
    """Return the names that are imported from each package by code, or named by a page of the documentation."""
    found = defaultdict(set)
    folders = [PACKAGE, *(HERE.parent / name for name in ("audits", "benchmarks", "examples", "docs"))]
    for file in (file for folder in folders for file in folder.rglob("*.py")):
        for line in reader.imports(file):
            package, _, name = line.target.rpartition(".")
            found[package].add(name)
    for name, module in names_on_faces(PACKAGE / "__init__.pyi").items():
        found[f"privcheck.{module}"].add(name)
    for page in (HERE.parent / "docs").rglob("*.md"):
        for package, name in re.findall(r"\b(privcheck(?:\.[a-z_]+)*)\.(\w+)", page.read_text(encoding="utf-8")):
            found[package].add(name)
    return found


def _package(tmp_path, files):
    for name, text in files.items():
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        (file.parent / "__init__.py").touch()
        file.write_text(text, encoding="utf-8")
    (tmp_path / "__init__.py").touch()
    return tmp_path


def test_a_second_module_on_a_face_is_noticed(tmp_path):
    """The broken twins of the three counts."""
    package = _package(
        tmp_path,
        {
            "low/_a.py": "x = 1\n",
            "low/_b.py": "y = 1\n",
            "high/_c.py": "from privcheck.low._a import x\n\ndef later():\n    from privcheck.low._b import y\n",
        },
    )
    assert faces(package) == {"low": {"privcheck.low._a", "privcheck.low._b"}}


def test_what_only_type_checkers_import_is_no_face_and_no_circle(tmp_path):
    lines = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from privcheck.low._a import x\n"
    package = _package(tmp_path, {"low/_a.py": "import privcheck.high._c\n", "high/_c.py": lines})
    assert faces(package) == {"high": {"privcheck.high._c"}}
    assert circles(graph(package)) == []


def test_a_circle_through_a_function_is_noticed(tmp_path):
    package = _package(
        tmp_path,
        {
            "low/_a.py": "def later():\n    from privcheck.low._b import y\n",
            "low/_b.py": "from privcheck.low._c import z\n",
            "low/_c.py": "from privcheck.low._a import later\n",
        },
    )
    assert circles(graph(package)) == [["privcheck.low._a", "privcheck.low._b", "privcheck.low._c"]]
