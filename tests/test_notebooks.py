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

from privcheck import simulate

pytestmark = pytest.mark.long

NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))
CLAIMS = [path for path in NOTEBOOKS if path.stem.startswith("claims_")]
CONTEXTUAL = [path for path in NOTEBOOKS if path.stem.startswith("shariff_")]
"""See test_experiment_notebooks.py."""
FIGURES = [path for path in NOTEBOOKS if path.stem.endswith(("_figures", "_experiments")) and path not in CONTEXTUAL]
AUDITS = [path for path in NOTEBOOKS if path not in FIGURES + CLAIMS + CONTEXTUAL]
VERDICT = re.compile(r"^\w+: (violation|consistent|inconclusive) \(claim epsilon = ([\d.]+);", re.MULTILINE)
SIZES = re.compile(r"^(?:T|CAP, RUNS), EVENT_RUNS, STEP_RUNS = (10\*\*\d)(?:, \d+)?, (\d+), (\d+)$", re.MULTILINE)
SMALL = {
    "T": "T, EVENT_RUNS, STEP_RUNS = 5000, 20, 3",
    "CAP, RUNS": "CAP, RUNS, EVENT_RUNS, STEP_RUNS = 10**6, 2, 2, 2",
}
CLAIM = re.compile(r"^the paper says", re.MULTILINE)


def _printed(cell: dict[str, Any]) -> str:
    return "".join("".join(output["text"]) for output in cell["outputs"] if output["output_type"] == "stream")


def _code(path: Path) -> list[dict[str, Any]]:
    """Return the code cells of a notebook, which is committed executed and small."""
    assert path.stat().st_size < 300_000
    cells = [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]
    for cell in cells:
        assert cell["execution_count"], "the notebook is committed executed"
        assert all(output["output_type"] != "error" for output in cell["outputs"])
    return cells


@pytest.fixture
def display(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand in for IPython, which the tests do not need."""
    display = ModuleType("IPython.display")
    display.SVG, display.Image = str, len  # type: ignore[attr-defined]
    package = ModuleType("IPython")
    package.version_info = (9, 0)  # type: ignore[attr-defined]  # matplotlib looks at it
    monkeypatch.setitem(sys.modules, "IPython", package)
    monkeypatch.setitem(sys.modules, "IPython.display", display)


@pytest.mark.usefixtures("display")
@pytest.mark.parametrize("path", AUDITS, ids=lambda path: path.stem)
def test_notebook_runs_and_its_verdicts_are_those_committed(path: Path) -> None:
    namespace: dict[str, Any] = {"__name__": "notebook"}
    verdicts = []
    for cell in _code(path):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec("".join(cell["source"]), namespace)
        assert VERDICT.findall(printed.getvalue()) == VERDICT.findall(_printed(cell))
        verdicts += VERDICT.findall(printed.getvalue())
    assert verdicts, "a notebook that audits nothing"


@pytest.mark.usefixtures("display")
@pytest.mark.parametrize("path", CLAIMS, ids=lambda path: path.stem)
def test_claims_are_refuted_as_committed(path: Path) -> None:
    """Nothing is random but the search, which has a seed: the cells print what is committed."""
    namespace: dict[str, Any] = {"__name__": "notebook"}
    told = ""
    for cell in _code(path):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec("".join(cell["source"]), namespace)
        assert printed.getvalue() == _printed(cell)
        told += printed.getvalue()
    assert len(re.findall(r"^\S+/\S+, .*: (?:refuted|derivation-fails)$", told, re.MULTILINE)) >= 3
    assert told.count("replayed: True") >= 3


@pytest.mark.usefixtures("display")
@pytest.mark.parametrize("path", FIGURES, ids=lambda path: path.stem)
def test_figures_were_drawn_in_full_and_their_cells_still_run(path: Path) -> None:
    """The cells are run with few and short runs; the committed output is that of the sizes in the source."""
    cells = _code(path)
    (sizes,) = [found for cell in cells for found in SIZES.findall("".join(cell["source"]))]
    assert int(sizes[1]) >= 1000
    assert int(sizes[2]) >= (20 if path.stem.startswith("jourdan") else 100)
    namespace: dict[str, Any] = {"__name__": "notebook"}
    claims = 0
    for cell in cells:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(SIZES.sub(lambda found: SMALL[found[0].partition(", EVENT")[0]], "".join(cell["source"])), namespace)
        assert len(CLAIM.findall(printed.getvalue())) == len(CLAIM.findall(_printed(cell)))
        claims += len(CLAIM.findall(_printed(cell)))
        if "Image(" in "".join(cell["source"]).splitlines()[-1] or cell["source"][-1] == "image":
            assert any("image/png" in output.get("data", {}) for output in cell["outputs"])
    assert claims >= 2


@pytest.mark.parametrize(
    ("stem", "policy", "place", "horizon", "row"),
    [
        ("azize_basu_2022_figures", "adap-kl-ucb", "c2", 10**7, "adap-kl-ucb {mean:>23,.0f}"),
        ("azize_basu_2022_figures", "dp-se", "c2", 10**7, "dp-se {mean:>29,.0f}"),
        ("hu_2021_figures", "adap-kl-ucb", "hhmh-setting2", 10**6, "{mean:16,.0f}"),
    ],
)
def test_committed_numbers_are_those_of_the_code(stem: str, policy: str, place: str, horizon: int, row: str) -> None:
    """Mean regret at epsilon = 1, of the notebook's own seed and checkpoints."""
    (path,) = [path for path in FIGURES if path.stem == stem]
    options: dict[str, Any] = {"horizon": horizon, "runs": 1000, "epsilon": 1.0, "checkpoints": 60, "seed": 1}
    found = simulate(policy, place, **options).summary()[0]
    assert row.format(mean=found["mean"]) in "".join(map(_printed, _code(path)))


def test_there_are_notebooks_of_both_kinds() -> None:
    assert AUDITS
    assert len(FIGURES) == 4
