"""What is pasted into a review or a bug report: all of the evidence, in Markdown and in LaTeX."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace

import pytest

import privcheck
from privcheck import PrivcheckError
from privcheck.cli import run
from privcheck.reporting import review
from privcheck.results import Fault, PrimitiveUse
from tests.example_results import CERTIFIED, GRANTED, VIOLATION, WATCHED

HOSTILE = r"a\end{verbatim}\input{x} ``` <b>_*$"


def words_of(text):
    return " ".join(text.split())


@pytest.mark.parametrize("form", ["markdown", "latex"])
def test_a_review_of_an_audit_says_what_a_referee_asks_for(form):
    said = words_of(review(VIOLATION, form))
    for part in (
        "claims epsilon = 1",
        "all K rewards of one round may change",
        "the actions are observed",
        "100,000 runs per stream",
        "Two streams of 8 rounds that differ in round 3",
        "on the first input and 0.377",
        "epsilon is at least 1.764",
        "--horizon 8",
        "The true epsilon may be larger",
    ):
        assert part in said, part


@pytest.mark.parametrize("moved", [False, True], ids=["the same streams", "other streams"])
def test_a_review_has_the_event_behind_the_bound_besides_the_simplest(moved):
    simple = replace(VIOLATION.witness, event="arm 1 in round 4")
    if moved:
        simple = replace(simple, first=simple.second, second=simple.first, streams="round 3: the other way round")
    said = words_of(review(replace(VIOLATION, simplest=simple, simplest_lower=1.25)))
    _, simplest, behind = re.split(r"\*\*Event\.\*\* |\*\*Event of the bound\.\*\* ", said)
    assert simplest.startswith("arm 1 in round 4")
    assert "This event by itself shows 1.250" in simplest
    assert behind.startswith(VIOLATION.witness.event.partition("; or")[0])
    assert ("**Two inputs of the bound.**" in said) is moved
    assert "of the bound.**" not in review(VIOLATION)


def test_a_review_has_the_certified_bound():
    said = words_of(review(CERTIFIED))
    assert "**Certified bound.** ≤ 1 on every execution of the guarded reference policy." in said
    assert "lies between 0.959 (95 % confidence) and 1.000 (certified, under the guard, provided that " in said
    refused = replace(
        GRANTED, coverage="explored", complete=False, epsilon_upper=None, refusals=["a release at a.py:4"]
    )
    said = words_of(review(replace(VIOLATION, certificate=refused)))
    assert "**Certified bound.** none: a release was refused (a release at a.py:4)." in said
    assert "Certified bound" not in review(VIOLATION)


def test_a_review_says_what_a_report_does_not_know():
    early = replace(VIOLATION, verdict="inconclusive", epsilon_lower=None, witness=None, simplest=None)
    assert "ended before it counted any runs" in review(early)
    assert "Event" not in review(early)
    assert "have no seed" in words_of(review(replace(VIOLATION, randomness="independent")))


def test_a_group_is_counted():
    said = review(replace(VIOLATION, neighbours="group:3"))
    assert "the rows of up to 3 rounds may change, and" in said


def test_a_review_of_a_certificate_says_what_it_rests_on():
    said = words_of(review(GRANTED))
    assert "certified: epsilon is at most 1.000" in said
    assert "**Rests on.** nothing" in said
    assert "privcheck certify" in said


def test_nothing_that_was_audited_writes_markup():
    fault = Fault("released-again", HOSTILE, 1, HOSTILE, HOSTILE, (1,), (HOSTILE,), 1)
    found = replace(VIOLATION, target=HOSTILE, notes=[HOSTILE], faults=[fault])
    latex, markdown = review(found, "latex"), review(found)
    assert latex.count(r"\end{verbatim}") == latex.count(r"\begin{verbatim}")
    assert latex.count(r"\input") == latex.count(r"\end {verbatim}\input")  # where all is shown as it is
    assert "<b>" not in markdown.partition("**Two inputs.**")[0]
    assert markdown.count("~~~~~~") == 4


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex")
@pytest.mark.parametrize("found", [VIOLATION, GRANTED], ids=["audit", "certificate"])
def test_latex_is_typeset(found, tmp_path):
    text = r"\documentclass{article}\begin{document}" + review(found, "latex") + r"\end{document}"
    (tmp_path / "a.tex").write_text(text, "utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "a.tex"]
    made = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)
    assert made.returncode == 0, made.stdout[-2000:]


def test_the_command_prints_it_and_its_status_is_that_of_the_result(tmp_path, capsys):
    (tmp_path / "audit.json").write_text(VIOLATION.to_json(), "utf-8")
    (tmp_path / "certificate.json").write_text(GRANTED.to_json(), "utf-8")
    assert run(["report", str(tmp_path / "audit.json"), "--review"]) == 1
    assert capsys.readouterr().out == review(VIOLATION)
    assert run(["report", str(tmp_path / "certificate.json"), "--review", "--latex"]) == 0
    assert capsys.readouterr().out == review(GRANTED, "latex")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([".", "--review"], "expected the .json file of one result"), (["missing.json", "--review"], "missing.json"),
        ([".", "--latex"], "--review"), (["watch.json", "--review"], "got watch.json, a WatchReport, expected the"),
        (["watch.json"], "this is a file: give its folder, or --review too"), ([""], "this folder does not exist"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line(arguments, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    WATCHED.save(tmp_path / "watch.json")
    assert run(["report", *arguments]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert said in told
    assert not (tmp_path / "index.html").exists()


SHARED = """
import numpy as np

def shared(data, rng):
    noise = rng.laplace(0.0, 1.0)
    return data.sum() + noise, data[0] + noise
"""


def test_a_review_of_a_replay_has_the_lines_and_what_was_measured(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shared.py").write_text(SHARED)
    said = words_of(review(privcheck.certify("shared.py:shared", epsilon=1.0, primitives="numpy", runs=2, horizon=4)))
    assert "shared.py:5: the noise drawn here is in several numbers" in said
    assert "- shared.py:5: numpy.random.Generator.laplace, " in said
    assert "Rests on" not in said  # of code that runs as it is, without a guard


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"contradictions": ("one", "another")}, "Contradiction: one Contradiction: another"),
        ({"undeclared": ["a at b.py:1", "b at b.py:2", "c at b.py:3"]}, "Undeclared randomness: c at b.py:3"),
        (
            {"primitive_uses": [PrimitiveUse("f", "b.py:7", 1, "L1", 0.5, 1.0, 2.0, 1.0)]},
            "Moved too far: b.py:7: the input",
        ),
    ],
)
def test_a_review_of_a_certificate_leaves_out_no_cause(changes, said):
    assert said in words_of(review(replace(GRANTED, primitives=["numpy"], complete=False, **changes)))


def test_other_results_and_forms_are_refused():
    with pytest.raises(PrivcheckError, match="an audit or a certificate"):
        review([])
    with pytest.raises(PrivcheckError, match="form"):
        review(VIOLATION, "word")
