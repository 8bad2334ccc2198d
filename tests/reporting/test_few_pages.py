"""A report of many results writes the pages of the first of them, and says how to get the others."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import privcheck
from privcheck.cli import run
from privcheck.reporting import _presented as presented
from privcheck.reporting import _result_files as result_files
from privcheck.reporting._pages import page_index
from tests.example_results import VIOLATION

CONSISTENT = replace(VIOLATION, verdict="consistent", epsilon_lower=0.5, simplest=None, faults=[])


@pytest.fixture
def results(tmp_path, monkeypatch):
    """Seven results, of which the violations have the last names, and pages that take no time."""
    monkeypatch.setattr(page_index, "FEW_PAGES", 3)
    monkeypatch.setattr(result_files, "page", lambda report: f"{page_index.OWN} {report.target}")
    for number in range(7):
        report = replace(VIOLATION if number > 4 else CONSISTENT, seed=number)
        (tmp_path / f"{number}.json").write_text(report.to_json())
    return tmp_path


def pages(folder):
    return sorted(path.stem for path in folder.glob("*.html") if path.stem != "index")


def test_violations_have_pages_first_and_the_rest_is_told(results, capsys):
    assert run(["report", str(results)]) == 1
    assert pages(results) == ["0", "5", "6"]
    assert capsys.readouterr().err == "privcheck: 4 pages of single results not written; --pages writes all of them\n"
    assert run(["report", str(results)]) == 1
    assert len(pages(results)) == 6, "pages that are there do not count"
    assert "1 page of single results not written" in capsys.readouterr().err


def test_all_pages_or_none_are_written_when_that_is_asked_for(results, capsys):
    assert run(["report", str(results), "--no-pages"]) == 1
    assert pages(results) == []
    assert run(["report", str(results), "--pages"]) == 1
    assert len(pages(results)) == 7
    assert capsys.readouterr().err == ""


def test_writing_pages_shows_its_progress(results, monkeypatch):
    seen = []

    class Bar:
        def __init__(self, *told, **_):
            self.told = told

        def __enter__(self):
            return seen.append

        def __exit__(self, *_):
            pass

    monkeypatch.setattr(page_index, "progress", Bar)
    page_index.save_index(page_index.read_folder(results), results / "index.html")
    assert seen == [1, 1, 1]
    assert presented.PAGES


def test_what_matplotlib_logs_does_not_reach_standard_error(tmp_path):
    """It warns when its folder cannot be written; the broken twin, without the handler, prints that."""
    pytest.importorskip("matplotlib", reason="the extra plots is not installed")
    places = str(Path(privcheck.__file__).parents[1])
    (tmp_path / "file").write_text("")
    environment = os.environ | {"PYTHONPATH": places, "MPLCONFIGDIR": str(tmp_path / "file" / "none")}
    command = ["simulate", "adap-ucb", "--means", "0.7,0.5", "--epsilon", "1", "--horizon", "100", "--runs", "3"]
    plot = ["--plot", str(tmp_path / "x.png")]
    shown = subprocess.run(
        [sys.executable, "-P", "-m", "privcheck", *command, *plot], capture_output=True, text=True, env=environment,
        check=True,
    )  # fmt: skip
    assert shown.stderr == ""
    assert (tmp_path / "x.png").stat().st_size
    twin = [sys.executable, "-P", "-c", "import matplotlib; matplotlib.get_cachedir()"]
    told = subprocess.run(twin, capture_output=True, text=True, env=environment, check=True)
    assert "atplotlib" in told.stderr
