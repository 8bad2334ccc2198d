"""Notebooks that repeat a paper's experiments: committed executed, with cells that run, and claims at the end."""

from __future__ import annotations

import contextlib
import io
import json
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from privcheck import simulate
from privcheck.environments import LinearContexts

NOTEBOOK = Path(__file__).parents[1] / "notebooks" / "shariff_sheffet_2018_experiments.ipynb"
SIZES = [
    ("N1, N2, N3 = 10**4, 10**6, 10**5", "N1, N2, N3 = 200, 300, 200"),
    ("RUNS1, RUNS2, RUNS3 = 20, 3, 3", "RUNS1, RUNS2, RUNS3 = 2, 2, 2"),
    ("DIMENSIONS = (4, 6, 8, 11, 16)", "DIMENSIONS = (2, 3, 4, 5)"),
]
"""Sizes in the source, and those of the test."""
HEADER = "experiment | claim | measurement | does it hold"


def cells() -> list[dict[str, Any]]:
    assert NOTEBOOK.stat().st_size < 300_000
    return [cell for cell in json.loads(NOTEBOOK.read_text())["cells"] if cell["cell_type"] == "code"]


def printed(cell: dict[str, Any]) -> str:
    return "".join("".join(output["text"]) for output in cell["outputs"] if output["output_type"] == "stream")


def rows(text: str) -> list[list[str]]:
    """Return the rows of the table of claims."""
    lines = text.partition(HEADER)[2].strip().splitlines()
    return [line.split(" | ") for line in lines]


def test_it_is_committed_executed_with_its_pictures_and_its_claims() -> None:
    pictures = 0
    for cell in cells():
        assert cell["execution_count"]
        assert all(output["output_type"] != "error" for output in cell["outputs"])
        pictures += sum("image/png" in output.get("data", {}) for output in cell["outputs"])
    assert pictures == 3
    table = rows(printed(cells()[-1]))
    assert all(len(row) == 4 and row[3] for row in table)
    assert [row[0] for row in table] == ["1"] * 2 + ["2"] * 5 + ["3"] * 4
    assert {row[3].partition(",")[0] for row in table} >= {"yes", "no"}


def test_its_cells_run_and_claim_the_same_things(monkeypatch: pytest.MonkeyPatch) -> None:
    """With few and short runs; measurements and verdicts are those of the sizes in the source."""
    display = ModuleType("IPython.display")
    display.Image = len  # type: ignore[attr-defined]
    package = ModuleType("IPython")
    package.version_info = (9, 0)  # type: ignore[attr-defined]  # matplotlib looks at it
    monkeypatch.setitem(sys.modules, "IPython", package)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    source = "\n".join("".join(cell["source"]) for cell in cells())
    for written, small in SIZES:
        assert written in source
        source = source.replace(written, small)
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        exec(source, {"__name__": "notebook"})
    claimed = [re.sub(r"10\^\d+", "", row[1]) for row in rows(shown.getvalue())]
    assert claimed == [re.sub(r"10\^\d+", "", row[1]) for row in rows(printed(cells()[-1]))]


def test_a_committed_number_is_that_of_the_code() -> None:
    """Experiment 1 at d = 4, of the notebook's own seed."""
    found = simulate(
        "lin-ucb", LinearContexts(features=4, rewards="signs"), horizon=10**4, runs=20, seed=1, checkpoints=1
    )
    mean = float(np.mean(found.results[0].regret[:, -1]))
    assert f"d=4: {mean:.0f}" in "".join(map(printed, cells()))
