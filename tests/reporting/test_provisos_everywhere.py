"""What a result takes on the user's word stands wherever it is shown to somebody who does not read its notes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import privcheck
from privcheck.cli import run
from privcheck.reporting import review
from privcheck.reporting._annotations.code_finding import findings
from privcheck.reporting._annotations.github import commands_of
from privcheck.reporting._annotations.job_summary import result_summary
from privcheck.reporting._annotations.sarif import sarif
from privcheck.reporting._text.watch_sentences import next_step
from tests.example_results import GRANTED, VIOLATION, WATCHED

WRITTEN = Path(__file__).parents[1] / "results" / "written" / "3"
PROVISO = "this holds provided that encode reads the output alone"
NOTED = replace(VIOLATION, notes=["30 candidates were left out", PROVISO, "neighbours here are two inputs"])
ALARM = replace(WATCHED, notes=(PROVISO, "night 3 was lost"))


def test_the_notes_that_state_conditions_are_told_apart():
    assert NOTED.provided == (PROVISO, "neighbours here are two inputs")
    assert VIOLATION.provided == ()
    assert replace(VIOLATION, randomness="independent").provided[-1].startswith("that the runs are independent")
    assert ALARM.provided == (PROVISO,)
    assert "on your word" in replace(WATCHED, seeded=False).provided[-1]


@pytest.mark.parametrize("result", [NOTED, replace(NOTED, faults=[]), ALARM], ids=["fault", "violation", "alarm"])
def test_a_finding_at_a_line_of_code_says_them(result):
    found = findings(result)
    assert found
    for shown in (*commands_of(found), *(one["message"]["text"] for one in sarif(found)["runs"][0]["results"])):
        assert PROVISO in shown
        assert "left out" not in shown


def test_a_job_summary_and_a_row_say_them():
    assert PROVISO in result_summary(NOTED)
    assert NOTED.rows()[0]["provided"] == "; ".join(NOTED.provided)
    trusted = replace(GRANTED, rests_on={"functions of one number": ["f keeps nothing"]})
    assert "provided that f keeps nothing" in result_summary(trusted)
    assert "provided" not in result_summary(GRANTED)


def test_the_table_and_the_page_of_a_folder_say_them(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    trusted = replace(GRANTED, rests_on={"functions of one number": ["f keeps nothing"]})
    for name, result in {"audit": NOTED, "watch": ALARM, "certificate": trusted}.items():
        (tmp_path / f"{name}.json").write_text(result.to_json(), encoding="utf-8")
    run(["report", str(tmp_path), "--no-pages"])
    table, page = capsys.readouterr().out, (tmp_path / "index.html").read_text(encoding="utf-8")
    for shown in (table, page):
        assert shown.count(PROVISO) == 2
        assert shown.count("provided that f keeps nothing") == 1


@pytest.mark.parametrize("name", ["law_bound", "one_run", "sample_bound"])
def test_a_bound_from_numbers_says_them_in_each_form(name):
    found = privcheck.load(WRITTEN / f"{name}.json")
    assert found.provided
    assert json.loads(found.to_json())["provided"] == list(found.provided)
    assert found.rows()[0]["provided"] == "; ".join(found.provided)
    assert f"Provided that {'; that '.join(found.provided)}." in str(found)


def test_the_command_after_an_alarm_says_what_it_lacks():
    asked = replace(WATCHED, target="bandit.py:Bandit", given=("streams", "encode"))
    assert " with the --streams and --encode of the watch, which shows both streams" in next_step(asked)


def test_the_watches_of_a_store_are_one_row_and_each_alarm_is_annotated(tmp_path, capsys):
    store = WRITTEN / "watches.json"
    (tmp_path / "store.json").write_text(store.read_text(encoding="utf-8"), encoding="utf-8")
    assert run(["report", str(tmp_path), "--no-pages"]) == 1
    assert "alarm" in capsys.readouterr().out


def test_a_review_of_given_inputs_does_not_say_that_one_row_may_change():
    said = "whether the two inputs are neighbours is taken on your word"
    given = replace(VIOLATION, feedback="mechanism", streams="'pair.npy'", notes=[said])
    assert "what the given ones differ in may change" in review(given, "markdown")
    assert "one row may change" in review(replace(given, notes=[]), "markdown")
