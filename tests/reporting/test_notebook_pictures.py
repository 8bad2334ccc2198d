"""Pictures in a notebook: the value of a cell is shown once, whatever matplotlib's back end."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import privcheck
from privcheck import bounds
from privcheck.accounting import Charge, Plan, PlannedRelease
from privcheck.reporting import panels_figure
from privcheck.reporting._pictures.plot import AUDIT_PICTURES
from tests.example_results import GRANTED, VIOLATION

PICTURE = """
import privcheck
from privcheck import bounds
privcheck.plot(bounds.curve(bounds.Instance("bernoulli", (0.75, 0.5), epsilon=1.0), "epsilon", [0.1, 1.0]))
"""


def figures():
    simulation = privcheck.simulate("ucb", [0.75, 0.5], horizon=50, runs=2)
    instance = bounds.Instance("bernoulli", (0.75, 0.5), epsilon=1.0)
    yield from (VIOLATION.plot(picture=name) for name in AUDIT_PICTURES)
    yield GRANTED.plot()
    yield privcheck.plot(bounds.curve(instance, "epsilon", [0.1, 1.0]))
    yield privcheck.plot(Plan([PlannedRelease(Charge(0.1), 20)]), delta=1e-6)
    yield privcheck.plot(simulation)
    yield panels_figure({"one": simulation.results})


def test_every_figure_is_a_picture_without_a_back_end():
    for figure in figures():
        image, size = figure._repr_png_()
        assert image.startswith(b"\x89PNG")
        width, height = (int.from_bytes(image[place : place + 4]) for place in (16, 20))
        assert (width, height) == pytest.approx((2 * size["width"], 2 * size["height"]), abs=2)


@pytest.mark.filterwarnings("default")  # those of Jupyter are not ours
@pytest.mark.parametrize("before", ["", "%matplotlib inline"])
def test_a_notebook_shows_a_figure_once(before, monkeypatch, tmp_path):
    """A kernel of IPython runs the cells, as a notebook does."""
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    places = [str(Path(privcheck.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(places))
    monkeypatch.delenv("MPLBACKEND", raising=False)
    cells = [nbformat.v4.new_code_cell(source) for source in (before, PICTURE.strip()) if source]
    notebook = nbformat.v4.new_notebook(cells=cells)
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    pictures = [output for output in notebook.cells[-1].outputs if "image/png" in output.get("data", {})]
    assert len(pictures) == 1
    assert len(notebook.cells[-1].outputs) == 1
