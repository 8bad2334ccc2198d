"""Readers believe no result that contradicts itself: a verdict, or a patch, that nothing else in the file bears out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from privcheck import AuditReport, Fix, LawBound, OneRunBound, SampleBound
from privcheck.claims import findings_from_text
from privcheck.errors import PrivcheckError
from privcheck.reporting._result_files import read_result
from privcheck.results._example_results import CERTIFIED, FIXED_BANDIT, VIOLATION


def edited(result, **fields):
    return json.dumps(json.loads(result.to_json()) | fields)


def patched(**fields):
    content = json.loads(FIXED_BANDIT.to_json())
    content["patches"][0] |= fields
    return json.dumps(content)


def certificate(**fields):
    return json.loads(FIXED_BANDIT.to_json())["patches"][0]["certificate"] | fields


def is_read(text, folder):
    file = folder / "result.json"
    file.write_text(text)
    try:
        read_result(file)
    except PrivcheckError:
        return False
    return True


@pytest.mark.parametrize("result", [VIOLATION, CERTIFIED, FIXED_BANDIT])
def test_what_was_written_is_read(result, tmp_path):
    assert is_read(result.to_json(), tmp_path)
    assert type(result).from_json(result.to_json()).to_json() == result.to_json()


@pytest.mark.parametrize(
    "fields",
    [
        {"verdict": "consistent", "p_value": 1e-9},
        {"verdict": "violation", "p_value": 1.0},
        {"p_value": -1.0},
        {"p_value": 7.0},
        {"error": 2.0},
        {"confidence": 0.0},
        {"delta": 2.0},
        {"epsilon_claimed": None},
    ],
)
def test_a_verdict_that_nothing_bears_out(fields, tmp_path):
    text = edited(VIOLATION, **fields)
    assert not is_read(text, tmp_path)
    with pytest.raises(PrivcheckError, match=r"what AuditReport\.to_json wrote"):
        AuditReport.from_json(text)


@pytest.mark.parametrize("verdict", ["consistent", "Violation", "refuted", "private", "", None])
@pytest.mark.parametrize("kind", [LawBound, OneRunBound, SampleBound])
def test_a_word_that_is_no_verdict_of_a_bound_from_numbers(kind, verdict):
    """Any other word than "violation" was shown as a claim that is not refuted."""
    name = {LawBound: "law_bound", OneRunBound: "one_run", SampleBound: "sample_bound"}[kind]
    found = kind.from_json(Path(__file__).with_name("written").joinpath("3", f"{name}.json").read_text())
    assert kind.from_json(edited(found)).verdict == found.verdict
    with pytest.raises(PrivcheckError, match="verdict is"):
        kind.from_json(edited(found, verdict=verdict))
    with pytest.raises(PrivcheckError, match="verdict is"):
        kind.from_json(edited(found, epsilon=None))


@pytest.mark.parametrize("place", ["status", "repair_status", "of a reading"])
def test_a_word_that_is_no_status_of_a_claim(place):
    """Counts and lists left such a claim out."""
    content = json.loads(Path(__file__).with_name("written").joinpath("3", "claims.json").read_text())
    assert len(findings_from_text(json.dumps(content))) == len(content["claims"])
    changed = content["claims"][0] if place != "of a reading" else content["claims"][0]["readings"][0]
    changed["status" if place == "of a reading" else place] = "Refuted"
    with pytest.raises(PrivcheckError, match="fields of the wrong type"):
        findings_from_text(json.dumps(content))


def test_a_status_that_stands_twice():
    text = Path(__file__).with_name("written").joinpath("3", "claims.json").read_text()
    with pytest.raises(PrivcheckError, match="not JSON"):
        findings_from_text(text.replace('"status"', '"status": "proven", "status"', 1))


@pytest.mark.parametrize("fields", [{"neighbours": "reward"}, {"rewards": [0.0, 0.1]}])
def test_a_certificate_of_another_promise_is_not_that_of_an_audit(fields, tmp_path):
    own = json.loads(CERTIFIED.to_json())["certificate"]
    assert not is_read(edited(CERTIFIED, certificate=own | fields), tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        patched(certificate=None),
        patched(certificate=certificate(granted=False, complete=False)),
        patched(certificate=certificate(epsilon_claimed=50.0, epsilon_upper=50.0, budget={"epsilon": 50.0})),
        patched(epsilon_lower=5.0),
        patched(standing="certified"),
        edited(FIXED_BANDIT, outcome="nothing to fix"),
        edited(FIXED_BANDIT, outcome="nothing to fix", patches=[], finding=None),
        edited(FIXED_BANDIT, patches=[]),
        edited(FIXED_BANDIT, outcome="great"),
        edited(FIXED_BANDIT, epsilon=0.1),
    ],
)
def test_a_patch_that_nothing_bears_out(text, tmp_path):
    assert not is_read(text, tmp_path)
    with pytest.raises(PrivcheckError, match=r"what Fix\.to_json wrote"):
        Fix.from_json(text)


def test_a_name_that_stands_twice(tmp_path):
    """Of two verdicts in one file the second one counted."""
    text = VIOLATION.to_json().replace('"verdict"', '"verdict": "consistent", "verdict"', 1)
    assert not is_read(text, tmp_path)
    with pytest.raises(PrivcheckError, match="not JSON"):
        AuditReport.from_json(text)
