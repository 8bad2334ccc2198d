"""`privcheck compare`: a verdict that got worse is told, what cannot be compared is named."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from privcheck import sweep
from privcheck.cli import run
from privcheck.privacy import Contexts
from privcheck.simulation import simulate
from tests.example_results import CERTIFIED, GRANTED, VIOLATION

CONSISTENT = replace(VIOLATION, verdict="consistent", epsilon_lower=0.5)
INCONCLUSIVE = replace(CONSISTENT, verdict="inconclusive")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "160")  # notes on one line


def compare(old, new, *options):
    Path("old.json").write_text(old.to_json())
    Path("new.json").write_text(new.to_json())
    return run(["compare", "old.json", "new.json", *options])


@pytest.mark.parametrize(
    ("old", "new", "status", "outcome"),
    [
        (CONSISTENT, CONSISTENT, 0, "same"),
        (CONSISTENT, INCONCLUSIVE, 1, "worse"),
        (CONSISTENT, VIOLATION, 1, "worse"),
        (INCONCLUSIVE, VIOLATION, 1, "worse"),
        (VIOLATION, INCONCLUSIVE, 0, "better"),
        (VIOLATION, CONSISTENT, 0, "better"),
        (GRANTED, GRANTED, 0, "same"),
        (CERTIFIED, replace(CERTIFIED, certificate=None), 1, "worse"),
        (replace(CERTIFIED, certificate=None), CERTIFIED, 0, "better"),
        (CONSISTENT, replace(CONSISTENT, epsilon_lower=0.1, seconds=900.0, seed=3, runs=50), 0, "same"),
    ],
)
def test_statuses(old, new, status, outcome, capsys):
    assert compare(old, new, "--json", "-") == status
    found = json.loads(capsys.readouterr().out)
    assert found["status"] == status
    assert [change["outcome"] for change in found["changes"]] == [outcome]


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"epsilon_claimed": 1.5}, "claim epsilon = 1, now epsilon = 1.5"),
        ({"delta": 1e-3}, "claim epsilon = 1, now epsilon = 1, delta = 0.001"),
        ({"neighbours": "group:2"}, "neighbours row, now group:2"),
        ({"observe": "releases"}, "observe actions, now releases"),
        ({"confidence": 0.9}, "confidence 0.95, now 0.9"),
        ({"horizon": 99}, "now 99"),
    ],
)
def test_what_is_not_comparable_is_named(changed, named, capsys):
    assert compare(CONSISTENT, replace(VIOLATION, **changed)) == 2
    assert named in capsys.readouterr().out


OTHER = replace(VIOLATION.witness, first=VIOLATION.witness.first[::-1].copy())


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ({}, {"streams": "'pair.npy'"}, "streams searched, now given, "),
        ({"streams": "'pair.npy'"}, {"streams": "'pair.npy'", "witness": OTHER}, "streams given, "),
        ({}, {"randomness": "independent"}, "randomness seeded, now independent"),
    ],
)
def test_audits_on_other_streams_or_other_randomness_are_not_compared(old, new, named, capsys):
    """A claim that holds on one pair of inputs may fail on another one: that says nothing of the code."""
    assert compare(replace(CONSISTENT, **old), replace(VIOLATION, **new)) == 2
    assert named in " ".join(capsys.readouterr().out.split())
    assert compare(replace(CONSISTENT, **old), replace(CONSISTENT, **old)) == 0


SWAPPED = replace(VIOLATION.witness, first=VIOLATION.witness.second, second=VIOLATION.witness.first)


@pytest.mark.parametrize(("streams", "witness"), [("'pair.npy'", SWAPPED), ("neighbours_of_mine", OTHER)])
def test_the_same_streams_are_compared_whichever_the_witness(streams, witness, capsys):
    """It may have the pair the other way round; of pairs that a function draws it shows one, by the seed."""
    old, new = replace(CONSISTENT, streams=streams), replace(VIOLATION, streams=streams, witness=witness)
    assert compare(old, new) == 1
    assert "worse" in capsys.readouterr().out


def test_what_a_changed_verdict_takes_on_trust_stands_beside_it(capsys):
    noted = {"notes": ["this holds provided that encode reads the output alone"], "encode": "encode"}
    assert compare(replace(CONSISTENT, **noted), replace(VIOLATION, **noted)) == 1
    assert (
        "now violation; provided that encode did not change, which no file says; this holds provided that encode reads"
        in " ".join(capsys.readouterr().out.split())
    )


@pytest.mark.parametrize("of", [VIOLATION, GRANTED])
def test_results_of_two_targets_are_not_compared(of, capsys):
    """Once two bandits passed as one that stayed the same, or got better."""
    old, new, moved = (replace(of, target=each) for each in ("mine.py:Mine", "mine.py:Other", "src/mine.py:Mine"))
    assert compare(old, new) == 2
    said = " ".join(capsys.readouterr().out.split())
    assert "they are of two targets, mine.py:Mine and mine.py:Other" in said
    assert "? not comparable" in said
    assert "target mine.py:Mine, now" not in said  # once is enough
    assert compare(old, moved) == 0
    assert "target mine.py:Mine, now src/mine.py:Mine" in " ".join(capsys.readouterr().out.split())


def test_simulations_of_two_policies_are_not_compared(capsys):
    one, other = (simulate(each, [0.75, 0.5], horizon=100, runs=5) for each in ("ucb", "imed"))
    assert compare(one, other) == 2
    assert "they are of two targets, ucb and imed" in " ".join(capsys.readouterr().out.split())


def curve(*corners):
    return replace(CONSISTENT, epsilon_claimed=None, tradeoff_claimed=corners, claim_epsilon=0.5)


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        (
            curve((0.0, 1.0), (0.2, 0.4), (1.0, 0.0)),
            curve((0.0, 1.0), (0.1, 0.1), (1.0, 0.0)),
            "claim tradeoff = 0:1,0.2:0.4,1:0, now tradeoff = 0:1,0.1:0.1,1:0",
        ),
        (CONSISTENT, replace(CONSISTENT, epsilon_claimed=1.0000001), "claim epsilon = 1, now epsilon = 1.0000001"),
        (CONSISTENT, replace(CONSISTENT, messages=True), "messages False, now True"),
        (CONSISTENT, replace(CONSISTENT, encode="model.py:weights"), "encode none, now model.py:weights"),
        *(
            (replace(each, contexts=Contexts((2,), norm=1.0)), replace(each, contexts=Contexts((2,), norm=9.0)), "now")
            for each in (CONSISTENT, GRANTED)
        ),
    ],
)
def test_claims_that_look_alike_in_a_sentence_are_not_mixed(old, new, named, capsys):
    """Once two curves, two contexts, and what differs after the sixth digit passed for the same claim."""
    assert compare(old, old) == 0
    assert compare(old, new) == 2
    assert named in " ".join(capsys.readouterr().out.split())


def test_simulations_with_shuffled_arms_are_not_mixed_with_others(capsys):
    one, other = (simulate("ucb", [0.75, 0.5], horizon=100, runs=5, shuffle_arms=each) for each in (False, True))
    assert compare(one, other) == 2
    assert "shuffle_arms False, now True" in capsys.readouterr().out


def test_simulations_with_other_parameters_are_not_mixed(capsys):
    one, other = (simulate("adap-ucb", [0.75, 0.5], horizon=100, runs=5, epsilon=each) for each in (0.5, 5.0))
    assert compare(one, other) == 2
    said = " ".join(capsys.readouterr().out.split())
    assert "parameters arms=2, epsilon=0.5, alpha=3.1, now arms=2, epsilon=5" in said
    content = json.loads(other.to_json())
    assert content.pop("algorithms") == ["adap-ucb(arms=2, epsilon=5, alpha=3.1)"]
    Path("old.json").write_text(one.to_json())
    Path("new.json").write_text(json.dumps(content))  # as earlier versions wrote it
    assert run(["compare", "old.json", "new.json"]) == 0


def test_kinds_are_not_mixed(capsys):
    assert compare(CONSISTENT, GRANTED) == 2
    assert "kind audit, now certificate" in capsys.readouterr().out


def test_simulations_show_their_regret(capsys):
    made = [simulate("ucb", [0.75, 0.5], horizon=100, runs=5, seed=seed) for seed in (0, 1)]
    assert compare(*made) == 0
    means = [f"{row['mean']:.3g}"[:3] for row in (of.summary()[0] for of in made)]
    said = capsys.readouterr().out
    assert all(mean in said for mean in means)
    other = simulate("ucb", [0.75, 0.25], horizon=100, runs=5)
    assert compare(made[0], other) == 2
    both = simulate(["ucb", "imed"], [0.75, 0.5], horizon=100, runs=5)
    assert compare(made[0], both) == 2
    assert "it has several policies" in capsys.readouterr().err


def test_files_that_cannot_be_read_are_named(capsys):
    Path("old.json").write_text(CONSISTENT.to_json())
    Path("new.json").write_text("{}")
    Path("late.json").write_text(CONSISTENT.to_json().replace('"schema_version": 3', '"schema_version": 4'))
    for new, said in (("new.json", "match none of them"), ("none.json", "No such file"), ("late.json", "is 4, but")):
        assert run(["compare", "old.json", new]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith(f"privcheck: new: got '{new}'")
        assert said in line
    assert run(["compare", "old.json", "."]) == 2
    assert "two files or two folders" in capsys.readouterr().err


def test_folders_are_compared_file_by_file(capsys):
    for place, reports in (
        ("old", {"a": CONSISTENT, "b": VIOLATION, "gone": CONSISTENT}),
        ("new", {"a": VIOLATION, "b": VIOLATION, "more": CONSISTENT}),
    ):
        Path(place).mkdir()
        for name, report in reports.items():
            report.save(Path(place, f"{name}.json"))
    assert run(["compare", "old", "new", "--json", "-"]) == 1, "a worse verdict comes before a missing one"
    found = json.loads(capsys.readouterr().out)
    assert [(change["name"], change["outcome"]) for change in found["changes"]] == [
        ("a.json", "worse"), ("gone.json", "not comparable"), ("b.json", "same"),
    ]  # fmt: skip
    assert found["added"] == ["more.json"]
    Path("new/a.json").write_text(CONSISTENT.to_json())
    assert run(["compare", "old", "new"]) == 2
    assert "gone.json" in capsys.readouterr().out


def test_sweeps_are_compared_cell_by_cell(capsys, monkeypatch):
    plan = {"kind": "audit", "targets": ["adap-ucb"], "epsilons": [1.0, 2.0], "horizons": [4]}
    plan["options"] = {"arms": 2, "runs": 200, "pairs": 5}
    sweep(plan, "old")
    monkeypatch.setattr("privcheck.sweeps._cell.versions", lambda: {"numpy": "3.0"})
    sweep(plan, "new")
    assert {path.name for path in Path("old/cells").iterdir()}.isdisjoint(
        path.name for path in Path("new/cells").iterdir()
    )
    assert run(["compare", "old", "new"]) == 0
    assert "2 same" in capsys.readouterr().out
    one, other = sorted(Path("old/cells").iterdir())
    one.write_text(other.read_text())
    assert run(["compare", "old", "new"]) == 2
    assert capsys.readouterr().err.count("not as the sweep wrote it, expected results as they were written") == 1


def test_the_summary_of_a_job(monkeypatch, capsys):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    assert compare(CONSISTENT, VIOLATION) == 1
    assert not Path("summary.md").exists()
    assert compare(CONSISTENT, VIOLATION, "--annotate", "github") == 1
    assert "❌ privcheck compare: 1 worse" in Path("summary.md").read_text()
    assert compare(CONSISTENT, VIOLATION, "--annotate", "gitlab") == 2
