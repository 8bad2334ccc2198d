"""What a notebook shows: cells by their numbers, refusals without frames of privcheck, and results that are whole."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

import privcheck
from privcheck.cli import run
from privcheck.errors import PrivcheckError, words
from privcheck.in_notebooks import in_cells, rendered_traceback
from privcheck.reporting._pages.notebook import audit_html, certificate_html
from privcheck.results import Fault
from tests.example_results import GRANTED, VIOLATION

LEAKY = """
import privcheck

class Leaky:
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.sum = rng, 0.0

    def select(self):
        return int(self.sum > 1.0)

    def update(self, action, reward):
        self.sum += reward + self.rng.laplace(0.0, 0.25)
"""


def test_names_that_are_no_cells_stay():
    for text in ("bandit.py:48", "2026.py:7", "run_1234567.py:3", "at 3572611754.py", "a ratio of 1234567:3"):
        assert in_cells(text) == text
    assert in_cells("3572611754.py:48, <ipython-input-12-0a1b>:3") == "the cell, line 48, cell 12, line 3"


def test_the_kernel_knows_the_numbers_of_its_cells(monkeypatch):
    known = {"/tmp/ipykernel_1/357261175.py": 3, "/tmp/ipykernel_1/3572611754.py": 4}
    shell = SimpleNamespace(compile=SimpleNamespace(_filename_map=known))
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    assert in_cells("at 3572611754.py:48") == "at cell 4, line 48"
    assert in_cells("at 1111111111.py:48") == "at the cell, line 48"
    assert str(PrivcheckError("budget", words("2 at 3572611754.py:48"), "1")).startswith("budget: got 2 at cell 4")
    assert Fault("raw-decision", "/tmp/ipykernel_1/3572611754.py", 19, "", "").place == "cell 4, line 19"
    use = replace(GRANTED, refusals=("a release at 3572611754.py:48",), complete=False)
    assert "cell 4, line 48" in certificate_html(use)
    assert "cell 4, line 48" in str(use)


@pytest.mark.parametrize("target", ["first.ipynb:Mine", "work/first.ipynb"])
@pytest.mark.parametrize("command", ["audit", "certify", "simulate"])
def test_a_notebook_is_no_module(command, target, capsys):
    asked = ["--arms", "2"] if command != "simulate" else ["--means", "0.9,0.1", "--horizon", "9"]
    if command == "simulate" and ":" not in target:
        return  # neither a shipped id nor a place
    assert run([command, target, "--epsilon", "1", *asked]) == 2
    said = capsys.readouterr().err
    assert (
        f"target: got {target!r}, expected path/to/file.py:name; a notebook cannot be imported: write the cell" in said
    )


def test_a_traceback_has_the_frames_of_the_user():
    def call():
        privcheck.simulate("ucb", [0.9, 0.1], horizon=-1)

    with pytest.raises(PrivcheckError) as raised:
        call()
    text = "".join(raised.value._render_traceback_())
    files = re.findall(r'File "([^"]*)"', text)
    assert len(files) == 2
    assert set(files) == {__file__}
    assert text.endswith(f"PrivcheckError: {raised.value}\n")
    assert text == "".join(rendered_traceback(raised.value))


def test_what_privcheck_called_of_the_user_is_shown():
    class Broken:
        def __init__(self, rng, arms):
            raise ValueError("broken by its user")

        def select(self): ...

        def update(self, action, reward): ...

    with pytest.raises(PrivcheckError) as raised:
        privcheck.simulate(Broken, [0.9, 0.1], horizon=10)
    assert "broken by its user" in str(raised.value)
    assert "privcheck/simulation" not in "".join(raised.value._render_traceback_()).replace(os.sep, "/")


def test_results_say_what_they_cover_and_how_to_repeat_them():
    shown = certificate_html(GRANTED)
    for said in (
        "What it does and does not cover",
        "privcheck.certify(&#x27;adap-ucb",
        "privcheck certify &#x27;adap-ucb",
    ):
        assert said in shown
    shown = audit_html(VIOLATION)
    for said in ("Witness", "Event.", "Probability of the event", "privcheck.audit(", "privcheck audit &#x27;rnm-ftnl"):
        assert said in shown


@pytest.mark.filterwarnings("default")  # those of Jupyter are not ours
def test_a_kernel_names_its_cells(monkeypatch, tmp_path):
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    places = [str(Path(privcheck.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(places))
    cells = [
        "1 + 1",
        LEAKY.strip(),
        "made = privcheck.certify(Leaky, epsilon=1.0, arms=2, horizon=4, runs=2)\nmade",
        "print(made)",
        "privcheck.certify(Leaky, epsilon=-1.0, arms=2)",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
    folder = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(notebook, timeout=300, resources=folder, allow_errors=True).execute()
    (value,), (printed,), (refused,) = (cell.outputs for cell in notebook.cells[2:])
    line = LEAKY.strip().splitlines().index("        self.sum += reward + self.rng.laplace(0.0, 0.25)") + 1
    for said in (value["data"]["text/html"], printed["text"]):
        assert f"cell 2, line {line}" in said
        assert not re.search(r"\d{6,}\.py", said)
    told = re.sub(r"\x1b\[[\d;]*m", "", "\n".join(refused["traceback"]))
    assert "epsilon: got -1.0" in told
    assert "In[5], line 1" in told
    assert "privcheck/certifying" not in told.replace(os.sep, "/")
