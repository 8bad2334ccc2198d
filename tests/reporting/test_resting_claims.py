"""Bounds that rest on a failed claim say so: the ids exist, the refutations hold when they are run again."""

from __future__ import annotations

import io
import json
import re

import pytest
from rich.console import Console

from privcheck.bounds import THEOREMS, Instance, evaluate
from privcheck.claims import CLAIMS, Effort, examine, replay
from privcheck.cli import run
from privcheck.reporting import (
    failed_claims,
    load,
    render_bounds,
    resting_sentence,
)
from privcheck.reporting._terminal.bounds_table import theory_table
from privcheck.reporting._text import resting_claims
from privcheck.reporting._text.resting_claims import (
    kept_run,
    with_failed_claims,
)

HOW, FINDINGS = kept_run()
CITED = sorted({claim.id for name in THEOREMS for claim in failed_claims(name)})
INSTANCE = Instance("bernoulli", (0.75, 0.5), epsilon=1.0, horizon=1e6)


def test_theorems_name_claims_that_exist_and_were_examined():
    named = {name for theorem in THEOREMS.values() for name in theorem.claims}
    assert named <= CLAIMS.keys() & FINDINGS.keys()
    assert len(named) > 20
    assert all(len(set(theorem.claims)) == len(theorem.claims) for theorem in THEOREMS.values())


def test_the_kept_run_says_how_it_was_made_and_covers_every_claim():
    numbers = {"command": "privcheck claims --effort 1m --seed 0", "points": 3000, "boxes": 1500, "seed": 0}
    assert {name: HOW[name] for name in numbers} == numbers
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", HOW["date"])
    assert HOW["privcheck"]
    assert FINDINGS.keys() == CLAIMS.keys()
    assert {finding.seed for finding in FINDINGS.values()} == {HOW["seed"]}


def test_some_theorems_rest_on_failed_claims_and_repaired_forms_do_not():
    assert len(CITED) >= 8
    assert resting_sentence("azize-basu-2022/lemma2")
    for name in THEOREMS:
        if name.endswith(("-corrected", "-tight", "-sharp", "-kl", "-replacement", "-squared", "-proven")):
            assert resting_sentence(name) == ""


@pytest.mark.parametrize("name", CITED)
def test_a_cited_refutation_is_found_again_and_replays(name):
    found = examine(CLAIMS[name], Effort(HOW["points"], 0, HOW["seed"]))
    assert found.status == FINDINGS[name].status
    assert found.wrong
    assert all(replay(FINDINGS[name], CLAIMS[name]))


def test_the_table_the_page_and_the_json_say_it_in_one_line_a_bound():
    values = evaluate(INSTANCE)
    lines = {v.id: resting_sentence(v.id) for v in values if v.applies and resting_sentence(v.id)}
    assert len(lines) >= 5
    console = Console(width=300, file=io.StringIO(), record=True)
    console.print(theory_table(INSTANCE, values))
    told, page = console.export_text(), render_bounds(INSTANCE, values)
    for name, line in lines.items():
        assert told.count(f"✗ {line}\n") == 1
        assert line in page
        row = json.loads(json.dumps(with_failed_claims(next(v for v in values if v.id == name))))
        assert [of["claim"] for of in row["rests_on"]] == [claim.id for claim in failed_claims(name)]
    silent = next(v for v in values if v.id == "azize-basu-2022/lemma2-sharp")
    assert with_failed_claims(silent)["rests_on"] == []


def test_a_run_in_which_nothing_failed_warns_of_nothing(monkeypatch):
    """So the warnings come from the run, and not from the theorems."""
    monkeypatch.setattr(resting_claims, "kept_run", lambda: (HOW, {}))
    assert all(resting_sentence(name) == "" for name in THEOREMS)


def test_python_and_the_command_write_the_same_json_and_a_loaded_file_keeps_it(tmp_path):
    values = evaluate(INSTANCE)
    command, saved, again = (tmp_path / f"{name}.json" for name in ("command", "saved", "again"))
    words = ["bounds", "--means", "0.75,0.5", "--epsilon", "1", "--horizon", "1e6", "--json", str(command)]
    assert run(words) == 0
    values.save(saved)
    load(command).save(again)
    assert command.read_text() == values.to_json() + "\n" == saved.read_text() == again.read_text()
    rows = {row["id"]: row["rests_on"] for row in json.loads(values.to_json())["bounds"]}
    assert [of["claim"] for of in rows["azize-basu-2022/lemma2"]] == ["azize-basu-2022/lem2"]
    assert rows["azize-basu-2022/lemma2-sharp"] == []
