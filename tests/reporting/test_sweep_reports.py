"""`privcheck report` on the folder of a sweep, and on kinds of results that it did not know."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import privcheck
from privcheck import frontier, load, simulate, sweep
from privcheck.cli import run
from privcheck.reporting import read_folder
from privcheck.reporting._many_audits import AuditedClaim, together
from privcheck.reporting._result_files import read_result
from privcheck.sweeps import _run_sweep as run_sweep

PLAN = {"kind": "audit", "targets": ["adap-ucb", "none.py:X"], "epsilons": [1.0, 2.0], "horizons": [4]}
PLAN["options"] = {"arms": 2, "runs": 200}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_a_sweep_is_reported_half_way_and_in_the_end(monkeypatch, capsys):
    played = []

    def once(*arguments):
        if len(played) == 2:
            raise KeyboardInterrupt
        played.append(arguments)
        return play(*arguments)

    play = run_sweep.play
    with monkeypatch.context() as patched:
        patched.setattr(run_sweep, "play", once)
        with pytest.raises(KeyboardInterrupt):
            sweep(PLAN | {"seeds": [0, 1]}, "store")
    assert run(["report", "store", "--no-pages"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "sweep of 8 cells: 2 done, 6 to play" in said
    assert "among 8 claims, 6 of them not tested yet" in said
    assert not list(Path("store/cells").glob("*.html"))
    sweep(PLAN | {"seeds": [0, 1]}, "store")
    assert run(["report", "store", "--no-pages"]) == 2, "cells failed"
    said = capsys.readouterr()
    assert "sweep of 8 cells: 4 done, 4 failed" in said.out
    assert "4 cells failed: target: got 'none.py'" in said.err
    assert "none.py:X, epsilon 1.0, horizon 4, seed 0" in Path("store/index.html").read_text()


def test_stale_results_are_left_out(monkeypatch):
    sweep(PLAN | {"targets": ["adap-ucb"]}, "store")
    monkeypatch.setattr("privcheck.sweeps._cell.versions", lambda: {"numpy": "3.0"})
    sweep(PLAN | {"targets": ["adap-ucb"], "epsilons": [1.0]}, "store")
    found = read_folder("store")
    assert len(list(Path("store/cells").iterdir())) == 3
    assert sorted(result.claim for result in found.results) == [1.0, 2.0]
    assert len(found.sweeps[0].stale) == 1


def test_claims_that_are_not_tested_yet_only_make_refutations_harder():
    """What is refuted half-way stays refuted, whatever the other p-values turn out to be."""
    tested = [AuditedClaim("a", 1e-4, 0), AuditedClaim("b", 0.02, 1)]
    half = together(tested, untested=3)
    assert half.holm == pytest.approx((5e-4, 0.08))
    for others in ((1.0, 1.0, 1.0), (0.9, 0.3, 0.2), (1e-9, 1e-9, 1e-9)):
        whole = together([*tested, *(AuditedClaim("c", p, 2 + i) for i, p in enumerate(others))])
        assert all(now >= then for now, then in zip(half.holm, whole.holm, strict=False))
        assert all(now >= then for now, then in zip(half.discovery, whole.discovery, strict=False))
    assert together(tested[:1], untested=1).holm == (2e-4,)
    assert together(tested[:1]) is None


def test_frontiers_are_results():
    found = frontier(["adap-ucb", "ucb"], [0.9, 0.1], epsilons=[0.5, 2], horizon=200, runs=5, audit_runs=200)
    found.save("frontier.json")
    row = read_result("frontier.json")
    assert (row.kind, row.target, row.alarm) == ("frontier", "adap-ucb, ucb", False)
    assert "3 points from epsilon = 0.5 to 2" in row.detail
    points = tuple(replace(point, verdict="violation") for point in found.points[:1]) + found.points[1:]
    replace(found, points=points).save("frontier.json")
    assert read_result("frontier.json").alarm
    assert run(["report", "."]) == 1
    text = Path("frontier.json").read_text()
    for wrong in (
        text.replace('"verdict": "violation"', '"verdict": "fine"'),
        text.replace('"seed": 0', '"seed": "0"'),
    ):
        assert wrong != text
        Path("frontier.json").write_text(wrong)
        with pytest.raises(privcheck.PrivcheckError):
            read_result("frontier.json")


def test_simulations_with_remarks_are_results():
    simulate("ucb", [0.75, 0.5], horizon=50, runs=3, shuffle_arms=True).save("simulation.json")
    assert read_result("simulation.json").kind == "simulation"


def test_claims_are_loaded_with_errors_that_name_the_path():
    Path("claims.json").write_text(json.dumps({"schema_version": 2, "claims": []}))
    assert list(load("claims.json")) == []
    for text, said in (
        ('{"schema_version": 4, "claims": []}', "its schema_version is 4, but this privcheck reads 1, 2 or 3"),
        ('{"claims": []}', "its schema_version is None"),
        ('{"schema_version": 2, "claims": [{}]}', "fields of the wrong type"),
        ('{"schema_version": 2, "claims": 1}', "JSON of another kind"),
    ):
        Path("claims.json").write_text(text)
        with pytest.raises(privcheck.PrivcheckError) as refused:
            load("claims.json")
        assert refused.value.parameter == "path"
        assert "replay" not in str(refused.value)
        assert said in str(refused.value)
    Path("claims.json").write_text('{"schema_version": 4, "claims": []}')
    assert run(["claims", "--replay", "claims.json"]) == 2
