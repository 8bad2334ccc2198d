"""`privcheck report` counts the audited claims inside frontiers, fixes and watches among all claims of a folder."""

from __future__ import annotations

import inspect
import json
from dataclasses import replace

import pytest

import privcheck
from privcheck.cli import run
from privcheck.errors import PrivcheckError
from privcheck.reporting import read_folder
from privcheck.results import Frontier, FrontierPoint
from tests.example_results import CERTIFIED, FIXED_BANDIT, WATCHED

ERROR = inspect.signature(privcheck.audit).parameters["error"].default
"""Of an audit that is told none, as those of a frontier are."""


def point(policy, verdict, p_value=None, epsilon=1.0):
    return FrontierPoint(policy, epsilon, 5.0, 0.1, 4.0, 6.0, 9, 0.5, verdict, p_value=p_value)


def made(*points):
    return Frontier("c2", (0.5, 0.4), (), 100, 0, 0.95, points, ())


POINTS = (
    point("leaky", "violation", 1e-9),
    point("leaky", "violation", 1e-4, 2.0),
    point("kept", "inconclusive", 0.4),
    FrontierPoint("ucb", None, 5.0, 0.1, 4.0, 6.0, 9),
)


def claims_of(folder):
    claims = read_folder(folder).claims
    return None if claims is None else {claim.target: claim.p_value for claim in claims.tested}


def test_the_audits_of_a_frontier_are_claims_of_their_own(tmp_path, capsys):
    made(*POINTS).save(tmp_path / "f.json")
    (tmp_path / "a.json").write_text(replace(CERTIFIED, target="right", seed=5, p_value=0.5).to_json())
    assert claims_of(tmp_path) == {
        "leaky, epsilon = 1 in f.json": 1e-9,
        "leaky, epsilon = 2 in f.json": 1e-4,
        "kept, epsilon = 1 in f.json": 0.4,
        "right": 0.5,
    }
    assert run(["report", str(tmp_path), "--no-pages"]) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert "among 4 claims (Holm): 2 refuted: leaky, epsilon = 1 in f.json (p 4e-09), leaky, epsilon = 2" in said
    assert "some audits have the same seed" in said, "those of a frontier have one seed"
    assert "none refuted" not in said


def test_a_frontier_alone_has_the_lines_too(tmp_path, capsys):
    made(*POINTS).save(tmp_path / "f.json")
    assert run(["report", str(tmp_path), "--no-pages"]) == 1
    assert "among 3 claims (Holm): 2 refuted" in " ".join(capsys.readouterr().out.split())


def test_frontiers_without_audited_claims_add_none(tmp_path):
    made(point("leaky", None), POINTS[-1]).save(tmp_path / "f.json")
    assert claims_of(tmp_path) is None
    made(POINTS[0], POINTS[-1]).save(tmp_path / "f.json")
    assert claims_of(tmp_path) is None, "one claim is no family"


def test_files_without_p_values_are_worth_their_verdicts(tmp_path):
    content = json.loads(made(*POINTS).to_json())
    for each in content["points"]:
        each.pop("p_value", None)
    (tmp_path / "f.json").write_text(json.dumps(content))
    assert list(claims_of(tmp_path).values()) == [ERROR, ERROR, 1.0]


def test_a_frontier_keeps_its_p_values():
    found = made(*POINTS)
    assert Frontier.from_json(found.to_json()) == found
    for wrong in (point("one", "violation", 1.5), point("one", "violation", -0.1), point("one", None, 0.5)):
        with pytest.raises(PrivcheckError, match="p_value"):
            Frontier.from_json(made(wrong).to_json())


@pytest.mark.chance(0.0, "the p-value and the verdict are compared with each other")
def test_an_audited_point_has_the_p_value_of_its_audit():
    found = privcheck.frontier("adap-ucb", [0.9, 0.1], epsilons=[1.0], horizon=20, runs=2, audit_runs=40)
    (audited,) = found.points
    assert audited.verdict is not None
    assert (audited.p_value <= ERROR) is (audited.verdict == "violation")


def test_watches_and_patches_are_claims_too(tmp_path):
    WATCHED.save(tmp_path / "w.json")
    quiet = replace(WATCHED, name="quiet", alarms=(), nights=WATCHED.nights[:1], versions=WATCHED.versions[:1])
    both = [json.loads(each.to_json()) for each in (WATCHED, quiet)]
    text = json.dumps({"schema_version": both[0].pop("schema_version"), "watches": both})
    (tmp_path / "all.json").write_text(text)
    patch = FIXED_BANDIT.patches[0]
    withdrawn = replace(patch, number=2, standing="withdrawn", epsilon_lower=2.0, audit_runs=9)
    unaudited = replace(patch, number=3, standing="certified", epsilon_lower=None, audit_runs=0)
    audited = replace(patch, epsilon_lower=0.5, audit_runs=9)
    replace(FIXED_BANDIT, patches=(audited, unaudited, withdrawn)).save(tmp_path / "fix.json")
    assert claims_of(tmp_path) == {
        f"{WATCHED.name} in w.json": WATCHED.error,
        f"{WATCHED.name} in all.json": WATCHED.error,
        "quiet in all.json": 1.0,
        f"{FIXED_BANDIT.target}, patch 1 in fix.json": 1.0,
        f"{FIXED_BANDIT.target}, patch 2 in fix.json": pytest.approx(1e-3),
    }
