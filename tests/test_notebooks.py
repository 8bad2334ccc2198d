"""The committed notebooks run from top to bottom, and say what their committed output says."""

from __future__ import annotations

import contextlib
import io
import json
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))
VERDICT = re.compile(r"^\w+: (violation|consistent|inconclusive) \(claim epsilon = ([\d.]+);", re.MULTILINE)


def _printed(cell: dict[str, Any]) -> str:
    return "".join("".join(output["text"]) for output in cell["outputs"] if output["output_type"] == "stream")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs_and_its_verdicts_are_those_committed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    display = ModuleType("IPython.display")
    display.SVG = str  # type: ignore[attr-defined]
    package = ModuleType("IPython")
    package.version_info = (9, 0)  # type: ignore[attr-defined]  # matplotlib looks at it
    monkeypatch.setitem(sys.modules, "IPython", package)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    namespace: dict[str, Any] = {"__name__": "notebook"}
    verdicts = []
    for cell in json.loads(path.read_text())["cells"]:
        if cell["cell_type"] == "code":
            assert cell["execution_count"], "the notebook is committed executed"
            assert all(output["output_type"] != "error" for output in cell["outputs"])
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec("".join(cell["source"]), namespace)
            assert VERDICT.findall(printed.getvalue()) == VERDICT.findall(_printed(cell))
            verdicts += VERDICT.findall(printed.getvalue())
    assert verdicts, "a notebook that audits nothing"


def test_there_is_a_notebook() -> None:
    assert NOTEBOOKS
