"""The workflows run sessions that noxfile.py has, and the extras that these install exist."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

HERE = Path(__file__).parents[1]
NOXFILE = ast.parse((HERE / "noxfile.py").read_text(encoding="utf-8"))


def sessions():
    """Return the names of all sessions, with the Pythons of those that have several."""
    pythons = next(
        ast.literal_eval(node.value)
        for node in NOXFILE.body
        if isinstance(node, ast.Assign) and node.targets[0].id == "PYTHONS"
    )
    for node in NOXFILE.body:
        for decorator in getattr(node, "decorator_list", []):
            several = any(isinstance(given.value, ast.Name) for given in decorator.keywords if given.arg == "python")
            yield from (f"{node.name}-{python}" for python in pythons) if several else [node.name]


def test_every_session_of_a_workflow_exists():
    known = set(sessions())
    assert {"newest-3.13", "lowest"} <= known
    for file in (HERE / ".github" / "workflows").glob("*.yml"):
        text = file.read_text(encoding="utf-8")
        listed = re.findall(r"session: \[(.*)\]", text)
        named = {name for line in listed for name in line.split(", ")} | set(re.findall(r"--session ([\w.-]+)", text))
        assert named <= known, file


def test_every_extra_of_a_session_exists():
    project = tomllib.loads((HERE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    tested = next(
        ast.literal_eval(node.value)
        for node in NOXFILE.body
        if isinstance(node, ast.Assign) and node.targets[0].id == "TESTS"
    )
    assert set(tested) <= set(project["optional-dependencies"])
    versions = {line.rpartition(" ")[2] for line in project["classifiers"] if " :: Python :: 3." in line}
    assert versions == {name.removeprefix("newest-") for name in sessions() if name.startswith("newest-")}
