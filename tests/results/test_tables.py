"""Every kind of result becomes data frames of pandas and polars, CSV, LaTeX, BibTeX and files, and is read back."""

from __future__ import annotations

import csv
import io
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats

import privcheck
from privcheck import tables
from privcheck.accounting import Charge, Plan, PlannedRelease
from privcheck.bibliography import PAPERS, bibtex, cited_in
from privcheck.bounds import THEOREMS, claimed_regret, curve, evaluate, named_instance
from privcheck.claims import CLAIMS, Effort, Findings, examine
from privcheck.results._example_results import FIXED_BANDIT, GRANTED, STEPS, VIOLATION, WATCHED
from privcheck.results._whole_result import WholeResult
from privcheck.tables import Result


def findings():
    return Findings([examine(next(iter(CLAIMS.values())), Effort(points=10))])


def swept():
    plan = {"kind": "simulation", "targets": ["ucb"], "environments": [[0.75, 0.5]], "horizons": [50]}
    with tempfile.TemporaryDirectory() as folder:
        return privcheck.sweep(plan | {"options": {"runs": 2}}, folder)


MAKERS = {
    "audit": lambda: VIOLATION,
    "certificate": lambda: GRANTED,
    "bounds": lambda: evaluate(named_instance("c2", epsilon=1.0, horizon=10**6)),
    "curve": lambda: curve(named_instance("c2", epsilon=1.0, horizon=10**6), "epsilon", [0.5, 1.0]).table,
    "claimed regret": lambda: claimed_regret(evaluate(named_instance("c2", epsilon=1.0, horizon=10**6)), 500.0),
    "simulation": lambda: privcheck.simulate(
        ["ucb", "adap-ucb"], [0.75, 0.5], horizon=100, runs=5, checkpoints=3, epsilon=1.0
    ),
    "identification": lambda: privcheck.identify("top-two", [0.9, 0.5], horizon=1e4, delta=0.1, runs=5),
    "claims": findings,
    "account": lambda: Plan([PlannedRelease(Charge(0.1), 20)]).at_delta(1e-6),
    "samples": lambda: privcheck.bound_from_samples(
        np.random.default_rng(0).normal(size=2000), np.random.default_rng(1).normal(1.0, size=2000), epsilon=0.1
    ),
    "one run": lambda: privcheck.one_run(np.arange(200.0), np.arange(200) >= 90, epsilon=0.1),
    "laws": lambda: privcheck.bound_from_laws(stats.laplace(0.0, 2.0), stats.laplace(1.0, 2.0), epsilon=0.4),
    "frontier": lambda: privcheck.frontier(
        ["adap-ucb", "ucb"], [0.75, 0.5], epsilons=[1.0], horizon=100, runs=5, audit_runs=0, certificates=False
    ),
    "sweep": swept,
    "watch": lambda: WATCHED,
    "fix": lambda: FIXED_BANDIT,
    "steps": lambda: STEPS,
}
PAGE = Path(__file__).parents[2] / "docs" / "reports.md"


@pytest.fixture(scope="module", params=MAKERS)
def result(request):
    return MAKERS[request.param]()


def test_every_table_is_a_frame_of_both_libraries_and_a_csv(result):
    for name in result.tables():
        rows = result.rows(name)
        frame, other = result.to_frame(name, library="pandas"), result.to_frame(name, library="polars")
        assert isinstance(frame, pd.DataFrame)
        assert isinstance(other, pl.DataFrame)
        assert frame.shape == other.shape == (len(rows), len(rows[0]) if rows else 0)
        assert list(frame.columns) == other.columns
        read = list(csv.reader(io.StringIO(result.to_csv(name))))
        assert len(read) == len(rows) + 1
        for column in frame.columns:
            for row, cell in zip(rows, other[column].to_list(), strict=True):
                assert cell == row[column] or (cell != cell and row[column] != row[column])
    assert isinstance(result.to_frame(), pd.DataFrame)
    with pytest.raises(privcheck.PrivcheckError, match="expected one of"):
        result.to_frame("everything")


def test_every_result_has_a_form_in_a_notebook(result):
    assert "Estimate(" not in repr(result), "a sentence or a table, not all fields"
    shown = getattr(result, "_repr_html_", None)
    assert len(shown() if shown else repr(result)) > 20


