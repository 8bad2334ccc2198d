"""Readers believe no result that contradicts itself: a verdict, or a patch, that nothing else in the file bears out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import privcheck
from privcheck import AuditReport, Fix, Frontier, LawBound, OneRunBound, SampleBound
from privcheck.claims import Findings, findings_from_text, kept_findings
from privcheck.errors import PrivcheckError
from privcheck.reporting._result_files import read_result
from privcheck.results._example_results import CERTIFIED, FIXED_BANDIT, GRANTED, VIOLATION, WATCHED
from privcheck.results._read_json import HOOKS


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
        {"rho": 0.1},
        {"runs": -1},
        {"counted_runs": 10**9},
    ],
)
def test_a_verdict_that_nothing_bears_out(fields, tmp_path):
    text = edited(VIOLATION, **fields)
    assert not is_read(text, tmp_path)
    with pytest.raises(PrivcheckError, match=r"what AuditReport\.to_json wrote"):
        AuditReport.from_json(text)


@pytest.mark.parametrize("fields", [{"epsilon_claimed": 50.0}, {"epsilon_lower": 1.5}])
def test_an_audit_that_acquits_what_it_could_not_refute_or_bounds_from_above_the_claim(fields, tmp_path):
    """Of an edited claim it said that it is consistent, at a resolution of 6."""
    assert is_read(CERTIFIED.to_json(), tmp_path)
    assert not is_read(edited(CERTIFIED, **fields), tmp_path)


def written(name):
    return json.loads(Path(__file__).with_name("written").joinpath("3", f"{name}.json").read_text())


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("one_run", {"epsilon": 50.0}),
        ("one_run", {"epsilon_lower": 0.5}),
        ("one_run", {"confidence": 2.0}),
        ("one_run", {"error": 0.0}),
        ("one_run", {"delta": 2.0}),
        ("one_run", {"guesses": -5}),
        ("one_run", {"correct": 150}),
        ("one_run", {"canaries": 100}),
        ("one_run", {"included": 1000}),
        ("sample_bound", {"verdict": "violation"}),
        ("sample_bound", {"confidence": -1.0}),
        ("sample_bound", {"delta": -1.0}),
        ("sample_bound", {"counted_runs": 10**6}),
        ("law_bound", {"verdict": "violation", "epsilon_lower": 0.5}),
        ("law_bound", {"delta": 2.0}),
    ],
)
def test_numbers_that_bear_out_no_verdict_of_a_bound(name, fields):
    """It said that 96 of -5 guesses were right at 200 % confidence, and that a claim of 50 is refuted by 2.045."""
    kind = {"law_bound": LawBound, "one_run": OneRunBound, "sample_bound": SampleBound}[name]
    assert kind.from_json(json.dumps(written(name)))
    with pytest.raises(PrivcheckError, match="fields of the wrong type"):
        kind.from_json(json.dumps(written(name) | fields))


def watched(**fields):
    return json.dumps(json.loads(WATCHED.to_json()) | fields)


def night(**fields):
    first, *others = json.loads(WATCHED.to_json())["nights"]
    return [first | fields, *others]


def alarm(**fields):
    return [json.loads(WATCHED.to_json())["alarms"][0] | fields]


@pytest.mark.parametrize(
    "fields",
    [
        {"error": 0.0},
        {"error": -1.0},
        {"error": 1e-9},
        {"epsilon": None},
        {"rho": 0.1},
        {"alarms": []},
        {"alarms": alarm(e_value=2.0)},
        {"alarms": alarm(since=9)},
        {"alarms": alarm(version=-1)},
        {"alarms": alarm(night=0)},
        {"versions": []},
        {"nights": night(version=-1)},
        {"nights": night(version=10**30)},
        {"nights": night(number=7)},
        {"nights": night(first=101)},
        {"nights": night(e_value=5000.0)},
    ],
)
def test_a_watch_that_nothing_bears_out(fields, tmp_path):
    """Without its alarms it was a watch that has none, at twice the evidence needed; others ended in a traceback."""
    assert is_read(watched(), tmp_path)
    assert not is_read(watched(**fields), tmp_path)


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


def test_a_word_that_is_no_fault_of_a_claim():
    """It was read, and ended in a traceback when it was shown."""
    content = written("claims")
    content["claims"][0]["fault"] = "sloth"
    with pytest.raises(PrivcheckError, match="fields of the wrong type"):
        findings_from_text(json.dumps(content))


def claims_of(found, **changes):
    """Return kept findings of a status as a file, the first of them changed."""
    content = json.loads(Findings([of for of in kept_findings() if of.status == found]).to_json())
    content["claims"][0] |= changes
    return content


def test_all_that_is_kept_is_read():
    assert len(findings_from_text(kept_findings().to_json())) == len(kept_findings())


@pytest.mark.parametrize(
    ("status", "changes"),
    [
        ("refuted", {"status": "proven", "fault": ""}),
        ("refuted", {"readings": []}),
        ("refuted-under-reading", {"status": "refuted"}),
        ("derivation-fails", {"status": "refuted"}),
        ("not-refuted", {"status": "proven"}),
        ("verified-on-region", {"status": "proven"}),
        ("proven", {"status": "refuted"}),
        ("proven", {"fault": "statement"}),
    ],
)
def test_a_status_of_a_claim_that_its_readings_do_not_bear_out(status, changes):
    """What is proven was shown as refuted, and the other way round."""
    assert findings_from_text(json.dumps(claims_of(status)))
    with pytest.raises(PrivcheckError, match=r"whose (status|fault) is"):
        findings_from_text(json.dumps(claims_of(status, **changes)))


@pytest.mark.parametrize(
    ("status", "name"),
    [("refuted", "left"), ("refuted", "arithmetic"), ("order-refuted", "path"), ("proven", "region")],
)
def test_evidence_of_a_claim_that_is_missing(status, name, tmp_path):
    """It was read, and ended in a traceback when it was shown."""
    file = tmp_path / "claims.json"
    content = claims_of(status)
    file.write_text(json.dumps(content))
    assert len(privcheck.load(file)) == len(content["claims"])
    reading = next(of["readings"][0] for of in content["claims"] if name in of["readings"][0]["evidence"])
    del reading["evidence"][name]
    file.write_text(json.dumps(content))
    with pytest.raises(PrivcheckError, match="a field is missing"):
        privcheck.load(file)


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


def at(result, path, value):
    """Return the JSON of a result, or of a file that was written, with another value at a path like "a.0.b"."""
    content = written(result) if isinstance(result, str) else json.loads(result.to_json())
    *above, last = [int(key) if key.isdigit() else key for key in path.split(".")]
    place = content
    for key in above:
        place = place[key]
    place[last] = value
    return json.dumps(content)


ACQUITTED = written("frontier")["points"][0] | {"verdict": "consistent", "epsilon_lower": 5.0}
IMPOSSIBLE = [
    (VIOLATION, "witness.probability_first.low", 0.999999),
    (VIOLATION, "witness.probability_first.high", -1.0),
    (VIOLATION, "witness.probability_second.value", 73.2),
    (VIOLATION, "witness.more_likely", "explored"),
    (VIOLATION, "witness.rounds", []),
    (VIOLATION, "witness.rounds.0", -2),
    (VIOLATION, "witness.first", []),
    (VIOLATION, "witness.first", [[1.0, 0.0]]),
    (VIOLATION, "rewards", [1.0, 0.0]),
    (VIOLATION, "rewards", [0.0, "inf"]),
    (VIOLATION, "neighbours", "full"),
    (VIOLATION, "arms", -1),
    (VIOLATION, "horizon", -1),
    (VIOLATION, "screened_pairs", -1),
    (VIOLATION, "seconds", -1.0),
    (VIOLATION, "e_value", 0.5),
    (VIOLATION, "epsilon_claimed", -1.0),
    (VIOLATION, "epsilon_claimed", 50.0),
    (VIOLATION, "epsilon_lower", 0.1),
    (VIOLATION, "epsilon_estimate.low", 9.0),
    (VIOLATION, "resolution.mass", 0.0),
    (CERTIFIED, "search", {"pairs": 100, "screened": 1, "families": []}),
    (CERTIFIED, "certificate.rewards", [1.0, 0.0]),
    (CERTIFIED, "certificate.executions", -1),
    (CERTIFIED, "certificate.ledger_epsilon", "-inf"),
    ("certificate_refused", "replay.divergences", 10**6),
    ("certificate_refused", "replay.first_divergence", None),
    ("certificate_refused", "replay.first_divergence.first.0", [0.25]),
    (FIXED_BANDIT, "patches.0.audit_confidence", 99.9),
    (FIXED_BANDIT, "patches.0.regret.places", []),
    ("fix", "patches.4.standing", "great"),
    ("steps", "best", None),
    ("steps", "best.probability_first.low", 56.0),
    ("steps", "epsilon_claimed", 100.0),
    ("steps", "delta", 1.5),
    ("steps", "confidence", 95.0),
    ("steps", "runs", -1),
    ("frontier", "frontier.confidence", 95.0),
    ("frontier", "points.0.runs", 0),
    ("frontier", "points.0.q95", -1.0),
    ("frontier", "points.0", ACQUITTED),
    ("frontier", "points.0.rho", 0.1),
]


@pytest.mark.parametrize(("result", "path", "value"), IMPOSSIBLE, ids=[path for _, path, _ in IMPOSSIBLE])
def test_a_number_that_there_cannot_be(result, path, value, tmp_path):
    """Pages and reviews of several of them ended in a traceback; others showed a probability of 73.2."""
    assert is_read(json.dumps(written(result)) if isinstance(result, str) else result.to_json(), tmp_path)
    assert not is_read(at(result, path, value), tmp_path)


@pytest.mark.parametrize(
    ("name", "path", "value"),
    [
        ("sample_bound", "likelier", "third"),
        ("sample_bound", "probability_first.high", 0.0),
        ("sample_bound", "probability_second.low", -0.5),
        ("sample_bound", "delta_lower", -1.0),
        ("law_bound", "epsilon", -1.0),
        ("law_bound", "epsilon_upper", 0.0),
        ("law_bound", "delta_lower", 0.5),
    ],
)
def test_a_number_that_a_bound_cannot_have(name, path, value):
    kind = {"law_bound": LawBound, "sample_bound": SampleBound}[name]
    content = json.loads(at(name, path, value))
    if path == "delta_lower" and value > 0:  # of a claim that is not refuted, though the bound is above it
        content |= {"epsilon_lower": 2.0, "epsilon_upper": None}
    with pytest.raises(PrivcheckError, match="fields of the wrong type"):
        kind.from_json(json.dumps(content))


@pytest.mark.parametrize("measured", [None, 2.0])
def test_an_excess_over_a_sensitivity_that_nobody_stated(measured, tmp_path):
    content = json.loads(GRANTED.to_json()) | {"coverage": "explored", "granted": False, "complete": False}
    content |= {"epsilon_upper": None, "primitives": ["numpy"]}
    use = {"name": "f", "location": "a.py:1", "calls": 1, "metric": "L1", "declared": 1.0, "measured": 2.0}
    content["primitive_uses"] = [use | {"excess": 2.0, "epsilon": None}]
    assert is_read(json.dumps(content), tmp_path)
    content["primitive_uses"][0] |= {"declared": None, "measured": measured}
    assert not is_read(json.dumps(content), tmp_path)


@pytest.mark.parametrize("text", ['"seed": 1, "seed"', '"seed": NaN, "of"'])
def test_a_frontier_in_which_a_name_stands_twice_or_a_number_is_none(text):
    """`Frontier.from_json` took the second of two."""
    found = json.dumps(written("frontier"))
    assert Frontier.from_json(found).to_json()
    with pytest.raises(PrivcheckError, match="the JSON of a frontier"):
        Frontier.from_json(found.replace('"seed"', text, 1))


def test_a_very_deep_frontier():
    with pytest.raises(PrivcheckError, match="the JSON of a frontier"):
        Frontier.from_json("[" * 100_000)


def test_checks_are_those_of_results_and_not_of_classes_with_the_same_name():
    other = type("ReplayResult", (), {"__module__": "privcheck.simulation._log_replay"})
    assert HOOKS.get(other) is None
    assert HOOKS.get(type(GRANTED.replay)) is not None