def test_what_is_saved_is_loaded(result, tmp_path):
    if not hasattr(result, "to_json") or isinstance(result, privcheck.Sweep):
        pytest.skip("no JSON form that is read back")
    path = tmp_path / "result.json"
    result.save(path)
    if isinstance(result, privcheck.Simulation):
        with pytest.raises(privcheck.PrivcheckError, match=r"save it as \.npz"):
            privcheck.load(path)
        path = path.with_suffix(".npz")
        result.save(path)
    elif isinstance(result, privcheck.Identification):
        pytest.skip("the runs of an identification are not in its JSON")
    again = privcheck.load(path)
    assert type(again) is type(result)
    assert again.to_json() == result.to_json()
    assert again.rows() == result.rows()


def test_the_documented_table_says_what_becomes_of_the_result(result, tmp_path):
    rows = re.findall(r"^\| `([\w.]+)` \| (.*) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    table = {name.rpartition(".")[2]: [cell.strip() for cell in row.split("|")] for name, row in rows}
    _, named, read, picture, page = table[type(result).__name__]
    assert re.findall(r"`(\w+)`", named) == list(result.tables())
    assert (page == "yes") == hasattr(result, "save_html")
    if picture == "yes":
        assert privcheck.plot(result).axes
    else:
        with pytest.raises(privcheck.PrivcheckError):
            privcheck.plot(result)
    suffix = re.search(r"`(\.\w+)`", read)
    path = tmp_path / f"result{suffix[1] if suffix else '.json'}"
    if hasattr(result, "to_json"):
        result.save(path)
    if suffix:
        assert type(privcheck.load(path)) is type(result)
    else:
        with pytest.raises(privcheck.PrivcheckError):
            privcheck.load(path)


def test_the_documented_table_has_every_kind_of_result():
    told = PAGE.read_text(encoding="utf-8")
    made = {type(make()) for make in MAKERS.values()}
    kinds = {*Result.__subclasses__(), *WholeResult.__subclasses__()} - {WholeResult}
    every = {kind for kind in kinds if kind.__module__.startswith("privcheck.")}
    assert made == every
    assert [kind for kind in every if not re.search(rf"^\| `[\w.]*{kind.__name__}` ", told, re.MULTILINE)] == []


def test_bad_files_and_paths_are_refused(tmp_path):
    for text, reason in (("{", "not JSON"), ("{}", "fields match no result"), ("[1]", "fields match no result")):
        (tmp_path / "a.json").write_text(text)
        with pytest.raises(privcheck.PrivcheckError, match=reason):
            privcheck.load(tmp_path / "a.json")
    with pytest.raises(privcheck.PrivcheckError, match="No such file"):
        privcheck.load(tmp_path / "b.json")
    old = VIOLATION.to_json().replace('"schema_version": 3', '"schema_version": 99')
    (tmp_path / "a.json").write_text(old)
    with pytest.raises(privcheck.PrivcheckError, match="schema_version is 99, but this privcheck reads 1, 2 or 3"):
        privcheck.load(tmp_path / "a.json")
    with pytest.raises(privcheck.PrivcheckError, match=r"\.json or \.csv or \.tex or \.bib or \.html"):
        VIOLATION.save(tmp_path / "a.docx")
    with pytest.raises(privcheck.PrivcheckError, match="columns among"):
        VIOLATION.to_latex(columns=["colour"])
    assert [file.name for file in tmp_path.iterdir()] == ["a.json"]


def test_a_missing_library_is_named(monkeypatch):
    monkeypatch.setattr(tables.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(privcheck.PrivcheckError, match=r"no package pandas and no package polars.*pip install pandas"):
        VIOLATION.to_frame()
    with pytest.raises(privcheck.PrivcheckError, match="pip install polars"):
        VIOLATION.to_frame(library="polars")
    with pytest.raises(privcheck.PrivcheckError, match="pandas or polars"):
        VIOLATION.to_frame(library="arrow")


def test_a_derived_bound_cites_all_that_it_rests_on():
    """The papers whose inequalities a derivation uses, and the package that has the derivation."""
    rows = evaluate(named_instance("c2", epsilon=1.0, horizon=10**6)).to_frame(library="pandas")
    cites = {name: set(keys.split(",")) for name, keys in zip(rows["id"], rows["cite"], strict=True)}
    assert cites["local-privacy/rate-attained"] == {"kairouz-2015", "garivier-cappe-2011", "privcheck"}
    assert cites["finite-time/pure"] == {"bretagnolle-huber-1979", "privcheck"}
    assert cites["concentrated-privacy/rate"] == {"lai-robbins-1985"}


def test_every_source_has_a_bibtex_entry():
    from privcheck.bandits import ALGORITHMS

    derived_here = {
        "concentrated-privacy",
        "finite-time",
        "local-privacy",
        "pure-privacy",
    }  # named after what they bound, as no paper has them
    assert {name.partition("/")[0] for name in THEOREMS} - derived_here <= set(PAPERS)
    for algorithm in (ALGORITHMS[name] for name in ALGORITHMS):
        assert cited_in(algorithm.source), algorithm.source
        assert not re.search(r"\b(19|20)\d\d\b", without_known(algorithm.source)), algorithm.source
    with pytest.raises(privcheck.PrivcheckError, match="keys among"):
        bibtex(["nobody-1900"])


def without_known(source):
    """Return a source without the papers that have an entry: no other year may remain."""
    for paper in PAPERS.values():
        source = source.replace(paper.cited_as, "")
    return source.replace("and Azize et al. 2025", "")


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="LaTeX is not installed")
def test_every_table_is_typeset_with_its_bibliography(tmp_path):
    """The log must have no error, no undefined citation and no missing character."""
    body, cited = [], []
    for maker in MAKERS.values():
        result = maker()
        body += [result.to_latex(name) for name in result.tables() if len(result.rows(name)) < 60]
        cited += result.citations()
    (tmp_path / "a.bib").write_text(bibtex([*cited, *PAPERS]))
    text = "\n\n".join([r"\nocite{*}", *body])
    (tmp_path / "a.tex").write_text(
        "\\documentclass{article}\\usepackage[utf8]{inputenc}\\usepackage{booktabs}\\begin{document}\n"
        f"{text}\n\\bibliographystyle{{plain}}\\bibliography{{a}}\\end{{document}}\n"
    )
    for command in (["pdflatex"], ["bibtex"], ["pdflatex"], ["pdflatex"]):
        options = ["-interaction=nonstopmode", "-halt-on-error"] if command == ["pdflatex"] else []
        done = subprocess.run([*command, *options, "a"], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-2000:]
    log = (tmp_path / "a.log").read_text(errors="replace")
    assert "undefined" not in log
    assert "Missing character" not in log
    assert "Warning" not in (tmp_path / "a.blg").read_text().replace("Warning--empty", "")


def test_any_result_that_has_a_picture_is_drawn(tmp_path):
    drawn = [
        VIOLATION, GRANTED, MAKERS["simulation"](),
        curve(named_instance("c2", epsilon=1.0, horizon=None), "epsilon", [0.1, 1.0]),
    ]  # fmt: skip
    for number, result in enumerate(drawn):
        privcheck.plot(result, tmp_path / f"{number}.svg")
    privcheck.plot(Plan([PlannedRelease(Charge(0.1), 20)]), tmp_path / "plan.png", delta=1e-6)
    assert len(list(tmp_path.iterdir())) == 5
    with pytest.raises(privcheck.PrivcheckError, match="an audit, a certificate"):
        privcheck.plot(3)


def test_bounds_know_which_apply_and_which_are_best():
    found = evaluate(named_instance("c2", epsilon=1.0, horizon=10**6))
    assert all(bound.applies for bound in found.applicable)
    assert len(found.applicable) == sum(bound.applies for bound in found)
    for kind, best in (("lower", max), ("upper", min)):
        for chosen in found.best(kind):
            rivals = [
                bound.value
                for bound in found
                if bound.applies and bound.value is not None and not bound.asymptotic and bound.kind == kind
                and bound.quantity == chosen.quantity and bound.provenance != "unproven"
            ]  # fmt: skip
            assert chosen.value == best(rivals)
    with pytest.raises(privcheck.PrivcheckError, match="kind"):
        found.best("middle")


def test_the_usual_latex_table_of_bounds_fits_on_a_page():
    """Rates say that they are multiples of ln T, theorems have their numbers, and comparisons their signs."""
    found = evaluate(named_instance("c2", epsilon=1.0, horizon=10**6))
    told = found.to_latex("applicable")
    assert told.splitlines()[2] == r"theorem & measure & kind & bound & provenance & cite \\"
    assert r"Thm. 3 (tight) & pseudo-regret & lower & $7.708\ln T$ & derived &" in told
    assert r"pseudo-regret, minimax over rewards in [0, 1] & lower &" in told
    assert r"T $\ge$ K - 1" in tables.latex_text("T >= K - 1")
    assert [tables._cell("mean", {"mean": value}) for value in (32258.7, 6401.2, 0.1234567, 2e7)] == [
        "$32259$", "$6401$", "$0.1235$", r"$2\times 10^{7}$",
    ]  # fmt: skip
    assert len(found.to_latex("applicable", columns=["id", "value"]).splitlines()[4].split("&")) == 2
